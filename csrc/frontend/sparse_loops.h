#pragma once

#include <selvage/base/stored_arrays.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace selvage {

// A tensor with the items of a sparse matrix: the matrix itself, or what a statement has computed
// at its items.
struct SparseTensor {
  std::string matrix;
  StorageFormat format;
  std::string rows, columns;  // the extents of the matrix, as the file has them
  std::size_t inner = 0;      // dense axes behind those of the matrix
};
// The loops over what a format stores of a matrix, in the order in which it lies in memory, and
// those of which an index of rows and one of columns are made, outer to inner. A loop over items of
// a row, or of a column, is that of the index that the items tell.
struct SparseLoops {
  std::vector<std::string> all, of_row, of_column;

  // Whether the index of rows is told by items; else that of columns is.
  bool is_row_told = false;
  // Whether rows are parts: of slices, or of blocks.
  bool has_parts() const { return of_row.size() > 1; }
};
// `row`, `column`: the names of the indices, from which those of parts are made, i_o and i_i;
// `is_taken`: whether something else is called so.
SparseLoops sparse_loops(
    const StorageFormat& format, const std::string& row, const std::string& column,
    const std::function<bool(const std::string&)>& is_taken = [](const auto&) { return false; });
// The name, or it with a number behind.
std::string free_name(const std::string& name,
                      const std::function<bool(const std::string&)>& is_taken);

// Behind the name of a result that is computed by parts of rows: _slices, _blocks.
const char* parts_suffix(const StorageFormat& format);

// Whether it stores values that belong to no item, or that are 0 and may belong to none.
bool fills_up(const StorageFormat& format);

}  // namespace selvage
