// Kernels whose barriers are right, and the same with one of them missing, too many or misplaced.
#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"

namespace selvage {
namespace {

using test::barrier;
using test::findings;
using test::first_text;
using test::guard;
using test::loop;
using test::VerifyCase;
using test::warp_barrier;

// Statements of which one may be left out.
Body without(std::size_t dropped, std::vector<Statement> all) {
  Body body;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != dropped) body.push_back(all[i]);
  }
  return body;
}
constexpr std::size_t kNothing = SIZE_MAX;

#define EXPECT_LEGAL(v) EXPECT_EQ(findings(v), "")

TEST(Verify, WhatOneThreadWritesAnotherReadsAfterABarrier) {
  const auto reversed = [](std::size_t dropped) {
    VerifyCase c(256);
    const BufferId x = c.input("x", DataType::Float, c.c(256));
    const BufferId y = c.output("y", DataType::Float, c.c(256)), s = c.shared("s", 256);
    return c.verified(without(dropped, {c.put(s, c.tx, c.read(x, c.tx)), barrier(),
                                        c.put(y, c.tx, c.read(s, 255 - c.tx))}));
  };
  EXPECT_LEGAL(reversed(kNothing));
  const auto v = reversed(1);
  EXPECT_EQ(
      first_text(v, Hazard::Race),
      "refuted: s[128] is read by one thread and accessed by another with no barrier between: "
      "block (0, 0, 0), thread (128, 0, 0); and block (0, 0, 0), thread (127, 0, 0)");
  ASSERT_TRUE(is_refuted(v.of(Hazard::Race)));
  EXPECT_EQ(to_text(std::get<Refuted>(v.of(Hazard::Race)).point),
            "threadIdx.x = 128, threadIdx.x' = 127");
}

TEST(Verify, AThreadNeedsNoBarrierForItself) {
  VerifyCase c(256);
  const BufferId y = c.output("y", DataType::Float, c.c(256)), s = c.shared("s", 300);
  EXPECT_LEGAL(c.verified({c.put(s, c.tx + 40, c.one()), c.put(y, c.tx, c.read(s, c.tx + 40))}));
}

// A tile of 32 by 32 elements, 8 rows at a time, transposed; rows past M are 0, columns past N as
// well; sizes are any.
struct Transpose {
  bool has_barrier = true, guards_store = true;

  VerifyCase::Verified operator()() const {
    VerifyCase c(32, 8);
    const Expr M = c.size("M"), N = c.size("N");
    c.kernel.launch.grid = {ceil_div(N, c.c(32)), ceil_div(M, c.c(32)), c.c(1)};
    const BufferId x = c.input("x", DataType::Float, M * N);
    const BufferId y = c.output("y", DataType::Float, M * N), s = c.shared("s", 32 * 33);
    const Expr i = c.variable("i", c.c(4)), j = c.variable("j", c.c(4));
    const Expr row = c.by * 32 + i * 8 + c.ty, column = c.bx * 32 + c.tx;
    const Expr out = c.bx * 32 + j * 8 + c.ty, along = c.by * 32 + c.tx;
    Body body;
    body.push_back(loop(i, c.c(4),
                        {c.put(s, (i * 8 + c.ty) * 33 + c.tx,
                               c.where(row < M && column < N, c.read(x, row * N + column)))}));
    if (has_barrier) body.push_back(barrier());
    const Statement store = c.put(y, out * M + along, c.read(s, c.tx * 33 + j * 8 + c.ty));
    body.push_back(loop(j, c.c(4), {guards_store ? guard(out < N && along < M, {store}) : store}));
    return c.verified(std::move(body));
  }
};

TEST(Verify, ATransposedTileIsProvedForAllSizes) { EXPECT_LEGAL(Transpose{}()); }

TEST(Verify, ATransposedTileWithoutItsBarrierRaces) {
  const auto v = Transpose{.has_barrier = false}();
  ASSERT_TRUE(is_refuted(v.of(Hazard::Race))) << findings(v);
  EXPECT_TRUE(is_proved(v.of(Hazard::Bounds)));
}

TEST(Verify, AGuardThatIsDroppedLetsAStoreOutOfBounds) {
  const auto v = Transpose{.guards_store = false}();
  ASSERT_TRUE(is_refuted(v.of(Hazard::Bounds))) << findings(v);
  EXPECT_TRUE(is_proved(v.of(Hazard::Lifetime)));
}

// A row of two parts to a block, 128 items at a time; `past`: how many items too many.
VerifyCase::Verified rows_of_two_parts(std::int64_t past) {
  VerifyCase c(128);
  const Expr B = c.size("B"), M = c.size("M"), N = c.size("N");
  c.kernel.launch.grid[0] = B;
  const BufferId y = c.output("y", DataType::Float, (M + N) * B);
  const Expr k = c.variable("k", ceil_div(M + N, c.c(128))), column = k * 128 + c.tx;
  return c.verified(
      {loop(k, ceil_div(M + N, c.c(128)),
            {guard(column < M + N + past, {c.put(y, (M + N) * c.bx + column, c.one())})})});
}

TEST(Verify, RowsOfTwoPartsAreApart) {
  EXPECT_LEGAL(rows_of_two_parts(0));
  const auto v = rows_of_two_parts(1);
  EXPECT_TRUE(is_refuted(v.of(Hazard::Race))) << findings(v);
  EXPECT_TRUE(is_refuted(v.of(Hazard::Bounds))) << findings(v);
}

// A tile of 32 by 32 whose columns are swizzled, read where the tests of its four steps, asked
// before the loop over these, hold.
VerifyCase::Verified swizzled_tile(int tests) {
  VerifyCase c(32, 8);
  const Expr M = c.size("M"), N = c.size("N");
  c.kernel.launch.grid = {ceil_div(N, c.c(32)), ceil_div(M, c.c(32)), c.c(1)};
  const BufferId x = c.input("x", DataType::Float, M * N);
  const BufferId y =
      c.output("y", DataType::Float, ceil_div(M, c.c(32)) * ceil_div(N, c.c(32)) * 1024);
  const Expr i = c.variable("i", c.c(4));
  const auto row = [&](Expr step) { return step * 8 + c.ty; };
  const auto column = [&](Expr step) { return c.bx * 32 + (row(step) ^ c.tx); };
  Expr holds = c.by * 32 + c.ty + 24 < M;
  for (int k = 0; k < tests; ++k) holds = holds && column(c.c(k)) < N;
  const Expr tile = (c.by * ceil_div(N, c.c(32)) + c.bx) * 1024;
  return c.verified(
      {guard(holds, {loop(i, c.c(4),
                          {c.put(y, tile + row(i) * 32 + c.tx,
                                 c.read(x, (c.by * 32 + row(i)) * N + column(i)))})})});
}

TEST(Verify, ASwizzledTileIsInBoundsStepByStep) {
  EXPECT_LEGAL(swizzled_tile(4));
  EXPECT_FALSE(is_proved(swizzled_tile(3).of(Hazard::Bounds)));
}

// for k: fill a tile, barrier, read all of it, barrier
VerifyCase::Verified refilled(std::size_t dropped, bool has_number_of_tiles) {
  VerifyCase c(128);
  const Expr K = has_number_of_tiles ? c.c(5) : c.size("K");
  const BufferId x = c.input("x", DataType::Float, K * 128);
  const BufferId y = c.output("y", DataType::Float, c.c(128));
  const BufferId s = c.shared("s", 128), acc = c.local("acc", 1);
  const Expr k = c.variable("k", K), j = c.variable("j", c.c(128)), zero = c.c(0);
  const Statement fold = c.put(acc, zero, c.sum(c.read(acc, zero), c.read(s, j)));
  return c.verified({c.put(acc, zero, c.one()),
                     loop(k, K,
                          without(dropped, {c.put(s, c.tx, c.read(x, k * 128 + c.tx)), barrier(),
                                            loop(j, c.c(128), {fold}), barrier()})),
                     c.put(y, c.tx, c.read(acc, zero))});
}

TEST(Verify, ATileThatIsRefilledNeedsTwoBarriers) {
  for (const bool has_number : {true, false}) {
    EXPECT_LEGAL(refilled(kNothing, has_number));
    const auto first = refilled(1, has_number), second = refilled(3, has_number);
    ASSERT_TRUE(is_refuted(first.of(Hazard::Race))) << findings(first);
    ASSERT_TRUE(is_refuted(second.of(Hazard::Race))) << findings(second);
    const KernelFinding& f = second.findings[0];
    ASSERT_TRUE(f.first && f.second);
    EXPECT_NE(f.first->thread, f.second->thread);
  }
}

TEST(Verify, TwoTilesByTurnsNeedOneBarrier) {
  const auto by_turns = [](std::size_t dropped, std::int64_t tiles) {
    VerifyCase c(64);
    const Expr K = c.size("K");
    const BufferId x = c.input("x", DataType::Float, K * 64 + 64);
    const BufferId y = c.output("y", DataType::Float, K * 64), s = c.shared("s", tiles * 64);
    const Expr k = c.variable("k", K);
    return c.verified(
        {c.put(s, c.tx, c.read(x, c.tx)),
         loop(
             k, K,
             without(dropped, {barrier(),
                               c.put(s, (k + 1) % tiles * 64 + c.tx, c.read(x, k * 64 + 64 + c.tx)),
                               c.put(y, k * 64 + c.tx, c.read(s, k % tiles * 64 + 63 - c.tx))}))});
  };
  EXPECT_LEGAL(by_turns(kNothing, 2));
  EXPECT_TRUE(is_refuted(by_turns(0, 2).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(by_turns(kNothing, 1).of(Hazard::Race)));
}

TEST(Verify, NeighboursOfAWarpNeedNoBarrierOfTheBlock) {
  const auto exchange = [](std::int64_t distance, bool has_barrier) {
    VerifyCase c(128);
    const BufferId y = c.output("y", DataType::Float, c.c(128)), s = c.shared("s", 128);
    Body body = {c.put(s, c.tx, c.one())};
    if (has_barrier) body.push_back(warp_barrier());
    body.push_back(c.put(y, c.tx, c.read(s, c.tx ^ c.c(distance))));
    return c.verified(std::move(body));
  };
  EXPECT_LEGAL(exchange(16, true));
  EXPECT_TRUE(is_refuted(exchange(16, false).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(exchange(32, true).of(Hazard::Race)));
  EXPECT_LEGAL(exchange(0, false));
}

TEST(Verify, AHaloIsReadAfterABarrier) {
  const auto stencil = [](bool has_barrier) {
    VerifyCase c(128);
    const Expr N = c.size("N");
    c.kernel.launch.grid[0] = ceil_div(N, c.c(128));
    const BufferId x = c.input("x", DataType::Float, N), y = c.output("y", DataType::Float, N);
    const BufferId s = c.shared("s", 130);
    const Expr i = c.bx * 128 + c.tx;
    const auto load = [&](Expr at) { return c.where(0 <= at && at < N, c.read(x, at)); };
    Body body = {c.put(s, c.tx + 1, load(i)), guard(c.tx < 1, {c.put(s, c.c(0), load(i - 1))}),
                 guard(eq(c.tx, 127), {c.put(s, c.c(129), load(i + 1))})};
    if (has_barrier) body.push_back(barrier());
    body.push_back(guard(i < N, {c.put(y, i, c.sum(c.read(s, c.tx), c.read(s, c.tx + 2)))}));
    return c.verified(std::move(body));
  };
  EXPECT_LEGAL(stencil(true));
  EXPECT_TRUE(is_refuted(stencil(false).of(Hazard::Race)));
}

TEST(Verify, ABlockSumInStepsIsProvedAndEveryBarrierOfItIsNeeded) {
  const auto sum = [](std::size_t dropped) {
    VerifyCase c(256);
    const BufferId x = c.input("x", DataType::Float, c.c(256));
    const BufferId y = c.output("y", DataType::Float, c.c(1)), s = c.shared("s", 256);
    std::vector<Statement> all = {c.put(s, c.tx, c.read(x, c.tx)), barrier()};
    for (std::int64_t n = 128; n >= 1; n /= 2) {
      all.push_back(guard(c.tx < n, {c.put(s, c.tx, c.sum(c.read(s, c.tx), c.read(s, c.tx + n)))}));
      if (n > 1) all.push_back(n > 32 ? barrier() : warp_barrier());
    }
    all.push_back(guard(c.tx < 1, {c.put(y, c.c(0), c.read(s, c.c(0)))}));
    return c.verified(without(dropped, all));
  };
  EXPECT_LEGAL(sum(kNothing));
  for (std::size_t i = 1; i < 16; i += 2) {
    const auto v = sum(i);
    EXPECT_TRUE(is_refuted(v.of(Hazard::Race))) << "barrier " << i << "\n" << findings(v);
  }
}

TEST(Verify, TwoBlocksMayNotWriteOneElement) {
  const auto store = [](bool by_block, bool duplicates) {
    VerifyCase c(64);
    const Expr N = c.size("N");
    c.kernel.launch.grid[0] = ceil_div(N, c.c(64));
    const BufferId y = c.output("y", DataType::Float, N);
    const Expr i = by_block ? c.bx * 64 + c.tx : c.tx;
    return c.verified({guard(i < N, {test::store(y, i, c.one(), {}, duplicates)})});
  };
  EXPECT_LEGAL(store(true, false));
  const auto v = store(false, false);
  ASSERT_TRUE(is_refuted(v.of(Hazard::Race))) << findings(v);
  EXPECT_NE(v.findings[0].first->block, v.findings[0].second->block);
  EXPECT_LEGAL(store(false, true));
}

TEST(Verify, AtomicsDoNotRaceWithOneAnother) {
  const auto histogram = [](bool reads) {
    VerifyCase c(64);
    const BufferId y = c.output("y", DataType::Float, c.c(8)),
                   z = c.output("z", DataType::Float, c.c(64));
    Statement add = c.put(y, c.tx % 8, c.one());
    std::get<Store>(add.node).atomic = Function::Add;
    Body body = {add};
    if (reads) body.push_back(c.put(z, c.tx, c.read(y, c.tx % 8)));
    return c.verified(std::move(body));
  };
  EXPECT_LEGAL(histogram(false));
  EXPECT_TRUE(is_refuted(histogram(true).of(Hazard::Race)));
}

// What an odd turn reads the next one writes; what an even turn reads, nobody does.
TEST(Verify, ARaceFromOneTurnInTwoToTheNextIsFoundForAnyNumberOfTurns) {
  const auto by_turns = [](std::int64_t read_by_odd) {
    VerifyCase c(64);
    const Expr K = c.size("K"), k = c.variable("k", K), is_odd = k % 2;
    const BufferId y = c.output("y", DataType::Float, K * 64), s = c.shared("s", 320);
    const Statement read = c.put(y, k * 64 + c.tx, c.read(s, is_odd * read_by_odd + 63 - c.tx));
    return c.verified({c.put(s, c.tx, c.one()),
                       loop(k, K, {c.put(s, is_odd * 192 + 64 + c.tx, c.one()), barrier(), read})});
  };
  EXPECT_TRUE(is_proved(by_turns(0).of(Hazard::Race)));
  EXPECT_EQ(first_text(by_turns(64), Hazard::Race),
            "refuted: s[95] is written by one thread and accessed by another with no barrier "
            "between: block (0, 0, 0), thread (32, 0, 0), k = 1; and block (0, 0, 0), thread (31, "
            "0, 0), k = 2; K = 3");
}

}  // namespace
}  // namespace selvage
