// What is proved and refuted of kernels whose threads go at their own pace.
#include <selvage/kernel/print.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"
#include "tests/support/event_kernels.h"

namespace selvage {
namespace {

using namespace test;

template <class K, class Change>
VerifyCase::Verified verified(Change change) {
  K k;
  change(k);
  return {verify(k.make()), k.pool};
}

TEST(PrintEvents, EachStatementIsALine) {
  EXPECT_EQ(loop_nest(QueuePipeline{}.make()),
            "parallel t in 64 (TIDx)\n"
            "  begin s[t .. +1] = x[t .. +1]\n"
            "  end the group of copies\n"
            "  for k in 4\n"
            "    if (k < 3)\n"
            "      begin s[(k + 1) % 2 * 64 + t .. +1] = x[(k + 1) * 64 + t .. +1]\n"
            "    end the group of copies\n"
            "    wait for copies but the last 1 groups\n"
            "    barrier\n"
            "    y[k * 64 + t] = s[k % 2 * 64 + 63 - t]\n"
            "    barrier\n");
  EXPECT_EQ(loop_nest(RolePipeline{}.make()),
            "parallel t in 96 (TIDx)\n"
            "  region producer (threads 0x00000001)\n"
            "    for k in 6\n"
            "      if (2 <= k)\n"
            "        wait for empty[k % 2], phase k / 2 - 1\n"
            "      arrive at full[k % 2], 256 bytes\n"
            "      begin s[k % 2 * 64 .. +64] = x[k * 64 .. +64] for full[k % 2]\n"
            "  region consumer (threads 0x00000000 0xffffffff 0xffffffff)\n"
            "    for k in 6\n"
            "      wait for full[k % 2], phase k / 2\n"
            "      y[k * 64 + t - 32] = s[k % 2 * 64 + 95 - t]\n"
            "      proxy fence\n"
            "      arrive at empty[k % 2]\n");
  EXPECT_EQ(loop_nest(RaggedSum{}.make()),
            "parallel t in 32 (TIDx)\n"
            "  n = lengths[t], 0 to 16\n"
            "  sum[0] = 0\n"
            "  for k in n\n"
            "    sum[0] = sum[0] + x[t * 16 + k]\n"
            "  y[t] = sum[0]\n");
  EXPECT_EQ(loop_nest(CountDown{}.make()),
            "parallel t in 8 (TIDx)\n"
            "  left[0] = from[t]\n"
            "  sum[0] = 0\n"
            "  for turn while 0 < left[0]\n"
            "    sum[0] = sum[0] + left[0]\n"
            "    left[0] = left[0] - 1\n"
            "  y[t] = sum[0]\n");
}

TEST(VerifyEvents, CopiesInAQueueAreProvedByTheirRun) {
  using K = QueuePipeline;
  EXPECT_EQ(findings(verified<K>([](K&) {})), "");
  EXPECT_EQ(findings(verified<K>([](K& k) { k.pending = 0; })), "");
}

TEST(VerifyEvents, AMissingOrShortWaitIsARace) {
  using K = QueuePipeline;
  const auto race = [](auto change) { return first_text(verified<K>(change), Hazard::Race); };
  EXPECT_EQ(race([](K& k) { k.pending = 2; }),
            "refuted: s[63] is read where a copy that accesses it may not have ended: block (0, 0, "
            "0), thread (63, 0, 0); and block (0, 0, 0), thread (0, 0, 0), k = 0");
  for (const auto& text :
       {race([](K& k) { k.pending = -1; }), race([](K& k) { k.closes_groups = false; }),
        race([](K& k) { k.meets_before = false; }), race([](K& k) { k.meets_behind = false; })}) {
    EXPECT_EQ(text.substr(0, 8), "refuted:") << text;
  }
}

TEST(VerifyEvents, ASourceThatChangesUnderACopyIsARace) {
  EventKernel k("out", 32);
  const BufferId y = k.output("y", DataType::Int32, k.c(32)),
                 s = k.shared("s", DataType::Int32, 32);
  const Verification v = verify(k.with({store(s, k.t, k.number(1)), k.begin(y, k.t, s, k.t),
                                        end_group(), store(s, k.t, k.number(2))}));
  EXPECT_EQ(first_text(v, Hazard::Race),
            "refuted: s[0] is written where a copy that accesses it may not have ended: block (0, "
            "0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (0, 0, 0)");
}

TEST(VerifyEvents, RolesAreProvedByTheirRun) {
  EXPECT_EQ(findings(verified<RolePipeline>([](auto&) {})), "");
}

TEST(VerifyEvents, EachFaultOfARoleIsRefuted) {
  using K = RolePipeline;
  const auto is_refuted_as = [](Hazard h, auto change) {
    const auto v = verified<K>(change);
    return is_refuted(v.of(h)) ? "" : findings(v) + "nothing of it is refuted";
  };
  EXPECT_EQ(is_refuted_as(Hazard::Race, [](K& k) { k.waits_for_full = false; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Race, [](K& k) { k.waits_for_empty = false; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Race, [](K& k) { k.fences = false; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Divergence, [](K& k) { k.bytes = 512; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Divergence, [](K& k) { k.bytes = 128; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Divergence, [](K& k) { k.frees = false; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Divergence, [](K& k) { k.empty_arrivals = 65; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Race, [](K& k) { k.empty_arrivals = 63; }), "");
  EXPECT_EQ(is_refuted_as(Hazard::Divergence, [](K& k) { k.full_phase = 1; }), "");
  EXPECT_EQ(
      first_text(verified<K>([](K& k) { k.empty_arrivals = 65; }), Hazard::Divergence),
      "refuted: a wait for phase 0 that never ends: 64 of 65 arrivals have come: block (0, 0, "
      "0), thread (0, 0, 0), k = 2");
}

TEST(VerifyEvents, ARegionWhoseThreadsMissABarrier) {
  const auto missed = [](std::vector<std::uint32_t> members, Barrier::Scope scope) {
    EventKernel k("missed", 64);
    return Verification(verify(k.with({region("first", std::move(members), {barrier(scope)})})));
  };
  using Scope = Barrier::Scope;
  EXPECT_EQ(first_text(missed({~0U}, Scope::Block), Hazard::Divergence),
            "refuted: a barrier that one thread reaches and another does not: block (0, 0, 0), "
            "thread (0, 0, 0); and block (0, 0, 0), thread (32, 0, 0)");
  EXPECT_EQ(findings(missed({~0U, ~0U}, Scope::Block)), "");
  EXPECT_EQ(findings(missed({~0U}, Scope::Warp)), "");
  EXPECT_TRUE(is_refuted(missed({~0U, 1}, Scope::Warp).of(Hazard::Divergence)));
}

TEST(VerifyEvents, ALoopThatMemoryCountsStaysInABuffer) {
  using K = RaggedSum;
  EXPECT_EQ(findings(verified<K>([](K&) {})), "");
  EXPECT_EQ(
      first_text(verified<K>([](K& k) { k.items = 511; }), Hazard::Bounds),
      "refuted: x[511] is out of bounds: there are 511 elements: block (0, 0, 0), thread (31, "
      "0, 0), n = 16, k = 15");
}

// What memory says is written by the kernel: it need not ever be as much as it may.
TEST(VerifyEvents, WhatTheKernelWritesIsNotRefutedByWhatMemoryMightHold) {
  EventKernel k("own", 32);
  const Expr n = k.pool->symbol("n"), i = k.variable("i", k.c(16)), zero = k.c(0);
  const BufferId lengths = k.shared("lengths", DataType::Int32, 32),
                 x = k.input("x", DataType::Int32, k.c(40)),
                 y = k.output("y", DataType::Int32, k.c(512));
  const Verification v = verify(
      k.with({store(lengths, k.t, k.number(1)),
              {Define{.variable = n, .read = k.read(lengths, k.t), .least = zero, .most = k.c(16)}},
              loop(i, n, {store(y, k.t * 16 + i, k.read(x, k.t + i))})}));
  EXPECT_TRUE(is_unknown(v.of(Hazard::Bounds))) << findings(v);
  EXPECT_TRUE(is_proved(v.of(Hazard::Race))) << findings(v);
}

// One element cannot hold for each thread the most that it may, nor a byte a thousand.
TEST(VerifyEvents, WhatMemoryCannotHoldRefutesNothing) {
  const auto in_bounds = [](DataType type, std::int64_t most, bool by_thread) {
    EventKernel k("cannot", 32);
    const Expr n = k.pool->symbol("n"), i = k.variable("i", k.c(most)), zero = k.c(0);
    const BufferId lengths = k.input("lengths", type, k.c(1)),
                   x = k.input("x", DataType::Int32, k.c(20)),
                   y = k.output("y", DataType::Int32, k.c(32 * 1024));
    return Verdict(verify(k.with({{Define{.variable = n,
                                          .read = k.read(lengths, zero),
                                          .least = zero,
                                          .most = by_thread ? k.t : k.c(most)}},
                                  loop(i, n, {store(y, k.t * 1024 + i, k.read(x, i))})}))
                       .of(Hazard::Bounds));
  };
  EXPECT_TRUE(is_refuted(in_bounds(DataType::Int32, 30, false)));
  EXPECT_TRUE(is_unknown(in_bounds(DataType::Int32, 30, true)));
  EXPECT_TRUE(is_unknown(in_bounds(DataType::Int8, 1000, false)));
}

TEST(VerifyEvents, WhatALoopWritesThatMemoryCountsMayNotBeThere) {
  EventKernel k("partly", 32);
  const Expr n = k.pool->symbol("n"), i = k.variable("i", k.c(4)), zero = k.c(0);
  const BufferId lengths = k.input("lengths", DataType::Int32, k.c(32)),
                 y = k.output("y", DataType::Int32, k.c(32)),
                 own = k.local("own", DataType::Int32, 4);
  const Verification v = verify(
      k.with({{Define{.variable = n, .read = k.read(lengths, k.t), .least = zero, .most = k.c(4)}},
              loop(i, n, {store(own, i, k.number(1))}),
              store(y, k.t, k.read(own, k.c(3)))}));
  EXPECT_TRUE(is_unknown(v.of(Hazard::Lifetime))) << findings(v);
}

// At an address, or under a condition, that memory says, anybody may be.
TEST(VerifyEvents, AddressesFromMemoryAreNotProvedApart) {
  EventKernel k("scatter", 32);
  const Expr n = k.pool->symbol("n"), zero = k.c(0);
  const BufferId places = k.input("places", DataType::Int32, k.c(32)),
                 y = k.output("y", DataType::Int32, k.c(16));
  const auto scatter = [&](std::int64_t most) {
    return verify(k.with(
        {{Define{.variable = n, .read = k.read(places, k.t), .least = zero, .most = k.c(most)}},
         store(y, n, k.number(1))}));
  };
  const Verification inside = scatter(15), outside = scatter(16);
  EXPECT_FALSE(is_proved(inside.of(Hazard::Race)));
  EXPECT_TRUE(is_proved(inside.of(Hazard::Bounds))) << findings(inside);
  EXPECT_TRUE(is_refuted(outside.of(Hazard::Bounds))) << findings(outside);
}

// What nobody promises has to follow from how the number is made.
TEST(VerifyEvents, ANumberThatIsNotPromisedIsMadeToLieInItsRange) {
  const auto range = [](bool is_clamped, std::int64_t most, DataType type) {
    EventKernel k("clamped", 32);
    const Expr n = k.pool->symbol("n"), zero = k.c(0);
    const BufferId places = k.input("places", type, k.c(32)),
                   x = k.input("x", DataType::Int32, k.c(16)),
                   y = k.output("y", DataType::Int32, k.c(32));
    ValueGraph& v = k.kernel.values;
    ValueId number = v.cast(k.read(places, k.t), DataType::Int64);
    if (is_clamped) {
      number =
          v.apply(Function::Max, {number, v.constant(DataType::Int64, std::int64_t{0}, false)});
      number = v.apply(Function::Min, {number, v.index(k.c(15))});
    }
    return findings(verify(k.with({{Define{.variable = n,
                                           .read = number,
                                           .least = zero,
                                           .most = k.c(most),
                                           .is_promised = false}},
                                   store(y, k.t, k.read(x, n))})));
  };
  EXPECT_EQ(range(true, 15, DataType::Int64), "");
  EXPECT_NE(range(false, 15, DataType::Int64), "");
  EXPECT_NE(range(true, 14, DataType::Int64), "");
  EXPECT_NE(range(false, 15, DataType::UInt8), "");
}

TEST(VerifyEvents, ABarrierInALoopThatMemoryCountsNeedsOneCountForAll) {
  using K = CountedExchange;
  EXPECT_EQ(findings(verified<K>([](K&) {})), "");
  EXPECT_TRUE(is_unknown(verified<K>([](K& k) { k.is_one_count = false; }).of(Hazard::Divergence)));
}

TEST(VerifyEvents, AWhileLoopIsNoBarOfProofs) {
  EXPECT_EQ(findings(verified<CountDown>([](auto&) {})), "");
  EventKernel k("late", 32);
  const Expr turn = k.variable("turn", k.c(4));
  const BufferId from = k.input("from", DataType::Int32, k.c(1)),
                 s = k.shared("s", DataType::Int32, 32),
                 y = k.output("y", DataType::Int32, k.c(32));
  const ValueId same = k.apply(Function::Lt, k.number(0), k.read(from, k.c(0)));
  const ValueId unlike = k.apply(Function::Lt, k.number(0), k.read(from, k.t * 0));
  const auto meets_while = [&](ValueId condition) {
    return verify(k.with({{While{turn, condition, {barrier()}}}}));
  };
  EXPECT_EQ(findings(meets_while(same)), "");
  EXPECT_EQ(findings(meets_while(unlike)), "");
  const ValueId own = k.apply(Function::Lt, k.number(0), k.read(s, k.c(0)));
  EXPECT_FALSE(is_proved(meets_while(own).of(Hazard::Divergence)));
  // A barrier that may be met no time at all orders nothing.
  const Verification v = verify(k.with({store(s, k.t, k.number(1)),
                                        {While{turn, same, {barrier()}}},
                                        store(y, k.t, k.read(s, 31 - k.t))}));
  EXPECT_FALSE(is_proved(v.of(Hazard::Race)));
}

}  // namespace
}  // namespace selvage
