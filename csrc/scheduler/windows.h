#pragma once

#include <selvage/scheduler/segments.h>
#include <selvage/scheduler/typical_sizes.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// What a fold reads in windows: at its last two iterdomains, moved by what it folds over.
//   y[n, i, j] = sum[p, q](x[n, mirror(i + p - 1), mirror(j + q - 1)])
struct Windows {
  DomainId row{}, column{};                      // i, j
  double rows = 1, columns = 1;                  // their extents at typical sizes
  double others = 1;                             // points of the iterdomains before them
  std::int64_t row_reach = 0, column_reach = 0;  // items that a window has beside one, along each
  double bytes = 0;                              // of an element of each source together
  // Whether access modes bring what is read into its axes. Along merged iterdomains each tap would
  // divide for that, and of quotients it is seldom proved where they are.
  bool is_remapped = false;
  // Whether there may be more blocks along the second or the third axis than a launch holds: all of
  // them lie along the first one then.
  bool has_one_block_index = false;
  std::vector<TensorId> sources = {};  // which are read so
};
// Nothing where the segment is no fold, or its root reads nothing in windows.
std::optional<Windows> windows_of(const Schedule& schedule, const Segment& segment,
                                  const TypicalSizes& sizes);

}  // namespace selvage
