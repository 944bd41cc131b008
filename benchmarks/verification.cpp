// The time to prove all variants of the kernels of the C++ examples, and each variant of rings of
// copies by themselves; and what the proof adds to compiling them with NVRTC, since compile() does
// both at once.
#include <benchmark/benchmark.h>

#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/proof.h>
#include <selvage/runtime/nvrtc.h>

#include <fstream>
#include <future>
#include <sstream>
#include <string>

#include "examples/cpp/examples.h"

namespace selvage {
namespace {

void prove_example(benchmark::State& state, const Example& example) {
  const Program program = lower(example.schedule);
  std::size_t kernels = 0;
  for (const ProgramStep& step : program.steps) kernels += step.variants.size();
  for (auto _ : state) {
    if (!prove(program.steps).is_complete()) state.SkipWithError("not proved");
  }
  state.counters["variants"] = double(kernels);
}

// A file of the examples, all variants of its kernels; `lowers`: what comes before it instead.
void prove_file(benchmark::State& state, const std::string& name, bool lowers) {
  std::ifstream in(std::string(SELVAGE_SOURCE_DIR "/examples/") + name);
  std::ostringstream text;
  text << in.rdbuf();
  const ScheduleFile file = read_schedule_text(text.str(), name);
  const Program program = lower(*file.schedule);
  std::size_t kernels = 0;
  for (const ProgramStep& step : program.steps) kernels += step.variants.size();
  for (auto _ : state) {
    if (lowers) {
      benchmark::DoNotOptimize(lower(*file.schedule).steps.size());
      continue;
    }
    if (!prove(program.steps).is_complete()) state.SkipWithError("not proved");
  }
  state.counters["variants"] = double(kernels);
}

// The first variant of each step is compiled, as compile() does.
void compile_example(benchmark::State& state, const Example& example, bool is_proving) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) return state.SkipWithError(Nvrtc::why_absent().c_str());
  const Program program = lower(example.schedule);
  std::vector<KernelSource> sources;
  for (const ProgramStep& step : program.steps) {
    const CudaText text = cuda(step.variants.front());
    sources.push_back({text.text, text.name, text.parameter_types});
  }
  for (auto _ : state) {
    std::future<ProgramProof> proof;
    if (is_proving) proof = std::async(std::launch::async, [&] { return prove(program.steps); });
    for (const KernelSource& source : sources) benchmark::DoNotOptimize(nvrtc->compile(source));
    if (is_proving) benchmark::DoNotOptimize(proof.get().open.size());
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Example& example : examples()) {
    const auto add = [&](const std::string& what, auto&&... arguments) {
      return benchmark::RegisterBenchmark((what + "/" + example.name).c_str(), arguments...)
          ->Unit(benchmark::kMillisecond);
    };
    add("verification/proof", prove_example, example);
    add("verification/nvrtc_alone", compile_example, example, false)->UseRealTime();
    add("verification/nvrtc_and_proof", compile_example, example, true)->UseRealTime();
  }
  for (const char* name : {"ring", "ring_bulk", "ring_tma", "ring_multicast", "ring_persistent",
                           "ring_orders", "column_sums_tma", "rms_norm_cluster", "softmax_cluster",
                           "transpose_tma", "layer_norm_roles", "rms_norm_ring", "softmax_ring",
                           "gelu_ring", "gelu_bulk", "embedding_ring"}) {
    for (const bool lowers : {false, true}) {
      const std::string what =
          std::string("verification/") + name + (lowers ? "/lowering" : "/proofs");
      benchmark::RegisterBenchmark(what.c_str(), prove_file, std::string(name) + ".yaml", lowers)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace selvage
