#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/ir/fusion.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The indices of a statement, of its left side and of its reductions: the index that each name
// means, and the extent of each.
class StatementIndices {
 public:
  StatementIndices(const Formula& formula, Fusion& fusion);

  const std::vector<Expr>& of_target() const { return target_; }
  const std::vector<Expr>& of_fold(std::size_t fold) const { return folds_[fold]; }
  // The index that a Name stands for: that of the innermost reduction around it that folds over it,
  // or of the left side; invalid if it is no index.
  Expr find(const FormulaNode& name) const { return find(name.inside, name.name); }
  // The index along which a scan runs; invalid if there is none of that name around it.
  Expr scanned_by(std::size_t fold) const;
  // The indices in a value, except those of its own folds: first those of the left side, then those
  // of the reductions around it.
  std::vector<Expr> inside(std::uint32_t node) const;

  // Notes that an index is a whole subscript on an axis with this extent. An index has the extent
  // of the first such axis. Axes that it may leave (`may_leave`) count only if there is no other,
  // and if they agree.
  void note(Expr index, Expr extent, bool may_leave);
  void set(Expr index, Expr extent) { extents_[index.id()] = extent; }
  Expr extent(Expr index) const;  // invalid: not known
  // The reason, to follow "is not known": ", as axes that it may leave have 33 and 8 items", or
  // empty.
  std::string why_unknown(Expr index) const;

 private:
  Expr find(std::optional<std::size_t> inside, const std::string& name) const;

  const Formula& formula_;
  std::vector<Expr> target_;
  std::vector<std::vector<Expr>> folds_;
  std::unordered_map<std::uint32_t, Expr> extents_;                    // by symbol
  std::unordered_map<std::uint32_t, std::vector<Expr>> left_extents_;  // each once
};

}  // namespace selvage
