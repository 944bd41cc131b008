#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace selvage {

// An assumption `s % 4 == 1` says that s is 4*k + 1 for some integer k: with that in the place of s
// the divisions of s by 4, and of products in which s is a factor, are plain to see.
class Multiples {
 public:
  explicit Multiples(std::span<const Expr> assumptions);

  bool empty() const { return said_.empty(); }
  // Whether the assumption is one of those, which then need not be said again.
  bool says(Expr assumption) const { return said_.contains(assumption.id()); }

  // The expressions with every such symbol replaced.
  std::vector<Expr> replaced(std::span<const Expr> expressions);
  Expr replaced(Expr e);

 private:
  std::unordered_set<std::uint32_t> said_;
  std::unordered_map<std::uint32_t, Expr> made_;  // by what they replace
};

}  // namespace selvage
