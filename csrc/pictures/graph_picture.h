#pragma once

#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>

namespace selvage {

// No picture is wider, in pixels, and no graph is higher: what would be is drawn smaller.
inline constexpr int kPictureWidth = 960, kMostGraphHeight = 12'000;

// The iterdomain graph: from the root or logical domain to the loops, boxes for iterdomains with
// their names, extents and the cuts they belong to, rounded labels for transforms. Of more than
// kMostDrawnTransforms transforms the first are drawn, and how many are left out is said.
inline constexpr std::size_t kMostDrawnTransforms = 1'000;
Drawing graph_picture(const TensorReport& tensor);

}  // namespace selvage
