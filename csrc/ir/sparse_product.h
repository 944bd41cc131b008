// The product of two sparse matrices, row by row.
//   const SparseProduct C = multiplied(A, B);                       // A [I, J], B [J, K]
//   y[i] = sum over j of item(C.values, C.rows, {i, j}) * x(clamped(item(C.columns, C.rows, {i,
//   j})))
#pragma once

#include <selvage/ir/sparse_input.h>

namespace selvage {

// A matrix by rows, as csr has it: items with the same coordinates are apart, and their sum is
// meant, as everywhere (base/stored_matrix.h).
struct SparseProduct {
  RowsId rows{};
  Tensor columns, values;  // [rows, ragged], columns of type int64
};

// Both matrices are csr or coo (E520); the columns of `a` are the rows of `b` (E501). In each row
// stand the products with the first item of that row of `a`, in the order of the items of `b`, then
// those with the second one, and so on. A first pass counts them: the item p of `a` has as many
// products as `b` has items in its row, and the running sum of these numbers, an output called a_b
// with "_products", says where they begin among all. The offsets of the rows, "_offsets", are read
// of it at the offsets of `a`. How many products there are is a size, "_items".
SparseProduct multiplied(const SparseInput& a, const SparseInput& b);

}  // namespace selvage
