// Kernels whose threads go at their own pace: copies that end later, waits, regions, loops whose
// counts come from memory. Each is right as it is, and wrong with a part left out or altered.
#pragma once

#include "tests/support/hand_kernel.h"

namespace selvage::test {

struct EventKernel : HandKernel {
  explicit EventKernel(std::string name, std::int64_t threads)
      : HandKernel(std::move(name)), threads(threads) {
    t = variable("t", c(threads));
    kernel.launch.block[0] = c(threads);
  }
  BufferId objects(const std::string& name, std::int64_t n, std::int64_t arrivals) {
    const BufferId b = shared(name, DataType::Int64, n);
    kernel.buffers[b].arrivals = arrivals;
    return b;
  }
  Statement begin(BufferId to, Expr to_address, BufferId from, Expr from_address,
                  std::int64_t width = 1, std::int64_t alignment = 1,
                  std::optional<BarrierObject> object = {}) {
    return {AsyncCopy{Transfer{to, from, to_address, from_address, width, pool->symbol("lane"), {}},
                      alignment, object}};
  }
  ValueId number(std::int64_t v) { return kernel.values.constant(DataType::Int32, v, false); }
  ValueId apply(Function f, ValueId a, ValueId b) { return kernel.values.apply(f, {a, b}); }
  const Kernel& with(Body body) {
    kernel.body = {loop(t, c(threads), std::move(body), ParallelType::TIDx)};
    return kernel;
  }

  std::int64_t threads;
  Expr t;
};
// Threads of clusters of two blocks, so many in each.
struct PairKernel : EventKernel {
  PairKernel(std::string name, std::int64_t threads) : EventKernel(std::move(name), threads) {
    rank = variable("rank", c(2));
    kernel.launch.block[2] = c(2);
    kernel.launch.is_cluster = true;
  }
  const Kernel& with(Body body) {
    kernel.body = {loop(rank, c(2), {loop(t, c(threads), std::move(body), ParallelType::TIDx)},
                        ParallelType::TIDz)};
    return kernel;
  }

  Expr rank;
};
inline Statement end_group() { return {Arrive{}}; }
inline Statement wait_for_groups(std::int64_t pending) {
  Wait wait;
  wait.pending = pending;
  return {wait};
}
inline Statement arrive(BarrierObject object, Expr bytes = {}) { return {Arrive{object, bytes}}; }
inline Statement wait(BarrierObject object, Expr phase) { return {Wait{object, phase}}; }
inline Statement region(std::string role, std::vector<std::uint32_t> members, Body body) {
  return {Region{std::move(role), std::move(members), std::move(body)}};
}

// Each thread copies its part of a tile while all read the tile before: two stages, four tiles.
struct QueuePipeline : EventKernel {
  QueuePipeline() : EventKernel("queue", 64) {}

  std::int64_t pending = 1;  // groups that may be open after the wait; -1: no wait
  bool closes_groups = true, meets_before = true, meets_behind = true;

  const Kernel& make() {
    const Expr n = c(64), k = variable("k", c(4));
    const BufferId x = input("x", DataType::Float, c(256)),
                   y = output("y", DataType::Float, c(256));
    const BufferId s = shared("s", DataType::Float, 128);
    const auto fetch = [&](Expr tile) { return begin(s, tile % 2 * n + t, x, tile * n + t); };
    Body body = {guard(k < 3, {fetch(k + 1)})};
    if (closes_groups) body.push_back(end_group());
    if (pending >= 0) body.push_back(wait_for_groups(pending));
    if (meets_before) body.push_back(barrier());
    body.push_back(store(y, k * n + t, read(s, k % 2 * n + 63 - t)));
    if (meets_behind) body.push_back(barrier());
    return with({begin(s, t, x, t), end_group(), loop(k, c(4), std::move(body))});
  }
};

// One thread of the first warp copies tiles, and all threads of the other two warps read them.
// There are two stages; each has a barrier object for "full" and one for "empty".
struct RolePipeline : EventKernel {
  RolePipeline() : EventKernel("roles", 96) {}

  std::int64_t bytes = 256, empty_arrivals = 64, full_phase = 0, tiles = 6;
  bool waits_for_full = true, waits_for_empty = true, frees = true, fences = true;
  bool frees_early = false, frees_by_leader = false;

  const Kernel& make() {
    const Expr n = c(64), k = variable("k", c(tiles));
    const BufferId x = input("x", DataType::Float, c(64 * tiles)),
                   y = output("y", DataType::Float, c(64 * tiles));
    const BufferId s = shared("s", DataType::Float, 128);
    const BarrierObject full{objects("full", 2, 1), k % 2},
        empty{objects("empty", 2, empty_arrivals), k % 2};
    Body produce;
    if (waits_for_empty) produce.push_back(guard(2 <= k, {wait(empty, k / 2 - 1)}));
    produce.push_back(arrive(full, c(bytes)));
    produce.push_back(begin(s, k % 2 * n, x, k * n, 64, 4, full));
    Body consume;
    if (waits_for_full) consume.push_back(wait(full, full_phase == 0 ? k / 2 : k / 2 + full_phase));
    consume.push_back(store(y, k * n + t - 32, read(s, k % 2 * n + 95 - t)));
    Body free;
    if (fences) free.push_back({ProxyFence{}});
    if (frees) free.push_back(arrive(empty));
    if (frees_by_leader) free = {{ProxyFence{}}, guard(t <= 32, {arrive(empty)})};
    consume.insert(frees_early ? consume.end() - 1 : consume.end(), free.begin(), free.end());
    return with({region("producer", {1}, {loop(k, c(tiles), std::move(produce))}),
                 region("consumer", {0, ~0U, ~0U}, {loop(k, c(tiles), std::move(consume))})});
  }
};

// Each thread sums the first n items of its row, where n is read from memory.
struct RaggedSum : EventKernel {
  RaggedSum() : EventKernel("ragged", 32) {}

  std::int64_t items = 512;

  const Kernel& make() {
    const Expr n = pool->symbol("n"), k = variable("k", c(16)), zero = c(0);
    const BufferId lengths = input("lengths", DataType::Int32, c(32)),
                   x = input("x", DataType::Int32, c(items)),
                   y = output("y", DataType::Int32, c(32));
    const BufferId sum = local("sum", DataType::Int32);
    return with(
        {{Define{.variable = n, .read = read(lengths, t), .least = zero, .most = c(16)}},
         store(sum, zero, number(0)),
         loop(k, n, {store(sum, zero, apply(Function::Add, read(sum, zero), read(x, t * 16 + k)))}),
         store(y, t, read(sum, zero))});
  }
};

// All threads exchange what they have n times, where n is read from memory.
struct CountedExchange : EventKernel {
  CountedExchange() : EventKernel("counted", 32) {}

  bool is_one_count = true;  // one n for all threads

  const Kernel& make() {
    const Expr n = pool->symbol("n"), k = variable("k", c(4));
    const BufferId counts = input("counts", DataType::Int32, c(32)),
                   y = output("y", DataType::Int32, c(32)), s = shared("s", DataType::Int32, 32);
    const Expr which = is_one_count ? c(0) : t;
    const BufferId own = local("own", DataType::Int32);
    return with({{Define{.variable = n, .read = read(counts, which), .least = c(0), .most = c(4)}},
                 store(own, c(0), kernel.values.cast(kernel.values.index(t), DataType::Int32)),
                 loop(k, n,
                      {store(s, t, read(own, c(0))), barrier(), store(own, c(0), read(s, 31 - t)),
                       barrier()}),
                 store(y, t, read(own, c(0)))});
  }
};

// Each thread reads a number from memory, counts down from it and sums what it counts.
struct CountDown : EventKernel {
  explicit CountDown(std::int64_t threads = 8) : EventKernel("countdown", threads) {}

  bool counts = true;

  const Kernel& make() {
    const Expr zero = c(0);
    const BufferId from = input("from", DataType::Int32, c(threads)),
                   y = output("y", DataType::Int32, c(threads));
    const BufferId left = local("left", DataType::Int32), sum = local("sum", DataType::Int32);
    Body body = {store(sum, zero, apply(Function::Add, read(sum, zero), read(left, zero)))};
    if (counts) {
      body.push_back(store(left, zero, apply(Function::Sub, read(left, zero), number(1))));
    }
    const ValueId goes_on = apply(Function::Lt, number(0), read(left, zero));
    return with({store(left, zero, read(from, t)),
                 store(sum, zero, number(0)),
                 {While{variable("turn", c(1000)), goes_on, std::move(body)}},
                 store(y, t, read(sum, zero))});
  }
};

}  // namespace selvage::test
