// The product of two sparse matrices, row by row.
//   const Coalesced C = multiplied(A, B);                               // A [I, J], B [J, K]
//   f.output("C", C.values[0]);
#pragma once

#include <selvage/ir/coalesced.h>

namespace selvage {

// The products of items, by rows as csr has them, not added up: items with the same coordinates are
// apart, and their sum is meant, as everywhere (base/stored_matrix.h).
struct SparseProducts {
  RowsId rows{};
  Tensor columns, values;  // [rows, ragged], columns of type int64
};

// Both matrices are csr or coo (E520); the columns of `a` are the rows of `b` (E501). In each row
// stand the products with the first item of that row of `a`, in the order of the items of `b`, then
// those with the second one, and so on. A first pass counts them: the item p of `a` has as many
// products as `b` has items in its row, and the running sum of these numbers, an output called
// `name` with "_begins", says where they begin among all. The offsets of the rows, `name` with
// "_offsets", are read of it at the offsets of `a`. How many products there are is `items` or, if
// that is not given, a size, `name` with "_items".
SparseProducts products(const SparseInput& a, const SparseInput& b, const std::string& name,
                        std::optional<Expr> items = {});

// The products, those of one place added up: the matrix is called a_b (ir/coalesced.h).
Coalesced multiplied(const SparseInput& a, const SparseInput& b, std::optional<Expr> products = {});

}  // namespace selvage
