#pragma once

#include <selvage/base/stored_matrix.h>

#include <string>

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

}  // namespace selvage
