#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// The values of an array as NumPy prints them, in lines of at most `columns`: in brackets by axis,
// floats with as many digits as the type distinguishes, at most 8. Of an array with more than a
// thousand items, the first three and the last three of each axis.
//   [[0 1 2]
//    [3 4 5]]
std::vector<std::string> array_lines(const ShownArray& shown, std::size_t columns);
// "float", "complex64"; and the shape without the axis of the parts.
std::string type_text(const ShownArray& shown);
std::vector<std::int64_t> shape_of(const ShownArray& shown);

// "y, float[2, 3]", and its values below.
void print_values(const std::vector<ShownArray>& values, Lines& out);

}  // namespace selvage
