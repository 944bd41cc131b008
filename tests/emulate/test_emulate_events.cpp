// What the emulator finds in kernels whose threads go at their own pace.
#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/emulate/emulate.h>

#include <gtest/gtest.h>

#include <set>

#include "tests/emulate/hand_run.h"
#include "tests/support/event_kernels.h"

namespace selvage {
namespace {

using namespace test;

const std::set<FaultKind> kStuck = {FaultKind::DivergentBarrier};

// Changes one thing of a kernel, and runs it in several orders.
template <class K, class Change>
std::set<FaultKind> found(Change change) {
  std::set<FaultKind> all;
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    K k;
    change(k);
    const std::set<FaultKind> own = kinds(run(k.make(), {}, seed));
    if (seed == 0) all = own;
    EXPECT_EQ(own.empty(), all.empty()) << "order " << seed;
    EXPECT_EQ(own.count(FaultKind::Race), all.count(FaultKind::Race)) << "order " << seed;
  }
  return all;
}

// Tile by tile, each from its end to its beginning.
template <class K>
void expect_reversed_tiles(std::int64_t tiles) {
  K k;
  const Ran r = run(k.make());
  EXPECT_EQ(first_fault(r), "");
  for (std::int64_t i = 0; i < 64 * tiles; ++i) {
    const std::int64_t from = i / 64 * 64 + 63 - i % 64;
    Array one(DataType::Float, {1}), other(DataType::Float, {1});
    one.set(0, r.arrays[1].get(i));
    other.set(0, r.arrays[0].get(from));
    EXPECT_TRUE(same_element(one, other, 0)) << i;
  }
}

TEST(EmulateEvents, CopiesInAQueueArriveBehindTheirWait) {
  expect_reversed_tiles<QueuePipeline>(4);
  EXPECT_EQ(found<QueuePipeline>([](auto&) {}), kNone);
}

TEST(EmulateEvents, ACopyIsNotThereBeforeItsWait) {
  using K = QueuePipeline;
  EXPECT_EQ(found<K>([](K& k) { k.pending = 2; }), kRace);
  EXPECT_EQ(found<K>([](K& k) { k.pending = -1; }), kRace);
  EXPECT_EQ(found<K>([](K& k) { k.closes_groups = false; }), kRace);
  EXPECT_EQ(found<K>([](K& k) { k.pending = 0; }), kNone);
}

TEST(EmulateEvents, AWaitIsForTheOwnCopiesAlone) {
  using K = QueuePipeline;
  EXPECT_EQ(found<K>([](K& k) { k.meets_before = false; }).count(FaultKind::Race), 1U);
  EXPECT_EQ(found<K>([](K& k) { k.meets_behind = false; }).count(FaultKind::Race), 1U);
}

TEST(EmulateEvents, WhatIsCopiedMayNotChangeBeforeTheCopyHasEnded) {
  for (const bool waits : {false, true}) {
    EventKernel k("out", 32);
    const BufferId y = k.output("y", DataType::Int32, k.c(32)),
                   s = k.shared("s", DataType::Int32, 32);
    Body body = {store(s, k.t, k.number(1)), k.begin(y, k.t, s, k.t), end_group()};
    if (waits) body.push_back(wait_for_groups(0));
    body.push_back(store(s, k.t, k.number(2)));
    const Ran r = run(k.with(std::move(body)));
    if (waits) {
      EXPECT_EQ(first_fault(r), "");
      EXPECT_EQ(r.item(y, 7), 1);
    } else {
      EXPECT_EQ(
          first_fault(r),
          "s[0] is written after a copy of thread (0, 0, 0) has read it, with no wait between "
          "for its end, at block (0, 0, 0), thread (0, 0, 0), t = 0");
    }
  }
}

TEST(EmulateEvents, RolesHandTilesOverByBarrierObjects) {
  expect_reversed_tiles<RolePipeline>(6);
  EXPECT_EQ(found<RolePipeline>([](auto&) {}), kNone);
}

TEST(EmulateEvents, ARoleThatDoesNotWaitReadsOrWritesTooEarly) {
  using K = RolePipeline;
  EXPECT_EQ(found<K>([](K& k) { k.waits_for_full = false; }).count(FaultKind::Race), 1U);
  EXPECT_EQ(found<K>([](K& k) { k.waits_for_empty = false; }).count(FaultKind::Race), 1U);
}

TEST(EmulateEvents, APhaseThatNeverEndsIsTold) {
  using K = RolePipeline;
  EXPECT_EQ(found<K>([](K& k) { k.bytes = 512; }), kStuck);
  EXPECT_EQ(found<K>([](K& k) { k.bytes = 128; }).count(FaultKind::DivergentBarrier), 1U);
  EXPECT_EQ(found<K>([](K& k) { k.frees = false; }), kStuck);
  EXPECT_EQ(found<K>([](K& k) { k.empty_arrivals = 65; }), kStuck);
  EXPECT_EQ(found<K>([](K& k) { k.full_phase = 1; }).count(FaultKind::DivergentBarrier), 1U);
  // The stage is free before the last thread has read it.
  EXPECT_NE(found<K>([](K& k) { k.empty_arrivals = 63; }), kNone);
  K k;
  k.bytes = 512;
  EXPECT_EQ(run(k.make()).faults.at(1).text,
            "thread (32, 0, 0) is at a wait for phase 0 that never ends: 1 of 1 arrivals and 256 "
            "of 512 bytes have come, at block (0, 0, 0), thread (32, 0, 0), t = 32, k = 0");
}

TEST(EmulateEvents, ABarrierOfTheBlockInARegionIsMissed) {
  EventKernel k("missed", 64);
  const BufferId y = k.output("y", DataType::Int32, k.c(64));
  const Ran r = run(k.with({region("first", {~0U}, {barrier()}), store(y, k.t, k.number(1))}));
  EXPECT_EQ(kinds(r), kStuck);
  EXPECT_EQ(first_fault(r),
            "thread (0, 0, 0) waits at a barrier that thread (32, 0, 0) does not reach, "
            "at block (0, 0, 0), thread (0, 0, 0), t = 0");
  EXPECT_EQ(r.item(y, 0), 1);
}

TEST(EmulateEvents, ALoopRunsAsOftenAsMemorySays) {
  std::vector<std::int64_t> lengths, x;
  for (std::int64_t i = 0; i < 32; ++i) lengths.push_back(i % 17);
  for (std::int64_t i = 0; i < 512; ++i) x.push_back(i);
  const auto ran = [&](std::int64_t items) {
    RaggedSum k;
    k.items = items;
    x.resize(std::size_t(items));
    return run(k.make(), {{0, lengths}, {1, x}});
  };
  const Ran r = ran(512);
  EXPECT_EQ(first_fault(r), "");
  EXPECT_EQ(r.item(2, 3), 48 + 49 + 50);
  lengths[31] = 16;
  EXPECT_EQ(kinds(ran(511)), std::set{FaultKind::OutOfBounds});
  lengths[31] = 17;
  EXPECT_EQ(first_fault(ran(512)),
            "n is 17, and is said to be 0 to 16, at block (0, 0, 0), thread (31, 0, 0), t = 31");
}

TEST(EmulateEvents, ThreadsThatMeetInALoopRunItAlikeOften) {
  CountedExchange one, own;
  own.is_one_count = false;
  const std::vector<std::int64_t> alike(32, 3);
  std::vector<std::int64_t> unlike = alike;
  unlike[5] = 2;
  const Ran r = run(one.make(), {{0, alike}});
  EXPECT_EQ(first_fault(r), "");
  EXPECT_EQ(r.item(1, 0), 31);
  EXPECT_EQ(kinds(run(own.make(), {{0, alike}})), kNone);
  EXPECT_EQ(kinds(run(own.make(), {{0, unlike}})).count(FaultKind::DivergentBarrier), 1U);
}

TEST(EmulateEvents, AWhileLoopRunsAsLongAsItsConditionHolds) {
  CountDown k;
  const Ran r = run(k.make(), {{0, {0, 1, 2, 3, 4, 5, 6, -7}}});
  EXPECT_EQ(first_fault(r), "");
  EXPECT_EQ(r.item(1, 6), 21);
  EXPECT_EQ(r.item(1, 7), 0);
  CountDown endless(1);
  endless.counts = false;
  EXPECT_EQ(first_fault(run(endless.make(), {{0, {1}}})).substr(0, 50),
            "thread (0, 0, 0) is at a loop that goes on and on,");
}

TEST(EmulateEvents, ARandomOrderComesToTheSame) {
  for (std::uint64_t seed : {1, 2, 3}) {
    RolePipeline k;
    const Kernel& kernel = k.make();
    const Ran a = run(kernel), b = run(kernel, {}, seed);
    EXPECT_EQ(a.arrays[1].bytes, b.arrays[1].bytes);
  }
}

// Every kind of statement that is not written in CUDA yet is refused by name.
TEST(EventText, NotEmittedYet) {
  const auto refusal = [](const Kernel& kernel) -> std::string {
    try {
      cuda(kernel);
    } catch (const Illegal& e) {
      return e.diagnostic().code + ": " + e.diagnostic().message;
    }
    return "";
  };
  EXPECT_EQ(refusal(QueuePipeline{}.make()), "");
  EXPECT_EQ(refusal(RolePipeline{}.make()), "");
  EXPECT_EQ(refusal(RaggedSum{}.make()), "");
  EXPECT_EQ(refusal(CountDown{}.make()),
            "E706: the kernel countdown has a while loop, which is not emitted yet");
  EventKernel waits("waits", 1), ends("ends", 1);
  const auto object = [](EventKernel& k) { return BarrierObject{k.objects("o", 1, 1), k.c(0)}; };
  EXPECT_EQ(refusal(waits.with({wait(object(waits), waits.c(0))})), "");
  EXPECT_EQ(refusal(ends.with({arrive(object(ends))})), "");
  // A copy of two bytes is no one instruction.
  EventKernel halves("halves", 32);
  const BufferId x = halves.input("x", DataType::Half, halves.c(32)),
                 s = halves.shared("s", DataType::Half, 32);
  EXPECT_EQ(refusal(halves.with({halves.begin(s, halves.t, x, halves.t), end_group()})),
            "E706: the kernel halves has an asynchronous copy, which is not emitted yet");
}

}  // namespace
}  // namespace selvage
