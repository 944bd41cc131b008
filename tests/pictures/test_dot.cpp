#include <selvage/pictures/dot.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/pictures/drawings.h"
#include "tests/report/numbered.h"
#include "tests/support/text_files.h"

namespace selvage {
namespace {

// Whether Graphviz reads it, and draws so many nodes.
void expect_drawn(const std::string& dot, std::size_t nodes) {
  if (std::system("dot -V > /dev/null 2>&1") != 0) GTEST_SKIP() << "[SKIP no Graphviz here]";
  const std::string base =
      (std::filesystem::temp_directory_path() / ("selvage-dot-" + std::to_string(getpid())))
          .string();
  std::ofstream(base + ".dot") << dot;
  const int status = std::system(
      ("dot -Tsvg '" + base + ".dot' > '" + base + ".svg' 2> '" + base + ".err'").c_str());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(base + ".err"), "");
  const std::string svg = contents(base + ".svg");
  std::size_t drawn = 0;
  for (std::size_t at = 0; (at = svg.find("class=\"node\"", at)) != svg.npos; ++at) ++drawn;
  EXPECT_EQ(drawn, nodes);
  for (const char* end : {".dot", ".svg", ".err"}) std::filesystem::remove(base + end);
}

TEST(Dot, ASplitIsAsReviewed) {
  const test::Inspected i(
      "tensors: {y: {dtype: float, logical: {i: 10}, transforms: [{split: {in: i, "
      "factor: 4, out: [tile, lane]}}], bind: {tile: BIDx}}}\n");
  EXPECT_EQ(to_dot(i.report),
            R"(digraph schedule {
  rankdir=LR
  node [shape=box fontname="monospace" fontsize=11]
  edge [fontname="monospace" fontsize=9 color="#8c959f"]
  graph [fontname="sans-serif" color="#d0d7de"]
  subgraph cluster_0 {
    label="y"
    t0_d0 [label="i {10}\nlogical\nchecked" color="#0072b2" style="solid,dashed"]
    t0_d1 [label="tile {3}\nloop 1 BIDx" color="#009e73" style="bold"]
    t0_d2 [label="lane {4}\nloop 2" color="#009e73" style="bold"]
    t0_x0 [label="split 4\nholes: 2" shape=ellipse]
    t0_d0 -> t0_x0
    t0_x0 -> t0_d1 [label="outer"]
    t0_x0 -> t0_d2 [label="inner"]
  }
}
)");
  expect_drawn(to_dot(i.report), 4);
}

TEST(Dot, GraphvizReadsWhateverTheNamesAre) {
  test::Numbered t("<T>&\"\\N", {"a\"b\\", "\xFF\n<x>"}, {7, 5});
  Schedule& s = *t.schedule;
  const auto [m, n] = std::pair(s.loops(t.id())[0], s.loops(t.id())[1]);
  s.merge(m, n, "]}; \\l &amp;");
  const Report report = inspect("test.yaml", {Subject{.schedule = s}});
  ASSERT_EQ(report.tensors.size(), 1u);
  expect_drawn(to_dot(report), 4);
}

TEST(Dot, EveryTensorHasItsCluster) {
  const test::Inspected i(
      "tensors: {A: {dtype: float, logical: {n: 4}}, B: {dtype: float, memory: "
      "shared, logical: {n: 4, m: 4}, transforms: [{swizzle: {kind: xor, in: "
      "[n, m], out: [x, y]}}], allocation: [x, y], read: {loop: [m, n]}}}\n");
  const std::string dot = to_dot(i.report);
  EXPECT_NE(dot.find("subgraph cluster_1"), dot.npos);
  EXPECT_NE(dot.find("n {4}\\nlogical\\nread 2"), dot.npos);
  expect_drawn(dot, 1 + 5);
}

}  // namespace
}  // namespace selvage
