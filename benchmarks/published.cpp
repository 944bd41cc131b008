// The model against published figures: row kernels of QuACK, Inductor and Liger, written as
// schedules, lowered, counted and timed by the model of an H100, beside the bandwidths that were
// measured.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "tests/support/published_cost.h"

namespace selvage {
namespace {

using test::Hits;
using test::PublishedResult;
using test::RowSystem;

void print(const PublishedResult& r) {
  std::printf("| %s | %s | %d | %.0f | %.0f | %+.0f %% | %s |\n",
              std::string(to_string(r.cell.work)).c_str(),
              std::string(to_string(r.cell.system)).c_str(), int(r.cell.length),
              r.cell.gb_per_second, r.predicted, 100 * r.error, std::string(r.cell.reason).c_str());
}

void published(benchmark::State& state) {
  std::vector<PublishedResult> results;
  for (auto _ : state) results = test::published_results();
  for (const PublishedResult& r : results) print(r);
  for (const RowSystem system : {RowSystem::Quack, RowSystem::Inductor, RowSystem::Liger}) {
    const std::string name(to_string(system));
    const Hits hits = within(results, system, 0.15);
    state.counters[name + "_cells"] = hits.all;
    state.counters[name + "_within_15_percent"] = hits.share();
  }
  const Hits order = orders(results);
  state.counters["orders"] = order.all;
  state.counters["orders_right"] = order.share();
}
BENCHMARK(published)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace selvage
