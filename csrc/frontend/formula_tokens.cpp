#include <selvage/base/names.h>
#include <selvage/frontend/formula_tokens.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_file.h>

namespace selvage {

namespace {

// Longer signs first, so that `//` is not read as `/`.
constexpr std::string_view kSigns[] = {
    "//", "**", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "+", "-", "*",
    "/",  "%",  "<",  ">",  "!",  "(",  ")",  "[",  "]",  ",",  "=",  ":", "?"};

// Syntax of other languages, and the help that gives the syntax here.
struct ForeignWord {
  std::string_view word;
  const char* what;
  const char* help;
};
constexpr ForeignWord kForeign[] = {
    {"**", "there is no operator '**'", "write pow(a, b), or a * a for a square"},
    {"if", "there is no '... if ... else ...'", "write select(c, a, b) for a if c else b"},
    {"?", "there is no '... ? ... : ...'", "write select(c, a, b) for c ? a : b"},
    {":", "there are no slices with ':'",
     "write an index for each axis: sum(x[i, j]) folds over the j that is not on the left, and "
     "x[i, j + 2] begins at the third item"},
    {"and", "there is no operator 'and'", "write a && b"},
    {"or", "there is no operator 'or'", "write a || b"},
    {"not", "there is no operator 'not'", "write !a"},
};

}  // namespace

Tokens::Tokens(const Node& text) : node_(&text), text_(text.text) { advance(); }

void Tokens::fail_at(std::size_t at, const std::string& what, const char* code,
                     const std::string& help) const {
  refuse(code, place_in(*node_, at), what + " in the statement " + shown(text_), help);
}

void Tokens::unsupported(std::size_t at, const std::string& what, const std::string& help) const {
  refuse_unsupported(place_in(*node_, at), what, help);
}

void Tokens::advance() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
    ++at_;
  }
  start_ = at_;
  if (at_ == text_.size()) {
    token_ = {};
    return;
  }
  const char c = text_[at_];
  const bool is_number =
      is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
  if (is_number) {
    for (char before = ' '; at_ < text_.size(); before = text_[at_++]) {
      const char here = text_[at_];
      const bool is_sign = (here == '+' || here == '-') && (before == 'e' || before == 'E');
      if (!is_digit(here) && !is_letter(here) && here != '.' && !is_sign) break;
    }
  } else if (is_letter(c)) {
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
  } else {
    for (const std::string_view sign : kSigns) {
      if (text_.substr(at_, sign.size()) == sign) {
        at_ += sign.size();
        break;
      }
    }
    if (at_ == start_) fail("unexpected " + shown(first_characters(text_.substr(at_), 1)));
  }
  token_ = text_.substr(start_, at_ - start_);
}

std::string Tokens::advance_string() {
  at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
  const std::size_t end =
      at_ < text_.size() && text_[at_] == '"' ? text_.find('"', at_ + 1) : std::string_view::npos;
  if (end == std::string_view::npos) {
    fail_at(at_, "expected text in double quotes", "E314", "write it as \"what is wrong\"");
  }
  std::string text(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  advance();
  return text;
}

void Tokens::refuse_foreign() const {
  for (const ForeignWord& f : kForeign) {
    if (token_ == f.word) fail(f.what, "E314", f.help);
  }
}

std::string Tokens::found() const {
  return token_.empty() ? ", found the end" : ", found '" + std::string(token_) + "'";
}

void Tokens::expect(std::string_view sign, const std::string& where) {
  if (token_ != sign) {
    fail("expected '" + std::string(sign) + "'" + (where.empty() ? "" : " " + where) + found());
  }
  advance();
}

}  // namespace selvage
