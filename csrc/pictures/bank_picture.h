#pragma once

#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>

#include <optional>

namespace selvage {

// A tensor in shared memory as it lies in the banks: a row is 128 bytes, a cell a word of one of
// the 32 banks, with the items in it, shaded by their last index, so that a swizzle is seen. What
// the first warp stores and loads at first is outlined; above and below stands which threads go to
// which bank, those that meet in one bank upon each other.
// Of more than kMostLines lines the first are drawn. Nothing for other tensors, or where a size is
// open.
inline constexpr std::int64_t kMostLines = 32;
std::optional<Drawing> bank_picture(const TensorReport& tensor);

}  // namespace selvage
