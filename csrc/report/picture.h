#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// One self-contained SVG of all tensors of the report, no wider than 1000 pixels: of each its
// iterdomain graph, what every loop point stores, and, in shared memory, how it lies in the banks.
// It needs no other file, suits light and dark pages, and says in words what colours say. Of more
// than kMostDrawnTensors tensors the first are drawn, and how many are left out is said.
inline constexpr std::size_t kMostDrawnTensors = 32;
std::string to_svg(const Report& report);

// Throws BadInput E802 where the file cannot be written.
void write_svg(const Report& report, const std::string& path);

}  // namespace selvage
