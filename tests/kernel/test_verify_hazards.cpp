// Barriers that some threads miss, reads of what nobody wrote, addresses outside.
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

#define EXPECT_LEGAL(v) EXPECT_EQ(findings(v), "")

TEST(VerifyDivergence, ABarrierUnderAConditionOfTheThreadIsMissedByOthers) {
  VerifyCase c(64);
  const auto v = c.verified({guard(c.tx < 16, {barrier()})});
  EXPECT_EQ(first_text(v, Hazard::Divergence),
            "refuted: a barrier that one thread reaches and another does not: block (0, 0, 0), "
            "thread (0, 0, 0); and block (0, 0, 0), thread (16, 0, 0)");
}

TEST(VerifyDivergence, ABarrierUnderAConditionOfTheBlockIsNot) {
  VerifyCase c(64);
  const Expr N = c.size("N"), k = c.variable("k", N);
  c.kernel.launch.grid[0] = N;
  EXPECT_LEGAL(c.verified(
      {guard(c.bx < 5, {barrier()}), loop(k, N, {barrier()}), guard(c.tx < 64, {barrier()})}));
}

TEST(VerifyDivergence, AWarpMayGoWhereOthersDoNot) {
  const auto in_first = [](std::int64_t n, Statement meeting) {
    VerifyCase c(128);
    return c.verified({guard(c.tx < n, {std::move(meeting)})});
  };
  EXPECT_LEGAL(in_first(32, warp_barrier()));
  EXPECT_TRUE(is_refuted(in_first(33, warp_barrier()).of(Hazard::Divergence)));
  EXPECT_TRUE(is_refuted(in_first(32, barrier()).of(Hazard::Divergence)));
}

TEST(VerifyDivergence, ALoopThatThreadsRunUnequallyOftenDiverges) {
  const auto loops = [](bool by_size) {
    VerifyCase c(64);
    const Expr N = c.size("N"), k = c.variable("k", N);
    return c.verified({loop(k, by_size ? N : N + c.tx, {barrier()})});
  };
  EXPECT_LEGAL(loops(true));
  const auto v = loops(false);
  ASSERT_TRUE(is_refuted(v.of(Hazard::Divergence))) << findings(v);
}

TEST(VerifyDivergence, AShuffleNeedsWholeWarps) {
  const auto shuffled = [](std::int64_t threads) {
    VerifyCase c(threads);
    const BufferId a = c.local("a", 1), b = c.local("b", 1);
    return c.verified({c.put(a, c.c(0), c.one()), {Shuffle{b, a, c.c(0), c.c(0), 16}}});
  };
  EXPECT_LEGAL(shuffled(96));
  EXPECT_TRUE(is_refuted(shuffled(100).of(Hazard::Divergence)));
}

TEST(VerifyLifetime, AnAccumulatorStartsWithAValue) {
  const auto sum = [](bool starts) {
    VerifyCase c(64);
    const Expr N = c.size("N"), k = c.variable("k", N), zero = c.c(0);
    const BufferId x = c.input("x", DataType::Float, N),
                   y = c.output("y", DataType::Float, c.c(64));
    const BufferId acc = c.local("acc", 1);
    Body body;
    if (starts) body.push_back(c.put(acc, zero, c.one()));
    body.push_back(loop(k, N, {c.put(acc, zero, c.sum(c.read(acc, zero), c.read(x, k)))}));
    body.push_back(c.put(y, c.tx, c.read(acc, zero)));
    return c.verified(std::move(body));
  };
  EXPECT_LEGAL(sum(true));
  EXPECT_EQ(first_text(sum(false), Hazard::Lifetime),
            "refuted: acc[0] is read before anything is written there: block (0, 0, 0), thread (0, "
            "0, 0), k = 0; N = 3");
}

TEST(VerifyLifetime, APartOfATileIsNotTheWhole) {
  const auto fill = [](std::int64_t n) {
    VerifyCase c(64);
    const Expr i = c.variable("i", c.c(4));
    const BufferId y = c.output("y", DataType::Float, c.c(64)), s = c.shared("s", 256);
    return c.verified(
        {loop(i, c.c(4), {guard(i * 64 + c.tx < n, {c.put(s, i * 64 + c.tx, c.one())})}), barrier(),
         c.put(y, c.tx, c.read(s, c.tx * 4 + 3))});
  };
  EXPECT_LEGAL(fill(256));
  EXPECT_EQ(
      first_text(fill(255), Hazard::Lifetime),
      "refuted: s[255] is read before anything is written there: block (0, 0, 0), thread (63, "
      "0, 0)");
}

// Blocks of one kind write in one body of a guard, the others in the other one; nested, too. What
// one of the bodies leaves out is missed.
TEST(VerifyLifetime, BlocksThatPartWriteAllTheSame) {
  const auto filled = [](std::int64_t inside, std::int64_t outside, bool is_nested) {
    VerifyCase c(64);
    const Expr N = c.size("N");
    c.kernel.launch.grid[0] = N;
    const Expr i = c.variable("i", c.c(4)), k = c.variable("k", c.c(4));
    const BufferId y = c.output("y", DataType::Float, N * 64), s = c.shared("s", 256);
    const auto fill = [&](Expr v, std::int64_t n) {
      return loop(v, c.c(4), {guard(v * 64 + c.tx < n, {c.put(s, v * 64 + c.tx, c.one())})});
    };
    Guard parts{1 <= c.bx && c.bx * 2 < N, {fill(i, inside)}, {fill(k, outside)}};
    if (is_nested) {
      const Expr j = c.variable("j", c.c(4));
      parts.otherwise = {{Guard{c.bx * 3 < N, {fill(k, outside)}, {fill(j, outside)}}}};
    }
    return c.verified({{parts}, barrier(), c.put(y, c.bx * 64 + c.tx, c.read(s, c.tx * 4 + 3))});
  };
  for (const bool is_nested : {false, true}) {
    EXPECT_LEGAL(filled(256, 256, is_nested));
    EXPECT_NE(first_text(filled(255, 256, is_nested), Hazard::Lifetime), "proved");
    EXPECT_NE(first_text(filled(256, 255, is_nested), Hazard::Lifetime), "proved");
  }
}

TEST(VerifyLifetime, OneElementIsNotTheFourThatATransferReads) {
  const auto copied = [](std::int64_t stored) {
    VerifyCase c(1);
    const Expr lane = c.variable("lane", c.c(4));
    const BufferId y = c.output("y", DataType::Float, c.c(4)), s = c.local("s", 4);
    Body body;
    for (std::int64_t k = 0; k < stored; ++k) body.push_back(c.put(s, c.c(k), c.one()));
    body.push_back({Transfer{y, s, c.c(0), c.c(0), 4, lane, {}}});
    return c.verified(std::move(body));
  };
  EXPECT_LEGAL(copied(4));
  EXPECT_EQ(
      first_text(copied(1), Hazard::Lifetime),
      "refuted: s[1] is read before anything is written there: block (0, 0, 0), thread (0, 0, 0)");
}

// Two buffers at one place, the second used when the first is done with.
VerifyCase::Verified reuse(std::size_t dropped, std::int64_t offset, bool reads_late) {
  VerifyCase c(64);
  const BufferId y = c.output("y", DataType::Float, c.c(64));
  const BufferId a = c.shared("a", 64, 0), b = c.shared("b", 64, offset);
  std::vector<Statement> all = {
      c.put(a, c.tx, c.one()), barrier(), c.put(y, c.tx, c.read(a, 63 - c.tx)), barrier(),
      c.put(b, c.tx, c.one()), barrier(), c.put(y, c.tx, c.read(b, 63 - c.tx))};
  if (reads_late) all.push_back(c.put(y, c.tx, c.read(a, c.tx)));
  Body body;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != dropped) body.push_back(all[i]);
  }
  return c.verified(std::move(body));
}

TEST(VerifyLifetime, BuffersThatOverlapTakeTurns) {
  EXPECT_LEGAL(reuse(SIZE_MAX, 0, false));
  EXPECT_LEGAL(reuse(SIZE_MAX, 128, false));
  EXPECT_TRUE(is_refuted(reuse(3, 0, false).of(Hazard::Race)));
  EXPECT_TRUE(is_refuted(reuse(3, 248, false).of(Hazard::Race)));
  EXPECT_LEGAL(reuse(3, 256, false));
  EXPECT_EQ(first_text(reuse(SIZE_MAX, 0, true), Hazard::Lifetime),
            "refuted: a[0] is read after a store to a buffer that overlaps it: block (0, 0, 0), "
            "thread (0, 0, 0)");
  EXPECT_LEGAL(reuse(SIZE_MAX, 256, true));
}

TEST(VerifyBounds, AddressesAtTheEndsOfTheIntegersAreOutside) {
  for (const std::int64_t address : {INT64_MIN, INT64_MAX - 63}) {
    VerifyCase c(64);
    const BufferId s = c.shared("s", 64);
    const auto v = c.verified({c.put(s, c.tx + address, c.one())});
    EXPECT_TRUE(is_refuted(v.of(Hazard::Bounds))) << findings(v);
  }
}

TEST(VerifyBounds, EveryElementOfATransferCounts) {
  const auto copy = [](std::int64_t guard_below, std::int64_t from,
                       std::optional<std::int64_t> at) {
    VerifyCase c(64);
    const Expr N = c.size("N");
    c.kernel.launch.grid[0] = ceil_div(N, c.c(64));
    const BufferId x = c.input("x", DataType::Float, N * 4),
                   y = c.output("y", DataType::Float, N * 4);
    const BufferId s = c.shared("s", 256, at);
    const Expr i = c.bx * 64 + c.tx;
    const auto transfer = [&](BufferId to, BufferId source, Expr to_address, Expr from_address) {
      return Statement{
          Transfer{to, source, to_address, from_address, 4, c.pool->symbol("lane"), {}}};
    };
    return c.verified({guard(i < N + guard_below, {transfer(s, x, c.tx * 4, i * 4 + from),
                                                   transfer(y, s, i * 4, c.tx * 4)})});
  };
  EXPECT_LEGAL(copy(0, 0, {}));
  EXPECT_LEGAL(copy(0, 0, 16));
  EXPECT_TRUE(is_refuted(copy(1, 0, {}).of(Hazard::Bounds)));
  EXPECT_TRUE(is_refuted(copy(-1, 2, {}).of(Hazard::Bounds)));
  EXPECT_EQ(first_text(copy(0, 0, 8), Hazard::Bounds),
            "refuted: s begins at byte 8, no multiple of the 16 bytes of an access");
}

// It begins inside and is aligned, and its last elements lie past the end.
TEST(VerifyBounds, OfATransferTheLastElementCounts) {
  const auto copy = [](std::int64_t elements) {
    VerifyCase c(4);
    const BufferId x = c.input("x", DataType::Float, c.c(elements));
    const BufferId y = c.output("y", DataType::Float, c.c(16));
    return c.verified(
        {Statement{Transfer{y, x, c.tx * 4, c.tx * 4, 4, c.pool->symbol("lane"), {}}}});
  };
  EXPECT_LEGAL(copy(16));
  EXPECT_TRUE(is_refuted(copy(14).of(Hazard::Bounds)));
}

TEST(VerifyBounds, AReadInABranchOfASelectIsUnderItsCondition) {
  const auto pad = [](std::int64_t n) {
    VerifyCase c(64);
    const BufferId x = c.input("x", DataType::Float, c.c(50)),
                   y = c.output("y", DataType::Float, c.c(64));
    return c.verified({c.put(y, c.tx, c.where(c.tx < n, c.read(x, c.tx)))});
  };
  EXPECT_LEGAL(pad(50));
  EXPECT_EQ(
      first_text(pad(51), Hazard::Bounds),
      "refuted: x[50] is out of bounds: there are 50 elements: block (0, 0, 0), thread (50, 0, "
      "0)");
}

TEST(VerifyBounds, ThreadsPastTheExtentOfALoopCount) {
  VerifyCase c(64);
  const BufferId y = c.output("y", DataType::Float, c.c(50));
  // The loop says 50; the launch has 64 threads.
  Kernel& k = c.kernel;
  k.body = {loop(c.tx, c.c(50), {c.put(y, c.tx, c.one())}, ParallelType::TIDx)};
  EXPECT_TRUE(is_refuted(verify(k).of(Hazard::Bounds)));
}

}  // namespace
}  // namespace selvage
