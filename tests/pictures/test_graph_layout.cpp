#include <selvage/pictures/graph_layout.h>

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

LayeredGraph graph_of(std::size_t nodes, std::vector<LayeredGraph::Edge> edges) {
  LayeredGraph graph;
  graph.nodes.assign(nodes, {60, 20});
  graph.edges = std::move(edges);
  return graph;
}

// Nodes of one depth lie apart, edges lead on, and all is within the whole.
void expect_sound(const LayeredGraph& graph, const GraphLayout& layout) {
  std::map<int, std::map<int, std::size_t>> layers;  // depth, center
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto [x, y] = layout.centers[n];
    EXPECT_TRUE(layers[y].emplace(x, n).second) << "node " << n << " lies upon another";
    EXPECT_GE(2 * x + 1, graph.nodes[n].breadth);
    EXPECT_LE(2 * x - 2, 2 * layout.breadth - graph.nodes[n].breadth);
    EXPECT_GE(2 * y + 1, graph.nodes[n].thickness);
    EXPECT_LE(2 * y, 2 * layout.depth - graph.nodes[n].thickness + 1);
  }
  for (const auto& [depth, layer] : layers) {
    for (auto it = layer.begin(), next = it; it != layer.end() && ++next != layer.end(); ++it) {
      const int least = (graph.nodes[it->second].breadth + graph.nodes[next->second].breadth) / 2;
      EXPECT_GE(next->first - it->first + 1, least + graph.gap) << "too close";
    }
  }
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    int depth = layout.centers[graph.edges[e].from].depth;
    for (const LayeredPlace& bend : layout.bends[e]) {
      EXPECT_GT(bend.depth, depth);
      depth = bend.depth;
    }
    EXPECT_GT(layout.centers[graph.edges[e].to].depth, depth);
  }
}

TEST(GraphLayout, ATreeIsSymmetrical) {
  // 0 over 1 and 2; 1 over 3 and 4; 2 over 5 and 6.
  LayeredGraph graph = graph_of(7, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}});
  graph.last = {3, 4, 5, 6};
  const GraphLayout layout = lay_out(graph);
  expect_sound(graph, layout);
  EXPECT_TRUE(layout.is_aligned);
  const auto x = [&](std::size_t n) { return layout.centers[n].breadth; };
  EXPECT_NEAR(x(0) - x(1), x(2) - x(0), 1);
  EXPECT_NEAR(x(3) + x(4), 2 * x(1), 1);
  EXPECT_NEAR(x(5) + x(6), 2 * x(2), 1);
  EXPECT_EQ(layout.breadth, 4 * 60 + 3 * 16);
  EXPECT_EQ(layout.depth, 3 * 20 + 2 * 18);
}

TEST(GraphLayout, TheLastLayerHasTheOrderThatIsAskedFor) {
  LayeredGraph graph = graph_of(5, {{0, 1}, {0, 2}, {1, 3}, {1, 4}});
  graph.last = {4, 2, 3};
  const GraphLayout layout = lay_out(graph);
  expect_sound(graph, layout);
  EXPECT_EQ(layout.centers[2].depth, layout.centers[3].depth);
  EXPECT_LT(layout.centers[4].breadth, layout.centers[2].breadth);
  EXPECT_LT(layout.centers[2].breadth, layout.centers[3].breadth);
}

TEST(GraphLayout, CrossingsAreUntangled) {
  // Four sources over four nodes in between, given in the opposite order.
  LayeredGraph graph = graph_of(8, {{0, 7}, {1, 6}, {2, 5}, {3, 4}});
  const GraphLayout layout = lay_out(graph);
  expect_sound(graph, layout);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(layout.centers[n].breadth, layout.centers[7 - n].breadth);
  }
}

TEST(GraphLayout, WhatHangsFromOneStandsBesideWhatHangsFromTwo) {
  // Node 2 hangs from both, 3 from the left one alone.
  const GraphLayout layout = lay_out(graph_of(4, {{0, 2}, {0, 3}, {1, 2}}));
  EXPECT_LT(layout.centers[0].breadth, layout.centers[1].breadth);
  EXPECT_LT(layout.centers[3].breadth, layout.centers[2].breadth);
}

TEST(GraphLayout, RandomGraphsKeepEveryPromise) {
  std::mt19937 random(11);
  for (int round = count(200, 5000); round > 0; --round) {
    LayeredGraph graph;
    const std::size_t nodes = 1 + random() % 40;
    for (std::size_t n = 0; n < nodes; ++n) {
      graph.nodes.push_back({int(10 + random() % 150), int(10 + random() % 50)});
      const std::size_t edges = n == 0 ? 0 : random() % 3;
      for (std::size_t k = 0; k < edges; ++k) graph.edges.push_back({random() % n, n});
    }
    std::vector<char> is_left(nodes, 0), is_reached(nodes, 0);
    for (const auto& e : graph.edges) is_left[e.from] = is_reached[e.to] = 1;
    for (std::size_t n = nodes; n-- > 0;) {
      if (!is_left[n] && is_reached[n]) graph.last.push_back(n);
    }
    const GraphLayout layout = lay_out(graph);
    expect_sound(graph, layout);
    int x = -1;
    for (std::size_t n = 0; n < nodes; ++n) {  // the first layer keeps its order
      if (is_reached[n]) continue;
      EXPECT_GT(layout.centers[n].breadth, x);
      x = layout.centers[n].breadth;
    }
  }
}

TEST(GraphLayout, AChainOfAThousandSplitsRunsStraightDown) {
  LayeredGraph graph = graph_of(1, {});
  std::size_t trunk = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::size_t joint = graph.nodes.size();
    graph.nodes.insert(graph.nodes.end(), 3, {60, 20});
    graph.edges.insert(graph.edges.end(), {{trunk, joint}, {joint, joint + 1}, {joint, joint + 2}});
    trunk = joint + 1;
    graph.last.push_back(joint + 2);
  }
  const GraphLayout layout = lay_out(graph);
  expect_sound(graph, layout);
  EXPECT_FALSE(layout.is_aligned);  // half a million bends would be needed
  EXPECT_LE(layout.breadth, 300);
}

TEST(GraphLayout, OfNothingIsNothing) {
  const GraphLayout layout = lay_out({});
  EXPECT_EQ(layout.breadth, 0);
  EXPECT_EQ(layout.depth, 0);
}

}  // namespace
}  // namespace selvage
