#pragma once

#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>

#include <optional>

namespace selvage {

// The loop points as a table, outer loops down and inner loops across, a gap wherever an outer
// index changes: what each stores, and of a hole which iterdomain is out of bounds. With up to
// kMostNumberedRows rows every cell says so in numbers and names; with more, up to kMostSmallRows
// of small cells, by pattern; past that, only the first and the last points are shown, and it is
// said. Nothing where a size is open, or there is no loop.
inline constexpr int kMostNumberedRows = 24, kMostSmallRows = 160, kKeptRows = 10;
std::optional<Drawing> hole_picture(const TensorReport& tensor);

}  // namespace selvage
