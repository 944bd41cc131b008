// Rings of two roles in clusters of two blocks, each of which copies a half of each tile for both.
#pragma once

#include "tests/support/event_kernels.h"

namespace selvage::test {

// In each block a warp copies tiles, and another one uses them. Tile k is copied to slot k % slots,
// and belongs to objects k % stages.
struct RankRing : PairKernel {
  // Of those who copy, and of those who use. Tell: arrive at `ready` of both blocks; Meet: wait.
  enum class Load : std::uint8_t { Wait, Fence, Tell, Meet, Copy, Arrive };
  enum class Use : std::uint8_t { Wait, Read, Fence, Arrive };

  RankRing() : PairKernel("ranks", 64) {}

  std::int64_t stages = 3, slots = 3;
  std::int64_t free_phase = -1, ready_phase = 0, full_phase = 0;  // k / stages and so much
  std::int64_t ready_object = 0;                                  // (k and so much) % stages
  std::int64_t full_arrivals = 1, ready_arrivals = 2, free_arrivals = 32;
  bool tells_itself_alone = false;  // each arrives at `ready` of its own block, twice
  bool is_for_all = true;           // else each block copies whole tiles for itself
  bool by_rank_0 = false;           // which makes all copies
  bool announces = true;
  std::int64_t more_in_rank_1 = 0;  // tiles
  bool leaves_out_rank_1 = false;   // of those who copy
  std::vector<Load> load = {Load::Wait, Load::Tell, Load::Meet, Load::Copy, Load::Arrive};
  std::vector<Use> use = {Use::Wait, Use::Read, Use::Fence, Use::Arrive};
  std::optional<std::int64_t> tiles = {};  // absent: any number from 1 on

  const Kernel& make() {
    const Expr n = tiles ? c(*tiles) : size("n");
    if (!tiles) kernel.facts.bound(n, c(1), c(600));
    const Expr own_n = more_in_rank_1 == 0 ? n : n + rank * more_in_rank_1,
               k = variable("k", own_n);
    const Expr other = variable("other", c(2)), half = variable("half", c(2));
    const BufferId x = input("x", DataType::Float, (n + 1) * 32),
                   y = output("y", DataType::Float, (n + 1) * 64);
    const BufferId s = shared("s", DataType::Float, 2 * slots * 32);
    const BufferId full = objects("full", 2 * stages, full_arrivals),
                   ready = objects("ready", 2 * stages, ready_arrivals),
                   empty = objects("empty", 2 * stages, free_arrivals);
    const Expr slot = rank * (slots * 32) + k % slots * 32;
    const auto object = [&](BufferId b, Expr of, std::int64_t later = 0) {
      return BarrierObject{b, of * stages + (k + later) % stages};
    };
    Body produce;
    for (Load part : load) {
      switch (part) {
        case Load::Wait:
          produce.push_back(wait(object(empty, rank), k / stages + free_phase));
          break;
        case Load::Fence: produce.push_back({ProxyFence{}}); break;
        case Load::Tell:
          produce.push_back(
              loop(other, c(2), {arrive(object(ready, tells_itself_alone ? rank : other))}));
          break;
        case Load::Meet:
          produce.push_back(wait(object(ready, rank, ready_object), k / stages + ready_phase));
          break;
        case Load::Copy: {
          Statement copy =
              begin(s, slot + half * 16, x, k * 32 + half * 16, 16, 4, object(full, rank));
          auto& begun = std::get<AsyncCopy>(copy.node);
          begun.announces = announces;
          if (is_for_all) begun.by_rank = by_rank_0 ? c(0) : half;
          produce.push_back(loop(half, c(2), {std::move(copy)}));
          break;
        }
        case Load::Arrive: produce.push_back(arrive(object(full, rank))); break;
      }
    }
    Body consume;
    for (Use part : use) {
      switch (part) {
        case Use::Wait: consume.push_back(wait(object(full, rank), k / stages + full_phase)); break;
        case Use::Read:
          consume.push_back(store(y, (k * 2 + rank) * 32 + t - 32, read(s, slot + 63 - t)));
          break;
        case Use::Fence: consume.push_back({ProxyFence{}}); break;
        case Use::Arrive: consume.push_back(arrive(object(empty, rank))); break;
      }
    }
    const Expr is_it = leaves_out_rank_1 ? eq(t, 0) && rank <= 0 : eq(t, 0);
    return with(
        {region("load", {~0U, 0, ~0U}, {guard(is_it, {loop(k, own_n, std::move(produce))})}),
         region("compute", {0, ~0U, 0, ~0U}, {loop(k, own_n, std::move(consume))})});
  }
};

}  // namespace selvage::test
