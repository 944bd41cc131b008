#pragma once

#include <selvage/base/array.h>

#include <string>

namespace selvage {

// Reads NumPy's file format, versions 1.0 to 3.0: little-endian arrays of every type but BFloat16,
// which NumPy lacks and which is written as its bits, uint16. Complex arrays come by parts: float
// or double, with a last axis of two items (ir/complex.h). Arrays in Fortran order are transposed.
// Throws BadInput (E602) for any other file, also one with too few or too many data. It never
// reserves more memory than the file is long, whatever the header says.
Array read_npy(const std::string& path);

// Writes version 1.0; an array by parts is written as the complex one that it is. The file appears
// whole or not at all; a former file stays until then. Throws BadInput (E603) if it cannot be
// written.
void write_npy(const std::string& path, const Array& array, bool is_complex = false);

}  // namespace selvage
