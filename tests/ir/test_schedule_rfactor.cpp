#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

std::string names(const Schedule& s, TensorId t, const std::vector<DomainId>& domains) {
  std::string text;
  for (DomainId d : domains) text += (text.empty() ? "" : " ") + s.name(t, d);
  return text;
}

TEST(ScheduleRfactor, APartialTensorFoldsSomeLoopsAndTheOtherMerges) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  const auto [no, ni] = s.split(n, 32);
  s.bind(m, ParallelType::BIDx).bind(ni, ParallelType::TIDx);
  const Tensor p{&k.f, s.rfactor(k.s.id(), {no}, "p")};

  const TensorInfo &part = s.fusion()[p.id()], &whole = s.fusion()[k.s.id()];
  EXPECT_EQ(nest(s, p), "m {M} BIDx, no {(N + 31) / 32}, ni {32} TIDx");
  EXPECT_EQ(nest(s, k.s), "m {M} BIDx, ni {32} TIDx");
  EXPECT_EQ(names(s, p.id(), part.logical), "m ni");
  EXPECT_EQ(names(s, p.id(), part.root), "m n");
  EXPECT_EQ(names(s, p.id(), part.fold->domains), "no");
  EXPECT_EQ(names(s, p.id(), visited_domain(part)), "m ni no n");
  EXPECT_EQ(names(s, p.id(), counted_domain(*part.fold)), "n");
  EXPECT_EQ(names(s, k.s.id(), visited_domain(whole)), "m ni");
  EXPECT_EQ(names(s, k.s.id(), counted_domain(*whole.fold)), "n");
  EXPECT_TRUE(part.fold->is_partial && !part.fold->merges);
  EXPECT_TRUE(whole.fold->merges && !whole.fold->is_partial);
  EXPECT_FALSE(s.is_folded(p.id(), ni.domain));
  EXPECT_TRUE(s.is_folded(k.s.id(), ni.domain));
  EXPECT_EQ(tensors_read(s.fusion(), k.s.id()), std::vector<TensorId>{p.id()});
  EXPECT_EQ(tensors_read(s.fusion(), p.id()), std::vector<TensorId>{k.x.id()});
  EXPECT_EQ(place(with_defaults(s), p), "at ni of s");
  EXPECT_EQ(nest(with_defaults(s), p), "m {M} BIDx, ni {32} TIDx, no {(N + 31) / 32}");
}

// Where the sum is kept, and how it lies there, is no word about its part.
TEST(ScheduleRfactor, APartLiesAsItsOwnLoopsDo) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  s.keep_in(k.s, Memory::Shared);
  s.layout(k.s).order({m});
  const auto [no, ni] = s.split(n, 32);
  const TensorId p = s.rfactor(k.s.id(), {no}, "p");
  EXPECT_EQ(s.allocation(k.s.id()), std::vector<DomainId>{m.domain});
  EXPECT_TRUE(s.allocation(p).empty());
  EXPECT_FALSE(s.memory(p).has_value());
}

TEST(ScheduleRfactor, OfAPartAndOfWhatMerges) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  const auto [a, rest] = s.split(n, 64);
  const auto [b, c] = s.split(rest, 8, {.outer = "b", .inner = "c"});
  const TensorId p = s.rfactor(k.s.id(), {a}, "p");
  const TensorId q = s.rfactor(k.s.id(), {b}, "q");
  EXPECT_TRUE(s.fusion()[q].fold->is_partial && s.fusion()[q].fold->merges);
  EXPECT_EQ(tensors_read(s.fusion(), k.s.id()), std::vector<TensorId>{q});
  EXPECT_EQ(tensors_read(s.fusion(), q), std::vector<TensorId>{p});
  EXPECT_EQ(names(s, k.s.id(), counted_domain(*s.fusion()[k.s.id()].fold)), "n");
  EXPECT_EQ(names(s, q, visited_domain(s.fusion()[q])), "m c b");
  EXPECT_EQ(names(s, p, visited_domain(s.fusion()[p])), "m b c no n");

  const auto [a0, a1] = s.split(ScheduledLoop{p, a.domain}, 2, {.outer = "a0", .inner = "a1"});
  const TensorId r = s.rfactor(p, {a0}, "r");
  EXPECT_TRUE(s.fusion()[r].fold->is_partial && !s.fusion()[r].fold->merges);
  EXPECT_TRUE(s.fusion()[p].fold->is_partial && s.fusion()[p].fold->merges);
  EXPECT_EQ(names(s, r, visited_domain(s.fusion()[r])), "m b c a1 a0 n");
  EXPECT_EQ(names(s, p, visited_domain(s.fusion()[p])), "m b c a1");
  EXPECT_EQ(names(s, r, counted_domain(*s.fusion()[r].fold)), "n");
  (void)c, (void)a1;
}

TEST(ScheduleRfactor, AScheduleOfTheFusionBeginsWithThePartialTensors) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  const TensorId p = s.rfactor(k.s.id(), {s.split(n, 32).first}, "p");
  const Schedule again(s.fusion());
  EXPECT_EQ(nest(again, {&k.f, p}), "m {M}, ni {32}, no {(N + 31) / 32}");
  EXPECT_EQ(again.transforms(p).size(), 1u);
}

TEST(ScheduleRfactor, WhatWasComputedAtALoopIsAtThatLoopOfThePart) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N});
  const Tensor t =
      k.f.compute("t", {k.m, k.n}, {k.M, k.N},
                  k.apply(Function::Add, k.read(x, {k.m, k.n}), k.read(x, {k.m, k.n})));
  const Tensor y = k.f.output("y", k.sum("sum", {k.m}, {k.M}, {k.n}, {k.N}, k.read(t, {k.m, k.n})));
  Schedule s(k.f);
  const auto [no, ni] = s.split(s.loops<2>(y)[1], 8);
  s.split(s.loops<2>(t)[1], 8);
  s.compute_at(t.id(), no);
  s.rfactor(y.id(), {no}, "p");
  EXPECT_EQ(place(with_defaults(s), t), "at no of p");
  (void)ni;
}

TEST(ScheduleRfactor, Refusals) {
  RowSums k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.s);
  const auto [ym, yn] = s.loops<2>(k.y);
  const TensorId t = k.s.id();
  EXPECT_EQ(refusal(s, [&, l = yn] { s.rfactor(k.y.id(), {l}, "p"); }),
            "selvage: error[E421]: y folds over nothing; help: leave the rfactor out: it takes "
            "tensors that are reductions");
  EXPECT_EQ(refusal(s, [&, l = yn] { s.rfactor(t, {l}, "p"); }),
            "selvage: error[E411]: an rfactor takes loops of one tensor; help: take loops of s");
  EXPECT_EQ(
      refusal(s, [&, l = m] { s.rfactor(t, {l}, "p"); }),
      "selvage: error[E421]: s does not fold over m; help: take some of n, over which it folds");
  EXPECT_EQ(refusal(s, [&] { s.rfactor(t, {}, "p"); }),
            "selvage: error[E421]: no loop is given that a part of s folds over; help: take one of "
            "n");
  EXPECT_EQ(refusal(s, [&, l = n] { s.rfactor(t, {l}, "p"); }),
            "selvage: error[E421]: a part of s would fold over all of it, n, and leave nothing to "
            "merge; help: split a loop, and take one of the two");
  const auto [no, ni] = s.split(n, 4);
  EXPECT_EQ(refusal(s, [&, l = n] { s.rfactor(t, {l}, "p"); }),
            "selvage: error[E410]: n is not a loop of s any more: it was split, merged, resized or "
            "swizzled; help: take what came out of that transform");
  EXPECT_EQ(refusal(s, [&, l = no] { s.rfactor(t, {l}, "y"); }),
            "selvage: error[E502]: y is the name of a tensor already; help: choose another name");
  s.rfactor(t, {no}, "p");
  EXPECT_EQ(
      refusal(s,
              [&, l = ni] {
                s.merge({t, m.domain}, l);
              }),
      "selvage: error[E417]: s folds over ni and not over m: no loop is both; help: transform "
      "loops that are folded over, or loops that are not, among themselves");
  // Of the part, ni is an axis.
  s.merge({*s.fusion().find("p"), m.domain}, {*s.fusion().find("p"), ni.domain});
}

}  // namespace
}  // namespace selvage
