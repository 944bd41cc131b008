// Random fusions under random schedules on a GPU, where there is one, beside emulation, the virtual
// device and the unscheduled program.
#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>

#include <gtest/gtest.h>

#include "tests/lower/random_whole_schedule.h"
#include "tests/support/counts.h"
#include "tests/support/gpu.h"

namespace selvage {
namespace {

TEST(GpuWholeFusions, AgreeUnderRandomSchedules) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  const int n = count(40, 1'000);
  for (int seed = 1; seed <= n; ++seed) {
    const test::WholeCase c({.seed = std::uint64_t(seed)});
    if (!c.program) continue;
    const RunRequest request{
        .sizes = c.random.sizes, .inputs = c.random.inputs, .on = Machine::Gpu, .on_all = true};
    try {
      EXPECT_EQ(test::wrong(run(*c.random.fusion, *c.program, request)), "") << "seed " << seed;
    } catch (const BadInput& refusal) {
      const std::string code = refusal.diagnostic().code;
      EXPECT_TRUE(code == "E621" || code == "E622") << "seed " << seed << ": " << refusal.what();
    }
  }
}

}  // namespace
}  // namespace selvage
