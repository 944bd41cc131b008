// What the automatic scheduler makes of fusions that are known by name, at the sizes of real
// models: kernels, bytes over the floor (each input and output once), the predicted share of the
// peak; the time is that of scheduling and lowering.
#include <benchmark/benchmark.h>

#include <selvage/ir/ops.h>
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

// All plans for the rows of a sum, each with its time.
void rated_plans(benchmark::State& state) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(8192), f.constant(4096)}, DataType::Float);
  const Tensor y = f.output("y", sum(x * x, {1}));
  const Schedule schedule(f);
  const ReadTable table(schedule);
  const TypicalSizes sizes(schedule.fusion(), {});
  ReadMoves moves(schedule, sizes);
  const Segment segment = segment_of(schedule, y.id());
  const SegmentTraffic traffic = traffic_of(schedule, table, segment, sizes, moves);
  std::size_t plans = 0;
  for (auto _ : state) {
    plans = plans_for(schedule.fusion(), segment, traffic, usual_device(), Listed::All).size();
  }
  state.counters["plans"] = double(plans);
  state.counters["us_a_plan"] = benchmark::Counter(
      double(plans), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(rated_plans)->Unit(benchmark::kMillisecond);

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
