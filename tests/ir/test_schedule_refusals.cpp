#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

TEST(ScheduleRefuses, WhatIsNoLoopAnyMore) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.split(m, 4);
  const char* const gone =
      "selvage: error[E410]: m is not a loop of y any more: it was split, merged, resized or "
      "swizzled; "
      "help: take what came out of that transform";
  EXPECT_EQ(refusal(s, [&, m = m] { s.split(m, 2); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.merge(n, m); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.merge(m, n); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m] { s.resize(m, k.c(0), k.c(1)); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.swizzle(SwizzleKind::CyclicShift, n, m); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m] { s.bind(m, ParallelType::TIDx); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.reorder({n, m}); }), gone);
}

TEST(ScheduleRefuses, LoopsOfTwoTensors) {
  ScheduleCase k;
  Schedule s(k.f);
  const ScheduledLoop of_y = s.loops(k.y.id())[0], of_t = s.loops(k.t.id())[1];
  EXPECT_EQ(refusal(s, [&] { s.merge(of_y, of_t); }),
            "selvage: error[E411]: a merge takes two loops of one tensor; help: merge two "
            "different loops "
            "of it");
  EXPECT_EQ(refusal(s, [&] { s.merge(of_y, of_y); }),
            "selvage: error[E411]: a merge takes two loops of one tensor; help: merge two "
            "different loops "
            "of it");
  EXPECT_EQ(refusal(s, [&] { s.swizzle(SwizzleKind::CyclicShift, of_y, of_t); }),
            "selvage: error[E411]: a swizzle takes two loops of one tensor; help: swizzle two "
            "loops of it");
  EXPECT_EQ(
      refusal(s,
              [&] {
                s.reorder({of_y, of_t});
              }),
      "selvage: error[E411]: a reorder takes the loops of one tensor; help: reorder each apart");
}

TEST(ScheduleRefuses, WhatTheGraphRefuses) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(
      refusal(s, [&, n = n] { s.split(n, 0); }),
      "selvage: error[E401]: the factor of the split of n is 0; help: a factor is at least 1");
  EXPECT_EQ(
      refusal(s, [&, n = n] { s.resize(n, k.c(-16), k.c(-16)); }),
      "selvage: error[E403]: the resize of n by -16 and -16 leaves an extent of 0; help: resize by "
      "more; an extent is at least 1");
  EXPECT_EQ(
      refusal(s, [&, n = n] { s.swizzle(SwizzleKind::CyclicShift, n, n); }),
      "selvage: error[E404]: the swizzle of n with itself is no permutation; help: swizzle two "
      "different iterdomains");
}

TEST(ScheduleRefuses, AnOrderThatIsNoPermutation) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(refusal(s, [&, n = n] { s.reorder({n}); }),
            "selvage: error[E412]: the order of the loops of y is no permutation of them; help: "
            "name every "
            "loop once; missing or repeated: m");
  EXPECT_EQ(refusal(s,
                    [&, n = n, m = m] {
                      s.reorder({n, m, n});
                    }),
            "selvage: error[E412]: the order of the loops of y is no permutation of them; help: "
            "name every "
            "loop once; missing or repeated: n");
  EXPECT_EQ(refusal(s, [&] { s.loops<3>(k.y); }),
            "selvage: error[E412]: 3 loops were asked for and the tensor has 2; help: ask for 2");
  EXPECT_EQ(refusal(s,
                    [&, m = m, n = n] {
                      s.set_loops(k.y.id(), {m.domain, n.domain, m.domain});
                    }),
            "selvage: error[E412]: m is a loop of y twice; help: name every loop once");
}

TEST(ScheduleRefuses, ATypeThatIsTakenOrNotSupported) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(m, ParallelType::TIDx);
  EXPECT_EQ(refusal(s, [&, n = n] { s.bind(n, ParallelType::TIDx); }),
            "selvage: error[E413]: TIDx of y is bound to m already, and now to n; help: merge the "
            "two, or bind n to TIDy");
  EXPECT_EQ(refusal(s, [&, n = n] { s.bind(n, ParallelType::Group); }),
            "selvage: error[E414]: binding n to Group is not supported yet; help: bind it to "
            "BIDx..z or TIDx..z; or leave it serial");
}

TEST(ScheduleRefuses, ToInlineInputsAndOutputs) {
  ScheduleCase k;
  Schedule s(k.f);
  EXPECT_EQ(refusal(s, [&] { s.inline_into_readers(k.x.id()); }),
            "selvage: error[E415]: x is an input and cannot be inlined; help: leave inline out: "
            "what is computed where it is read lies between inputs and outputs");
  EXPECT_EQ(refusal(s, [&] { s.inline_into_readers(k.y.id()); }),
            "selvage: error[E415]: y is an output and cannot be inlined; help: leave inline out: "
            "what is computed where it is read lies between inputs and outputs");
}

TEST(ScheduleRefuses, LoopsFromWhichTheItemsDoNotFollow) {
  ScheduleCase k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(
      refusal(s, [&, m = m] { s.set_loops(k.y.id(), {m.domain}); }),
      "selvage: error[E416]: the index of n of y does not follow from its loops; help: take loops "
      "from which every logical iterdomain follows");
  // What another tensor was cut into does not make this one's indices follow.
  const auto [o, i] = s.split(s.loops(k.t.id())[1], 4, {.outer = "no", .inner = "ni"});
  EXPECT_EQ(refusal(s,
                    [&, m = m, o = o, i = i] {
                      s.set_loops(k.y.id(), {m.domain, o.domain, i.domain});
                    }),
            "selvage: error[E416]: the index of n of y does not follow from its loops; help: take "
            "loops from which every logical iterdomain follows");
}

TEST(ScheduleRefuses, BlocksThatCannotMeetAtomically) {
  Fusion f;
  const auto [b, h] = f.extents("B", "H");
  const Tensor x = f.input("x", {b, h}, DataType::Half), w = f.input("w", {b, h}, DataType::Float);
  const Tensor mean = f.output("m", reduce(Reduction::Mean, w, {1}));
  const Tensor half = f.output("s", reduce(Reduction::Sum, x, {1}));
  const Tensor sum = f.output("t", reduce(Reduction::Sum, w, {1}));
  const Tensor most = f.output("u", reduce(Reduction::Max, x, {1}));
  const Tensor twice = f.output("v", w * 2);
  Schedule s(f);
  EXPECT_EQ(refusal(s, [&] { s.meet_atomically(mean.id()); }),
            "selvage: error[E423]: m is no sum, min or max that blocks could meet in; help: "
            "leave blocks: atomic out, and rfactor it: the parts are a kernel, {memory: global}, "
            "and merging them another");
  EXPECT_EQ(refusal(s, [&] { s.meet_atomically(twice.id()); }),
            "selvage: error[E423]: v is no sum, min or max that blocks could meet in; help: "
            "leave blocks: atomic out: it is for what is folded");
  EXPECT_EQ(refusal(s, [&] { s.meet_atomically(half.id()); }),
            "selvage: error[E423]: s is added up in float and stored as half, which would round "
            "each addition; help: leave blocks: atomic out, and rfactor it: the parts are a "
            "kernel, {memory: global}, and merging them another");
  const TensorId part = s.rfactor(sum.id(), {s.split(s.loops(sum.id())[1], 4).second}, "part");
  EXPECT_EQ(refusal(s, [&] { s.meet_atomically(part); }),
            "selvage: error[E423]: part is a part of a fold; help: leave blocks: atomic out, and "
            "let the blocks meet in what merges the parts");
  s.meet_atomically(sum.id()).meet_atomically(most.id());
  EXPECT_TRUE(s.meets_atomically(sum.id()) && s.meets_atomically(most.id()));
}

}  // namespace
}  // namespace selvage
