// What helps say of the form of a file, E102 to E110, done to the text.
#include "tests/report/text_changes.h"

#include <algorithm>

namespace selvage::test {

namespace {

using Match = std::smatch;

// All brackets of the line that stay open are closed at its end.
bool close_brackets(FileText& file, std::size_t open) {
  std::string closers;
  const std::size_t end = std::min(file.text.find('\n', open), file.text.size());
  bool is_quoted = false;
  for (std::size_t k = file.text.rfind('\n', open) + 1; k < end; ++k) {
    const char c = file.text[k];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '[' || c == '{') closers.insert(closers.begin(), c == '[' ? ']' : '}');
    if (c != ']' && c != '}') continue;
    if (!closers.empty() && closers[0] == c) {
      closers.erase(0, 1);
    } else {
      return false;
    }
  }
  file.text.insert(end, closers);
  return !closers.empty();
}

}  // namespace

const std::vector<TextChange>& form_changes() {
  static const std::vector<TextChange> list = {
      {"^close the bracket, and put a comma between",
       [](const Told& t, const Match&) {
         const auto open = t.noted();
         if (open && close_brackets(t.file, *open)) return true;
         t.file.text.insert(t.at, ", ");
         return true;
       }},
      {"^remove it, or quote (?:the text that it belongs to|text)|^remove it$",
       [](const Told& t, const Match&) {
         if (t.file.text[t.at] == '&' || t.file.text[t.at] == '!') {
           const std::size_t end = t.file.text.find(' ', t.at);
           t.file.text.erase(t.at, end - t.at + 1);
         } else {
           t.file.text.erase(t.at, 1);
         }
         return true;
       }},
      {"^save it as UTF-8",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.at, 1);
         return true;
       }},
      {"^write one document a file",
       [](const Told& t, const Match&) {
         t.file.text.erase(std::min(t.file.text.rfind("---", t.at), t.at));
         return true;
       }},
      {"^indent with spaces",
       [](const Told& t, const Match&) {
         std::replace(t.file.text.begin(), t.file.text.end(), '\t', ' ');
         return true;
       }},
      {"^write a schedule, such as",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^quote text that holds ': '",
       [](const Told& t, const Match&) {
         const std::size_t line = t.file.text.rfind('\n', t.at) + 1;
         const std::size_t begin = t.file.text.find(": ", line) + 2;
         const std::size_t end = std::min(t.file.text.find('\n', begin), t.file.text.size());
         t.file.text.insert(end, "'");
         t.file.text.insert(begin, "'");
         return true;
       }},
      {"^quote the text|quote text that begins",
       [](const Told& t, const Match&) {
         const TextSpan span = t.file.value(t.at);
         const std::string text(t.file.at(span));
         return t.replace_value("'" + text + "'");
       }},
      {"^add the closing quote",
       [](const Told& t, const Match&) {
         const std::size_t end = std::min(t.file.text.find('\n', t.at), t.file.text.size());
         t.file.text.insert(end, "\"");
         return true;
       }},
      {"^indent it like the (?:entries|items) it belongs to",
       [](const Told& t, const Match&) {
         const std::size_t line = t.file.text.rfind('\n', t.at) + 1;
         const std::size_t first = t.file.text.find_first_not_of(" -", line);
         t.file.text.erase(line, first - line);
         return true;
       }},
      {"^write the value out", [](const Told& t, const Match&) { return t.put_right(); }},
      {"^split the file",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^(?:write a shorter one|use several statements|use fewer axes|merge some|nest less deeply)",
       [](const Told& t, const Match&) { return t.put_right(); }},
      {"^remove or rename one of the two$",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^it may (?:also )?have (\\w+)|^remove it: no other key",
       [](const Told& t, const Match&) {
         if (!t.mistake.put_right.empty()) return t.replace_word(t.mistake.put_right);
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^add the quote that is missing in line",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^write '(.)' for it$",
       [](const Told& t, const Match& m) {
         t.file.text.replace(t.at, 1, m.str(1));
         return true;
       }},
      {"^remove it, or begin a line with it",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.at, t.file.text.find('\n', t.at) - t.at);
         return true;
       }},
      {"^write its indices as a list",
       [](const Told& t, const Match&) {
         t.file.replace(t.file.value(t.at - 1), t.mistake.put_right);
         return true;
       }},
      {"^write 'key: value'", [](const Told& t, const Match&) { return t.replace_value("a"); }},
      {"^write one '- key: ...' for each",
       [](const Told& t, const Match&) {
         t.file.text.replace(t.at - 2, 2, "}, {");
         return true;
       }},
      {"such as (\\d+)$", [](const Told& t, const Match& m) { return t.replace_value(m.str(1)); }},
      {"^leave out the leading zeros",
       [](const Told& t, const Match&) {
         const std::size_t end = t.file.text.find_first_not_of('0', t.at);
         t.file.text.erase(t.at, end - t.at);
         return true;
       }},
      {"^integers lie between -9223372036854775808 and|^use a smaller integer|"
       "^use a number that a double can hold",
       [](const Told& t, const Match&) { return t.replace_word("8"); }},
      {"^write true or false", [](const Told& t, const Match&) { return t.replace_value("true"); }},
      {"^add '(\\w+): ...'$",
       [](const Told& t, const Match& m) {
         t.file.add_entry(t.at, m.str(1) + ": " + t.mistake.put_right);
         return true;
       }},
      {"such as in: 4,",
       [](const Told& t, const Match&) {
         t.file.text.insert(t.file.word(t.at).end, ", in: 4");
         return true;
       }},
  };
  return list;
}

}  // namespace selvage::test
