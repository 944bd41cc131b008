// Random fusions on the virtual device: the same bits on any number of cores, and no access outside
// of a buffer.
#include <gtest/gtest.h>

#include "../support/counts.h"
#include "random_fusion.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;

TEST(VirtualCoresRandom, RandomFusionsGiveTheSameBitsOnAnyNumberOfCores) {
  std::mt19937_64 rng(61);
  int checked = 0;
  for (int n = 0; n < count(100, 2'000); ++n) {
    const RandomFusion r(rng, n % 2 == 1);
    const Program program = r.lowered();
    ASSERT_EQ(program.steps.size(), 1u);
    for (const Kernel& kernel : program.steps[0].variants) {
      if (kernel.condition.valid() && value_at(kernel.condition, kernel, r.sizes) == 0) continue;
      const std::vector<Array> start = arrays_for(kernel, r.sizes);
      std::vector<Array> one = start;
      run_text(kernel, r.sizes, one, default_virtual_compiler(), {0, 1});
      const VirtualOrder orders[] = {{0, 2}, {0, 5}, {std::uint64_t(n) + 1, 5}};
      for (const VirtualOrder& order : orders) {
        std::vector<Array> more = start;
        run_text(kernel, r.sizes, more, default_virtual_compiler(), order);
        ASSERT_EQ(more, one) << "fusion " << n << ", " << order.threads << " cores\n"
                             << cuda(kernel).text;
      }
      if (n % 10 == 0) {
        std::vector<Array> more = start;
        ASSERT_NO_THROW(run_text_checked(kernel, r.sizes, more)) << cuda(kernel).text;
        ASSERT_EQ(more, one) << "fusion " << n << ", checked";
        ++checked;
      }
      break;
    }
  }
  EXPECT_GT(checked, more_than(5));
}

}  // namespace
}  // namespace selvage
