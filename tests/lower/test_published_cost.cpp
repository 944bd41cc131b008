// The model of a GPU against the world: row kernels that others have measured on an H100.
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/support/published_cost.h"

namespace selvage {
namespace {

using test::Hits;
using test::PublishedResult;
using test::RowSystem;

struct PublishedKernels : testing::Test {
  static const std::vector<PublishedResult>& results() {
    static const std::vector<PublishedResult> results = test::published_results();
    return results;
  }
  static Hits within(RowSystem system) {
    const Hits hits = test::within(results(), system, 0.15);
    std::printf("[FIGURE] %s: %d of %d within 15 %%\n", std::string(to_string(system)).c_str(),
                hits.right, hits.all);
    return hits;
  }
};

TEST_F(PublishedKernels, OfQuackArePredictedWithin15Percent) {
  const Hits hits = within(RowSystem::Quack);
  EXPECT_EQ(hits.all, 21);
  EXPECT_GE(hits.share(), 0.8);
}

TEST_F(PublishedKernels, AreFasterAndSlowerThanOneAnotherAsMeasured) {
  const Hits order = test::orders(results());
  EXPECT_GE(order.all, 15);
  EXPECT_GE(order.share(), 0.9);
}

// Each configuration moves what its kernel is known to move: a row once, or once more where it is
// read again and the rows in progress are too many for L2.
TEST_F(PublishedKernels, MoveWhatTheirConfigurationsSay) {
  for (const PublishedResult& r : results()) {
    SCOPED_TRACE(std::string(to_string(r.cell.work)) + " " + std::string(to_string(r.cell.system)) +
                 " " + std::to_string(r.cell.length));
    const double bytes = test::gb_per_second(r.cell, 1) * 1e9;
    const double row = r.cell.work == test::RowWork::CrossEntropy ? bytes : bytes / 2;
    const bool is_read_again = test::configuration(r.cell).kept.empty() && r.cell.length >= 8'192 &&
                               r.cell.work != test::RowWork::CrossEntropy;
    EXPECT_NEAR(r.cost.work.dram_bytes / (bytes + (is_read_again ? row : 0)), 1, 0.03);
    EXPECT_TRUE(r.cost.is_exact || r.cell.work == test::RowWork::CrossEntropy);
  }
}

// Where a block can keep a row, which one of 262,144 is too long for. Of cross entropy, whose
// automatic schedules have fewer loads under way, most of that.
TEST_F(PublishedKernels, AreNoFasterThanAutomaticSchedules) {
  std::map<std::pair<test::RowWork, std::int64_t>, double> ours;
  double least = 2;
  for (const PublishedResult& r : results()) {
    if (r.cell.length > 65'536) continue;
    SCOPED_TRACE(std::string(to_string(r.cell.work)) + " " + std::string(to_string(r.cell.system)) +
                 " " + std::to_string(r.cell.length));
    double& own = ours[{r.cell.work, r.cell.length}];
    if (own == 0) {
      const Program program = lower(auto_schedule(test::published_fusion(r.cell)));
      own = test::gb_per_second(r.cell, cost_of(program).value().seconds);
    }
    const bool is_cross_entropy = r.cell.work == test::RowWork::CrossEntropy;
    EXPECT_GE(own, (is_cross_entropy ? 0.8 : 0.94) * r.predicted);
    least = std::min(least, own / r.predicted);
  }
  std::printf("[FIGURE] automatic schedules: at least %.2f of the bandwidth of published kernels\n",
              least);
}

}  // namespace
}  // namespace selvage
