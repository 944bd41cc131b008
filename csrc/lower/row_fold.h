#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/fold_states.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>

#include <vector>

namespace selvage {

// A fold over rows whose loops go through positions, K at a time: a tile of the innermost loop may
// hold the end of one row, whole rows, and the begin of another.
//   row = search(tile * K); state = empty
//   for k in K: position = tile * K + k
//     if (an item of the row is there)  state = with(item)
//     if (it is the row's last position)
//       if (the row began in this tile) y[row] = folded(state)  else head[tile] = state
//       state = empty, row = next
//   carry[tile] = state, carry.row[tile] = row
// A second kernel folds what tiles have left of a row, in their order: the carries of the tile in
// which it began and of all that it fills, and the head of the tile in which it ends.
//   if (the row of carry.row[tile] began in this tile and goes on)
//     y[row] = folded(carry[tile], carry[tile + 1], ..., head[last tile])
// So each row is stored once, by one thread, without atomics, and folded in the same order every
// time. Where each row has one position more than items (a resize of the items by one), rows
// without items have an end as well, and a tile holds just K ends and items together. Else these
// are passed over, and a third kernel stores what folding nothing gives.
//
// Throws Illegal E458 where the positions are not split by a number into tiles and one innermost,
// serial loop.
struct RowTiles {
  RowTiles(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

  const RaggedRows& rows;
  std::int64_t added = 0;  // positions of a row beyond its items
  DomainId positions{}, tile{};
  std::int64_t width = 1;      // K
  std::vector<DomainId> rest;  // the axes of the result besides the row
};

// The buffers between the two kernels, one element for each tile and item of the rest.
struct RowCarries {
  std::vector<Buffer> carries, heads;  // by component
  Buffer row;
};
RowCarries row_carries(const Fusion& fusion, const Schedule& schedule, TensorId t,
                       const RowTiles& tiles, Simplifier& sizes);

// The statements of the first kernel, inside of all loops but the innermost.
class RowFold {
 public:
  RowFold(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
          BufferId offsets, KernelDraft& draft);

  Body start();
  // In the innermost loop: which row the position is of; what is stored of an item, where the row
  // reaches the position; what is done at the end of a row.
  Body row();
  Expr reaches_position() const;
  std::vector<Store> take_in(FoldState element);
  Body end_of_row(BufferId result, Expr address);
  Body finish();  // behind it

 private:
  Expr at_first(Expr e) const;
  Expr place_of_tile() const;
  std::vector<Expr> rest_inside();
  void own(Item& item, DomainId domain, const char* name) const;
  ValueId number(Expr e) { return draft_.kernel.values.index(draft_.form(e)); }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const Fold& fold_;
  KernelDraft& draft_;
  ExprPool& pool_;
  FoldStates states_;
  RowTiles tiles_;
  BufferId offsets_;
  std::vector<BufferId> state_, carries_, heads_;
  BufferId row_ = 0, carried_row_ = 0;
  Expr position_;
};

// The second kernel and, where rows without items have no position, the third.
struct RowFoldKernels {
  std::vector<std::vector<Kernel>> steps;  // of each, one kernel for each width of indices
  std::vector<LaunchCheck> checks;
};
RowFoldKernels fold_carries(const Fusion& fusion, const Schedule& schedule,
                            const TensorAnalysis& analysis, KnownSizes& sizes);

}  // namespace selvage
