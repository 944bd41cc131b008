// Rings of two roles: a warp copies tiles, and two others use them.
#pragma once

#include "tests/support/event_kernels.h"

namespace selvage::test {

// Tile k is copied to slot k % slots, and belongs to objects k % stages. Each thread that uses it
// reads one of its elements. Of several runs the tiles are counted on, k + n * r.
struct RoleRing : EventKernel {
  // Of those who copy, and of those who use.
  enum class Load : std::uint8_t { Wait, Fence, Copy, Arrive };
  enum class Use : std::uint8_t { Wait, Read, Fence, Arrive, Meet };

  RoleRing() : EventKernel("roles", 96) {}

  std::int64_t stages = 3, slots = 3;
  std::int64_t free_phase = -1, full_phase = 0;   // k / stages and so much
  std::int64_t free_object = 0, full_object = 0;  // (k and so much) % stages
  std::int64_t full_arrivals = 1, free_arrivals = 64;
  std::int64_t copying_thread = 0;  // of the block
  std::int64_t uses_more = 0;       // tiles than are copied
  bool announces = true;
  bool writes_tile = false;  // who uses a tile stores to it as well
  bool all_wait = false;     // the whole warp that copies waits
  std::vector<Load> load = {Load::Wait, Load::Copy, Load::Arrive};
  std::vector<Use> use = {Use::Wait, Use::Read, Use::Fence, Use::Arrive};
  std::optional<std::int64_t> tiles = {};  // absent: any number from 1 on
  bool runs_again = false;
  std::optional<std::int64_t> runs = {};  // absent: any number from 1 on
  // In each run again from 0 on.
  bool restarts_phases = false, restarts_slots = false;
  bool stores_between = false;  // all who use tiles store an element before and behind each run
  bool stores_twice = false;    // different threads store one element in different iterations

  const Kernel& make() {
    const Expr n = tiles ? c(*tiles) : size("n");
    if (!tiles) kernel.facts.bound(n, c(1), c(600));
    const Expr m = !runs_again ? c(1) : runs ? c(*runs) : size("m");
    if (runs_again && !runs) kernel.facts.bound(m, c(1), c(600));
    const Expr in_run = variable("k", n), run = variable("r", m);
    const Expr k = runs_again ? run * n + in_run : in_run;
    const Expr turn = restarts_phases ? in_run : k,
               slot = (restarts_slots ? in_run : k) % slots * width();
    const BufferId x = input("x", DataType::Float, m * n * width()),
                   y = output("y", DataType::Float, (m * n + uses_more) * width());
    const BufferId s = shared("s", DataType::Float, width() * slots);
    const BufferId full = objects("full", stages, full_arrivals),
                   empty = objects("empty", stages, free_arrivals);
    const BarrierObject own_full{full, turn % stages}, own_empty{empty, turn % stages};
    Body produce;
    for (Load part : load) {
      switch (part) {
        case Load::Wait:
          produce.push_back(
              wait({empty, (turn + free_object) % stages}, turn / stages + free_phase));
          break;
        case Load::Fence: produce.push_back({ProxyFence{}}); break;
        case Load::Copy: {
          Statement copy = begin(s, slot, x, k * width(), width(), 4, own_full);
          std::get<AsyncCopy>(copy.node).announces = announces;
          produce.push_back(std::move(copy));
          break;
        }
        case Load::Arrive: produce.push_back(arrive(own_full)); break;
      }
    }
    Body consume;
    for (Use part : use) {
      switch (part) {
        case Use::Wait:
          consume.push_back(
              wait({full, (turn + full_object) % stages}, turn / stages + full_phase));
          break;
        case Use::Read: {
          const Expr own = t - 32;
          consume.push_back(store(y, k * width() + own, read(s, slot + 63 - own)));
          if (writes_tile) consume.push_back(store(s, slot + own, number(0)));
          if (stores_twice) {
            const BufferId z = output("z", DataType::Int32, c(width()));
            consume.push_back(store(z, (own + k) % width(), number(1)));
          }
          break;
        }
        case Use::Fence: consume.push_back({ProxyFence{}}); break;
        case Use::Arrive: consume.push_back(arrive(own_empty)); break;
        case Use::Meet:
          consume.push_back(
              {Barrier{.scope = Barrier::Scope::Threads, .id = 1, .members = {0, ~0U, ~0U}}});
          break;
      }
    }
    const auto again = [&](Body body) {
      return runs_again ? Body{loop(run, m, std::move(body))} : body;
    };
    const Expr is_it = eq(t, copying_thread);
    Body of_one;
    if (all_wait && !produce.empty()) {
      Body rest(produce.begin() + 1, produce.end());
      of_one = again({loop(in_run, n, {produce[0], guard(is_it, std::move(rest))})});
    } else {
      of_one = {guard(is_it, again({loop(in_run, n, std::move(produce))}))};
    }
    Body uses = {loop(in_run, n + uses_more, std::move(consume))};
    if (stores_between) {
      const BufferId b = output("before", DataType::Int32, m * width()),
                     e = output("behind", DataType::Int32, m * width());
      uses.insert(uses.begin(), store(b, run * width() + t - 32, number(2)));
      uses.push_back(store(e, run * width() + t - 32, number(3)));
    }
    return with({region("load", {~0U}, std::move(of_one)),
                 region("compute", {0, ~0U, ~0U}, again(std::move(uses)))});
  }

 private:
  static std::int64_t width() { return 64; }
};

}  // namespace selvage::test
