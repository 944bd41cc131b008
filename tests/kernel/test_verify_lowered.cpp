// What lowering emits is never refuted, and hardly ever left open.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/codegen/random_fusion.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(VerifyLowered, RandomKernelsAreProved) {
  std::mt19937_64 rng(20);
  int kernels = 0;
  std::array<int, kHazards> open{};
  for (int i = 0; i < count(100, 600) && !HasFailure(); ++i) {
    const test::RandomFusion r(rng, i % 2 == 0);
    const Program program = r.lowered();
    for (const ProgramStep& step : program.steps) {
      for (const Kernel& kernel : step.variants) {
        const Verification v = verify(kernel);
        ++kernels;
        for (std::size_t h = 0; h < kHazards; ++h) {
          EXPECT_FALSE(is_refuted(v.verdicts[h])) << i << "\n"
                                                  << test::findings(v) << loop_nest(kernel);
          if (!is_proved(v.verdicts[h])) ++open[h];
        }
      }
    }
  }
  std::cout << kernels << " kernels; open:";
  for (std::size_t h = 0; h < kHazards; ++h) {
    std::cout << " " << open[h] << " " << to_string(Hazard(h));
    EXPECT_LE(open[h] * 20, kernels);
  }
  std::cout << "\n";
}

}  // namespace
}  // namespace selvage
