#pragma once

#include <string>
#include <string_view>

namespace selvage {

// Text of at most 100 columns, made line by line. A longer line is broken at blanks; its rest is
// indented by four more columns.
class Lines {
 public:
  static constexpr std::size_t kColumns = 100;

  void line(std::size_t indent, std::string_view text);
  void verbatim(std::size_t indent, std::string_view text);  // as it is, however long
  void blank();                           // repeated calls make one blank line; none at the start
  void heading(const std::string& text);  // after a blank line
  // The most items of a list that a page shows. rest() then says: "... and 2 more, which --json
  // lists".
  static constexpr std::size_t kMostItems = 40;
  void rest(std::size_t indent, std::size_t left, const char* more = "and");
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Prints at most kMostItems of a list, by `print`, and the number of those left.
template <class List, class Print>
void print_some(const List& list, std::size_t indent, Lines& out, Print print) {
  std::size_t n = 0;
  for (const auto& item : list) {
    if (n++ == Lines::kMostItems) return out.rest(indent, list.size() - Lines::kMostItems);
    print(item);
  }
}

}  // namespace selvage
