#include <gtest/gtest.h>

#include <thread>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

TEST(Schedule, BeginsWithSerialNestsAndInlinesWhatOnlyOthersRead) {
  const ScheduleCase k;
  const Schedule s(k.f);
  EXPECT_EQ(nest(s, k.y), "m {M}, n {32}");
  EXPECT_EQ(nest(s, k.t), "m {M}, n {32} inlined");
}

TEST(Schedule, ASplitTakesTheLoopsPlace) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [outer, inner] = s.split(k.loop(s, 0), 4);
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, mi {4}, n {32}");
  s.split(inner, 2, {.outer = "few", .inner = "many", .inner_split = false});
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, few {2}, many {2}, n {32}");
  EXPECT_EQ(s.transforms(k.y.id()).size(), 2u);
  EXPECT_EQ(s.transforms(k.t.id()).size(), 0u);
}

TEST(Schedule, AMergeStandsWhereItsOuterLoopStood) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [outer, inner] = s.split(m, 4);
  s.merge(inner, n, "rest");
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, rest {128}");
}

TEST(Schedule, ResizeAndSwizzleKeepThePlaces) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [outer, inner] = s.split(k.loop(s, 0), 4);
  const ScheduledLoop wider = s.resize(inner, k.c(1), k.c(3));
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, mir {8}, n {32}");
  s.swizzle(SwizzleKind::Xor, wider, k.loop(s, 2), "row");
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, row {8}, ns {32}");
}

TEST(Schedule, ReorderAndBind) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.reorder({n, m}).bind(n, ParallelType::TIDx).bind(m, ParallelType::BIDx);
  EXPECT_EQ(nest(s, k.y), "n {32} TIDx, m {M} BIDx");
  s.bind(n, ParallelType::Serial).bind(m, ParallelType::TIDx);
  EXPECT_EQ(nest(s, k.y), "n {32}, m {M} TIDx");
  s.reorder({});
  EXPECT_EQ(nest(s, k.y), "n {32}, m {M} TIDx");
}

// What comes out of a bound loop is serial, and the type is free for any loop.
TEST(Schedule, ABindingEndsWithItsLoop) {
  ScheduleCase k;
  for (const char* transform : {"split", "merge", "resize", "swizzle", "set_loops"}) {
    Schedule s(k.f);
    const auto [m, n] = s.loops<2>(k.y);
    s.bind(m, ParallelType::TIDx);
    const std::string which = transform;
    if (which == "split") s.split(m, 4);
    if (which == "merge") s.merge(m, n);
    if (which == "resize") s.resize(m, k.c(0), k.c(1));
    if (which == "swizzle") s.swizzle(SwizzleKind::CyclicShift, m, n);
    if (which == "set_loops") {
      const auto parts = s.derive(k.y.id(), Split{m.domain, {}, {}, k.c(4)}, {"mo", "mi"});
      s.set_loops(k.y.id(), {parts[0], parts[1], n.domain});
    }
    const ScheduledLoop first = k.loop(s, 0), last = s.loops(k.y.id()).back();
    EXPECT_EQ(s.parallel(k.y.id(), first.domain), ParallelType::Serial) << which;
    s.bind(last, ParallelType::TIDx);
    EXPECT_EQ(s.parallel(k.y.id(), last.domain), ParallelType::TIDx) << which;
  }
}

TEST(Schedule, StoresAndInlinesOnRequest) {
  ScheduleCase k;
  Schedule s(k.f);
  s.materialize(k.t.id());
  EXPECT_FALSE(s.is_inlined(k.t.id()));
  s.inline_into_readers(k.t.id());
  EXPECT_TRUE(s.is_inlined(k.t.id()));
}

// Two tensors that cut one iterdomain the same way share what comes out, each by its own names.
TEST(Schedule, EqualCutsOfSharedIterdomainsAreShared) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [o, i] = s.split(s.loops(k.y.id())[0], 4, {.outer = "a", .inner = "b"});
  const auto [p, q] = s.split(s.loops(k.t.id())[0], 4, {.outer = "c", .inner = "d"});
  EXPECT_EQ(o.domain, p.domain);
  EXPECT_EQ(i.domain, q.domain);
  EXPECT_EQ(nest(s, k.y), "a {(M + 3) / 4}, b {4}, n {32}");
  EXPECT_EQ(nest(s, k.t), "c {(M + 3) / 4}, d {4}, n {32} inlined");
}

TEST(Schedule, CopiesAreIndependent) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.split(m, 4);
  const std::string before = everything(s);
  Schedule copy = s;
  copy.bind(copy.split(n, 8).second, ParallelType::TIDx);
  copy.materialize(k.t.id());
  EXPECT_EQ(everything(s), before);
  EXPECT_EQ(nest(copy, k.y), "mo {(M + 3) / 4}, mi {4}, no {4}, ni {8} TIDx");
  s.split(n, 16);
  EXPECT_EQ(nest(copy, k.y), "mo {(M + 3) / 4}, mi {4}, no {4}, ni {8} TIDx");
  EXPECT_EQ(nest(s, k.y), "mo {(M + 3) / 4}, mi {4}, no {2}, ni {16}");
}

TEST(Schedule, SeveralThreadsMayTryTheirOwnCopies) {
  ScheduleCase k;
  const Schedule s(k.f);
  std::vector<std::string> nests(8);
  std::vector<std::thread> threads;
  for (std::size_t j = 0; j < nests.size(); ++j) {
    threads.emplace_back([&, j] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Schedule copy = s;
        copy.split(copy.loops(k.y.id())[0], std::int64_t(j) + 2);
        nests[j] = nest(copy, k.y);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(nests[0], "mo {(M + 1) / 2}, mi {2}, n {32}");
  EXPECT_EQ(nests[7], "mo {(M + 8) / 9}, mi {9}, n {32}");
}

TEST(Schedule, TakesOtherLoopsFromWhichTheItemsFollow) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const std::vector<DomainId> parts =
      s.derive(k.y.id(), Split{m.domain, {}, {}, k.c(4)}, {"tile", "row"});
  EXPECT_EQ(nest(s, k.y), "m {M}, n {32}");  // nothing is replaced
  s.set_loops(k.y.id(), {n.domain, parts[1], parts[0]});
  EXPECT_EQ(nest(s, k.y), "n {32}, row {4}, tile {(M + 3) / 4}");
}

}  // namespace
}  // namespace selvage
