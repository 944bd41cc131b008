// Which of a thread for each row and a merge path is the faster, as expected of a V100 and as Loops
// has measured it.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "tests/support/loops_order.h"

namespace selvage {
namespace {

void print(const char* what, const std::vector<test::LoopsTime>& times) {
  std::printf("%s:\n", what);
  for (const test::LoopsTime& t : times) {
    std::printf("  %-30s %9lld rows of %6.1f items, path %8.1f us, thread %8.1f us\n",
                t.matrix.c_str(), static_cast<long long>(t.rows),
                static_cast<double>(t.items) / static_cast<double>(t.rows), t.path, t.thread);
  }
}

void loops_order(benchmark::State& state) {
  test::LoopsOrder order;
  for (auto _ : state) order = test::loops_order();
  print("a path is expected, and threads are faster", order.faster_threads);
  print("threads are expected, and a path is faster", order.slower_threads);
  state.counters["orders"] = order.all.all;
  state.counters["right"] = order.all.share();
  state.counters["right_in_l2"] = order.in_l2.share();
  state.counters["right_past_l2"] = order.past_l2.share();
}
BENCHMARK(loops_order)->Unit(benchmark::kMillisecond)->Iterations(1);

// The same by the times that the cost model predicts for both schedules.
void loops_order_predicted(benchmark::State& state, test::RowLengths lengths) {
  const test::PredictedTimes times(lengths);
  test::LoopsOrder order;
  for (auto _ : state) order = times.order();
  state.counters["orders"] = order.all.all;
  state.counters["right"] = order.all.share();
  state.counters["right_in_l2"] = order.in_l2.share();
  state.counters["right_past_l2"] = order.past_l2.share();
}
BENCHMARK_CAPTURE(loops_order_predicted, even, test::RowLengths::Even)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(loops_order_predicted, at_random, test::RowLengths::AtRandom)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace selvage
