#pragma once

#include <selvage/expr/expr.h>

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace selvage {

// Replaces symbols by multiples: the assumption `s % 4 == 1` means s = 4*k + 1 for some integer k.
// With 4*k + 1 in place of s, divisions by 4 of s, and of products with the factor s, are easy.
class Multiples {
 public:
  explicit Multiples(std::span<const Expr> assumptions);

  bool empty() const { return said_.empty(); }
  // Whether the assumption is one of those that the replacement implies.
  bool says(Expr assumption) const { return said_.contains(assumption.id()); }

  // The expressions with every such symbol replaced.
  std::vector<Expr> replaced(std::span<const Expr> expressions);
  Expr replaced(Expr e);

 private:
  std::unordered_set<std::uint32_t> said_;
  std::unordered_map<std::uint32_t, Expr> made_;  // by id of the expression that is replaced
};

}  // namespace selvage
