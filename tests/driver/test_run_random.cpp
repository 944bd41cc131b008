// Random fusions under random schedules: emulation and the emitted text agree with the unscheduled
// program to the last bit.
#include <selvage/driver/run.h>
#include <selvage/kernel/print.h>

#include <gtest/gtest.h>

#include "tests/codegen/random_fusion.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(RunRandom, FusionsAgreeWithTheUnscheduledProgram) {
  std::mt19937_64 rng(17);
  const int fusions = count(120, 3'000);
  for (int i = 0; i < fusions && !testing::Test::HasFailure(); ++i) {
    const test::RandomFusion r(rng, i % 2 == 1);
    const Program program = r.lowered();
    RunRequest request{.sizes = r.sizes};
    request.on = Machine::Emulate;
    request.on_all = true;
    const RunResult result = run(*r.fusion, program, request);
    for (const std::string& fault : result.faults) ADD_FAILURE() << fault;
    EXPECT_EQ(result.comparisons.size(), 2u);
    for (const Comparison& c : result.comparisons) {
      EXPECT_EQ(c.mismatches, 0) << "fusion " << i << ", " << to_string(c.machine) << ": "
                                 << c.first << "\n"
                                 << loop_nest(program.steps[0].variants[0]);
    }
  }
}

}  // namespace
}  // namespace selvage
