// The time to compute the mask of a predicate, and to describe its warps.
#include <benchmark/benchmark.h>

#include <selvage/base/check.h>
#include <selvage/expr/text.h>
#include <selvage/index/thread_mask.h>

namespace selvage {
namespace {

struct Grid {
  explicit Grid(std::int64_t blocks, std::int64_t threads)
      : levels{{{{pool.symbol("b"), blocks}}, false}, {{{pool.symbol("t"), threads}}, true}} {}

  ExprPool pool;
  Facts facts{pool};
  ThreadMask::Levels levels;
};

void thread_mask(benchmark::State& state, const char* predicate, std::int64_t blocks,
                 std::int64_t threads) {
  Grid grid(blocks, threads);
  const Expr e = parse_expr(grid.pool, predicate);
  std::int64_t active = 0;
  for (auto _ : state) {
    const auto mask = ThreadMask::of(e, grid.levels, grid.facts);
    SELVAGE_CHECK(mask);
    active = mask->count();
  }
  state.counters["active"] = double(active);
}
BENCHMARK_CAPTURE(thread_mask, one_thread, "t == 0", 64, 1024)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, product, "b < 7 && t % 32 == 0", 64, 1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, tail, "b * 1024 + t < 65000", 64, 1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, tail_of_a_large_grid, "b * 1024 + t < 1000000000000", 1u << 31, 1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, every_third, "(b * 1024 + t) % 3 == 0", 64, 1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, parity, "(b ^ t) % 2 == 0 || b + t == 9", 64, 1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(thread_mask, no_two_blocks_alike, "(b * 7 + t * t) % 1009 < 100", 64, 1024)
    ->Unit(benchmark::kMicrosecond);

void warps_of_a_mask(benchmark::State& state) {
  Grid grid(64, 1024);
  const auto mask = ThreadMask::of(parse_expr(grid.pool, "(b * 7 + t * t) % 1009 < 100"),
                                   grid.levels, grid.facts);
  for (auto _ : state) benchmark::DoNotOptimize(mask->warps());
}
BENCHMARK(warps_of_a_mask)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace selvage
