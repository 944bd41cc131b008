#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/sparse_reads.h>
#include <selvage/frontend/symbols.h>

#include <map>
#include <string>
#include <vector>

namespace selvage {

// A sparse matrix, or the product of two, as a result has it at its own items.
struct ResultPart {
  std::string name;    // of its values there: Z_A
  std::string values;  // A, or what is computed at the items of a matrix
  std::string times = {};
  bool is_transposed = false;
  std::size_t at = 0;  // in the text
};

// A result that is stored as a matrix of its own, outputs: {Z: {format: csr}}: it has an item where
// one of those that the statement reads has one.
//   Z[i, j] = A[i, j] - 2 * B[j, i]               becomes  Z[i, j] = Z_A[i, j] - 2 * Z_B_t[i, j]
//   Z[i, k] = sum[j](A[i, j] * B[j, k]) + C[i, k]  becomes  Z[i, k] = Z_A_B[i, k] + Z_C[i, k]
// These have the items of Z, so the statement is one over sparse matrices again
// (frontend/sparse_statement.h).
struct StoredResult {
  Formula formula;
  std::vector<ResultPart> parts;
  SparseTensor stored;  // Z
  std::vector<SparseAlike> alike = {};
};
// Throws BadInput E520 at the place in the file: a result that is no matrix [i, j]; sparse matrices
// at other indices than those; a fold over sparse matrices that is no product of two; no sparse
// matrix at all; a statement that is not 0 where all of them are; a format that does not list
// items.
StoredResult stored_result(const Formula& formula, const Node& text, const SparseTensors& sparse,
                           const StorageFormat& format);

// Makes the arrays of the result, and its parts, and tells how it is stored. `matrices`: how the
// inputs and the results before it are, by name.
ScheduleFile::Sparse make_stored(const StoredResult& result, const SparseTensors& sparse,
                                 const std::map<std::string, ScheduleFile::Sparse>& matrices,
                                 Fusion& fusion, SizeScope& sizes);

}  // namespace selvage
