// Judges whether a vectorised access is legal, by looking at every group of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/oracle/layout.h"

namespace selvage::oracle {

// One loop of the graph is the vector; w is its extent. A group is all points that differ in that
// loop only: full, empty or partial by how many of its points are valid.
//
// Legal iff w is a power of two, the access of w elements has 2, 4, 8 or 16 bytes, and in every
// full group the addresses are a, a + 1, ..., a + w - 1 with a divisible by w. A partial group is
// stored element by element: it is never at fault.
struct VectorAccess {
  struct Violation {
    enum What { NotConsecutive, Misaligned } what;
    std::vector<std::int64_t> point;      // the group's loop indices, that of the vector 0
    std::vector<std::int64_t> addresses;  // of the group, in elements
  };
  bool width_is_legal = false;
  std::int64_t bytes = 0;  // of one access
  std::int64_t full = 0, empty = 0, partial = 0;
  std::optional<Violation> violation;  // the first in the order of the other loops
  // The base is known to be aligned to less than the access, so the access is legal only if the
  // base is aligned to `bytes`: a condition at launch.
  bool asks_base_alignment = false;

  bool legal() const { return width_is_legal && !violation; }
};
VectorAccess vector_access(const Graph& graph, const Layout& layout, int vector);

bool is_legal_width(std::int64_t extent, std::int64_t element_bytes);

}  // namespace selvage::oracle
