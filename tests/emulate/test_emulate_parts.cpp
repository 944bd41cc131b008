// What the emulator makes of barriers of a part of the block, and of loops that are left.
#include <selvage/emulate/emulate.h>

#include <gtest/gtest.h>

#include "../support/block_kernels.h"
#include "../support/part_kernels.h"

namespace selvage {
namespace {

using namespace test;

// y[t] = what the body makes of a[t], of one block.
struct PartsBlock {
  explicit PartsBlock(std::int64_t threads) : h("block"), threads(threads) {
    t = h.variable("t", h.c(threads));
    j = h.variable("j", h.c(8));
    k = h.variable("k", h.c(8));
    a = h.input("a", DataType::Int32, h.c(threads));
    y = h.output("y", DataType::Int32, h.c(threads));
    s = h.shared("s", DataType::Int32, threads);
    sum = h.local("sum", DataType::Int32);
  }
  Emulation run(Body body, std::uint64_t seed = 0) {
    h.kernel.body = in_one_block(h, t, threads, std::move(body));
    Array in(DataType::Int32, {threads}), none;
    out = Array(DataType::Int32, {threads});
    for (std::int64_t i = 0; i < threads; ++i) in.set_int(i, 100 + i);
    Array* const arrays[] = {&in, &out, nullptr, nullptr};
    return emulate(h.kernel, {}, arrays, {.order = RunOrder::from_seed(seed)});
  }
  std::string first_fault(Body body) {
    const Emulation e = run(std::move(body));
    return e.faults.empty() ? "" : e.faults[0].text;
  }
  Statement fill() { return store(s, t, h.read(a, t)); }
  Statement use(Expr at) { return store(y, t, h.read(s, at)); }
  ValueId number(std::int64_t v) { return h.kernel.values.constant(DataType::Int32, v, false); }
  Statement add(std::int64_t v) {
    ValueGraph& values = h.kernel.values;
    return store(sum, h.c(0), values.apply(Function::Add, {h.read(sum, h.c(0)), number(v)}));
  }

  HandKernel h;
  std::int64_t threads;
  Expr t, j, k;
  BufferId a, y, s, sum;
  Array out;
};

TEST(EmulateParts, ARegionsBarrierOrdersItsThreadsAlone) {
  const auto region = [](std::int64_t from) {
    PartsBlock b(128);
    const Expr own = (b.t + 1) % 64;
    return b.first_fault({guard(b.t < 64, {b.fill(), barrier(1, {kAll, kAll}), b.use(own)}),
                          guard(64 <= b.t, {b.fill(), barrier(2, {0, 0, kAll, kAll}),
                                            b.use((b.t + 1) % 64 + from)})});
  };
  EXPECT_EQ(region(64), "");
  EXPECT_EQ(region(0),
            "s[1] is read after thread (1, 0, 0) has written it, with no barrier between, at block "
            "(0, 0, 0), thread (64, 0, 0), t = 64");
}

// 0 hands on to 1, and that to 2: a chain orders them that 0 and 2 do not share.
TEST(EmulateParts, OrderGoesOnFromOneBarrierToTheNext) {
  const auto chain = [](bool in_order) {
    PartsBlock b(96);
    Body links = {guard(b.t < 64, {barrier(1, {kAll, kAll})}),
                  guard(32 <= b.t, {barrier(2, {0, kAll, kAll})})};
    if (!in_order) std::swap(links[0], links[1]);
    return b.first_fault(
        {guard(b.t < 32, {b.fill()}), links[0], links[1], guard(64 <= b.t, {b.use(b.t - 64)})});
  };
  EXPECT_EQ(chain(true), "");
  EXPECT_EQ(chain(false),
            "s[0] is read after thread (0, 0, 0) has written it, with no barrier between, at block "
            "(0, 0, 0), thread (64, 0, 0), t = 64");
}

TEST(EmulateParts, WhoIsMissingAndWhoIsOneTooManyIsTold) {
  const auto at = [](Statement barrier) {
    PartsBlock b(64);
    return b.first_fault({guard(b.t < 40, {std::move(barrier)})});
  };
  EXPECT_EQ(at(barrier(3, {kAll, 0xff})), "");
  EXPECT_EQ(at(barrier(3, {kAll, 0x1ff})),
            "thread (0, 0, 0) waits at barrier 3 that thread (40, 0, 0) does not reach, at block "
            "(0, 0, 0), thread (0, 0, 0), t = 0");
  EXPECT_EQ(at(barrier(3, {kAll, 0x7f})),
            "thread (39, 0, 0) gets to barrier 3, in which it takes no part, at block (0, 0, 0), "
            "thread (39, 0, 0), t = 39");
  EXPECT_EQ(
      at(lane_barrier(0xff)),
      "thread (8, 0, 0) gets to a barrier of lanes 0x000000ff of a warp, in which it takes no "
      "part, at block (0, 0, 0), thread (8, 0, 0), t = 8");
  PartsBlock b(40);  // of the second warp lanes 0 to 7
  EXPECT_EQ(b.first_fault({guard(b.t % 32 < 12, {lane_barrier(0xfff)})}), "");
}

TEST(EmulateParts, ANumberIsOfOneRegionAtATime) {
  const auto regions = [](int second) {
    PartsBlock b(64);
    return b.first_fault({guard(b.t < 32, {barrier(1, {kAll})}, {barrier(second, {0, kAll})})});
  };
  EXPECT_EQ(regions(2), "");
  EXPECT_EQ(regions(1),
            "thread (32, 0, 0) gets to barrier 1 where thread (0, 0, 0) may still wait for others, "
            "at block (0, 0, 0), thread (32, 0, 0), t = 32");
}

// sum over j, k of 10*j + k + 1 as far as a plain loop gets.
std::int64_t plain(std::int64_t t, bool is_next, bool is_outer) {
  std::int64_t sum = 0;
  for (std::int64_t j = 0; j < 4; ++j) {
    bool ends = false;
    for (std::int64_t k = 0; k < 5; ++k) {
      sum += 1;
      if (k == t && !(is_outer && is_next)) {
        if (is_next) continue;
        ends = is_outer;
        break;
      }
      if (k == t) break;  // to the next j
      sum += 100;
    }
    if (ends) break;
    if (is_outer && is_next && t < 5) continue;
    sum += 10000;
  }
  return sum;
}

TEST(EmulateParts, LoopsAreLeftAsPlainOnesAre) {
  for (const bool meets : {false, true}) {
    for (const bool is_next : {false, true}) {
      for (const bool is_outer : {false, true}) {
        PartsBlock b(9);
        Body inner = {b.add(1), guard(eq(b.k, b.t), {{Leave{is_outer ? b.j : b.k, is_next}}}),
                      b.add(100)};
        // All together, or each thread alone.
        Body body = {store(b.sum, b.h.c(0), b.number(0)),
                     loop(b.j, b.h.c(4), {loop(b.k, b.h.c(5), std::move(inner)), b.add(10000)})};
        if (meets) body.push_back(barrier());
        body.push_back(store(b.y, b.t, b.h.read(b.sum, b.h.c(0))));
        for (std::uint64_t seed : {0, 5}) {
          EXPECT_EQ(b.run(body, seed).fault_count, 0);
          for (std::int64_t t = 0; t < b.threads; ++t) {
            EXPECT_EQ(b.out.get_int(t), plain(t, is_next, is_outer))
                << t << " next " << is_next << " outer " << is_outer << " meets " << meets;
          }
        }
      }
    }
  }
}

// Where the loop itself has barriers, all threads go round together.
TEST(EmulateParts, WhoHasLeftComesToNoBarrierOfTheLoop) {
  const auto turns = [](Expr (*when)(PartsBlock&)) {
    PartsBlock b(32);
    const Emulation e =
        b.run({store(b.sum, b.h.c(0), b.number(0)),
               loop(b.j, b.h.c(4),
                    {b.fill(), barrier(), b.add(1), guard(when(b), {leave(b.j)}), barrier()}),
               store(b.y, b.t, b.h.read(b.sum, b.h.c(0)))});
    return (e.faults.empty() ? "" : e.faults[0].text) + "|" + std::to_string(b.out.get_int(31));
  };
  EXPECT_EQ(turns([](PartsBlock& b) { return eq(b.j, b.h.c(2)); }), "|3");
  EXPECT_EQ(turns([](PartsBlock& b) { return eq(b.j, b.t); }),
            "thread (1, 0, 0) waits at a barrier that thread (0, 0, 0) does not "
            "reach, at block (0, 0, 0), thread (1, 0, 0), t = 1, j = 0|4");
}

}  // namespace
}  // namespace selvage
