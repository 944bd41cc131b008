#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <span>
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
  std::int64_t width = 1;              // K
  std::vector<DomainId> rest;          // the axes of the result besides the row
  std::vector<DomainId> axes() const;  // of what tiles leave: the tile, and the rest
};

// Whether the tiles of a tensor leave what further kernels fold: not where positions are those of a
// group of rows (lower/group_fold.h).
bool leaves_carries(const Schedule& schedule, TensorId t);
// The merge of a row and its items of which positions come.
const Merge& merge_of(const DomainGraph& graph, DomainId positions);
// The first position of a row, and its last one, by the symbols of its offsets.
Expr first_position(const RowTiles& tiles, Expr row);
Expr last_position(const RowTiles& tiles, Expr row);
// Which element the buffers between the kernels have for a tile and an item of the rest.
Expr element_of(const DomainGraph& graph, const RowTiles& tiles, Expr tile,
                std::span<const Expr> rest);

// The buffers between the two kernels, one element for each tile and item of the rest.
struct RowCarries {
  std::vector<Buffer> carries, heads;  // by component
  Buffer row;
};
RowCarries row_carries(const Fusion& fusion, const Schedule& schedule, TensorId t,
                       const RowTiles& tiles, Simplifier& sizes);

}  // namespace selvage
