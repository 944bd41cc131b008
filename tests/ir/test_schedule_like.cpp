#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/scheduler/defaults.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

TEST(ScheduleLike, SplitsOrdersAndBindsWhatIsShared) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [mo, mi] = s.split(m, 4);
  s.bind(mo, ParallelType::BIDx).bind(n, ParallelType::TIDx).reorder({mo, n, mi});
  s.materialize(k.t.id());
  s.like(k.t.id(), k.y.id());
  EXPECT_EQ(nest(s, k.t), "mo {(M + 3) / 4} BIDx, n {32} TIDx, mi {4}");
  EXPECT_EQ(s.loop_domains(k.t.id()), s.loop_domains(k.y.id()));
}

TEST(ScheduleLike, TakesTheSameLoopsAgainWithoutAChange) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.swizzle(SwizzleKind::CyclicShift, s.split(m, 4).second, n);
  s.materialize(k.t.id());
  s.like(k.t.id(), k.y.id());
  const std::string once = everything(s);
  s.like(k.t.id(), k.y.id());
  EXPECT_EQ(everything(s), once);
  EXPECT_EQ(nest(s, k.t), "mo {(M + 3) / 4}, mis {4}, ns {32}");
}

// y[m, n] merges m and n; s has no n that is not folded over, so only its m is shared.
TEST(ScheduleLike, AMergeOfWhatIsFoldedAndWhatIsNotIsPassedOver) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [o, i] = s.split(m, 4);
  s.merge(i, n, "rest");
  s.like(k.s.id(), k.y.id());
  EXPECT_EQ(nest(s, k.s), "mo {(M + 3) / 4}, mi {4}, n {N}");
}

// y is a slice of what s has all of; s keeps its rows.
TEST(ScheduleLike, WhatLeavesItemsOutIsNotReplayed) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {f.constant(7), N}, DataType::Float, {"m", "n"});
  const Tensor s = sum(x, {1});
  const Tensor y = f.output("y", slice(s, 0, 1));
  const Tensor z = f.output("z", pad(s, {{1, 0}}));
  Schedule schedule(f);
  const std::string before = nest(schedule, s);
  EXPECT_EQ(refusal(schedule, [&] { schedule.like(s.id(), y.id()); }).substr(0, 20),
            "selvage: error[E422]");
  EXPECT_EQ(nest(schedule, s), before);
  schedule.like(s.id(), z.id());  // what pads has holes
  EXPECT_EQ(schedule.loop_domains(s.id())[0], schedule.loop_domains(z.id())[0]);
  // Unsaid, s is lowered inside y.
  EXPECT_EQ(place(with_defaults(Schedule(f)), s), "");
}

TEST(ScheduleLike, WhatHangsOnATransformThatDoesNotApplyDoesNotEither) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const ScheduledLoop all = s.merge(m, n, "all");
  s.split(all, 128);
  EXPECT_NE(refusal(s, [&] { s.like(k.s.id(), k.y.id()); }), "accepted");
  Schedule t(k.f);
  const auto [tm, tn] = t.loops<2>(k.y);
  const auto [no, ni] = t.split(tn, 8);
  t.split(t.merge(tm, no, "rows"), 4);
  t.like(k.s.id(), k.y.id());
  EXPECT_EQ(nest(t, k.s), "m {M}, ni {8}, no {(N + 7) / 8}");
}

TEST(ScheduleLike, FoldedLoopsKeepBehindAndAreNoVectors) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [no, v] = s.split(n, 4);
  s.bind(m, ParallelType::BIDx).bind(no, ParallelType::TIDx).bind(v, ParallelType::Vectorize);
  s.reorder({no, m, v});
  s.like(k.s.id(), k.y.id());
  EXPECT_EQ(nest(s, k.s), "m {M} BIDx, no {(N + 3) / 4} TIDx, ni {4} Vectorize");
  EXPECT_FALSE(s.follows(k.s.id()));
}

TEST(ScheduleLike, OwnLoopsStandBehindSharedOnes) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor w = k.f.compute(
      "w", {k.k, k.m}, {k.f.constant(3), k.M},
      k.apply(Function::Add, k.read(x, {k.m, k.f.constant(0)}), k.f.values().index(k.k)));
  const Tensor y = k.output("y", {k.m, k.n}, {k.M, k.N}, k.read(w, {k.f.constant(1), k.m}));
  Schedule s(k.f);
  s.materialize(w.id());
  s.bind(s.loops(y.id())[0], ParallelType::BIDx);
  s.like(w.id(), y.id());
  EXPECT_EQ(nest(s, w), "m {M} BIDx, k {3}");
}

TEST(ScheduleLike, RefusesWhatHasNoLoops) {
  ScheduleCase k;
  Schedule s(k.f);
  EXPECT_EQ(refusal(s, [&] { s.like(k.x.id(), k.y.id()); }),
            "selvage: error[E422]: x is an input and has no loops; help: cache it, and take the "
            "copy");
  EXPECT_EQ(refusal(s, [&] { s.like(k.t.id(), k.y.id()); }),
            "selvage: error[E422]: t is inlined and has no loops; help: leave like out; or take a "
            "tensor that is computed in loops");
  EXPECT_EQ(refusal(s, [&] { s.like(k.y.id(), k.t.id()); }),
            "selvage: error[E422]: t is inlined and has no loops; help: leave like out; or take a "
            "tensor that is computed in loops");
  s.materialize(k.t.id());
  s.like(k.t.id(), k.y.id());
  s.like(s.cache(k.x.id(), "x_s", Memory::Shared), k.y.id());
}

TEST(ScheduleLike, RefusesWhereNothingIsShared) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.merge(m, n, "all");
  EXPECT_EQ(refusal(s, [&] { s.like(k.s.id(), k.y.id()); }),
            "selvage: error[E422]: s has no iterdomain in common with y, or with what that is cut "
            "into; help: leave like out, and cut it up by itself; or take a tensor that reads it "
            "at its own indices");
}

TEST(ScheduleLike, RefusesATypeThatWouldBeBoundTwice) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(m, ParallelType::TIDx);
  const auto [no, ni] = s.split(s.loops(k.s.id())[1], 32);
  s.bind(ni, ParallelType::TIDx);
  EXPECT_EQ(refusal(s, [&] { s.like(k.s.id(), k.y.id()); }),
            "selvage: error[E413]: TIDx of s is bound to ni, and by the schedule of y to m; help: "
            "bind ni to Serial, or to another type");
  s.bind(ni, ParallelType::Serial);
  s.like(k.s.id(), k.y.id());
  EXPECT_EQ(nest(s, k.s), "m {M} TIDx, no {(N + 31) / 32}, ni {32}");
}

}  // namespace
}  // namespace selvage
