// Sparse tensors of three axes or more as they lie in memory, and the way there from coordinates
// and back. Those of two axes are matrices (base/stored_matrix.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// The items of a tensor that are stored, by coordinates, in any order. Several may have the same:
// the tensor has their sum there.
struct CoordinateTensor {
  std::vector<std::int64_t> extents;
  std::vector<std::vector<std::int64_t>> coordinates;  // by axis, then by item
  std::vector<double> value;

  std::size_t items() const { return value.size(); }
};

// csf, compressed sparse fibers: a tree of coordinates, with a level for each axis. The first axis
// is dense: each of its coordinates is a node of level 0. The children of node p of level m - 1 are
// the nodes offsets[p] to offsets[p + 1] - 1 of level m, by their coordinates `column`; the nodes
// of the last level are the items. So level m is a matrix as csr has it, with a row for each node
// of level m - 1, and a tensor of two axes would be csr. [I, J, K] with items at (0, 1, 0),
// (0, 1, 3) and (2, 0, 3), I = 3:
//   level 1   offsets 0 1 1 2   column 1 0       node 0 is (0, 1), node 1 is (2, 0)
//   level 2   offsets 0 2 3     column 0 3 3     the items
// Coordinates rise among the children of a node; only items may have equal ones.
inline constexpr std::string_view kCsf = "csf";
struct StoredTensor {
  std::vector<std::int64_t> extents;
  struct Level {
    std::vector<std::int64_t> offsets, column;
  };
  std::vector<Level> levels;  // of each axis but the first
  std::vector<double> value;  // by item
};

// Items with the same coordinates stay apart, in their order. All coordinates must be within the
// tensor. Throws BadInput E605 where the first axis has more than 2^30 coordinates.
StoredTensor stored(const CoordinateTensor& tensor);
// The items by their coordinates, those of the first axis first.
CoordinateTensor items_of(const StoredTensor& tensor);

// The name of a level, behind which are those of its arrays: T_1.
std::string name_of_level(const std::string& tensor, std::size_t level);

}  // namespace selvage
