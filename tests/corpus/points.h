#pragma once

#include <selvage/expr/tape.h>

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "tests/corpus/line.h"

namespace selvage::corpus {

using Point = std::vector<std::int64_t>;  // values of problem.symbols

// The points that a line's ranges, extents and guard allow.
class Domain {
 public:
  explicit Domain(const Problem& problem);

  bool contains(const Point& point);
  // All of them; nothing where there may be more than `limit`.
  std::optional<std::vector<Point>> all(std::size_t limit);
  // `draws` of them: the corners in which all symbols are at the same end, then symbols at an end,
  // next to one, or anywhere. What the guard forbids is left out.
  std::vector<Point> some(std::size_t draws, std::uint64_t seed);
  // All, or else some.
  std::vector<Point> points(std::size_t limit, std::uint64_t seed);

 private:
  struct Range {
    std::int64_t lo, hi;
  };
  // Of symbol k where the ones before it have these values; nothing where it has no value.
  std::optional<Range> range(std::size_t k, const Point& before);
  bool allowed(const Point& point);
  bool add_all(Point& point, std::size_t limit, std::vector<Point>& points, std::size_t& visited);
  std::int64_t draw(std::mt19937_64& rng, Range range, bool is_parameter);

  const Problem* problem_;
  std::vector<Tape> extents_;
  std::optional<Tape> guard_;
};

}  // namespace selvage::corpus
