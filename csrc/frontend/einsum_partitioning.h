#pragma once

#include <selvage/frontend/document.h>

#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// uniform_shape(4): a word, and what stands in parentheses behind it.
struct Partitioning {
  enum class Kind : std::uint8_t { UniformShape, NwayShape, UniformOccupancy, Flatten };
  Kind kind{};
  std::string amount;  // a number or a name
  std::string leader;  // of an occupancy
  Place place;
};
// Throws BadInput: E332 no partitioning, E334 an occupancy of no tensor, E390 follow(...).
Partitioning read_partitioning(const Node& node);

// The ranks of a key: K, or (M, K0).
std::vector<std::string> ranks_of_key(const std::string& key);

}  // namespace selvage
