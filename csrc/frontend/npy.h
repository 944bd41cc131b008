#pragma once

#include <selvage/base/array.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// An array that is a member of a file, as messages name it.
struct NpyPlace {
  std::string path, member;
  std::string again;  // the help: how to save what holds it
};
struct NpyHeader {
  std::string descr;  // the type of an element, as '<f4'
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t data_bytes = 0;  // those after the header
};

// The same of bytes in memory, where a complex array is refused as well.
Array npy_array(std::string_view bytes, const NpyPlace& place);
// What begins them, for a type that an Array has not: strings. Neither the type nor the number of
// bytes that follow is looked at.
NpyHeader npy_header(std::string_view bytes, const NpyPlace& place);
// In version 1.0. The data are those of an array of this type and shape.
std::string npy_bytes(std::string_view descr, const std::vector<std::int64_t>& shape,
                      std::span<const std::byte> data);

}  // namespace selvage
