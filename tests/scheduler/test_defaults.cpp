#include <selvage/base/diagnostic.h>
#include <selvage/scheduler/defaults.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

// m[i] = max x[i, :], s[i] = sum exp(x - m), y = exp(x - m) / s: e is inlined into s and y.
struct Softmax : Notation {
  Tensor x = input("x", {M, N});
  Tensor top = f.compute_fold(
      "top", {m}, {M}, {.how = Reduction::Max, .indices = {n}, .shape = {N}}, read(x, {m, n}));
  Tensor e = f.compute(
      "e", {m, n}, {M, N},
      f.values().apply(Function::Exp, {apply(Function::Sub, read(x, {m, n}), read(top, {m}))}));
  Tensor s = sum("s", {m}, {M}, {n}, {N}, read(e, {m, n}));
  Tensor y = output("y", {m, n}, {M, N}, apply(Function::TrueDiv, read(e, {m, n}), read(s, {m})));
};

TEST(ScheduleDefaults, AFoldFollowsItsReader) {
  RowSums k;
  Schedule s(k.f);
  EXPECT_EQ(place(s, k.s), "follows");
  const auto [m, n] = s.loops<2>(k.y);
  const auto [no, ni] = s.split(n, 32);
  s.bind(m, ParallelType::BIDx).bind(ni, ParallelType::TIDx);
  const Schedule d = with_defaults(s);
  EXPECT_EQ(nest(d, k.s), "m {M} BIDx, no {(N + 31) / 32}, ni {32} TIDx");
  EXPECT_EQ(place(d, k.s), "at m of y");
  EXPECT_EQ(place(s, k.s), "follows");
  EXPECT_EQ(everything(with_defaults(d)), everything(d));
}

TEST(ScheduleDefaults, FoldsThatReadEachOtherMeetInOneNest) {
  Softmax k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  const Schedule d = with_defaults(s);
  EXPECT_EQ(place(d, k.s), "at m of y");
  EXPECT_EQ(place(d, k.top), "at m of y");
  EXPECT_EQ(nest(d, k.top), "m {M} BIDx, n {N} TIDx");
  EXPECT_TRUE(d.is_inlined(k.e.id()));
}

// Where s is computed before all loops of y, what it reads is, too.
TEST(ScheduleDefaults, NothingIsComputedFurtherInThanWhoReadsIt) {
  Softmax k;
  Schedule s(k.f);
  s.compute_in(k.s.id(), k.y.id()).keep_in(k.top.id(), Memory::Shared);
  EXPECT_EQ(place(with_defaults(s), k.top), "in y shared");
  Schedule outer(k.f);
  const auto [mo, mi] = outer.split(outer.loops<2>(k.y)[0], 4);
  outer.split(outer.loops<2>(k.s)[0], 4);
  outer.compute_at(k.s.id(), mo);
  EXPECT_EQ(place(with_defaults(outer), k.top), "at mo of y");
}

TEST(ScheduleDefaults, TheFirstLoopThatItLacksEndsWhatItShares) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [mo, mi] = s.split(m, 4);
  s.reorder({mo, n, mi});
  EXPECT_EQ(place(with_defaults(s), k.s), "at mo of y");
  EXPECT_EQ(nest(with_defaults(s), k.s), "mo {(M + 3) / 4}, mi {4}, n {N}");
  s.reorder({n, mo, mi});
  EXPECT_EQ(place(with_defaults(s), k.s), "");  // before y: M elements fit no registers
  s.keep_in(k.s.id(), Memory::Shared);
  EXPECT_EQ(place(with_defaults(s), k.s), "in y shared");
  s.reorder({mo, mi, n});
  EXPECT_EQ(place(with_defaults(s), k.s), "at mi of y shared");
}

// z[m, n] = s[m] + s[n] over a square: every iteration over m wants all of s.
TEST(ScheduleDefaults, WhatIsReadAtOtherIndicesTooIsComputedBefore) {
  Notation k;
  const Expr L = k.f.constant(24);
  const Tensor x = k.input("x", {L, L});
  const Tensor s = k.sum("s", {k.m}, {L}, {k.n}, {L}, k.read(x, {k.m, k.n}));
  const ValueId at_m = k.read(s, {k.m}), at_n = k.read(s, {k.n});
  Tensor z = k.output("z", {k.m, k.n}, {L, L}, k.apply(Function::Add, at_m, at_n));
  Schedule schedule(k.f);
  EXPECT_EQ(place(with_defaults(schedule), s), "in z");
  // A block that computed its own part of s only would miss the others'.
  schedule.bind(schedule.loops(z.id())[0], ParallelType::BIDx);
  schedule.bind(schedule.loops(z.id())[1], ParallelType::TIDx);
  EXPECT_EQ(nest(with_defaults(schedule), s), "m {24}, n {24}");
}

// The mirrored read goes through an inlined tensor.
TEST(ScheduleDefaults, AnotherIndexThroughAnInlinedTensorCounts) {
  Notation k;
  const Expr L = k.f.constant(24);
  const Tensor x = k.input("x", {L, k.N});
  const Tensor s = k.sum("s", {k.m}, {L}, {k.n}, {k.N}, k.read(x, {k.m, k.n}));
  const Tensor t = k.f.compute("t", {k.m}, {L}, k.read(s, {L - 1 - k.m}));
  const ValueId straight = k.read(s, {k.m}), mirrored = k.read(t, {k.m});
  k.output("y", {k.m}, {L}, k.apply(Function::Add, straight, mirrored));
  Schedule schedule(k.f);
  EXPECT_EQ(place(with_defaults(schedule), s), "in y");
  // By itself, t is a kernel that has no loop in common with y's.
  schedule.materialize(t.id());
  EXPECT_EQ(place(with_defaults(schedule), s), "");
}

// What it would keep has no number of elements, unless someone says that it is kept all the same.
TEST(ScheduleDefaults, WhatHasNoNumberOfElementsIsAKernelOfItsOwn) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor s = k.sum("s", {k.m}, {k.M}, {k.n}, {k.N}, k.read(x, {k.m, k.n}));
  const ValueId mirrored = k.read(s, {k.M - 1 - k.m});
  const Tensor y = k.output("y", {k.m}, {k.M}, mirrored);
  Schedule schedule(k.f);
  schedule.bind(schedule.loops(y.id())[0], ParallelType::BIDx);
  EXPECT_EQ(place(with_defaults(schedule), s), "");
  EXPECT_EQ(nest(with_defaults(schedule), s), "m {M}, n {N}");
  schedule.keep_in(s.id(), Memory::Shared);
  EXPECT_EQ(place(with_defaults(schedule), s), "in y shared");
}

TEST(ScheduleDefaults, ReadersWithoutACommonNestLeaveItAKernelOfItsOwn) {
  RowSums k;
  const Tensor z = k.output("z", {k.m, k.n}, {k.M, k.N}, k.read(k.s, {k.m}));
  Schedule s(k.f);
  s.bind(s.loops(k.y.id())[0], ParallelType::BIDx);
  s.bind(s.loops(z.id())[0], ParallelType::BIDy);
  const Schedule d = with_defaults(s);
  EXPECT_EQ(place(d, k.s), "");
  EXPECT_EQ(nest(d, k.s), "m {M} BIDx, n {N}");
}

TEST(ScheduleDefaults, WhatFoldsOverBlocksIsAKernelOfItsOwn) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor s = k.sum("s", {k.n}, {k.N}, {k.m}, {k.M}, k.read(x, {k.m, k.n}));
  const Tensor y = k.output("y", {k.m, k.n}, {k.M, k.N},
                            k.apply(Function::Sub, k.read(x, {k.m, k.n}), k.read(s, {k.n})));
  Schedule schedule(k.f);
  const auto [m, n] = schedule.loops<2>(y);
  schedule.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  EXPECT_EQ(place(with_defaults(schedule), s), "");
  EXPECT_EQ(nest(with_defaults(schedule), s), "n {N} TIDx, m {M} BIDx");
  schedule.keep_in(s.id(), Memory::Shared);
  EXPECT_EQ(refusal_by<Illegal>([&] { with_defaults(schedule); }),
            "selvage: error[E419]: s is kept in shared memory, and folds over m, which is bound to "
            "BIDx; help: keep it in global memory");
  schedule.keep_in(s.id(), Memory::Global);
  EXPECT_EQ(place(with_defaults(schedule), s), " global");
}

TEST(ScheduleDefaults, GlobalMemoryIsAskedForAndKept) {
  RowSums k;
  Schedule s(k.f);
  s.bind(s.loops(k.y.id())[0], ParallelType::BIDx);
  s.keep_in(k.s.id(), Memory::Global);
  EXPECT_EQ(place(with_defaults(s), k.s), " global");
  EXPECT_EQ(nest(with_defaults(s), k.s), "m {M} BIDx, n {N}");
}

TEST(ScheduleDefaults, WhatWasCutUpByHandStaysAKernelOfItsOwn) {
  RowSums k;
  Schedule s(k.f);
  s.split(s.loops(k.s.id())[1], 32);
  EXPECT_EQ(place(with_defaults(s), k.s), "");
  EXPECT_EQ(nest(with_defaults(s), k.s), "m {M}, no {(N + 31) / 32}, ni {32}");
}

TEST(ScheduleDefaults, WhatNoOutputHangsOnIsLeftAlone) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor s = k.sum("s", {k.m}, {k.M}, {k.n}, {k.N}, k.read(x, {k.m, k.n}));
  const Tensor dead = k.f.compute("dead", {k.m}, {k.M}, k.read(s, {k.m}));
  const Tensor y = k.output("y", {k.m}, {k.M}, k.read(x, {k.m, k.f.constant(0)}));
  const Schedule d = with_defaults(Schedule(k.f));
  EXPECT_EQ(place(d, s), "follows");
  (void)dead, (void)y;
}

TEST(ScheduleDefaults, RefusesASiteThatIsNoLoopAnyMore) {
  RowSums k;
  Schedule s(k.f);
  const ScheduledLoop m = s.loops(k.y.id())[0];
  s.compute_at(k.s.id(), m);
  const auto [mo, mi] = s.split(m, 4);
  EXPECT_EQ(refusal_by<Illegal>([&] { with_defaults(s); }),
            "selvage: error[E418]: s is to be computed at m, which is no loop of y any more; help: "
            "say where it is computed after the loops of y are cut up");
  s.compute_at(k.s.id(), mo);
  EXPECT_EQ(place(with_defaults(s), k.s), "at mo of y");
}

TEST(ScheduleDefaults, SharedAndLocalCopiesAreComputedWhereTheyAreRead) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  const Tensor row{&k.f, s.cache(k.x.id(), "row", Memory::Local)};
  const Schedule d = with_defaults(s);
  EXPECT_EQ(place(d, k.s), "at m of y");
  // Read by s, which is at m of y, and by y.
  EXPECT_EQ(place(d, row), "at m of y local");
  EXPECT_EQ(nest(d, row), "m {M} BIDx, n {N} TIDx");
  // Two outputs have no nest in common.
  k.output("z", {k.m, k.n}, {k.M, k.N}, k.read(k.x, {k.m, k.n}));
  Schedule two(k.f);
  two.cache(k.x.id(), "row", Memory::Shared);
  EXPECT_EQ(refusal_by<Illegal>([&] { with_defaults(two); }),
            "selvage: error[E419]: row is kept in shared memory, and is read by s, y and z, which "
            "are computed in nests of their own; help: keep it in global memory");
  two.keep_in(*two.fusion().find("row"), Memory::Global);
  with_defaults(two);
}

}  // namespace
}  // namespace selvage
