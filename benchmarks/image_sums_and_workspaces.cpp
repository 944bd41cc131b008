// Two tables of Quasar, a language for GPU kernels, and what ours makes of them. It sums 512 x 512
// pixels 100 times on a GeForce 435M: by an atomic addition for each pixel in 609 ms, by one thread
// in 675 ms, by a tree in one block in 137 ms. A thread's window of a median is allocated inside
// the kernel there, in pieces of 1,024 bytes times a power of two, at most 32,768, of 16 MB in all.
// Counters: what is counted in our kernels, and predictions of the model for an H100.
#include <benchmark/benchmark.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/lower/cost.h>
#include <selvage/report/workspace_lines.h>
#include <selvage/runtime/executable.h>

#include <algorithm>
#include <bit>
#include <string>

namespace selvage {
namespace {

constexpr std::int64_t kSide = 512;

struct Sum {
  const char *name, *schedule;
};
constexpr Sum kSums[] = {
    {"one_thread", "none"},
    {"atomic_for_each_pixel",
     "{s: [{merge: {in: [i, j], out: q}}, {bind: {q: BIDx}}, {blocks: atomic}]}"},
    {"tree_in_one_block",
     "{s: [{merge: {in: [i, j], out: q}}, {split: {in: q, factor: 512, out: [o, t]}},"
     " {bind: {t: TIDx}}]}"},
    {"automatic", "auto"}};

// The time is that of a run on the virtual device.
void sum_of_an_image(benchmark::State& state, const Sum& sum) {
  const ScheduleFile file = read_schedule_text(
      "sizes: {H: 512, W: 512}\n"
      "inputs: {x: {shape: [H, W], dtype: float}}\n"
      "compute: [\"s = sum[i, j](x[i, j])\"]\n"
      "schedule: " +
          std::string(sum.schedule) + "\n",
      sum.name);
  const Program program = lower(*file.schedule);
  const ProgramCost cost = cost_of(program).value();
  const Executable run = compile(program, {.target = Target::Virtual});
  const std::vector<float> x(std::size_t(kSide * kSide), 1.25F);
  std::vector<float> s(1);
  for (auto _ : state) {
    run({{x.data(), DataType::Float, {kSide, kSide}},
         {s.data(), DataType::Float, std::initializer_list<std::int64_t>{}}});
  }
  if (s[0] != 1.25F * float(kSide * kSide)) state.SkipWithError("another sum");
  double blocks = 0, threads = 0, barriers = 0, atomics = 0;
  for (const KernelCost& k : cost.kernels) {
    blocks += double(k.work.blocks);
    threads += double(k.work.blocks * k.work.threads);
    barriers = std::max(barriers, k.work.barriers);
    for (const AccessCost& a : k.accesses) {
      const bool is_atomic = a.requests.kind == AccessKind::Atomic && a.memory == Memory::Global;
      if (is_atomic) atomics += double(a.requests.threads);
    }
  }
  state.counters["h100_us"] = cost.seconds * 1e6;
  state.counters["kernels"] = double(cost.kernels.size());
  state.counters["blocks"] = blocks;
  state.counters["threads"] = threads;
  state.counters["barriers"] = barriers;
  state.counters["atomics"] = atomics;
}

// The windows of a K x K median, which each thread keeps. The time is that of planning them.
//   asked, piece     bytes of a thread, and what that allocator takes for them
//   bound_there_mb   of all threads that run at once on an H100, by that allocator's own formula
//   reserved         bytes of a thread here
//   in_registers     whether they are registers; else local memory
//   resident_mb      of all threads that run at once here
void median_window(benchmark::State& state) {
  const std::int64_t k = state.range(0);
  const std::string path = SELVAGE_SOURCE_DIR "/examples/median.yaml";
  const ScheduleFile file = read_schedule_file(path, {{"K", k}, {"H", kSide}, {"W", kSide}});
  const Program program = lower(*file.schedule);
  const Kernel& kernel = program.steps.front().variants.front();
  std::vector<Workspace> list;
  for (auto _ : state) list = workspaces_of(kernel);
  const Device& device = usual_device();
  const LaunchWork work = cost_of(program, {}, device).value().kernels.front().work;
  const double threads =
      double(device.multiprocessors * resident_blocks(work, device) * work.threads);
  const std::int64_t asked = k * k * std::int64_t(sizeof(float));
  const double piece = double(std::bit_ceil(std::uint64_t(std::max<std::int64_t>(asked, 1024))));
  state.counters["asked"] = double(asked);
  state.counters["piece"] = piece;
  state.counters["bound_there_mb"] = threads * piece * 1e-6;
  for (const Workspace& w : list) {
    if (w.place == Workspace::Place::Shared) continue;
    state.counters["reserved"] = double(w.reserved);
    state.counters["in_registers"] = w.place == Workspace::Place::Registers;
    state.counters["resident_mb"] = threads * double(w.reserved) * 1e-6;
  }
}
BENCHMARK(median_window)->DenseRange(3, 13, 2)->Unit(benchmark::kMicrosecond);

const int registered = [] {
  for (const Sum& sum : kSums) {
    benchmark::RegisterBenchmark((std::string("sum_of_an_image/") + sum.name).c_str(),
                                 [&sum](benchmark::State& state) { sum_of_an_image(state, sum); })
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
}  // namespace selvage
