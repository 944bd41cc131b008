// The price of kernels that check themselves: instructions of the compiled code (sm_90a), without
// and with the checks of values that are not proved. `path`: those on the shortest way through,
// which a thread runs for which no check fails. The time is that of lowering the checked fusion.
#include <benchmark/benchmark.h>

#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>
#include <selvage/report/value_checks.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <string>

namespace selvage {
namespace {

struct Case {
  const char *name, *text;
};
constexpr Case kCases[] = {
    {"rows_of_a_table",
     "sizes: {N: 4096, D: 1024}\n"
     "inputs: {x: {shape: [N, D], dtype: float}, k: {shape: [N], dtype: int32}}\n"
     "compute: [\"y[i, j] = x[checked(k[i]), checked(j)]\"]\n"},
    {"window_5_by_5",
     "sizes: {H: 512, W: 512}\n"
     "inputs: {x: {shape: [H, W], dtype: float}}\n"
     "outputs: {y: {shape: [H, W]}}\n"
     "compute: [\"y[i, j] = mean[p < 5](x[checked(i + p - 2), checked(j)])\"]\n"
     "schedule: {y: [{split: {in: j, factor: 128, out: [b, t]}}, {reorder: [i, b, t, p]},\n"
     "               {bind: {i: BIDy, b: BIDx, t: TIDx, p: Unroll}}]}\n"},
    {"three_points",
     "sizes: {N: 1048576}\n"
     "inputs: {x: {shape: [N], dtype: float}}\n"
     "compute: [\"y[i] = x[checked(i - 1)] + 2 * x[checked(i)] + x[checked(i + 1)]\"]\n"},
    {"softmax",
     "sizes: {B: 512, N: 1024}\n"
     "inputs: {x: {shape: [B, N], dtype: float}}\n"
     "compute:\n"
     "  - m[b] = max(x[checked(b), n])\n"
     "  - y[b, n] = exp(x[checked(b), checked(n)] - m[b]) / sum[k](exp(x[b, k] - m[b]))\n"}};

StaticCounts counted(const ScheduleFile& file) {
  StaticCounts sum;
  for (const ProgramStep& step : lower(*file.schedule).steps) {
    const CudaText text = cuda(step.variants.front());
    const CompiledKernels compiled =
        Nvrtc::instance()->compile(KernelSource{text.text, text.name, text.parameter_types});
    const StaticCounts own = count_sass(compiled.cubin).at(text.name);
    sum.instructions += own.instructions;
    sum.on_shortest_path += own.on_shortest_path;
  }
  return sum;
}

void value_checks(benchmark::State& state, const Case& c) {
  const ScheduleFile plain = read_schedule_text(c.text, c.name);
  const ScheduleFile checked = read_schedule_text(c.text, c.name, {}, {.checks = true});
  for (auto _ : state) benchmark::DoNotOptimize(lower(*checked.schedule));
  double all = 0, proved = 0;
  for (const MadeCheck& m : value_checks_of(inspect(checked).fusions[0])) {
    ++all;
    proved += m.is_tested ? 0 : 1;
  }
  state.counters["proved_share"] = proved / all;
  if (Nvrtc::instance() == nullptr) {
    state.SetLabel("not counted: " + Nvrtc::why_absent());
    return;
  }
  const StaticCounts without = counted(plain), with = counted(checked);
  state.counters["path"] = without.on_shortest_path;
  state.counters["checked_path"] = with.on_shortest_path;
  state.counters["path_ratio"] = double(with.on_shortest_path) / without.on_shortest_path;
  state.counters["instructions"] = without.instructions;
  state.counters["checked_instructions"] = with.instructions;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Case& c : kCases) {
    benchmark::RegisterBenchmark((std::string("value_checks/") + c.name).c_str(), value_checks, c)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
