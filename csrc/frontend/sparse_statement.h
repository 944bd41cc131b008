#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sparse_reads.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// That an index which is no loop any more is the whole subscript of an axis: the axis and the rows
// or columns of the matrix have equal extents.
struct SparseUse {
  std::string matrix;
  bool of_rows = false;
  std::string tensor;
  std::size_t axis = 0;
  std::size_t at = 0;  // in the text
};

struct SparseStatement {
  Formula formula;
  std::vector<SparseUse> uses;
  std::vector<SparseAlike> alike = {};
  std::optional<SparseTensor> items_of = {};  // the matrix whose items the result has
  // Where rows of the result are in parts, as slices and blocks have them: what takes the parts
  // together, to come behind `formula`.
  std::optional<Formula> whole = {};
};

// Brings a statement over sparse matrices down to one over what their formats store. Where it reads
// A[i, j], A has these loops in the place of i and j, and i and j elsewhere are made of them:
//   format      A is read as       row i           column j
//   csr, coo    A[i, j]            i               A_columns[i, j]      j: the items of row i
//   csc         A[j, i]            A_rows[j, i]    j                    i: the items of column j
//   ell         A[i, j]            i               A_columns[i, j]      j: the slots of a row
//   dia         A[j, i]            i               i + A_diagonals[j]   j: the diagonals
//   sell(C)     A[i_o, j, i_i]     i_o*C + i_i     A_columns[i_o, j, i_i]
//   bcsr(R, C)  A[i_o, j_o, i_i, j_i]
//                                  i_o*R + i_i     A_columns[i_o, j_o]*C + j_i
// So Z[i] = sum[j](A[i, j] * B[j]) of csr is Z[i] = sum[j](A[i, j] * B[clamped(A_columns[i, j])]).
// A fold passes over what only fills slots, diagonals and blocks up. A result Z[i, j] has the items
// of A, and from then on is read as A is.
// A second matrix at the same two indices is looked up at the items of the first one, as a factor
// of it: W[i, j] is sum[j_2](select(W_columns[i, j_2] == A_columns[i, j], W[i, j_2], 0)).
// Nothing if no sparse matrix is read. Throws BadInput E520 at the place in the file: a matrix that
// is read at other subscripts than two plain indices, two matrices at one index, a result at an
// index whose value is an item's alone, and what a format cannot fold.
std::optional<SparseStatement> over_stored_items(const Formula& formula, const Node& text,
                                                 const SparseTensors& sparse);

}  // namespace selvage
