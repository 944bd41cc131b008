// A fixed sample of the shapes of models, scheduled automatically: how their kernels ask for
// memory, and what the compiler makes of them.
#include <selvage/codegen/cuda.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/model_shapes.h"

namespace selvage {
namespace {

using test::ModelShape;

struct Sample {
  std::string name;
  Program program;
};

// Shapes whose rows are whole 128-byte lines, each kind in both types.
const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    struct Chosen {
      std::string kind, shape;
    };
    const Chosen chosen[] = {
        {"RMS norm", "4096"},
        {"RMS norm", "7296"},
        {"RMS norm", "25600"},
        {"gated MLP", "13824"},
        {"attention softmax", "[2, 64, 512, 512]"},
        {"rotary", "[1, 28, 2048, 128], keys 4"},
        {"group norm", "[16, 640, 32, 32]"},
        {"batch norm", "NCHW [256, 512, 28, 28]"},
        {"transpose", "[3072, 1024]"},
        {"small layer norm", "[64, 197, 768]"},
    };
    std::vector<Sample> samples;
    const std::vector<ModelShape> shapes = test::model_shapes();
    for (const Chosen& c : chosen) {
      const auto shape = std::ranges::find_if(
          shapes, [&](const ModelShape& s) { return s.kind == c.kind && s.shape == c.shape; });
      if (shape == shapes.end()) continue;
      for (const DataType type : {DataType::Float, DataType::BFloat16}) {
        // A tile has rows of 32 elements: of bfloat16 half a line.
        if (c.kind == "transpose" && type == DataType::BFloat16) continue;
        Fusion f;
        shape->add(f, type, 2048);
        samples.push_back(
            {c.kind + " " + c.shape + " " + std::string(to_string(type)), lower(auto_schedule(f))});
      }
    }
    return samples;
  }();
  return all;
}

TEST(ModelShapes, StoreFullLinesAndMeetInNoBank) {
  EXPECT_EQ(samples().size(), 19u);
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const std::optional<ProgramCost> cost = cost_of(sample.program);
    ASSERT_TRUE(cost);
    for (const KernelCost& kernel : cost->kernels) {
      for (const AccessCost& a : kernel.accesses) {
        EXPECT_EQ(a.requests.conflicts, 0) << kernel.name << " " << a.buffer;
        const bool is_store = a.memory == Memory::Global && writes(a.requests.kind);
        // A result for a whole row is one element, which its block stores alone.
        if (!is_store || double(a.bytes()) < 0.01 * double(cost->floor_bytes)) continue;
        EXPECT_EQ(a.requests.sectors * 32, a.bytes()) << kernel.name << " " << a.buffer;
        EXPECT_GE(a.bytes() / a.requests.runs, 128) << kernel.name << " " << a.buffer;
      }
    }
  }
}

TEST(ModelShapes, SpillNothing) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  double most = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const ProgramCost cost = cost_of(sample.program).value();
    for (std::size_t k = 0; k < sample.program.steps.size(); ++k) {
      const CudaText text = cuda(sample.program.steps[k].variants[0]);
      const CompiledKernels compiled =
          nvrtc->compile(KernelSource{text.text, text.name, text.parameter_types});
      const KernelResources& used = compiled.kernel(text.name);
      EXPECT_EQ(used.spill_store_bytes, 0);
      most = std::max(most, double(used.registers) / double(cost.kernels[k].work.registers));
    }
  }
  std::printf("[FIGURE] at most %.2f of the registers that the model says\n", most);
}

}  // namespace
}  // namespace selvage
