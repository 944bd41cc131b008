// Which barrier two accesses need, asked of a kernel that has none.
#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"

namespace selvage {
namespace {

using test::barrier;
using test::guard;
using test::loop;
using test::VerifyCase;

std::string to_text_of(Needed n) {
  return n == Needed::None ? "none" : n == Needed::Part ? "warp" : "block";
}

// What the first two statements' accesses of the buffer need between them.
std::string needed(const Kernel& kernel, BufferId buffer, KnownMeetings* known = nullptr) {
  const AccessMap map(kernel);
  const BarrierOrder order(map);
  MeetingJudge judge(map, known);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < map.accesses().size(); ++i) {
    if (map.accesses()[i].buffer == buffer) list.push_back(i);
  }
  Needed most = Needed::None;
  for (const Meeting& m : order.meetings(list[0], list[1], BarrierOrder::Among::Block)) {
    most = std::max(most, judge.ask(m, false).needed());
  }
  return to_text_of(most);
}

std::string needed(std::int64_t threads, const std::function<Expr(VerifyCase&)>& to,
                   const std::function<Expr(VerifyCase&)>& from) {
  VerifyCase c(threads);
  const BufferId y = c.output("y", DataType::Float, c.c(4096)), s = c.shared("s", 4096);
  const Expr write = to(c), read = from(c);
  const Kernel& k = c.with({c.put(s, write, c.one()), c.put(y, c.tx, c.read(s, read))});
  return needed(k, s);
}

using Case = VerifyCase;

TEST(VerifyOrder, TheLeastBarrierIsFound) {
  const auto own = [](Case& c) { return c.tx; };
  EXPECT_EQ(needed(256, own, own), "none");
  EXPECT_EQ(needed(256, own, [](Case& c) { return c.tx ^ c.c(5); }), "warp");
  EXPECT_EQ(needed(256, own, [](Case& c) { return c.tx ^ c.c(37); }), "block");
  EXPECT_EQ(needed(256, own, [](Case& c) { return c.tx + 256; }), "none");
  EXPECT_EQ(needed(256, own, [](Case& c) { return c.tx / 32 * 32 + 31 - c.tx % 32; }), "warp");
  EXPECT_EQ(needed(256, own, [](Case& c) { return c.tx + 1; }), "block");
  EXPECT_EQ(needed(32, own, [](Case& c) { return c.tx + 1; }), "warp");
  EXPECT_EQ(needed(1, own, [](Case& c) { return c.c(0); }), "none");
  // Swizzled by the row: still each thread its own.
  const auto swizzled = [](Case& c) { return c.tx / 8 * 8 + (c.tx % 8 ^ c.tx / 8 % 8); };
  EXPECT_EQ(needed(256, swizzled, swizzled), "none");
  EXPECT_EQ(needed(64, swizzled, own), "warp");
}

TEST(VerifyOrder, SizesMayBeAny) {
  const auto rows = [](bool guarded, bool transposed) {
    VerifyCase c(32, 4);
    const Expr N = c.size("N");
    const BufferId y = c.output("y", DataType::Float, N * 4);
    const BufferId z = c.output("z", DataType::Float, c.c(128));
    const Expr own = c.ty * N + c.tx, other = transposed ? c.tx * 4 + c.ty : own;
    const Statement first = c.put(y, own, c.one());
    const Statement second = c.put(z, c.ty * 32 + c.tx, c.read(y, other));
    return needed(c.with(guarded ? Body{guard(c.tx < N, {first, second})} : Body{first, second}),
                  y);
  };
  EXPECT_EQ(rows(true, false), "none");
  EXPECT_EQ(rows(false, false), "block");  // N may be 1
  EXPECT_EQ(rows(true, true), "block");
}

TEST(VerifyOrder, IterationsOfALoopAreToldApart) {
  VerifyCase c(64);
  const Expr K = c.size("K"), k = c.variable("k", K);
  const BufferId x = c.input("x", DataType::Float, K * 64), s = c.shared("s", 64);
  const BufferId y = c.output("y", DataType::Float, K * 64);
  const Kernel& kernel = c.with({loop(k, K,
                                      {c.put(s, c.tx, c.read(x, k * 64 + c.tx)), barrier(),
                                       c.put(y, k * 64 + c.tx, c.read(s, 63 - c.tx))})});
  const AccessMap map(kernel);
  const BarrierOrder order(map);
  MeetingJudge judge(map);
  // x is read, s written, s read, y written
  const std::vector<Meeting> list = order.meetings(1, 2, BarrierOrder::Among::Block);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].relation, Meeting::Relation::Next);
  EXPECT_EQ(list[0].first, 2u);
  const Ordering o = judge.ask(list[0]);
  ASSERT_TRUE(o.across_at.has_value());
  EXPECT_EQ(o.across_at->first.variables[0].second + 1, o.across_at->second.variables[0].second);
  EXPECT_EQ(o.across_at->first.thread[0], 63 - o.across_at->second.thread[0]);
  EXPECT_TRUE(order.meetings(1, 1, BarrierOrder::Among::Block).size() == 1);
  EXPECT_EQ(judge.ask({.first = 1, .second = 1, .equal = 0}).needed(), Needed::None);
}

TEST(VerifyOrder, AnswersArePassedOnToKernelsOfTheSameLaunchAlone) {
  VerifyCase c(64);
  const BufferId y = c.output("y", DataType::Float, c.c(64)), s = c.shared("s", 64);
  const Kernel& wide = c.with({c.put(s, c.tx, c.one()), c.put(y, c.tx, c.read(s, c.tx ^ c.c(37)))});
  Kernel narrow = wide;
  narrow.launch.block[0] = c.c(32);
  KnownMeetings known;
  EXPECT_EQ(needed(wide, s, &known), "block");
  const std::size_t asked = known.size();
  EXPECT_EQ(needed(wide, s, &known), "block");
  EXPECT_EQ(known.size(), asked);
  EXPECT_EQ(needed(narrow, s, &known), "none");
  EXPECT_GT(known.size(), asked);
}

// Two neighbours in the second warp, with one of the third.
TEST(VerifyOrder, NeighboursOfALaterWarpMeetAmongOthers) {
  VerifyCase c(96);
  const BufferId y = c.output("y", DataType::Float, c.c(96));
  const Kernel& kernel = c.with({guard(
      33 <= c.tx && c.tx <= 64, {guard(c.tx < 35 || 64 <= c.tx, {c.put(y, c.c(0), c.one())})})});
  const AccessMap map(kernel);
  const Ordering o = MeetingJudge(map).ask({.first = 0, .second = 0});
  EXPECT_TRUE(is_refuted(o.across));
  ASSERT_TRUE(is_refuted(o.within));
  EXPECT_EQ(to_text(std::get<Refuted>(o.within).point), "threadIdx.x = 34, threadIdx.x' = 33");
}

}  // namespace
}  // namespace selvage
