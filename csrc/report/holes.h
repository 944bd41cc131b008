#pragma once

#include <selvage/report/report.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The item of every loop point of a tensor, if extents are numbers and points not too many. If
// duplicates are allowed, every point with an item counts as valid.
struct Holes {
  static constexpr std::int64_t kMostPoints = 1 << 16;

  std::vector<std::int64_t> extents;  // of the loops
  std::vector<std::int64_t> items;    // by loop point: the item's row-major number; kHole
  static constexpr std::int64_t kHole = -1;

  std::int64_t points() const { return std::int64_t(items.size()); }
  std::int64_t valid() const;
};
std::optional<Holes> holes_of(const TensorReport& tensor);

// The first loop point, outer loops first, at which this check fails and all others that stay hold.
// nullopt if an extent is no number, or there are too many points.
std::optional<Point> first_stopped(const TensorReport& tensor, const KeptPredicate& check);

// The loop points as a table, outer loops down and inner loops across, `.` for a hole:
//   I3 I4 |  I5 I6 across
//   0  0  |   0  1  2  3   4  5  .  .
// Empty if it would not be small.
std::vector<std::string> picture(const TensorReport& tensor, const Holes& holes);

}  // namespace selvage
