// The text of a schedule file, changed at the places that diagnostics give.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace selvage::test {

// Where the expression matches first; the text must outlive it.
std::optional<std::smatch> found(const std::string& text, const char* words);

struct TextSpan {
  std::size_t begin = 0, end = 0;
};

struct FileText {
  std::string text;

  // The offset of a line and a column, both from 1, of which either may be past the end.
  std::size_t offset(int line, int column) const;
  std::string_view at(const TextSpan& span) const;

  // What begins there: a value, which is a quoted text, all of a bracket, or what stands up to a
  // comma, a closing bracket or the end of the line; or a word of letters and digits.
  TextSpan value(std::size_t begin) const;
  TextSpan word(std::size_t begin) const;
  // The value that the offset lies in: all of a quoted text, of an item, or of what a key has.
  TextSpan value_around(std::size_t inside) const;

  void replace(const TextSpan& span, std::string_view by);
  // The entry or the item that begins there, with the comma beside it, or with its lines.
  void remove_entry(std::size_t begin);
  // To the map or the list that begins there, in brackets or in lines.
  void add_entry(std::size_t begin, const std::string& entry);
  // The word, wherever it stands; one that contains others, too.
  void rename(const std::string& word, const std::string& by);
  bool has_word(const std::string& word) const;
};

}  // namespace selvage::test
