#pragma once

#include <string>
#include <string_view>

namespace selvage {

// Text of at most 100 columns, grown line by line: what is longer is broken at blanks and goes on
// four columns further right.
class Lines {
 public:
  static constexpr std::size_t kColumns = 100;

  void line(std::size_t indent, std::string_view text);
  void blank();                           // one, however often it is called; none at the start
  void heading(const std::string& text);  // after a blank
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace selvage
