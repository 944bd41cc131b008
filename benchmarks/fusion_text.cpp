// From a Fusion with its Schedule to CUDA text, which a user of the library waits for: for the C++
// examples, for those files of examples that are over sparse matrices or rows of different lengths,
// and for chains of pointwise operations. All variants are written in the time. Beside the time of
// each C++ example stand counts of its first variant, compiled for sm_90a: registers, bytes of
// shared memory, and instructions by kind, each counted once.
#include <benchmark/benchmark.h>

#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "examples/cpp/examples.h"

namespace selvage {
namespace {

std::vector<CudaText> texts_of(const Program& program) {
  std::vector<CudaText> texts;
  for (const ProgramStep& step : program.steps) {
    for (CudaText& text : cuda(step.variants)) texts.push_back(std::move(text));
  }
  return texts;
}
std::vector<CudaText> texts_of(const Fusion& fusion, const Schedule& schedule) {
  return texts_of(lower(fusion, schedule));
}

int accesses(const StaticCounts& c, int bytes) {
  int n = 0;
  for (const auto* by_bytes : {&c.global_loads, &c.global_stores}) {
    if (const auto it = by_bytes->find(bytes); it != by_bytes->end()) n += it->second;
  }
  return n;
}

// Counts the first variant, which most sizes take.
void count(benchmark::State& state, const CudaText& text) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    state.SetLabel("not counted: " + Nvrtc::why_absent());
    return;
  }
  const CompiledKernels compiled =
      nvrtc->compile(KernelSource{text.text, text.name, text.parameter_types});
  const KernelResources& used = compiled.kernel(text.name);
  const StaticCounts c = count_sass(compiled.cubin).at(text.name);
  state.counters["registers"] = used.registers;
  state.counters["shared_bytes"] = double(used.shared_bytes);
  state.counters["barriers"] = c.barriers;
  state.counters["shuffles"] = c.shuffles;
  state.counters["of_16_bytes"] = accesses(c, 16);
  state.counters["instructions"] = c.instructions;
  state.counters["local"] = c.local_loads + c.local_stores;
}

void example_to_text(benchmark::State& state, const Example& example) {
  std::vector<CudaText> texts;
  for (auto _ : state) texts = texts_of(*example.fusion, example.schedule);
  state.counters["variants"] = double(texts.size());
  count(state, texts.front());
}

// The file is read before. Of both parts stand the least processor times, in milliseconds.
void file_to_text(benchmark::State& state, const std::string& path) {
  const ScheduleFile file = read_schedule_file(path);
  double lowering = 1e9, writing = 1e9, both = 1e9;
  const auto take_least = [](double& least, std::clock_t begin, std::clock_t end) {
    least = std::min(least, double(end - begin) * 1e3 / CLOCKS_PER_SEC);
  };
  std::size_t kernels = 0;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    const Program program = lower(*file.fusion, *file.schedule);
    const std::clock_t lowered = std::clock();
    benchmark::DoNotOptimize(texts_of(program).size());
    const std::clock_t end = std::clock();
    take_least(lowering, begin, lowered);
    take_least(writing, lowered, end);
    take_least(both, begin, end);
    kernels = program.steps.size();
  }
  state.counters["kernels"] = double(kernels);
  state.counters["lower"] = lowering;
  state.counters["text"] = writing;
  state.counters["both"] = both;
}

// Builds the fusion as well: x, then a number of operations, each on the result before.
void chain_to_text(benchmark::State& state) {
  for (auto _ : state) {
    Fusion f;
    const auto [b, h] = f.extents("B", "H");
    const Tensor x = f.input("x", {b, h}, DataType::Float);
    Tensor t = x;
    for (std::int64_t k = 0; k < state.range(0); ++k) {
      t = k % 3 == 0 ? t + x : k % 3 == 1 ? t * 0.5 : relu(t);
    }
    const Tensor y = f.output("y", t);
    Schedule s(f);
    const auto [row, item] = s.loops<2>(y);
    const auto [vector, lane] = s.split(item, 4);
    const auto [block, thread] = s.split(vector, 128);
    s.bind(row, ParallelType::BIDx).bind(block, ParallelType::BIDy);
    s.bind(thread, ParallelType::TIDx).bind(lane, ParallelType::Vectorize);
    benchmark::DoNotOptimize(texts_of(f, s).size());
  }
  state.SetComplexityN(state.range(0));
}

BENCHMARK(chain_to_text)
    ->Name("fusion_text/chain")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1'000)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

[[maybe_unused]] const bool kRegistered = [] {
  for (const Example& example : examples()) {
    benchmark::RegisterBenchmark(("fusion_text/" + example.name).c_str(), example_to_text, example)
        ->Unit(benchmark::kMillisecond);
  }
  for (const std::string name :
       {"coordinates", "lengths", "merge_path", "ragged_softmax", "row_sums", "sddmm", "slices",
        "spmm", "spmv", "teaal_positions", "teaal_rows"}) {
    benchmark::RegisterBenchmark(("fusion_text/sparse/" + name).c_str(), file_to_text,
                                 SELVAGE_SOURCE_DIR "/examples/" + name + ".yaml")
        ->Unit(benchmark::kMillisecond)
        ->Iterations(20);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
