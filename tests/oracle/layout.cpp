#include "tests/oracle/layout.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"

namespace selvage::oracle {

Layout dense_layout(const Graph& graph, std::vector<int> allocation, std::int64_t element_bytes) {
  Layout r{std::move(allocation), {}, element_bytes};
  r.strides.resize(r.allocation.size());
  std::int64_t stride = 1;
  for (std::size_t k = r.allocation.size(); k-- > 0;) {
    r.strides[k] = stride;
    stride = mul(stride, graph.extents[r.allocation[k]]);
  }
  return r;
}

Layout relaid(const Layout& layout, const Graph& before, const Graph& after) {
  Layout r = layout;
  std::int64_t was = 1, is = 1;  // the contiguous stride
  for (std::size_t k = r.strides.size(); k-- > 0;) {
    const int x = r.allocation[k];
    r.strides[k] = std::max<std::int64_t>(1, add(is, layout.strides[k] - was));
    // An axis of extent 1 is never stepped along, so its stride says nothing of the next.
    if (before.extents[x] > 1) was = mul(layout.strides[k], before.extents[x]);
    if (after.extents[x] > 1) is = mul(r.strides[k], after.extents[x]);
  }
  return r;
}

std::int64_t address(const Layout& layout, std::span<const std::int64_t> coordinates) {
  std::int64_t a = 0;
  for (std::size_t k = 0; k < layout.allocation.size(); ++k)
    a = add(a, mul(coordinates[layout.allocation[k]], layout.strides[k]));
  return a;
}

std::int64_t elements(const Graph& graph, const Layout& layout) {
  std::int64_t last = 0;
  for (std::size_t k = 0; k < layout.allocation.size(); ++k)
    last = add(last, mul(graph.extents[layout.allocation[k]] - 1, layout.strides[k]));
  return add(last, 1);
}

Graph over_items(Graph graph) {
  graph.loop = graph.logical;
  return graph;
}

std::optional<MisplacedItem> misplaced_item(const Graph& graph, const Layout& layout) {
  std::optional<MisplacedItem> found;
  std::unordered_set<std::int64_t> taken;
  for_each_point(over_items(graph), [&](auto item, auto coordinates) {
    if (found) return;
    const bool inside = std::all_of(layout.allocation.begin(), layout.allocation.end(), [&](int x) {
      return 0 <= coordinates[x] && coordinates[x] < graph.extents[x];
    });
    if (!inside) {
      found = {MisplacedItem::Outside, {item.begin(), item.end()}};
    } else if (!taken.insert(address(layout, coordinates)).second) {
      found = {MisplacedItem::Shared, {item.begin(), item.end()}};
    }
  });
  return found;
}

Graph with_innermost(Graph graph, const std::vector<int>& last) {
  std::erase_if(graph.loop,
                [&last](int x) { return std::find(last.begin(), last.end(), x) != last.end(); });
  graph.loop.insert(graph.loop.end(), last.begin(), last.end());
  return graph;
}

std::vector<std::int64_t> loop_point(const Graph& graph,
                                     std::span<const std::int64_t> coordinates) {
  std::vector<std::int64_t> point;
  for (int x : graph.loop) point.push_back(coordinates[x]);
  return point;
}

}  // namespace selvage::oracle
