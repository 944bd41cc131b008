// Random fusions under random and automatic schedules, and known ones under automatic schedules, on
// a GPU, where there is one, beside emulation, the virtual device and the unscheduled program.
#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include "tests/lower/random_whole_schedule.h"
#include "tests/support/counts.h"
#include "tests/support/gpu.h"
#include "tests/support/known_fusions.h"

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

// What is wrong on the GPU with a fusion that nobody has scheduled; empty if nothing is.
std::string wrong_automatically(const Fusion& fusion, const RunRequest& request) {
  const Program program =
      lower(filled_in(Schedule(fusion), request.sizes, default_device()).schedule);
  return test::wrong(run(fusion, program, request));
}

TEST(GpuWholeFusions, AgreeUnderAutomaticSchedules) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  const int n = count(30, 1'000);
  for (int seed = 1; seed <= n; ++seed) {
    try {
      const test::WholeFusion random({.seed = std::uint64_t(seed)});
      EXPECT_EQ(
          wrong_automatically(
              *random.fusion,
              {.sizes = random.sizes, .inputs = random.inputs, .on = Machine::Gpu, .on_all = true}),
          "")
          << "seed " << seed;
    } catch (const Error& refusal) {
      const std::string code = refusal.diagnostic().code;
      EXPECT_TRUE(code == "E621" || code == "E622") << "seed " << seed << ": " << refusal.what();
    }
  }
}

TEST(GpuWholeFusions, ThatEverybodyKnowsAgreeUnderAutomaticSchedules) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  for (const test::KnownFusion& known : test::known_fusions(test::Scale::Small)) {
    EXPECT_EQ(wrong_automatically(*known.fusion, {.on = Machine::Gpu, .on_all = true}), "")
        << known.name;
  }
}

}  // namespace
}  // namespace selvage
