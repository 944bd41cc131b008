#include "tests/report/file_text.h"

#include <algorithm>

namespace selvage::test {

namespace {

bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool closes(char c) { return c == ']' || c == '}'; }

}  // namespace

std::optional<std::smatch> found(const std::string& text, const char* words) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(words))) return std::nullopt;
  return match;
}

std::size_t FileText::offset(int line, int column) const {
  std::size_t begin = 0;
  for (int k = 1; k < line; ++k) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return text.size();
    begin = end + 1;
  }
  return std::min(begin + std::size_t(std::max(column, 1)) - 1, text.size());
}

std::string_view FileText::at(const TextSpan& span) const {
  return std::string_view(text).substr(span.begin, span.end - span.begin);
}

TextSpan FileText::value(std::size_t begin) const {
  std::size_t end = begin;
  if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
    end = std::min(text.find(text[begin], begin + 1), text.size() - 1) + 1;
    return {begin, end};
  }
  int depth = 0;
  for (; end < text.size() && text[end] != '\n'; ++end) {
    const char c = text[end];
    if (depth == 0 && (c == ',' || closes(c))) break;
    if (c == '[' || c == '{') ++depth;
    if (closes(c) && --depth == 0) return {begin, end + 1};
  }
  return {begin, end};
}

TextSpan FileText::word(std::size_t begin) const {
  std::size_t end = begin;
  while (end < text.size() && is_part_of_word(text[end])) ++end;
  return {begin, end};
}

TextSpan FileText::value_around(std::size_t inside) const {
  const std::size_t line = inside == 0 ? 0 : text.rfind('\n', inside - 1) + 1;
  std::size_t begin = line;
  bool is_quoted = false;
  for (std::size_t k = line; k <= inside && k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"') {
      is_quoted = !is_quoted;
      if (is_quoted) begin = k;
    } else if (!is_quoted && k < inside && (c == '[' || c == '{' || c == ' ')) {
      const bool is_in_value = c == ' ' && k > line && text[k - 1] != ':' && text[k - 1] != ',';
      if (!is_in_value) begin = k + 1;
    }
  }
  return value(begin);
}

void FileText::replace(const TextSpan& span, std::string_view by) {
  text.replace(span.begin, span.end - span.begin, by);
}

void FileText::remove_entry(std::size_t begin) {
  const std::size_t line = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  const std::size_t indent = begin - line;
  if (text.find_first_not_of(' ', line) == begin) {
    // What is further in belongs to it.
    std::size_t end = line;
    do {
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    } while (end < text.size() && text.find_first_not_of(' ', end) > end + indent);
    return replace({line, end}, "");
  }
  TextSpan span = value(begin);
  const std::size_t colon = text.find(": ", begin);
  if (colon < span.end) span.end = std::max(value(colon + 2).end, span.begin);
  if (text.compare(span.end, 2, ", ") == 0) {
    span.end += 2;
  } else if (begin > 1 && text.compare(begin - 2, 2, ", ") == 0) {
    span.begin -= 2;
  }
  replace(span, "");
}

void FileText::add_entry(std::size_t begin, const std::string& entry) {
  if (text[begin] == '{' || text[begin] == '[') {
    const bool is_empty = closes(text[begin + 1]);
    text.insert(begin + 1, entry + (is_empty ? "" : ", "));
    return;
  }
  const std::size_t line = text.rfind('\n', begin) == std::string::npos || begin == 0
                               ? 0
                               : text.rfind('\n', begin - 1) + 1;
  text.insert(begin, entry + "\n" + std::string(begin - line, ' '));
}

void FileText::rename(const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_part_of_word(text[at + word.size()]);
    if (begins && ends) text.replace(at, word.size(), by);
    at += begins && ends ? by.size() : 1;
  }
}

bool FileText::has_word(const std::string& word) const {
  FileText copy = *this;
  copy.rename(word, word + word);
  return copy.text != text;
}

}  // namespace selvage::test
