#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// One self-contained SVG of all tensors of the report, no wider than 1000 pixels: of each its
// iterdomain graph, what every loop point stores, and, in shared memory, how it lies in the banks.
// It needs no other file, suits light and dark pages, and says in words what colours say. Tensors
// that would begin below kLastTensor pixels are not drawn, and how many they are is said.
inline constexpr int kLastTensor = 18'000;
std::string to_svg(const Report& report);

// Throws BadInput E802 where the file cannot be written.
void write_svg(const Report& report, const std::string& path);

}  // namespace selvage
