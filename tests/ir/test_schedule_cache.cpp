#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

std::string readers(const Fusion& f, TensorId t) {
  std::string text;
  for (std::size_t k = 0; k < f.size(); ++k) {
    const std::vector<TensorId> sources = tensors_read(f, TensorId(k));
    if (std::count(sources.begin(), sources.end(), t) == 0) continue;
    text += (text.empty() ? "" : " ") + f[TensorId(k)].name;
  }
  return text;
}

TEST(ScheduleCache, ReadersOfAnInputReadTheCopyInstead) {
  RowSums k;
  Schedule s(k.f);
  const Tensor copy{&k.f, s.cache(k.x.id(), "x_s", Memory::Shared)};
  EXPECT_EQ(readers(s.fusion(), k.x.id()), "x_s");
  EXPECT_EQ(readers(s.fusion(), copy.id()), "s y");
  EXPECT_EQ(s.fusion()[copy.id()].logical, k.f[k.x.id()].logical);
  EXPECT_EQ(nest(s, copy), "m {M}, n {N}");
  EXPECT_EQ(place(s, copy), " shared");
  // The fusion itself is what it was.
  EXPECT_EQ(k.f.size(), 3u);
  EXPECT_EQ(readers(k.f, k.x.id()), "s y");
}

TEST(ScheduleCache, ACopyOfWhatIsInlinedComputesIt) {
  ScheduleCase k;
  Schedule s(k.f);
  const TensorId copy = s.cache(k.t.id(), "t_l", Memory::Local);
  EXPECT_EQ(readers(s.fusion(), k.t.id()), "t_l");
  EXPECT_EQ(readers(s.fusion(), copy), "y");
  EXPECT_TRUE(s.is_inlined(k.t.id()));
  EXPECT_FALSE(s.is_inlined(copy));
}

TEST(ScheduleCache, AnOutputThatNothingReadsIsComputedByItsCache) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(s.split(n, 8).second, ParallelType::Vectorize);
  const Tensor copy{&k.f, s.cache(k.y.id(), "y_l", Memory::Local)};
  EXPECT_EQ(readers(s.fusion(), k.t.id()), "y_l");
  EXPECT_EQ(readers(s.fusion(), copy.id()), "y");
  EXPECT_EQ(nest(s, k.y), "m {M}, no {4}, ni {8} Vectorize");
  EXPECT_EQ(nest(s, copy), "m {M}, n {32}");
  EXPECT_TRUE(s.fusion()[k.y.id()].is_output);
  EXPECT_FALSE(s.fusion()[copy.id()].is_output);
  EXPECT_EQ(place(with_defaults(s), copy), "at ni of y local");
}

TEST(ScheduleCache, AnOutputThatFoldsLeavesThatToItsCache) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor sum = k.sum("sum", {k.m}, {k.M}, {k.n}, {k.N}, k.read(x, {k.m, k.n}));
  const Tensor y = k.f.output("y", sum, DataType::Half);
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(y);
  const auto [no, ni] = s.split(n, 8);
  s.bind(m, ParallelType::BIDx).bind(ni, ParallelType::TIDx);
  const Tensor acc{&k.f, s.cache(y.id(), "acc", Memory::Local)};
  EXPECT_EQ(nest(s, y), "m {M} BIDx");
  EXPECT_TRUE(s.transforms(y.id()).empty());
  EXPECT_FALSE(s.fusion()[y.id()].fold);
  EXPECT_EQ(nest(s, acc), "m {M}, n {N}");
  EXPECT_TRUE(s.is_folded(acc.id(), s.loop_domains(acc.id())[1]));
  EXPECT_EQ(s.fusion()[acc.id()].type, DataType::Float);
  EXPECT_EQ(stored_type(s.fusion()[y.id()]), DataType::Half);
  EXPECT_EQ(nest(with_defaults(s), acc), "m {M} BIDx, n {N}");
  EXPECT_EQ(place(with_defaults(s), acc), "at m of y local");
}

TEST(ScheduleCache, AnOutputThatOthersReadIsCachedForThem) {
  ScheduleCase k;
  k.f.output("z", k.copy_of(k.y, ""));
  Schedule s(k.f);
  const TensorId copy = s.cache(k.y.id(), "y_s", Memory::Shared);
  EXPECT_EQ(readers(s.fusion(), k.y.id()), "y_s");
  EXPECT_EQ(readers(s.fusion(), copy), "z");
}

TEST(ScheduleCache, CachesOfCachesAndCopiesOfSchedules) {
  RowSums k;
  Schedule s(k.f);
  const TensorId shared = s.cache(k.x.id(), "", Memory::Shared);
  const Schedule before = s;
  const TensorId local = s.cache(shared, "", Memory::Local);
  EXPECT_EQ(s.fusion()[shared].name, "x_copy");
  EXPECT_EQ(s.fusion()[local].name, "x_copy_copy");
  EXPECT_EQ(readers(s.fusion(), shared), "x_copy_copy");
  EXPECT_EQ(before.fusion().size(), 4u);
  EXPECT_EQ(readers(before.fusion(), shared), "s y");
  EXPECT_EQ(definition_order(s.fusion()),
            (std::vector<TensorId>{k.x.id(), shared, local, k.s.id(), k.y.id()}));
}

TEST(ScheduleCache, RefusesWhatNothingReads) {
  RowSums k;
  const Tensor unused = k.input("unused", {k.M});
  Schedule s(k.f);
  EXPECT_EQ(refusal(s, [&] { s.cache(unused.id(), "u", Memory::Shared); }),
            "selvage: error[E420]: nothing reads unused, and it is no output; help: leave the "
            "cache out: nothing would read the copy");
  s.cache(k.x.id(), "u", Memory::Shared);
}

TEST(ScheduleCache, RefusesANameThatIsTaken) {
  RowSums k;
  Schedule s(k.f);
  EXPECT_EQ(refusal(s, [&] { s.cache(k.x.id(), "s", Memory::Shared); }),
            "selvage: error[E502]: s is the name of a tensor already; help: choose another name");
  EXPECT_EQ(refusal(s, [&] { s.cache(k.y.id(), "M", Memory::Local); }),
            "selvage: error[E502]: M is the name of a size already; help: choose another name");
  s.cache(k.x.id(), "s2", Memory::Shared);
}

TEST(ScheduleCache, WhatFoldsNoMoreMeetsNoMore) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor y = k.f.output("y", k.sum("sum", {k.m}, {k.M}, {k.n}, {k.N}, k.read(x, {k.m, k.n})));
  Schedule s(k.f);
  s.meet_atomically(y.id());
  const TensorId acc = s.cache(y.id(), "acc", Memory::Local);
  EXPECT_FALSE(s.meets_atomically(y.id()) || s.meets_atomically(acc));
}

TEST(ScheduleCache, RefusesAPartOfAFold) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  const TensorId part = s.rfactor(k.s.id(), {s.split(n, 4).second}, "part");
  EXPECT_EQ(refusal(s, [&] { s.cache(part, "copy", Memory::Shared); }),
            "selvage: error[E420]: part holds states of a fold, and a copy holds elements; help: "
            "say where part itself is kept: memory: shared");
}

TEST(ScheduleCache, RefusesToTakeALoopAwayAtWhichAnotherIsComputed) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor t =
      k.f.compute("t", {k.m, k.n}, {k.M, k.N},
                  k.apply(Function::Add, k.read(x, {k.m, k.n}), k.read(x, {k.m, k.n})));
  const Tensor y = k.f.output("y", k.sum("sum", {k.m}, {k.M}, {k.n}, {k.N}, k.read(t, {k.m, k.n})));
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(y);
  s.compute_at(t.id(), n);
  EXPECT_EQ(
      refusal(s, [&] { s.cache(y.id(), "acc", Memory::Local); }),
      "selvage: error[E420]: t is computed at n, which y would lose: what folds over it would "
      "be the cache; help: cache y first, and compute t at a loop of the cache");
  Schedule other(k.f);
  const TensorId acc = other.cache(y.id(), "acc", Memory::Local);
  other.compute_at(t.id(), other.loops(acc)[1]);
}

}  // namespace
}  // namespace selvage
