#pragma once

#include <selvage/base/stored_matrix.h>

#include <string>

namespace selvage {

// Reads a sparse matrix as SciPy's save_npz writes it: a zip archive of .npy arrays, deflated or
// stored, with a matrix of the format csr, csc, coo, dia or bsr; bsr becomes bcsr. Items may be of
// every real type of read_npy, and become doubles; 64-bit integers past 2^53 are rounded. Those
// that SciPy leaves unsorted in a row are sorted, items with the same coordinates stay in their
// order, and blocks with the same are added up. Diagonals outside of the matrix are left out.
//
// Throws BadInput (E602) for any other file; the message names the member, and the row or the item
// at which it goes wrong. What a member inflates to is kept as it comes, so that no size that a
// file merely states reserves memory.
StoredMatrix read_npz(const std::string& path);

// Writes what SciPy's load_npz reads, deflated: indices as int32 where they fit and as int64 where
// not, values as float64. One matrix always gives the same bytes. The file appears whole or not at
// all. Throws BadInput (E603) if it cannot be written, and for what SciPy has no form of: ell,
// sell, and blocks that reach over the edge of the matrix.
void write_npz(const std::string& path, const StoredMatrix& matrix);

}  // namespace selvage
