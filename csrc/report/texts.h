#pragma once

#include <selvage/expr/text.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Expressions as texts of bounded length. A subexpression with a long text gets a name and is
// written once, so that all texts together are linear in the size of the expressions' graph.
// (Without names, crossed splits and merges double the text at every step.)
class Texts {
 public:
  // An integer subexpression whose text is longer than `longest` gets a name; so does every Let.
  static constexpr std::size_t kLongest = 600;
  explicit Texts(std::span<const Expr> roots, std::size_t longest = kLongest);

  // The text of one of the roots.
  std::string operator()(Expr root) const;
  // Names and definitions, each over the names before it: _t0, _t1, ... in the order of the roots.
  const std::vector<std::pair<std::string, std::string>>& lets() const { return lets_; }

 private:
  struct Written {
    Expr expr;           // the same with Lets in place of named subexpressions
    std::size_t length;  // of its text
  };
  Written write(Expr e);
  Written name(Expr definition);

  std::size_t longest_;
  std::unordered_map<std::uint32_t, Written> written_;  // by the id of the original
  LetNames names_;
  std::vector<std::pair<std::string, std::string>> lets_;
};

// A condition of a launch as text; "the sizes are small enough" if it has more than 300 characters.
std::string condition_text(Expr condition);

}  // namespace selvage
