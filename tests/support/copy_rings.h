// Rings of copies that end later, in the queue of each thread.
#pragma once

#include "tests/support/event_kernels.h"

namespace selvage::test {

// Tile k is copied in iteration k of the ring and used in iteration k + ahead; a slot holds a tile
// of one element for each thread, which another thread uses.
struct CopyRing : EventKernel {
  enum class Part : std::uint8_t { Wait, Meet, Copy, Close, Use };
  using Parts = std::vector<Part>;

  explicit CopyRing(std::int64_t threads = 64) : EventKernel("ring", threads) {}

  std::int64_t stages = 3, ahead = 2, pending = 1;
  Parts parts = {Part::Wait, Part::Meet, Part::Copy, Part::Close, Part::Use};
  std::optional<std::int64_t> tiles = {};  // absent: any number from 1 on
  bool has_outer_loop = false;             // the same again, over other tiles
  std::int64_t drained = 0;                // iterations that the ring ends too early
  bool has_epilogue = false;               // which keeps something else in the slots

  const Kernel& make() {
    const Expr n = tiles ? c(*tiles) : size("n"), width = c(threads);
    if (!tiles) kernel.facts.bound(n, c(1), c(600));
    const Expr end = n + (ahead - drained);
    const Expr k = variable("k", end), outer = variable("o", c(2));
    const Expr all = width * n * (has_outer_loop ? 2 : 1);
    const BufferId x = input("x", DataType::Float, all), y = output("y", DataType::Float, all);
    const BufferId s = shared("s", DataType::Float, threads * stages);
    const Expr first = has_outer_loop ? outer * n : c(0);
    Body body;
    for (Part part : parts) {
      switch (part) {
        case Part::Wait: body.push_back(wait_for_groups(pending)); break;
        case Part::Meet: body.push_back(barrier()); break;
        case Part::Close: body.push_back(end_group()); break;
        case Part::Copy:
          body.push_back(
              guard(k < n, {begin(s, k % stages * width + t, x, (first + k) * width + t)}));
          break;
        case Part::Use: {
          const Expr tile = k - ahead;
          body.push_back(
              guard(0 <= tile, {store(y, (first + tile) * width + t,
                                      read(s, tile % stages * width + (threads - 1) - t))}));
          break;
        }
      }
    }
    Body ring = {loop(k, end, std::move(body))};
    if (has_outer_loop) ring = {loop(outer, c(2), std::move(ring))};
    if (has_epilogue) {
      ring.push_back(barrier());
      const Expr i = variable("i", c(stages));
      const ValueId zero = kernel.values.constant(DataType::Float, 0.0, false);
      ring.push_back(loop(i, c(stages), {store(s, i * width + t, zero)}));
    }
    return with(std::move(ring));
  }
};

}  // namespace selvage::test
