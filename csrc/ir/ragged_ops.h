// Operations on tensors whose first axis has the items of rows (ir/ragged.h). Shapes below are
// written by rows: x of [rows, ragged, D...] lies in memory as [items, D...], D... being any number
// of dense axes, none included.
//   const auto [V, D] = f.extents("V", "D");
//   const Expr B = f.extent("B", 0);
//   const RowsId bags = rows_of_lengths(f.input("lengths", {B}, DataType::Int32));
//   Tensor words = ragged_input(f, "words", bags, {}, DataType::Int64);
//   Tensor table = f.input("table", {V, D}, DataType::Float);
//   f.output("means", embedding_bag(table, words, Reduction::Mean));  // [B, D]
//   f.output("first", to_padded(words, 16, -1));                      // [B, 16]
// A value of each row meets the items of that row in index notation, which needs no operation:
//   compute_ragged(f, "", rows, {b, j}, {}, item(x, rows, {b, j}) * z(b))
// Two operands with items of rows are joined item by item only where the rows are the same
// (RowsId); that offsets are equal in their elements is never assumed. check_same_rows() tests it
// where the fusion runs, and as_rows() gives the items of one tensor the rows of another.
//
// Offsets that break their promise give other numbers, never an access outside of an array. A
// refusal names the operation (BadInput): E501 extents or rows that should be equal and differ,
// E511 a tensor without items of rows or of another rank, E512 a slice of rows that leaves them,
// E516 indices of another type than an integer, E519 lengths that tell no rows. Extents that are
// not known to be equal or to differ are checked at launch.
#pragma once

#include <selvage/ir/ops.h>
#include <selvage/ir/ragged.h>

#include <optional>

namespace selvage {

// Rows that have so many items each: `lengths` has one axis, of integers of at least 0. Their
// offsets are an int64 output called like `lengths` with "_offsets", a running sum that a kernel
// makes before others read the rows. The number of all items, which must be the sum of the lengths,
// is `items` or, if that is not given, a size called like the offsets with "_items".
RowsId rows_of_lengths(Tensor lengths, std::optional<Expr> items = {});

// Folds each row of x, [rows, ragged, D...], into one element of a tensor [rows, D...]. A row
// without items is what `reduce` (ir/ops.h) makes of no items, but for a mean, which is 0 there as
// in EmbeddingBag and not NaN: a sum is 0, a product 1, a max the lowest value of the type.
Tensor row_reduce(Reduction how, Tensor x);
Tensor row_sum(Tensor x);
Tensor row_mean(Tensor x);
Tensor row_max(Tensor x);
Tensor row_min(Tensor x);

// softmax and log_softmax (ir/composites.h) along the items of each row: of the shape of x,
// integers as floats. A row without items has nothing to compute.
Tensor row_softmax(Tensor x);
Tensor row_log_softmax(Tensor x);

// [rows, width, D...]: the first `width` items of each row, and `value` behind those of a shorter
// one. What a longer row has beyond is left out, as in FBGEMM's jagged_to_padded_dense.
Tensor to_padded(Tensor x, Extent width, Operand value = 0);
// The other way round: item j of row b is padded[b, j, ...], and 0 where the row has more items
// than the padded tensor is wide. E511 if `padded` has fewer than two axes.
Tensor from_padded(Tensor padded, RowsId rows);

// Row by row the items of a and then those of b: as many rows as both have, and as many items as
// they have together; types meet as in pointwise operations. The offsets are an int64 output called
// a_b_offsets, with the names of the operands.
Tensor concatenated(Tensor a, Tensor b);

// Of each row the items first <= j < end, as far as it has them. Their offsets are an int64 output
// called like x with "_slice_offsets". How many items are left in all is known to the data alone:
// it is `items` or, if that is not given, a size called like the offsets with "_items", which must
// be the sum of clamp(length - first, 0, end - first) over the rows.
Tensor sliced(Tensor x, Extent first, Extent end, std::optional<Expr> items = {});
// The first `most` items of each row.
Tensor truncated(Tensor x, Extent most, std::optional<Expr> items = {});

// [rows, D]: the sum, the mean or the max of the rows of a table [V, D] that the items of each bag
// of `indices`, [rows, ragged], number. An index out of bounds is taken for the nearest in bounds.
// A bag without items gives 0 in any case, as in PyTorch. `weights`, [rows, ragged] of the same
// rows, multiply what is added, and go with a sum alone (E511).
Tensor embedding_bag(Tensor table, Tensor indices, Reduction how = Reduction::Sum,
                     std::optional<Tensor> weights = {});

// [groups, ragged, N]: each item of x, [groups, ragged, K], times the matrix of its group, w of
// [groups, K, N].
Tensor grouped_matmul(Tensor x, Tensor w);

// The items of x one after another as those of `rows`, of which there must be as many: x may have
// other rows or none. It is what x is where check_same_rows() holds; elsewhere the same items are
// cut into rows at other places.
Tensor as_rows(Tensor x, RowsId rows);
// Tests where the fusion runs that two rows begin and end at the same items: a bool output called
// a_b_same, with the names of the offsets. That there are equally many rows and items is checked at
// launch. In a fusion that is checked (ir/value_check.h) a kernel records where offsets differ, and
// a call throws it.
Tensor check_same_rows(Fusion& f, RowsId a, RowsId b);

// The greatest number of tiles of `size` items that rows can be cut into, each row by itself, when
// all that is known is how many rows and items there are: sum of ceil(length / size) over the rows
// is at most
//   count + floor((items - count) / size)   where items >= count, else items,
// and some rows have as many. A bound for a launch that does not wait for offsets.
Expr row_tiles_bound(Expr count, Expr items, Expr size);
Expr row_tiles_bound(const Fusion& f, RowsId rows, Extent size);

// The tiles of `size` items that rows are cut into, as kernels of a product by groups take them:
// int64 lists with the row of each tile and its first item, of as many as row_tiles_bound() says.
// Behind the last tile there is the row -1, and the first item is that behind all.
struct TileMap {
  Tensor rows, begins;
};
TileMap row_tiles(Fusion& f, RowsId rows, std::int64_t size);

}  // namespace selvage
