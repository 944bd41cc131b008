// What the automatic scheduler makes of fusions that are known by name, at the sizes of real
// models: kernels, bytes over the floor (each input and output once), the predicted share of the
// peak; the time is that of scheduling and lowering.
#include <benchmark/benchmark.h>

#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include "tests/support/known_fusions.h"

namespace selvage {
namespace {

void automatic(benchmark::State& state, const test::KnownFusion& known) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(lower(auto_schedule(*known.fusion)).steps.size());
  }
  const Program program = lower(auto_schedule(*known.fusion));
  state.counters["kernels"] = double(program.steps.size());
  state.counters["wanted"] = known.kernels_wanted;
  const std::optional<ProgramCost> cost = cost_of(program);
  if (!cost) return;
  const double peak = usual_device().dram_bandwidth;
  state.counters["MB"] = cost->dram_bytes / 1e6;
  state.counters["over_floor"] = cost->dram_bytes / double(cost->floor_bytes);
  state.counters["us"] = cost->seconds * 1e6;
  state.counters["share"] = double(cost->floor_bytes) / peak / cost->seconds;
}

void schedule_alone(benchmark::State& state, const test::KnownFusion& known) {
  for (auto _ : state) benchmark::DoNotOptimize(auto_schedule(*known.fusion).fusion().size());
}

void register_all() {
  for (const test::KnownFusion& known : test::known_fusions()) {
    benchmark::RegisterBenchmark(("automatic/" + known.name).c_str(), automatic, known)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("auto_schedule/" + known.name).c_str(), schedule_alone, known)
        ->Unit(benchmark::kMillisecond);
  }
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace selvage
