#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/ir/fusion.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The indices of a statement, of its left side and of its reductions: which name means which, and
// how far each runs.
class StatementIndices {
 public:
  StatementIndices(const Formula& formula, Fusion& fusion);

  const std::vector<Expr>& of_target() const { return target_; }
  const std::vector<Expr>& of_fold(std::size_t fold) const { return folds_[fold]; }
  // What a Name stands for: the index of the innermost reduction around it that folds over it, or
  // of the left side; invalid where it is no index.
  Expr find(const FormulaNode& name) const;
  // Those that stand in a value, its own folds' excepted: the left side's first, then those of the
  // reductions around it.
  std::vector<Expr> inside(std::uint32_t node) const;

  // An index runs over the extent of the axis on which it first stands alone; axes that it may
  // leave tell only where no other does, and where they agree.
  void note(Expr index, Expr extent, bool may_leave);
  void set(Expr index, Expr extent) { extents_[index.id()] = extent; }
  Expr extent(Expr index) const;  // invalid: nothing tells
  // Why nothing tells, to be put behind "is not known": ", as axes that it may leave have 33 and 8
  // items", or nothing.
  std::string why_unknown(Expr index) const;

 private:
  const Formula& formula_;
  std::vector<Expr> target_;
  std::vector<std::vector<Expr>> folds_;
  std::unordered_map<std::uint32_t, Expr> extents_;                    // by symbol
  std::unordered_map<std::uint32_t, std::vector<Expr>> left_extents_;  // each once
};

}  // namespace selvage
