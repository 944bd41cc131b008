#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace selvage {

// An acyclic graph to draw in layers: every edge leads from a layer to a later one. Layers lie side
// by side along the depth, the nodes of a layer along the breadth; the caller decides which of the
// two runs across the page. Lengths are in pixels.
struct LayeredGraph {
  struct Node {
    int breadth = 0, thickness = 0;  // its size along and across its layer
  };
  struct Edge {
    std::size_t from = 0, to = 0;  // from < to
  };
  std::vector<Node> nodes;  // those without an edge into them lie in the first layer, in this order
  std::vector<Edge> edges;
  std::vector<std::size_t> last;  // nodes that no edge leaves, for the last layer in this order
  int gap = 16;                   // between neighbours in a layer
  int layer_gap = 18;             // between layers
};

struct LayeredPlace {
  int breadth = 0, depth = 0;
};

struct GraphLayout {
  std::vector<LayeredPlace> centers;  // of the nodes
  // By edge: the points at which it crosses the layers between its ends.
  std::vector<std::vector<LayeredPlace>> bends;
  int breadth = 0, depth = 0;  // of the whole
  bool is_aligned = false;     // the nodes of `last` are in the last layer
};

// Places nodes with few crossings, short edges, and no two nodes of a layer closer than the gap. An
// edge across many layers is led around the nodes in between. The time is hardly more than linear
// in the size of the graph: if leading all edges around took more than kMostBends bends, the nodes
// of `last` are placed close to their predecessors instead; if that is not enough, long edges run
// straight.
// Graphviz's dot is not used: it needs 86 more Debian packages, and takes 8 s for a graph of 400
// splits that takes 0.1 s here.
inline constexpr std::size_t kMostBends = 4'000;
GraphLayout lay_out(const LayeredGraph& graph);

}  // namespace selvage
