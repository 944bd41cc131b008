// The model of a GPU against the world: row kernels that others have measured on an H100.
#include <selvage/lower/cost.h>

#include <gtest/gtest.h>

#include <cstdio>

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
    const bool is_read_again = test::configuration(r.cell).kept.empty() &&
                               r.cell.length >= 32'768 &&
                               r.cell.work != test::RowWork::CrossEntropy;
    EXPECT_NEAR(r.cost.work.dram_bytes / (bytes + (is_read_again ? row : 0)), 1, 0.03);
    EXPECT_TRUE(r.cost.is_exact || r.cell.work == test::RowWork::CrossEntropy);
  }
}

}  // namespace
}  // namespace selvage
