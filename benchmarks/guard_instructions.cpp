// The cost of checks in emitted kernels, and in kernels that check every bound at every store:
// instructions of the compiled code (sm_90a), each counted once. The time is that of lowering and
// writing the text.
#include <benchmark/benchmark.h>

#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <filesystem>
#include <memory>

namespace selvage {
namespace {

struct Totals {
  int comparisons = 0, instructions = 0, wide = 0;
};

int wide_accesses(const StaticCounts& c) {
  int n = 0;
  for (const auto* accesses : {&c.global_loads, &c.global_stores}) {
    if (const auto it = accesses->find(16); it != accesses->end()) n += it->second;
  }
  return n;
}

// Counts the first variant of every kernel.
Totals count(const Program& program) {
  Totals totals;
  for (const ProgramStep& step : program.steps) {
    const CudaText text = cuda(step.variants.front());
    const CompiledKernels compiled =
        Nvrtc::instance()->compile(KernelSource{text.text, text.name, text.parameter_types});
    const StaticCounts counts = count_sass(compiled.cubin).at(text.name);
    totals.comparisons += counts.comparisons;
    totals.instructions += counts.instructions;
    totals.wide += wide_accesses(counts);
  }
  return totals;
}

void guards(benchmark::State& state, const std::string& path) {
  const ScheduleFile file = read_schedule_file(path);
  const std::vector<Subject> subjects = subjects_of(file);
  const auto lowered = [&](bool naive) {
    std::vector<Program> programs;
    for (const Subject& s : subjects) {
      if (!s.has_kernel) continue;
      programs.push_back(lower(s.schedule.fusion(), s.schedule,
                               {.items_may_be_lost = true, .checks_everything = naive}));
    }
    return programs;
  };
  for (auto _ : state) {
    std::size_t bytes = 0;
    for (const Program& p : lowered(false)) {
      for (const ProgramStep& step : p.steps) bytes += cuda(step.variants.front()).text.size();
    }
    benchmark::DoNotOptimize(bytes);
  }
  if (Nvrtc::instance() == nullptr) {
    state.SetLabel("not counted: " + Nvrtc::why_absent());
    return;
  }
  Totals own, naive;
  const auto add = [](Totals& sum, const Totals& more) {
    sum.comparisons += more.comparisons;
    sum.instructions += more.instructions;
    sum.wide += more.wide;
  };
  for (const Program& p : lowered(false)) add(own, count(p));
  for (const Program& p : lowered(true)) add(naive, count(p));
  state.counters["compares"] = own.comparisons;
  state.counters["naive_compares"] = naive.comparisons;
  state.counters["instructions"] = own.instructions;
  state.counters["naive_instructions"] = naive.instructions;
  state.counters["accesses_of_16_bytes"] = own.wide;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = "guard_instructions/" + entry.path().stem().string();
    benchmark::RegisterBenchmark(name.c_str(), guards, entry.path().string())
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
