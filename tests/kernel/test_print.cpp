#include <selvage/kernel/print.h>

#include <gtest/gtest.h>

#include "../support/hand_kernel.h"

namespace selvage {
namespace {

using namespace test;

TEST(LoopNest, ReadsAsPseudoCode) {
  HandKernel h("y");
  const Expr bx = h.variable("bx", h.c(9)), tx = h.variable("tx", h.c(128));
  const Expr i = h.variable("i", h.c(4)), m = h.pool->symbol("m");
  const BufferId a = h.input("a", DataType::Half, h.c(5000));
  const BufferId y = h.output("y", DataType::Half, h.c(5000));
  ValueGraph& values = h.kernel.values;
  const ValueId x = h.read(a, m * 4 + i);
  const ValueId sum = values.apply(Function::Add, {x, values.constant(DataType::Float, 1.5, true)});
  const ValueId value = values.apply(
      Function::Mul, {values.apply(Function::Relu, {sum}),
                      values.apply(Function::Neg, {values.apply(Function::Sub, {x, x})})});
  Body body = {define(m, bx * 128 + tx)};
  body.push_back(guard(m < 1027, {loop(i, h.c(4), {store(y, m * 4 + i, value)})}));
  body = {loop(tx, h.c(128), std::move(body), ParallelType::TIDx)};
  h.kernel.body = {loop(bx, h.c(9), std::move(body), ParallelType::BIDx)};
  EXPECT_EQ(loop_nest(h.kernel),
            "parallel bx in 9 (BIDx)\n"
            "  parallel tx in 128 (TIDx)\n"
            "    m = bx * 128 + tx\n"
            "    if (m < 1027)\n"
            "      for i in 4\n"
            "        y[m * 4 + i] = relu(a[m * 4 + i] + 1.5) * -(a[m * 4 + i] - a[m * 4 + i])\n");
}

TEST(LoopNest, AValueUsedTwiceGetsALine) {
  HandKernel h("y");
  const Expr i = h.variable("i", h.c(4));
  const BufferId a = h.input("a", DataType::Int32, h.c(4)),
                 y = h.output("y", DataType::Bool, h.c(4));
  ValueGraph& values = h.kernel.values;
  ValueId x = values.apply(Function::FloorDiv, {h.read(a, i), values.index(i - 1)});
  x = values.apply(Function::Lt, {values.apply(Function::Mul, {x, x}), x});
  h.kernel.body.push_back(loop(i, h.c(4), {store(y, i, x)}, ParallelType::Unroll));
  EXPECT_EQ(loop_nest(h.kernel),
            "for i in 4 (Unroll)\n"
            "  v0 = int64(a[i]) // (i - 1)\n"
            "  y[i] = v0 * v0 < v0\n");
}

TEST(LoopNest, SaysWhereThreadsMeetAndWhatIsAtomic) {
  HandKernel h("y");
  const Expr t = h.variable("t", h.c(32)), zero = h.c(0);
  const BufferId y = h.output("y", DataType::Int32, h.c(4));
  const BufferId x = h.local("x", DataType::Int32), z = h.local("z", DataType::Int32, 2);
  ValueGraph& values = h.kernel.values;
  const ValueId product = values.apply(Function::Mul, {h.read(x, zero), h.read(x, zero)});
  h.kernel.body = {barrier(), barrier(Barrier::Scope::Warp), shuffle(z, h.c(1), x, zero, 4),
                   update(y, t % 4, Function::Add, product),
                   update(y, t % 4, Function::Max, h.read(x, zero))};
  EXPECT_EQ(loop_nest(h.kernel),
            "barrier\n"
            "barrier (warp)\n"
            "z[1] = x[0] of lane ^ 4\n"
            "atomic y[t % 4] = y[t % 4] + x[0] * x[0]\n"
            "atomic y[t % 4] = max(y[t % 4], x[0])\n");
}

TEST(LoopNest, SaysWhoMeetsInPartsAndWhatLeavesALoop) {
  HandKernel h("y");
  const Expr k = h.variable("k", h.c(4));
  Barrier some{Barrier::Scope::Threads}, lanes{Barrier::Scope::Warp, 15};
  some.id = 3;
  some.members = {0xffffffff, 1};
  h.kernel.body = {
      {some}, {lanes}, loop(k, h.c(4), {guard(k < 2, {{Leave{k, true}}}), {Leave{k}}})};
  EXPECT_EQ(loop_nest(h.kernel),
            "barrier 3 (threads 0xffffffff 0x00000001)\n"
            "barrier (warp, lanes 0x0000000f)\n"
            "for k in 4\n"
            "  if (k < 2)\n"
            "    continue k\n"
            "  break k\n");
}

}  // namespace
}  // namespace selvage
