// Judges whether a schedule of TMA copies brings the right elements into shared memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tests/oracle/layout.h"
#include "tests/oracle/tensor_map.h"

namespace selvage::oracle {

// One dimension of the tensor map, as the schedule means it.
struct TmaDim {
  int iterdomain = 0;  // whose extent it has, and whose index is the coordinate
  int axis = 0;        // allocation iterdomain whose stride it has
  int box = -1;        // iterdomain whose extent is the box; -1: a box of 1
  int step = -1;       // iterdomain whose extent is the element stride; -1: 1
};
TensorMap tensor_map(const Graph& graph, const Layout& layout, const std::vector<TmaDim>& dims);

// The loops in `bulk`, in loop order, are the dense tile in shared memory, outer to inner. For each
// value of all other loops one copy is issued, whatever the guard. Its coordinates (one per
// dimension, outer to inner) are what `corner` makes of the coordinates of all iterdomains where
// all bulk loops are 0, or those of the iterdomains in coordinate_of there.
struct TmaCopy {
  struct Fault {
    std::vector<std::int64_t> point;     // loop indices
    std::optional<std::int64_t> loaded;  // bytes from the base; nothing: 0 arrived
    std::optional<std::int64_t> wanted;  // likewise; nothing: a hole, which wants 0
  };
  bool fits = false;                  // the tile has as many elements as a copy brings
  std::optional<Fault> weak_fault;    // the first valid point with another item's element or 0
  std::optional<Fault> strong_fault;  // the first hole with an element that is not 0
  // The first such hole in a tile that also has a valid point. A tile with holes only can be made 0
  // by a copy from outside the tensor; this tile cannot.
  std::optional<Fault> fallback_fault;

  bool weak() const { return fits && !weak_fault; }
  bool strong() const { return weak() && !strong_fault; }
  bool strong_with_fallback() const { return weak() && !fallback_fault; }
};
using Corner = std::function<std::vector<std::int64_t>(std::span<const std::int64_t> coordinates)>;
TmaCopy tma_copy(const Graph& graph, const Layout& layout, const std::vector<int>& bulk,
                 const TensorMap& map, const Corner& corner);
TmaCopy tma_copy(const Graph& graph, const Layout& layout, const std::vector<int>& bulk,
                 const TensorMap& map, const std::vector<int>& coordinate_of);

}  // namespace selvage::oracle
