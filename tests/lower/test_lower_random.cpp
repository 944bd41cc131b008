// Random schedules from loops to memory: the emitted kernel stores every item that a valid loop
// point visits, once, and nothing else; emulation and the virtual device agree to the last bit.
#include <gtest/gtest.h>

#include <selvage/legality/analysis.h>
#include <selvage/lower/program.h>

#include <cstdio>
#include <random>

#include "tests/codegen/run.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

namespace selvage {
namespace {

constexpr ParallelType kTypes[] = {
    ParallelType::BIDx,      ParallelType::BIDy,   ParallelType::TIDx,     ParallelType::TIDy,
    ParallelType::Vectorize, ParallelType::Unroll, ParallelType::Unswitch, ParallelType::Serial};

// Binds some loops; at most 1,024 threads. What is no legal vector stays serial.
void bind_at_random(EngineSchedule& s, std::mt19937_64& rng) {
  std::vector<ParallelType> types(std::begin(kTypes), std::end(kTypes));
  std::int64_t threads = 1;
  for (ScheduledLoop l : s.loops) {
    const auto pick = std::size_t(oracle::draw(rng, 0, std::int64_t(types.size()) - 1));
    const ParallelType p = types[pick];
    if (p == ParallelType::Serial) continue;
    const std::int64_t n = s.schedule->graph()[l.domain].extent.value();
    if (is_thread(p) && threads * n > 1'024) continue;
    if (is_thread(p)) threads *= n;
    if (p == ParallelType::Vectorize && n != 2 && n != 4) continue;
    s.schedule->bind(l, p);
    if (p == ParallelType::Unroll || p == ParallelType::Unswitch) continue;
    if (p == ParallelType::Vectorize &&
        !analyze(*s.fusion, *s.schedule, s.tensor).vector->finding.is_legal()) {
      s.schedule->bind(l, ParallelType::Serial);
      continue;
    }
    types.erase(types.begin() + std::ptrdiff_t(pick));
  }
}

// Which items of the tensor some valid loop point visits.
std::vector<char> visited_items(const oracle::Graph& g) {
  std::int64_t items = 1;
  for (int d : g.logical) items *= g.extents[std::size_t(d)];
  std::vector<char> visited(std::size_t(items), 0);
  oracle::for_each_point(
      g, [&](std::span<const std::int64_t>, std::span<const std::int64_t> at, std::uint64_t holes) {
        if (holes != 0) return;
        std::int64_t number = 0;
        for (int d : g.logical) number = number * g.extents[std::size_t(d)] + at[std::size_t(d)];
        visited[std::size_t(number)] = 1;
      });
  return visited;
}

TEST(RandomSchedules, StoreEveryVisitedItemOnceAndNothingElse) {
  std::mt19937_64 rng(5);
  oracle::Limits limits;
  limits.max_points = 4'000;
  std::vector<KernelSource> texts;
  const int schedules = count(120, 3'000);
  for (int i = 0; i < schedules && !testing::Test::HasFailure(); ++i) {
    const oracle::Graph g = oracle::random_graph(rng, limits);
    SCOPED_TRACE(oracle::to_yaml(g));
    EngineSchedule s(g);
    bind_at_random(s, rng);
    const Program program = lower(*s.fusion, *s.schedule, {.items_may_be_lost = true});
    ASSERT_EQ(program.steps.size(), 1u);
    const Kernel& kernel = program.steps[0].variants[0];
    const std::vector<char> visited = visited_items(g);

    std::vector<Array> emulated = test::arrays_for(kernel, {}), run = emulated;
    const Emulation e = test::run_emulated(kernel, {}, emulated);
    EXPECT_EQ(e.fault_count, 0) << (e.faults.empty() ? "" : e.faults.front().text);
    Array expected = run[0];
    for (std::size_t k = 0; k < visited.size(); ++k) {
      EXPECT_EQ(e.visits[0][k], std::uint32_t(visited[k]));
      if (visited[k]) expected.set_int(std::int64_t(k), std::int64_t(k));
    }
    test::run_text(kernel, {}, run);
    EXPECT_EQ(emulated[0], expected);
    EXPECT_EQ(run[0], expected);
    // The analysis knows whether every item is visited.
    const bool complete = oracle::coverage(g).complete();
    EXPECT_EQ(is_proved(program.tensors[0].coverage.verdict), complete);
    if (i < 120) {
      CudaText text = cuda(kernel);
      texts.push_back(test::source_of(text));
      const std::string name = "k" + std::to_string(i) + "_" + text.name;
      const std::string head = text.name + ")(";
      texts.back().text.replace(texts.back().text.find(head), head.size(), name + ")(");
      texts.back().name = name;
    }
  }
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    std::printf("[SKIP] NVRTC: %s\n", Nvrtc::why_absent().c_str());
    return;
  }
  const CompiledKernels compiled = nvrtc->compile(texts, {});
  EXPECT_EQ(compiled.kernels.size(), texts.size());
}

}  // namespace
}  // namespace selvage
