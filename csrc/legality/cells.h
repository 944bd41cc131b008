#pragma once

#include <selvage/legality/analysis.h>

#include <optional>
#include <vector>

namespace selvage {

// The memory of one tensor as a row of cells, numbered by address from its base. A cell that is the
// address of no item is a hole:
//   6 items split by 4, allocated 2 by 4      3 by 4 items with strides 5 and 1
//     0 1 2 3  4 5 . .                          0 1 2 3 .  5 6 7 8 .  10 11 12 13
// The holes on the left are points of the allocation, those on the right lie in gaps between
// points.
//
// If every item is in bounds on its way to the allocation, and axes do not reach into one another,
// a cell is an item's if and only if it is the address of indices a of the allocation domain, each
// within its extent, and all iterdomains between these and the logical ones are in bounds at a. So
// the allocation is like a loop nest of the logical domain, and its holes are those of a nest.
class Cells {
 public:
  Cells(const Fusion& fusion, const Schedule& schedule, TensorId tensor);

  // The number of cells, holes included: one more than the greatest address.
  Expr count() const { return count_; }
  const std::vector<DomainId>& domains() const { return domains_; }  // of the allocation
  const std::vector<Expr>& axes() const { return axes_; }            // a symbol for each

  // Whether every cell is an item's. Refuted: values of `axes` and sizes at which the cell is none,
  // or sizes alone if only a gap is known.
  const Verdict& full() const { return full_; }
  // The number of holes, over sizes; nothing unless each item is proved to have a cell of its own.
  const std::optional<Expr>& holes() const { return holes_; }
  // The first hole, where sizes are numbers and it is found.
  std::optional<std::int64_t> first() const { return first_; }
  // For each cell whether it is an item's. Empty unless sizes are numbers and there are at most
  // kMostPointsTried cells.
  const std::vector<char>& table() const { return table_; }
  // The values of `axes` at a cell; empty in a gap.
  Point indices(std::int64_t cell) const;

  // The condition, under `facts`, that the cell at these indices of the allocation is an item's.
  // Indices out of bounds stand for the cell at their address, whatever its own indices are.
  // Nothing where axes may reach into one another, items may lie outside, or the items do not
  // follow from the allocation.
  std::optional<Expr> is_item(std::span<const Expr> indices, Simplifier& facts) const;

 private:
  Path all_from(const std::vector<DomainId>& start) const;
  void take_apart(const Facts& facts);
  void ask_whether_full(const Facts& facts);
  void count_holes(const Facts& facts);
  void fill_table();
  void look_for_first();
  Expr span_after(std::size_t i) const;
  Expr is_item_at(Expr cell, Simplifier& facts) const;
  Expr is_valid(std::span<const Expr> indices, Simplifier& facts) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  TensorId tensor_;
  std::vector<DomainId> domains_;
  std::vector<Expr> axes_, strides_;
  Expr count_;
  bool follows_ = false;                           // the logical domain, from the allocation
  std::optional<std::vector<std::size_t>> order_;  // axes with more than one index, by stride, the
                                                   // widest first, none reaching past the next;
                                                   // nothing where items may lie outside of them
  Path path_;                                      // from the allocation to the logical domain
  PredicatePlan plan_;                             // which of its points are no items
  Verdict full_ = Unknown{};
  std::optional<Expr> holes_;
  std::optional<std::int64_t> first_;
  std::vector<char> table_;
};

}  // namespace selvage
