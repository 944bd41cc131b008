#pragma once

#include <selvage/base/names.h>
#include <selvage/frontend/document.h>

#include <string>
#include <string_view>

namespace selvage {

// Splits a statement into words, numbers and signs, one after the other.
class Tokens {
 public:
  explicit Tokens(const Node& text);

  std::string_view operator*() const { return token_; }  // empty at the end
  std::size_t at() const { return start_; }              // where it begins in the text
  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(at_); }  // behind it

  void advance();
  // Skips a sign that must be there.
  void expect(std::string_view sign, const std::string& where = {});
  // Skips this token and the text in double quotes behind it, which is returned.
  std::string advance_string();
  std::string found() const;  // ", found ')'", ", found the end"

  static constexpr const char* kWriteOne =
      "write a statement such as y[m, n] = relu(a[m, n] + b[n])";
  // Refuses the statement at this token, or at a place of the text.
  [[noreturn]] void fail(const std::string& what, const char* code = "E314",
                         const std::string& help = kWriteOne) const {
    fail_at(start_, what, code, help);
  }
  [[noreturn]] void fail_at(std::size_t at, const std::string& what, const char* code = "E314",
                            const std::string& help = kWriteOne) const;
  // Refuses syntax of other languages, such as `a if c else b`.
  void refuse_foreign() const;
  [[noreturn]] void unsupported(std::size_t at, const std::string& what,
                                const std::string& help) const;

  const Node& node() const { return *node_; }

 private:
  const Node* node_;
  std::string_view text_, token_;
  std::size_t at_ = 0, start_ = 0;  // behind the token, at its beginning
};

}  // namespace selvage
