// Sparse matrices by coordinates become one by rows, in which no two items have the same place:
//   const Coalesced C = coalesced(f, "C", I, J, {item_list(A), item_list(B)});
//   f.output("C", compute_ragged(f, "", C.rows, {i, j}, {},                 // C = A + B
//                                item(C.values[0], C.rows, {i, j}) +
//                                    item(C.values[1], C.rows, {i, j})));
//   coalesced(f, "C", J, I, {transposed(item_list(A))})                    // csr to csc
//   coalesced(f, "C", I, K, {item_list(product.rows, product.columns, product.values)})
// The items are sorted by their places (ir/stable_sort.h) and those of a place are folded, so the
// result is the same in every run.
#pragma once

#include <selvage/ir/sparse_input.h>

#include <string>
#include <vector>

namespace selvage {

// Items of a matrix in any order, of one axis each; several may have the same place.
struct ItemList {
  Tensor rows, columns, values;
};
// Of what has items of rows, as csr has.
ItemList item_list(RowsId rows, Tensor columns, Tensor values);
// Of csr, csc or coo (BadInput E520).
ItemList item_list(const SparseInput& matrix);
ItemList transposed(const ItemList& items);

// By rows, as csr has it, and by columns within each row.
struct Coalesced {
  RowsId rows{};
  Tensor columns;              // of the type that those of the first matrix have
  Tensor rows_of_items;        // likewise: with it, as coo has it
  std::vector<Tensor> values;  // of each matrix: the sum of its items at a place, 0 if it has none
};
// The union of the places of all matrices, which are rows x columns each. The offsets are an int64
// output called `name` with "_offsets", and the number of items is a size, `name` with "_items";
// where the items of each place lie among all sorted ones is an output too, `name` with "_places".
// Coordinates out of range give other places, never an access outside of an array. `items`: the
// number of items, in the place of that size.
Coalesced coalesced(Fusion& f, const std::string& name, Expr rows, Expr columns,
                    const std::vector<ItemList>& matrices, std::optional<Expr> items = {});

}  // namespace selvage
