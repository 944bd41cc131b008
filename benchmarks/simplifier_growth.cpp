// How the time to simplify one expression grows with its size.
#include <benchmark/benchmark.h>

#include <selvage/expr/cost.h>
#include <selvage/simplifier/simplifier.h>

#include <chrono>
#include <string>

#include "tests/corpus/growing_expressions.h"

namespace selvage {
namespace {

using growth::Family;
using growth::Problem;

void simplify(benchmark::State& state, const Family& family) {
  const auto nodes = std::size_t(state.range(0));
  std::int64_t before = 0, after = 0;
  for (auto _ : state) {
    const Problem problem = family.make(nodes);
    const auto start = std::chrono::steady_clock::now();
    Simplifier simplifier(problem.facts);
    const Expr simple = simplifier.simplify(problem.expression);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
    before = cost_of(problem.expression).total;
    after = cost_of(simple).total;
  }
  state.counters["cost_before"] = double(before);
  state.counters["cost_after"] = double(after);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Family& family : growth::families()) {
    const std::string name = std::string("simplifier_growth/") + family.name;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&family](benchmark::State& state) { simplify(state, family); })
        ->RangeMultiplier(10)
        ->Range(10, 10'000)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
