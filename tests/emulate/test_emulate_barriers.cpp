// What the emulator finds in kernels whose threads work together.
#include <selvage/emulate/emulate.h>

#include <gtest/gtest.h>

#include <set>

#include "../support/block_kernels.h"
#include "tests/emulate/hand_run.h"

namespace selvage {
namespace {

using namespace test;

// y[t] = what `body` makes of it, for one block.
struct Block {
  explicit Block(std::int64_t threads) : h("block"), threads(threads) {
    t = h.variable("t", h.c(threads));
    a = h.input("a", DataType::Int32, h.c(threads));
    y = h.output("y", DataType::Int32, h.c(threads));
    s = h.shared("s", DataType::Int32, threads);
  }
  Emulation run(Body body, std::uint64_t seed = 0) {
    h.kernel.body = in_one_block(h, t, threads, std::move(body));
    return test::run(h.kernel, seed);
  }
  Statement fill() { return store(s, t, h.read(a, t)); }
  ValueId number(std::int64_t v) { return h.kernel.values.constant(DataType::Int32, v, false); }

  HandKernel h;
  std::int64_t threads;
  Expr t;
  BufferId a, y, s;
};

TEST(EmulateBarriers, ATileThatIsFilledAgainNeedsBothItsBarriers) {
  EXPECT_EQ(run(Refilled{}.kernel()).fault_count, 0);
  const Emulation early = run(Refilled{.before_reading = false}.kernel());
  const Emulation late = run(Refilled{.before_filling = false}.kernel());
  EXPECT_EQ(kinds(early).count(FaultKind::Race), 1u);
  EXPECT_EQ(kinds(late), kRace);
  EXPECT_EQ(first_fault(late),
            "tile[1] is written after thread (0, 0, 0) has read it, with no barrier between, at "
            "block (0, 0, 0), thread (1, 0, 0), t = 1, s = 1");
  ASSERT_TRUE(late.faults[0].other.has_value());
  EXPECT_EQ(late.faults[0].other->thread[0], 0);
  EXPECT_EQ(late.faults[0].thread[0], 1);
}

// Threads in order: 1 has not written yet when 0 reads, and then writes what 0 has read.
TEST(EmulateBarriers, AMissingBarrierIsToldWithBothThreads) {
  const Emulation e = run(exchange(2, 1, std::nullopt));
  ASSERT_EQ(e.fault_count, 3);
  EXPECT_EQ(e.faults[0].text,
            "tile[1] is read before anything is stored there, at block (0, 0, 0), thread (0, 0, "
            "0), t = 0");
  EXPECT_EQ(e.faults[1].text,
            "tile[1] is written after thread (0, 0, 0) has read it, with no barrier between, at "
            "block (0, 0, 0), thread (1, 0, 0), t = 1");
  EXPECT_EQ(e.faults[2].text,
            "tile[0] is read after thread (0, 0, 0) has written it, with no barrier between, at "
            "block (0, 0, 0), thread (1, 0, 0), t = 1");
  EXPECT_EQ(e.faults[1].other->thread, (std::array<std::int64_t, 3>{0, 0, 0}));
}

TEST(EmulateBarriers, AWarpsBarrierOrdersItsOwnThreadsOnly) {
  using Scope = Barrier::Scope;
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    EXPECT_EQ(run(exchange(64, 16, Scope::Warp), seed).fault_count, 0);
    EXPECT_EQ(run(exchange(40, 1, Scope::Warp), seed).fault_count, 0);
    EXPECT_EQ(run(exchange(64, 32, Scope::Block), seed).fault_count, 0);
    EXPECT_EQ(kinds(run(exchange(64, 32, Scope::Warp), seed)), kRace);
    EXPECT_EQ(kinds(run(exchange(64, 16, std::nullopt), seed)).count(FaultKind::Race), 1u);
  }
}

TEST(EmulateBarriers, BuffersInOnePlaceRaceAcrossEachOther) {
  EXPECT_EQ(run(overlaid()).fault_count, 0);
  for (int missing : {1, 2, 4}) {
    for (std::uint64_t seed : {0, 1, 2}) {
      EXPECT_EQ(kinds(run(overlaid(7 - missing), seed)).count(FaultKind::Race), 1u) << missing;
    }
  }
  // floats[18] lies on bytes 88 to 91, shorts[44] and [45]: stored by 44 and 45, read by 45.
  const Emulation e = run(overlaid(5));
  EXPECT_EQ(first_fault(e).substr(0, 56),
            "floats[18] is read before anything is stored there, at b");
  ASSERT_EQ(e.faults[1].kind, FaultKind::Race);
  EXPECT_EQ(e.faults[1].text,
            "floats[18] is read after thread (44, 0, 0) has written it, with no barrier between; "
            "shorts overlaps it, at block (0, 0, 0), thread (45, 0, 0), t = 45");
}

TEST(EmulateBarriers, WhatIsStoredOverABufferIsLost) {
  const Emulation e = run(overlaid(7, true));
  EXPECT_EQ(kinds(e), std::set{FaultKind::Uninitialised});
  EXPECT_EQ(e.fault_count, 2 * 28);  // floats[0 .. 28) lie under the shorts, each is read twice
  EXPECT_EQ(e.faults[0].address, 27);
}

TEST(EmulateBarriers, ABarrierIsForAllThreadsOfTheBlock) {
  for (std::uint64_t seed : {0, 1}) {
    Block b(40);
    const Emulation e =
        b.run({guard(b.t < 5, {barrier()}), store(b.y, b.t, b.h.read(b.a, b.t))}, seed);
    EXPECT_EQ(e.fault_count, 1);
    EXPECT_EQ(first_fault(e),
              "thread (0, 0, 0) waits at a barrier that thread (5, 0, 0) does not "
              "reach, at block (0, 0, 0), thread (0, 0, 0), t = 0");
    EXPECT_EQ(e.faults[0].kind, FaultKind::DivergentBarrier);
    EXPECT_EQ(e.faults[0].other->thread[0], 5);
  }
  // In both branches is not together.
  Block both(2);
  EXPECT_EQ(both.run({guard(both.t < 1, {barrier()}, {barrier()})}).fault_count, 2);
  // Where all threads take the same way, any guard will do.
  Block all(40);
  EXPECT_EQ(all.run({guard(all.t < 40, {barrier()}, {barrier()})}).fault_count, 0);
}

TEST(EmulateBarriers, ALoopThatRunsOftenerForSomeThreadsMustNotHoldABarrier) {
  Block b(4);
  const Expr j = b.h.variable("j", b.t + 1);
  const Emulation e = b.run({loop(j, b.h.c(2) + b.t / 3, {barrier()})});
  ASSERT_EQ(e.fault_count, 1);
  EXPECT_EQ(first_fault(e),
            "thread (3, 0, 0) waits at a barrier that thread (0, 0, 0) does not "
            "reach, at block (0, 0, 0), thread (3, 0, 0), t = 3, j = 2");
}

TEST(EmulateBarriers, AWarpMayGoAnotherWayThanTheOthers) {
  const auto with = [](std::int64_t bound) {
    Block b(64);
    return b.run({b.fill(), guard(b.t < bound, {barrier(Barrier::Scope::Warp),
                                                store(b.y, b.t, b.h.read(b.s, b.t ^ b.h.c(1)))})});
  };
  EXPECT_EQ(with(32).fault_count, 0);
  const Emulation e = with(50);
  ASSERT_EQ(e.fault_count, 1);
  EXPECT_EQ(first_fault(e),
            "thread (32, 0, 0) waits at a barrier of a warp that thread (50, 0, 0) does not "
            "reach, at block (0, 0, 0), thread (32, 0, 0), t = 32");
}

TEST(EmulateBarriers, AShuffleNeedsAWholeWarp) {
  const auto with = [](std::int64_t threads, std::int64_t bound) {
    Block b(threads);
    const BufferId x = b.h.local("x", DataType::Int32), z = b.h.local("z", DataType::Int32);
    const Expr zero = b.h.c(0);
    return b.run(
        {store(x, zero, b.h.read(b.a, b.t)),
         guard(b.t < bound, {shuffle(z, zero, x, zero, 1), store(b.y, b.t, b.h.read(z, zero))})});
  };
  EXPECT_EQ(with(64, 32).fault_count, 0);
  EXPECT_EQ(first_fault(with(64, 40)),
            "thread (32, 0, 0) gives a value in a shuffle that thread (40, 0, 0) does not reach, "
            "at block (0, 0, 0), thread (32, 0, 0), t = 32");
  EXPECT_EQ(first_fault(with(48, 48)),
            "thread (32, 0, 0) is at a shuffle of a warp of 16 threads, at block (0, 0, "
            "0), thread (32, 0, 0), t = 32");
  EXPECT_EQ(with(48, 32).fault_count, 0);
}

TEST(EmulateBarriers, AShuffleGivesNothingThatWasNeverStored) {
  Block b(32);
  const BufferId x = b.h.local("x", DataType::Int32, 2);
  const Expr zero = b.h.c(0);
  const Emulation e =
      b.run({guard(b.t < 20, {store(x, zero, b.number(1))}), shuffle(x, b.h.c(1), x, zero, 16)});
  EXPECT_EQ(kinds(e), std::set{FaultKind::Uninitialised});
  EXPECT_EQ(e.fault_count, 12);
  EXPECT_EQ(e.faults[0].thread[0], 20);
}

TEST(EmulateBarriers, AtomicStoresRaceWithAllButTheirLike) {
  const auto with = [](std::optional<Function> first, std::optional<Function> second, bool barred) {
    Block b(64);
    const Expr zero = b.h.c(0);
    const auto access = [&](std::optional<Function> f) {
      return f ? update(b.s, zero, *f, b.h.read(b.a, b.t)) : store(b.y, b.t, b.h.read(b.s, zero));
    };
    Body body = {guard(eq(b.t, 0), {store(b.s, zero, b.number(0))}), barrier(), access(first)};
    if (barred) body.push_back(barrier());
    body.push_back(access(second));
    return b.run(body);
  };
  EXPECT_EQ(with(Function::Add, Function::Add, false).fault_count, 0);
  EXPECT_EQ(with(Function::Add, Function::Max, true).fault_count, 0);
  EXPECT_EQ(with(Function::Add, std::nullopt, true).fault_count, 0);
  EXPECT_EQ(kinds(with(Function::Add, Function::Max, false)), kRace);
  EXPECT_EQ(kinds(with(std::nullopt, Function::Max, false)), kRace);
  const Emulation e = with(Function::Add, std::nullopt, false);
  EXPECT_EQ(kinds(e), kRace);
  EXPECT_EQ(first_fault(e),
            "s[0] is updated atomically after thread (0, 0, 0) has read it, with no barrier "
            "between, at block (0, 0, 0), thread (1, 0, 0), t = 1");
}

// What several threads store alike is no fault where that is allowed; a read wants a barrier still.
TEST(EmulateBarriers, ThreadsMayStoreTheSameWhereThatIsAllowed) {
  const auto with = [](std::int64_t kinds_of_values, bool barred) {
    Block b(64);
    const Expr zero = b.h.c(0);
    Body body = {store(b.s, zero, b.h.kernel.values.index(b.t % kinds_of_values), {}, true)};
    if (barred) body.push_back(barrier());
    body.push_back(store(b.y, b.t, b.h.read(b.s, zero)));
    return b.run(body);
  };
  EXPECT_EQ(with(1, true).fault_count, 0);
  EXPECT_EQ(kinds(with(1, false)), kRace);
  EXPECT_EQ(kinds(with(2, true)), kRace);
}

TEST(EmulateBarriers, NoBarrierOrdersTwoBlocks) {
  HandKernel h("blocks");
  const Expr b = h.variable("b", h.c(2)), t = h.variable("t", h.c(32));
  const BufferId y = h.output("y", DataType::Int32, h.c(64)),
                 z = h.output("z", DataType::Int32, h.c(64));
  h.kernel.launch.grid[0] = h.c(2);
  const auto with = [&](Expr from) {
    h.kernel.body = {loop(b, h.c(2),
                          in_one_block(h, t, 32,
                                       {store(y, b * 32 + t, h.kernel.values.index(t)), barrier(),
                                        store(z, b * 32 + t, h.read(y, from))}),
                          ParallelType::BIDx)};
    return run(h.kernel);
  };
  EXPECT_EQ(with(b * 32 + (31 - t)).fault_count, 0);
  const Emulation e = with(31 - t);
  ASSERT_EQ(e.fault_count, 32);
  EXPECT_EQ(first_fault(e),
            "y[31] is read after thread (31, 0, 0) of block (0, 0, 0) has written it, and nothing "
            "orders two blocks, at block (1, 0, 0), thread (0, 0, 0), b = 1, t = 0");
}

// Sums do not depend on it, nor does what is wrong.
TEST(EmulateBarriers, NoVerdictDependsOnTheOrderOfThreads) {
  const auto verdict = [](const Kernel& k, std::uint64_t seed) {
    const Emulation e = run(k, seed);
    return std::pair(e.fault_count > 0, e.counts.count(FaultKind::Race) > 0);
  };
  std::vector<Kernel> kernels = {block_sum(127, 64, DataType::Int32), Refilled{}.kernel(),
                                 Refilled{.before_reading = false}.kernel(),
                                 Refilled{.before_filling = false}.kernel(), overlaid(7, true)};
  for (std::int64_t flip : {1, 31, 32}) {
    kernels.push_back(exchange(96, flip, Barrier::Scope::Warp));
    kernels.push_back(exchange(96, flip, std::nullopt));
  }
  for (int barriers = 0; barriers < 8; ++barriers) kernels.push_back(overlaid(barriers));
  for (const Kernel& k : kernels) {
    for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
      EXPECT_EQ(verdict(k, seed), verdict(k, 0)) << k.name << " in order " << seed;
    }
  }
}

}  // namespace
}  // namespace selvage
