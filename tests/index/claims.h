// Claims about bounds as text, and the small worlds in which they are looked at point by point.
#pragma once

#include <selvage/index/laws.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage {

using WorldPoint = std::array<std::int64_t, 5>;  // an index per letter

// One transform, its coordinates as the oracle computes them: at every point of a box that reaches
// past all bounds on both sides, since a source may itself be computed and out of bounds.
struct World {
  Law::Over over;  // Split, Merge, Resize, Xor, CyclicShift, Skew, Rows or Groups
  Direction direction;
  oracle::Graph graph;
  std::string letters;  // as laws name iterdomains: "xoi", "ab", "arb" or "xyuv", by the oracle's
                        // number; "oixtr" of Groups
  std::vector<WorldPoint> points;
  std::vector<std::int64_t> offsets = {};  // of Rows and Groups: where each begins, and the end
  // Of Groups: how many rows each has, and which positions group t has.
  std::int64_t height = 0;
  std::int64_t rows() const { return std::int64_t(offsets.size()) - 1; }
  std::pair<std::int64_t, std::int64_t> positions_of(std::int64_t group) const;

  const oracle::Step& step() const { return graph.steps[0]; }
  std::int64_t extent(char letter) const { return graph.extents[letters.find(letter)]; }
  // The same at a point: rows differ in length, and what is no row has no items.
  std::int64_t extent_at(const WorldPoint& point, std::size_t letter) const;
  bool computes_digits() const;  // o and i from x
  std::string text() const;
};

// Every transform of small extents, in both directions.
const std::vector<World>& small_worlds();
// Every few rows of few items, the position x of item i of row o, in both directions.
const std::vector<World>& row_worlds();
// The same rows in groups of every few, the position x in group t of item i of row r, which is the
// o-th of the group.
const std::vector<World>& group_worlds();
// x = o*n + i with x and o of any extents, as if a merge had made x.
std::vector<World> digit_worlds(Direction direction);

// A point at which the premises hold and the conclusion does not, or "". Both are lists such as
// "hi x, lo i": hi is index < extent, lo is 0 <= index, ok is both.
std::string counterexample(const World& world, std::string_view premises,
                           std::string_view conclusion);

}  // namespace selvage
