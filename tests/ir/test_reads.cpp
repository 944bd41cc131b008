#include <selvage/ir/effective_reads.h>
#include <selvage/ir/reads.h>

#include <gtest/gtest.h>

#include "tests/ir/schedule_case.h"

namespace selvage {
namespace {

std::string text(const Schedule& s, TensorId reader) {
  std::string text;
  for (const EffectiveRead& read : EffectiveReads(s.fusion(), s).of(reader)) {
    text += (text.empty() ? "" : "; ") + s.fusion()[read.source].name + "[";
    for (std::size_t k = 0; k < read.axes.size(); ++k) {
      text += (k == 0 ? "" : ", ") + (read.axes[k] ? s.name(reader, *read.axes[k]) : "?");
    }
    text += "]";
  }
  return text;
}

TEST(EffectiveReads, GoThroughInlinedTensorsAndSayWhichIndexStandsWhere) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.N}), w = k.input("w", {k.N});
  const Tensor t = k.f.compute("t", {k.m, k.n}, {k.M, k.N},
                               k.apply(Function::Add, k.read(x, {k.m, k.n}), k.read(w, {k.n})));
  const Tensor s = k.sum("s", {k.m}, {k.M}, {k.n}, {k.N}, k.read(t, {k.m, k.n}));
  const Tensor y = k.output("y", {k.m, k.n}, {k.M, k.N},
                            k.apply(Function::Mul, k.read(s, {k.m}), k.read(t, {k.m, k.n})));
  Schedule schedule(k.f);
  EXPECT_EQ(text(schedule, s.id()), "w[n]; x[m, n]");
  EXPECT_EQ(text(schedule, y.id()), "s[m]; w[n]; x[m, n]");
  schedule.materialize(t.id());
  EXPECT_EQ(text(schedule, y.id()), "s[m]; t[m, n]");
}

TEST(EffectiveReads, AnAxisThatIsReadInTwoWaysHasNoIndex) {
  Notation k;
  const Tensor x = k.input("x", {k.M, k.M});
  const Tensor t = k.f.compute("t", {k.m, k.n}, {k.M, k.M}, k.read(x, {k.n, k.m}));
  const ValueId one = k.read(t, {k.m, k.n}), other = k.read(t, {k.k, k.n});
  const Tensor y =
      k.output("y", {k.m, k.n, k.k}, {k.M, k.M, k.M}, k.apply(Function::Add, one, other));
  EXPECT_EQ(text(Schedule(k.f), y.id()), "x[n, ?]");
  const Tensor z = k.output("z", {k.m}, {k.M}, k.read(t, {k.M - 1 - k.m, k.m}));
  EXPECT_EQ(text(Schedule(k.f), z.id()), "x[m, ?]");
}

// A chain of n tensors, each read twice by the next, has 2^n ways down.
TEST(EffectiveReads, AreFoundInLinearTime) {
  Notation k;
  Tensor t = k.input("x", {k.M});
  for (int step = 0; step < 200; ++step) {
    t = k.f.compute("", {k.m}, {k.M}, k.apply(Function::Add, k.read(t, {k.m}), k.read(t, {k.m})));
  }
  const Tensor y = k.output("y", {k.m}, {k.M}, k.read(t, {k.m}));
  EXPECT_EQ(text(Schedule(k.f), y.id()), "x[m]");
}

TEST(Reads, RedirectedOnesLeaveTheRestOfADefinitionAsItIs) {
  Notation k;
  const Tensor a = k.input("a", {k.M}), b = k.input("b", {k.M}), c = k.input("c", {k.M});
  const ValueId of_b = k.read(b, {k.m}), of_c = k.read(c, {k.m});
  const ValueId shared = k.apply(Function::Mul, of_b, of_c);
  const ValueId sum = k.apply(Function::Add, k.read(a, {k.m}), shared);
  const Tensor y = k.output("y", {k.m}, {k.M}, k.apply(Function::Sub, sum, shared));
  redirect_reads(k.f, y.id(), a.id(), c.id());
  EXPECT_EQ(tensors_read(k.f, y.id()), (std::vector<TensorId>{b.id(), c.id()}));
  const ValueNode& top = k.f.values()[*k.f[y.id()].definition];
  EXPECT_EQ(top.operands[1], shared);
  EXPECT_NE(top.operands[0], sum);
  const ValueId definition = *k.f[y.id()].definition;
  redirect_reads(k.f, y.id(), a.id(), b.id());
  EXPECT_EQ(*k.f[y.id()].definition, definition);
}

}  // namespace
}  // namespace selvage
