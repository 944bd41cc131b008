// Who makes an item: the point of the loops, found by brute force among all of them.
#include <selvage/base/points.h>
#include <selvage/report/page.h>
#include <selvage/report/where.h>

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/frontend/schedule_files.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

std::string where(const std::string& yaml, const ItemAt& item) {
  return page(inspect(schedule_files::read(yaml)), {.where = {item}});
}

const char* const kEdges = R"yaml(
inputs: {x: {shape: [6, 10], dtype: float}}
outputs: {y: {shape: [6, 10]}}
compute: ["y[i, j] = x[mirror(i - 1), j] + safe(x[i, j + 1])"]
schedule:
  y: [{split: {in: j, factor: 4, out: [jo, ji]}}, {bind: {i: BIDx, ji: TIDx}}]
)yaml";

TEST(Where, SaysWhichThreadMakesAnItemAndOfWhat) {
  EXPECT_EQ(where(kEdges, {"y", {0, 9}}),
            "y[0, 9] is computed by kernel_y\n"
            "  at i = 0 (BIDx), jo = 2, ji = 1 (TIDx)\n"
            "  passes the check jo * 4 + ji < 10\n"
            "  lies at element 9 of y\n"
            "  reads x[0, 9]; mirror of -1\n"
            "  takes the fill for x[0, 10]\n");
}

TEST(Where, RefusesWhatIsNoItem) {
  const auto refused = [](const ItemAt& item) {
    return refusal_by<BadInput>([&] { where(kEdges, item); });
  };
  EXPECT_EQ(
      refused({"y", {3}}),
      "schedule_inspect: error[E801]: --where: y[3] has 1 index, and y has rank 2; help: give "
      "one index for each axis");
  EXPECT_EQ(
      refused({"y", {3, 10}}),
      "schedule_inspect: error[E801]: --where: there is no item y[3, 10]: axis 1 has 10 items; "
      "help: indices begin at 0 and end before the extent");
  EXPECT_EQ(
      refused({"x", {3, 1}}),
      "schedule_inspect: error[E801]: --where: no loops of its own compute x; help: one of y");
}

// Each item of random graphs is made at the loop point that visits it, or at none.
TEST(Where, IsThePointThatVisitsTheItem) {
  std::mt19937_64 rng(17);
  oracle::Limits limits;
  limits.max_points = 600;
  limits.max_extent = 20;
  limits.max_transforms = 5;
  int made = 0, missing = 0;
  for (int n = 0; n < count(150, 5'000) && !testing::Test::HasFailure(); ++n) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    const Report report = inspect(schedule_files::read(oracle::to_yaml(g)));
    const TensorReport& tensor = report.tensors.at(0);
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> visits;
    oracle::for_each_point(
        g, [&](std::span<const std::int64_t> point, std::span<const std::int64_t> at) {
          if (oracle::is_hole(g, at)) return;
          std::vector<std::int64_t> item;
          for (int d : g.logical) item.push_back(at[std::size_t(d)]);
          visits[item].assign(point.begin(), point.end());
        });
    std::vector<std::int64_t> shape;
    for (int d : g.logical) shape.push_back(g.extents[std::size_t(d)]);
    for_each_point(shape, [&](const std::vector<std::int64_t>& item) {
      const auto point = loop_point(tensor, item);
      const auto visit = visits.find(item);
      EXPECT_EQ(point.has_value(), visit != visits.end()) << oracle::to_yaml(g);
      std::vector<std::int64_t> at;
      for (const auto& [variable, value] : point.value_or(Environment{}))
        at.push_back(value.value());
      if (point && visit != visits.end()) {
        EXPECT_EQ(at, visit->second) << oracle::to_yaml(g);
      }
      ++(point ? made : missing);
      return !testing::Test::HasFailure();
    });
  }
  EXPECT_GT(made, more_than(1000));
  EXPECT_GT(missing, more_than(20));
}

}  // namespace
}  // namespace selvage
