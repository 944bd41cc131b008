// Kernels whose threads work together, written down by hand.
#pragma once

#include "hand_kernel.h"

namespace selvage::test {

// One block of `threads` in x whose thread is t, around a body.
inline Body in_one_block(HandKernel& h, Expr t, std::int64_t threads, Body body) {
  h.kernel.launch.block[0] = h.c(threads);
  return {loop(t, h.c(threads), std::move(body), ParallelType::TIDx)};
}

// into = into + (into of the other lanes), in all lanes of the warp.
inline void add_over_warp(HandKernel& h, BufferId into, BufferId other, Body& body) {
  const Expr zero = h.c(0);
  for (std::int64_t mask = 16; mask > 0; mask /= 2) {
    body.push_back(shuffle(other, zero, into, zero, mask));
    body.push_back(
        store(into, zero,
              h.kernel.values.apply(Function::Add, {h.read(into, zero), h.read(other, zero)})));
  }
}

// y[0] = sum of a[0 .. n), by one block: every thread adds its items, then each warp by shuffles,
// then the first warp what all warps have left in shared memory.
inline Kernel block_sum(std::int64_t n, std::int64_t most_threads, DataType type) {
  HandKernel h("block_sum");
  const std::int64_t threads = std::min((n + 31) / 32 * 32, most_threads), warps = threads / 32;
  const std::int64_t rounds = (n + threads - 1) / threads;
  const Expr t = h.variable("t", h.c(threads)), j = h.variable("j", h.c(rounds)), zero = h.c(0);
  const BufferId a = h.input("a", type, h.c(n)), y = h.output("y", type, h.c(1));
  const BufferId sum = h.local("sum", type), other = h.local("other", type);
  const BufferId part = h.shared("part", type, warps);
  ValueGraph& values = h.kernel.values;
  const ValueId nothing =
      values.cast(values.constant(DataType::Int32, std::int64_t(0), false), type);
  const Expr i = j * threads + t;
  Body body = {
      store(sum, zero, nothing),
      loop(
          j, h.c(rounds),
          {guard(i < n, {store(sum, zero,
                               values.apply(Function::Add, {h.read(sum, zero), h.read(a, i)}))})})};
  add_over_warp(h, sum, other, body);
  body.push_back(guard(eq(t % 32, 0), {store(part, t / 32, h.read(sum, zero))}));
  body.push_back(barrier());
  Body first = {guard(t < warps, {store(sum, zero, h.read(part, t))}, {store(sum, zero, nothing)})};
  add_over_warp(h, sum, other, first);
  first.push_back(guard(eq(t, 0), {store(y, zero, h.read(sum, zero))}));
  body.push_back(guard(t < 32, std::move(first)));
  h.kernel.body = in_one_block(h, t, threads, std::move(body));
  return h.kernel;
}

// y[c, r] = a[r, c] by tiles of 32 x 32 and blocks of 32 x 8 threads; both sides guarded.
inline Kernel transpose(DataType type) {
  HandKernel h("transpose");
  const Expr R = h.size("R"), C = h.size("C");
  const Expr bx = h.variable("bx", ceil_div(C, h.c(32))),
             by = h.variable("by", ceil_div(R, h.c(32)));
  const Expr tx = h.variable("tx", h.c(32)), ty = h.variable("ty", h.c(8));
  const Expr j = h.variable("j", h.c(4)), k = h.variable("k", h.c(4));
  const BufferId a = h.input("a", type, R * C), y = h.output("y", type, R * C);
  const BufferId tile = h.shared("tile", type, 32 * 33);
  const Expr r = by * 32 + j * 8 + ty, c = bx * 32 + tx;
  const Expr to_c = bx * 32 + k * 8 + ty, to_r = by * 32 + tx;
  h.kernel.launch = {
      {ceil_div(C, h.c(32)), ceil_div(R, h.c(32)), h.c(1)}, {h.c(32), h.c(8), h.c(1)}, h.c(0)};
  const Body body = {
      loop(j, h.c(4),
           {guard(r < R,
                  {guard(c < C, {store(tile, (j * 8 + ty) * 33 + tx, h.read(a, r * C + c))})})}),
      barrier(),
      loop(k, h.c(4),
           {guard(to_c < C, {guard(to_r < R, {store(y, to_c * R + to_r,
                                                    h.read(tile, tx * 33 + k * 8 + ty))})})})};
  h.kernel.body = {loop(
      by, ceil_div(R, h.c(32)),
      {loop(bx, ceil_div(C, h.c(32)),
            {loop(ty, h.c(8), {loop(tx, h.c(32), body, ParallelType::TIDx)}, ParallelType::TIDy)},
            ParallelType::BIDx)},
      ParallelType::BIDy)};
  return h.kernel;
}

// y[i*i % bins] = f(y[i*i % bins], a[i]) over i < n, by blocks of 64. Each block first updates bins
// of its own.
inline Kernel histogram(std::int64_t n, std::int64_t bins, Function f, DataType type) {
  HandKernel h("histogram_" + std::string(info(f).name) + "_" + std::string(to_string(type)));
  const Expr blocks = h.c((n + 63) / 64);
  const Expr bx = h.variable("bx", blocks), tx = h.variable("tx", h.c(64));
  const BufferId a = h.input("a", type, h.c(n)), y = h.output("y", type, h.c(bins));
  const BufferId own = h.shared("own", type, bins);
  ValueGraph& values = h.kernel.values;
  const Expr i = bx * 64 + tx;
  // 0: it changes no sum of numbers, no maximum of positive and no minimum of negative numbers.
  const ValueId nothing =
      values.cast(values.constant(DataType::Int32, std::int64_t(0), false), type);
  h.kernel.launch.grid[0] = blocks;
  h.kernel.launch.block[0] = h.c(64);
  h.kernel.body = {loop(bx, blocks,
                        {loop(tx, h.c(64),
                              {guard(tx < bins, {store(own, tx, nothing)}), barrier(),
                               guard(i < n, {update(own, i * i % bins, f, h.read(a, i))}),
                               barrier(), guard(tx < bins, {update(y, tx, f, h.read(own, tx))})},
                              ParallelType::TIDx)},
                        ParallelType::BIDx)};
  return h.kernel;
}

// y[t] = sum over s of a[s*threads + (t + 1) % threads], through a tile that each step fills anew.
// The two barriers can be left out.
struct Refilled {
  bool before_reading = true, before_filling = true;
  static constexpr std::int64_t kThreads = 96, kSteps = 5;

  Kernel kernel() const {
    HandKernel h("refilled");
    const Expr t = h.variable("t", h.c(kThreads)), s = h.variable("s", h.c(kSteps)), zero = h.c(0);
    const BufferId a = h.input("a", DataType::Int32, h.c(kThreads * kSteps));
    const BufferId y = h.output("y", DataType::Int32, h.c(kThreads));
    const BufferId sum = h.local("sum", DataType::Int32);
    const BufferId tile = h.shared("tile", DataType::Int32, kThreads);
    ValueGraph& values = h.kernel.values;
    Body step = {store(tile, t, h.read(a, s * kThreads + t))};
    if (before_reading) step.push_back(barrier());
    step.push_back(
        store(sum, zero,
              values.apply(Function::Add, {h.read(sum, zero), h.read(tile, (t + 1) % kThreads)})));
    if (before_filling) step.push_back(barrier());
    h.kernel.body =
        in_one_block(h, t, kThreads,
                     {store(sum, zero, values.constant(DataType::Int32, std::int64_t(0), false)),
                      loop(s, h.c(kSteps), step), store(y, t, h.read(sum, zero))});
    return h.kernel;
  }
};

// y[t] = a[t ^ flip], through shared memory and a barrier of this scope, or without a barrier.
inline Kernel exchange(std::int64_t threads, std::int64_t flip,
                       std::optional<Barrier::Scope> scope) {
  HandKernel h("exchange");
  const Expr t = h.variable("t", h.c(threads));
  const BufferId a = h.input("a", DataType::Int32, h.c(threads));
  const BufferId y = h.output("y", DataType::Int32, h.c(threads));
  const BufferId tile = h.shared("tile", DataType::Int32, threads);
  Body body = {store(tile, t, h.read(a, t))};
  if (scope) body.push_back(barrier(*scope));
  body.push_back(store(y, t, h.read(tile, t ^ h.c(flip))));
  h.kernel.body = in_one_block(h, t, threads, std::move(body));
  return h.kernel;
}

// y[t] = 2 * a[63-t] + (63-t) % 3: floats in shared memory first, then 16-bit integers over them.
// `barriers`: which of the three there are, by bits; `reads_late`: the floats are read after all.
inline Kernel overlaid(int barriers = 7, bool reads_late = false) {
  constexpr std::int64_t kThreads = 64;
  HandKernel h("overlaid");
  const Expr t = h.variable("t", h.c(kThreads)), zero = h.c(0);
  const BufferId a = h.input("a", DataType::Float, h.c(kThreads));
  const BufferId y = h.output("y", DataType::Float, h.c(kThreads));
  const BufferId floats = h.shared("floats", DataType::Float, kThreads, 16);
  const BufferId shorts = h.shared("shorts", DataType::Int16, kThreads, 0);
  const BufferId x = h.local("x", DataType::Float);
  ValueGraph& values = h.kernel.values;
  const auto sum = [&](ValueId a, ValueId b) { return values.apply(Function::Add, {a, b}); };
  const Expr mirror = kThreads - 1 - t;
  const auto fence = [&](int bit, Body& body) {
    if (barriers & bit) body.push_back(barrier());
  };
  Body body = {store(floats, t, h.read(a, t))};
  fence(1, body);
  const Statement take = store(x, zero, sum(h.read(floats, mirror), h.read(floats, mirror)));
  if (!reads_late) body.push_back(take);
  fence(2, body);
  body.push_back(store(shorts, t, values.index(t % 3)));
  fence(4, body);
  if (reads_late) body.push_back(take);
  body.push_back(store(y, t, sum(h.read(x, zero), h.read(shorts, mirror))));
  h.kernel.body = in_one_block(h, t, kThreads, std::move(body));
  return h.kernel;
}

}  // namespace selvage::test
