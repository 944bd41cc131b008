// Claims about bounds as text, and the small worlds in which they are looked at point by point.
#pragma once

#include <selvage/index/laws.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage {

// One transform, its coordinates as the oracle computes them: at every point of a box that reaches
// past all bounds on both sides, since a source may itself be computed and out of bounds.
struct World {
  Law::Over over;  // Split, Merge, Resize, Xor, CyclicShift, Skew or Rows
  Direction direction;
  oracle::Graph graph;
  std::string
      letters;  // as laws name iterdomains: "xoi", "ab", "arb" or "xyuv", by the oracle's number
  std::vector<std::array<std::int64_t, 4>> points;  // an index per letter
  std::vector<std::int64_t> offsets = {};           // of Rows: where each begins, and the end

  const oracle::Step& step() const { return graph.steps[0]; }
  std::int64_t extent(char letter) const { return graph.extents[letters.find(letter)]; }
  // The same at a point: rows differ in length, and what is no row has no items.
  std::int64_t extent_at(const std::array<std::int64_t, 4>& point, std::size_t letter) const;
  bool computes_digits() const;  // o and i from x
  std::string text() const;
};

// Every transform of small extents, in both directions.
const std::vector<World>& small_worlds();
// Every few rows of few items, the position x of item i of row o, in both directions.
const std::vector<World>& row_worlds();
// x = o*n + i with x and o of any extents, as if a merge had made x.
std::vector<World> digit_worlds(Direction direction);

// A point at which the premises hold and the conclusion does not, or "". Both are lists such as
// "hi x, lo i": hi is index < extent, lo is 0 <= index, ok is both.
std::string counterexample(const World& world, std::string_view premises,
                           std::string_view conclusion);

}  // namespace selvage
