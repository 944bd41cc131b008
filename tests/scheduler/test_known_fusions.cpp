// Fusions of real models without a schedule: how many kernels they become, what these move, and
// whether the plans' model and the count in the kernels say the same.
#include <selvage/codegen/cuda.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/support/known_fusions.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using test::KnownFusion;
using test::Scale;

TEST(KnownFusions, AgreeWithTheReference) {
  for (const KnownFusion& known : test::known_fusions(Scale::Small)) {
    SCOPED_TRACE(known.name);
    const Program program = lower(auto_schedule(*known.fusion));
    test::expect_agreement(*known.fusion, program, {});
  }
}

struct Expected {
  std::size_t kernels;
  double over_floor;  // bytes from and to memory, to those of each input and output once
};

TEST(KnownFusions, TakeFewKernelsAndFewBytes) {
  const std::map<std::string, Expected> expected = {
      {"bias, mask, residual", {1, 1.01}},
      {"causal masked softmax", {1, 1.01}},
      {"cross entropy", {1, 1.01}},
      {"group norm", {1, 1.01}},
      {"batch norm, training", {1, 1.01}},
      {"layer norm, backward", {2, 1.09}},
      {"rotary embedding", {1, 1.01}},
      {"attention scores, softmax", {1, 1.01}},
      {"NCHW to NHWC", {1, 1.01}},
      {"cumulative sum", {1, 1.01}},
      {"average pooling, 2 x 2", {1, 1.01}},
      {"blur, 3 x 3", {1, 1.01}},
      {"concatenate, slice, pad", {1, 1.01}},
      {"top-1 accuracy", {2, 1.01}},
      {"embedding", {1, 0.3}},  // the floor is the whole table
  };
  const std::vector<KnownFusion> all = test::known_fusions();
  EXPECT_EQ(all.size(), expected.size());
  for (const KnownFusion& known : all) {
    SCOPED_TRACE(known.name);
    const AutomaticSchedule automatic = filled_in(Schedule(*known.fusion));
    const Program program = lower(automatic.schedule);
    for (const ProgramStep& step : program.steps) {
      for (const Kernel& kernel : step.variants) {
        for (const KernelFinding& f : verify(kernel).findings) ADD_FAILURE() << f.text;
      }
    }
    const Expected& e = expected.at(known.name);
    EXPECT_EQ(program.steps.size(), e.kernels);
    const ProgramCost cost = cost_of(program).value();
    EXPECT_LE(cost.dram_bytes / double(cost.floor_bytes), e.over_floor);
    double planned = 0;
    for (const AutomaticKernel& kernel : automatic.kernels) planned += kernel.taken.time.seconds;
    EXPECT_LT(planned / cost.seconds, 2);
    EXPECT_GT(planned / cost.seconds, 0.45);
    std::printf("[FIGURE] %s: %zu kernels, %.2f of the floor, planned %.1f us, counted %.1f us\n",
                known.name.c_str(), program.steps.size(),
                cost.dram_bytes / double(cost.floor_bytes), planned * 1e6, cost.seconds * 1e6);
  }
}

// A block whose threads could not have 255 registers each says how many threads it has, and the
// compiler keeps to what they can have.
TEST(KnownFusions, LargeBlocksHaveEnoughRegisters) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  int large = 0;
  for (const KnownFusion& known : test::known_fusions()) {
    for (const ProgramStep& step : lower(auto_schedule(*known.fusion)).steps) {
      const Launch& launch = step.variants[0].launch;
      const std::int64_t threads =
          launch.block[0].value() * launch.block[1].value() * launch.block[2].value();
      if (threads <= 512) continue;
      ++large;
      const CudaText text = cuda(step.variants[0]);
      EXPECT_NE(text.text.find("__launch_bounds__(" + std::to_string(threads) + ")"),
                std::string::npos);
      if (nvrtc == nullptr) continue;
      const CompiledKernels compiled =
          nvrtc->compile(KernelSource{text.text, text.name, text.parameter_types});
      EXPECT_LE(compiled.kernel(text.name).registers * threads, 64 << 10) << known.name;
      EXPECT_EQ(compiled.kernel(text.name).spill_store_bytes, 0) << known.name;
    }
  }
  if (nvrtc == nullptr) std::printf("[SKIP] NVRTC: %s\n", Nvrtc::why_absent().c_str());
  EXPECT_GT(large, 2);
}

}  // namespace
}  // namespace selvage
