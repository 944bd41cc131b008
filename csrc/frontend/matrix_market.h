#pragma once

#include <selvage/base/stored_matrix.h>
#include <selvage/base/stored_tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Reads a sparse matrix in the Matrix Market exchange format: coordinate; real, integer or pattern
// (whose items are 1); general, symmetric or skew-symmetric, where each item off the diagonal
// stands for two. Throws BadInput (E602) at the line for anything else: another header, a
// coordinate outside of the matrix, a value that is no number, items too few or too many.
CoordinateMatrix read_matrix_market(const std::string& path);

// Writes the items in their order: coordinate, real and general, each value as the shortest decimal
// that reads back as the same double. The file appears whole or not at all; a former file stays
// until then. Throws BadInput (E603) if it cannot be written, and for a value that is not finite,
// which the format has no word for.
void write_matrix_market(const std::string& path, const CoordinateMatrix& matrix);

// Reads a sparse tensor as FROSTT has them, .tns: a line for each item, with a coordinate for each
// axis, from 1 on, and the value; lines that begin with # are comments. `extents`: by axis, as far
// as they are known; any other is the greatest coordinate that there is. Throws BadInput (E602) at
// the line for another number of words, for a coordinate that is none, or is outside of the tensor,
// and for a value that is no number.
CoordinateTensor read_tns(const std::string& path,
                          const std::vector<std::optional<std::int64_t>>& extents);

// Writes the items in their order, and no extents. Throws as write_matrix_market does.
void write_tns(const std::string& path, const CoordinateTensor& tensor);

}  // namespace selvage
