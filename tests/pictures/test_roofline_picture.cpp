#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture.h>
#include <selvage/report/cost_lines.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::elements_of;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

KernelCost kernel(const std::string& name, double instructions, double dram, double l2,
                  double seconds) {
  KernelCost k{.name = name, .work = {}, .time = {}, .accesses = {}};
  k.work.instructions = instructions;
  k.work.dram_bytes = dram;
  k.work.l2_bytes = l2;
  k.time.seconds = seconds;
  return k;
}

ProgramCost cost_with(std::vector<KernelCost> kernels) {
  ProgramCost cost{
      .device = *find_device("h100"), .sizes = {}, .rows = {}, .kernels = std::move(kernels)};
  for (const KernelCost& k : cost.kernels) {
    cost.seconds += k.time.seconds;
    cost.dram_bytes += k.work.dram_bytes;
  }
  return cost;
}

// Centres of the marks of a class in the diagram, left to right as they were drawn.
std::vector<std::pair<int, int>> marks(const XmlElement& root, const char* name) {
  std::vector<std::pair<int, int>> list;
  for (const XmlElement* e : of_class(root, name)) {
    if (e->name == "rect" && !e->children.empty()) {
      list.emplace_back(number(*e, "x") + 6, number(*e, "y") + 6);
    }
  }
  return list;
}

TEST(Roofline, MarksLieWhereTheirNumbersSay) {
  // Ten times the work a byte lies further right by one decade, ten times the rate higher by one.
  const XmlElement root = elements_of(roofline_picture(
      cost_with({kernel("a", 1e8, 1e8, 2e8, 1e-4), kernel("b", 1e9, 1e8, 1e8, 1e-4),
                 kernel("c", 1e9, 1e9, 1e9, 1e-4)})));
  const auto solid = marks(root, "solid");
  ASSERT_EQ(solid.size(), 4u);  // all kernels together, too
  EXPECT_GT(solid[1].first, solid[0].first);
  EXPECT_LT(solid[1].second, solid[0].second);
  EXPECT_EQ(solid[2].second, solid[1].second);
  EXPECT_EQ(solid[2].first, solid[0].first);
  EXPECT_LT(marks(root, "outline")[0].first, solid[0].first);  // more bytes of L2
}

// A kernel that reaches a roof lies on it: at the height of the roof's line.
TEST(Roofline, WhatReachesTheIssueRateLiesOnItsRoof) {
  const Device& h100 = *find_device("h100");
  const double rate = issue_slots(h100);
  const XmlElement root =
      elements_of(roofline_picture(cost_with({kernel("a", rate, 1e6, 1e6, 1.0)})));
  int roof = -1;  // of the line that is level: M x y L x y
  for (const XmlElement* e : of_class(root, "roof")) {
    int x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    ASSERT_EQ(std::sscanf((*e)["d"].c_str(), "M%d %dL%d %d", &x1, &y1, &x2, &y2), 4);
    if (y1 == y2) roof = y1;
  }
  EXPECT_EQ(marks(root, "solid")[0].second, roof);
  EXPECT_THAT(texts_of(root), Contains(HasSubstr("100 % of the lowest roof above it")));
}

TEST(Roofline, EveryMarkLiesWithinThePlot) {
  for (const double scale : {1e-9, 1e-3, 1.0, 1e3, 1e9}) {
    const XmlElement root = elements_of(roofline_picture(cost_with(
        {kernel("a", 1e6 * scale, 1e6, 3e6, 1e-3), kernel("b", 1e6, 1e6 * scale, 0, 1e-3)})));
    for (const char* name : {"solid", "outline"}) {
      for (const auto& [x, y] : marks(root, name)) {
        EXPECT_GE(x, 56) << scale;
        EXPECT_LE(x, 56 + 756) << scale;
        EXPECT_GE(y, 24) << scale;
        EXPECT_LE(y, 24 + 400) << scale;
      }
    }
  }
}

TEST(Roofline, NamesKernelsAndWhatIsLeftOut) {
  std::vector<KernelCost> many;
  for (std::size_t k = 0; k < kMostRooflinePoints + 3; ++k) {
    many.push_back(kernel("k" + std::to_string(k), 1e8, 1e8, 1e8, 1e-4));
  }
  const Drawing drawing = roofline_picture(cost_with(many));
  EXPECT_LE(drawing.width(), kPictureWidth);
  const std::vector<std::string> texts = texts_of(elements_of(drawing));
  EXPECT_THAT(texts, Contains("k0"));
  EXPECT_THAT(texts, Not(Contains("k24")));
  EXPECT_THAT(texts, Contains("3 more kernels not drawn, counted in all"));
  EXPECT_THAT(texts_of(elements_of(roofline_picture(cost_with({})))),
              Contains("No kernel runs at these sizes, or none takes a time."));
}

TEST(Roofline, IsThePictureOfAReportWithCosts) {
  test::Inspected inspected(
      "inputs: {x: {shape: [4096, 1024], dtype: float}}\ncompute: [\"y[i, j] = 2 * x[i, j]\"]\n");
  EXPECT_THAT(to_svg(inspected.report), Not(HasSubstr("Roofline")));
  add_costs(*find_device("h200"), inspected.report);
  const std::string svg = to_svg(inspected.report);
  EXPECT_THAT(svg, HasSubstr("Roofline on h200"));
  EXPECT_THAT(svg, Not(HasSubstr("How the index is cut up")));
  parse_xml(svg);
}

}  // namespace
}  // namespace selvage
