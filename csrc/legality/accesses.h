#pragma once

#include <selvage/legality/cells.h>

#include <array>
#include <cstdint>
#include <optional>

namespace selvage {

// The accesses of one nest to the cells of its tensor, at the loop points that pass its guard, or
// at all of them if it has no guard. The cell at a point, valid or not, is the address of the
// allocation's indices there.
// Each question is about all these points. Refuted: a point at which the answer is no, with a value
// for every loop, then sizes; the first in loop order if sizes are numbers and points few.
// A valid point accesses an item's cell, even if that item lies outside the memory. A guard that
// stops every hole of the nest passes valid points only, so no claim is needed.
class Accesses {
 public:
  // All arguments must outlive this object.
  Accesses(const Schedule& schedule, const TensorAnalysis& analysis, const Cells& cells,
           bool is_guarded);

  // 0 <= cell < cells.count(): no access reaches out of the memory.
  const Verdict& inside();
  // Every accessed cell is an item's: no hole, and nothing outside the memory but an item's cell.
  const Verdict& only_items();
  // Only valid points access items: no hole of the nest accesses an item once more.
  const Verdict& items_once();

  // The cell at the point of a refuted answer; nothing where it has no value.
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
  std::vector<Expr> guard_;    // the conditions that it tests
  std::vector<Expr> indices_;  // of the allocation
  Expr cell_, valid_;
  std::array<std::optional<Verdict>, 3> answers_;
  std::optional<bool> swept_;  // true: all points were looked at
  std::array<std::optional<Point>, 3> fails_at_;
};

}  // namespace selvage
