#pragma once

#include <selvage/base/integer.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The points 0 <= point[i] < extents[i] in row-major order: the last index runs fastest.

// The number of points; nothing if it does not fit 64 bits.
inline std::optional<std::int64_t> count_points(std::span<const std::int64_t> extents) {
  std::int64_t points = 1;
  for (std::int64_t n : extents) {
    const auto more = checked_mul(points, n);
    if (!more) return std::nullopt;
    points = *more;
  }
  return points;
}

// Goes on to the next point. False after the last one: then the point is the first one again.
inline bool next_point(std::span<std::int64_t> point, std::span<const std::int64_t> extents) {
  for (std::size_t i = point.size(); i-- > 0;) {
    if (++point[i] < extents[i]) return true;
    point[i] = 0;
  }
  return false;
}

// The point with this number in that order.
inline std::vector<std::int64_t> nth_point(std::int64_t number,
                                           std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> point(extents.size());
  for (std::size_t i = point.size(); i-- > 0; number /= extents[i]) point[i] = number % extents[i];
  return point;
}

// "[2, 0]".
inline std::string point_text(std::int64_t number, std::span<const std::int64_t> extents) {
  std::string text;
  for (std::int64_t i : nth_point(number, extents)) {
    text += (text.empty() ? "[" : ", ") + std::to_string(i);
  }
  return text.empty() ? "[]" : text + "]";
}

// Calls `visit` with every point until it returns false. Returns false if it did.
template <class Visit>
bool for_each_point(std::span<const std::int64_t> extents, Visit visit) {
  for (std::int64_t n : extents) {
    if (n < 1) return true;
  }
  std::vector<std::int64_t> point(extents.size(), 0);
  do {
    if (!visit(point)) return false;
  } while (next_point(point, extents));
  return true;
}

}  // namespace selvage
