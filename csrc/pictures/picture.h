#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// One self-contained SVG of all tensors of the report, no wider than 1000 pixels: for each its
// iterdomain graph, the item that every loop point stores, in shared memory its layout in the banks
// and, where copies end later, the ring that they go round in, over time. It needs no other file,
// suits light and dark pages, and repeats in words what colours mean. Of a report with costs it is
// the rooflines of its programs instead, of one with loads of rows how threads share these. Tensors
// that would begin below kLastTensor pixels are not drawn; a note gives their number.
inline constexpr int kLastTensor = 18'000;
std::string to_svg(const Report& report);

// Throws BadInput E802 if the file cannot be written.
void write_svg(const Report& report, const std::string& path);

}  // namespace selvage
