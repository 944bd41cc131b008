#pragma once

#include <selvage/frontend/formula.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Statements over sparse matrices, brought down to statements over the items that these store. A
// matrix A of the format csr is three inputs:
//   A_offsets  where each row begins among all items
//   A_columns  the column of each item
//   A          its value
// In Z[i] = sum[j](A[i, j] * B[j]) the index j then runs over the items of row i, and wherever it
// stands besides in A it is the column: Z[i] = sum[j](A[i, j] * B[clamped(A_columns[i, j])]).
// A result Z[i, j] has the items of A, and from then on is read as A is: so A's columns are its
// own. Of each such tensor the matrix whose columns it has:
using SparseTensors = std::map<std::string, std::string>;

// That an index which became a column is the whole subscript of an axis: the axis and the columns
// of the matrix have equal extents.
struct ColumnUse {
  std::string matrix, tensor;
  std::size_t axis = 0;
  std::size_t at = 0;  // in the text
};

struct SparseStatement {
  Formula formula;
  std::vector<ColumnUse> uses;
  std::optional<std::string> items_of = {};  // the matrix whose items the result has
};
// Nothing if no sparse matrix is read. Throws BadInput E520 at the place in the file: a matrix that
// is read at other subscripts than two plain indices, or two matrices at one index of columns.
std::optional<SparseStatement> over_stored_items(const Formula& formula, const Node& text,
                                                 const SparseTensors& sparse);

}  // namespace selvage
