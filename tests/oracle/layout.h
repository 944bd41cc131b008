// How a tensor lies in memory, and where its items are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

// The element at coordinates x of the allocation iterdomains has the address sum(x[k] * stride[k]),
// in elements from the base, whose own address in bytes is a multiple of `align`. A stride that is
// larger than the product of the extents inside it breaks contiguity there.
struct Layout {
  std::vector<int> allocation;        // iterdomains of the graph, outer to inner
  std::vector<std::int64_t> strides;  // in elements, one for each
  std::int64_t element_bytes = 4;
  std::int64_t align = 16;  // in bytes
};

Layout dense_layout(const Graph& graph, std::vector<int> allocation,
                    std::int64_t element_bytes = 4);
// Strides for other extents of the same iterdomains: what was contiguous stays so, and what was
// padded keeps its padding.
Layout relaid(const Layout& layout, const Graph& before, const Graph& after);

// In elements; throws std::invalid_argument where it does not fit 64 bits. The coordinates may be
// out of bounds.
std::int64_t address(const Layout& layout, std::span<const std::int64_t> coordinates);
// From the base to past the last element that in-bounds coordinates reach.
std::int64_t elements(const Graph& graph, const Layout& layout);

// The same graph, iterated item by item: its loops are the logical iterdomains.
Graph over_items(Graph graph);

// What is wrong with a layout, if anything: an item (logical coordinates) that lies outside the
// allocation domain, or at the same address as one before it.
struct MisplacedItem {
  enum What { Outside, Shared } what;
  std::vector<std::int64_t> item;
};
std::optional<MisplacedItem> misplaced_item(const Graph& graph, const Layout& layout);

// A copy of the graph whose loops `last` are innermost, in that order; the others keep theirs.
Graph with_innermost(Graph graph, const std::vector<int>& last);
// The loop indices of a point, in the order of graph.loop, from the coordinates of all iterdomains.
std::vector<std::int64_t> loop_point(const Graph& graph, std::span<const std::int64_t> coordinates);

}  // namespace selvage::oracle
