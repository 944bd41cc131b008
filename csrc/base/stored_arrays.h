#pragma once

#include <selvage/base/array.h>
#include <selvage/base/stored_matrix.h>
#include <selvage/base/stored_tensor.h>

#include <map>
#include <string>

namespace selvage {

// The arrays of a format beside the values, behind the name of the matrix, which is that of the
// values.
inline constexpr const char* kOffsetsSuffix = "_offsets";
inline constexpr const char* kRowsSuffix = "_rows";
inline constexpr const char* kColumnsSuffix = "_columns";
inline constexpr const char* kDiagonalsSuffix = "_diagonals";
// The sizes that count what a format stores, behind the name of the matrix.
inline constexpr const char* kItemsSuffix = "_items";  // items, slots of slices, or blocks
inline constexpr const char* kWidthSuffix = "_width";  // slots of a row, or diagonals

// The arrays of a matrix by name, as kernels take them: values of `type`, all else of `index`.
std::map<std::string, Array> arrays_of(const StoredMatrix& matrix, const std::string& name,
                                       DataType type, DataType index);
// The matrix of which these are the arrays, with `values` at its items.
StoredMatrix matrix_of(const std::map<std::string, Array>& arrays, const std::string& name,
                       const StorageFormat& format, std::int64_t rows, std::int64_t columns,
                       const Array& values);

// The same of a tensor: each level has the arrays of a matrix as csr has it, behind its name
// (name_of_level), and the values have that of the tensor.
std::map<std::string, Array> arrays_of(const StoredTensor& tensor, const std::string& name,
                                       DataType type, DataType index);
StoredTensor tensor_of(const std::map<std::string, Array>& arrays, const std::string& name,
                       std::vector<std::int64_t> extents, const Array& values);

}  // namespace selvage
