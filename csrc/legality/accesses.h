#pragma once

#include <selvage/legality/cells.h>

#include <array>
#include <cstdint>
#include <optional>

namespace selvage {

// The loop points of one nest that reads or writes the cells of its tensor: those that pass its
// guard, or, without a guard, all of them. The cell is the address of the allocation's indices
// there, valid or not.
// Each question is one of all these points. Refuted: the first one in loop order, where sizes are
// numbers and points few, or one; a value for every loop comes first, then sizes.
// A valid point is an item's, also where that item lies outside the memory; and a guard that stops
// every hole of the nest lets valid points through only: that needs no claim.
class Accesses {
 public:
  // What is given must outlive it.
  Accesses(const Schedule& schedule, const TensorAnalysis& analysis, const Cells& cells,
           bool is_guarded);

  // 0 <= cell < cells.count(): none reaches out of the memory.
  const Verdict& inside();
  // Every cell is an item's: neither a hole is met nor, but for an item, what lies outside.
  const Verdict& only_items();
  // Only valid points meet an item: none is met a second time, from a hole of the nest.
  const Verdict& items_once();

  // The cell at a point of an answer; nothing where it has no value.
  std::optional<std::int64_t> cell_at(const Verdict& answer) const;

 private:
  enum Asked : std::uint8_t { Inside, OnlyItems, ItemsOnce };
  const Verdict& settle(Asked asked, const std::optional<Expr>& claim);
  const Verdict& settle(Asked asked, const std::optional<Expr>& claim, Simplifier& under);
  bool sweep();
  bool lets_valid_points_only() const;
  std::optional<Expr> is_item();

  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const Cells& cells_;
  Simplifier& simplifier();

  bool is_guarded_;
  std::optional<Simplifier> simplifier_;
  std::vector<Expr> guard_;    // what it tests
  std::vector<Expr> indices_;  // of the allocation
  Expr cell_, valid_;
  std::array<std::optional<Verdict>, 3> answers_;
  std::optional<bool> swept_;  // true: all points were looked at
  std::array<std::optional<Point>, 3> fails_at_;
};

}  // namespace selvage
