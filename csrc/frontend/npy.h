#pragma once

#include <selvage/base/array.h>

#include <string>

namespace selvage {

// NumPy's file format, versions 1.0 to 3.0: little-endian arrays of every type but BFloat16, which
// NumPy lacks and which is written as its bits, uint16. Arrays in Fortran order are transposed on
// the way in. Throws BadInput (E602) for whatever is not exactly that, data that stops short and
// data that goes on included; a header never makes it reserve more memory than the file is long.
Array read_npy(const std::string& path);

// Writes version 1.0. The file appears whole or not at all, and what was there before stays until
// then. Throws BadInput (E603) if it cannot be written.
void write_npy(const std::string& path, const Array& array);

}  // namespace selvage
