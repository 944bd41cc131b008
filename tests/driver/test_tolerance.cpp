#include <selvage/driver/tolerance.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace selvage {
namespace {

class Tolerances : public testing::Test {
 protected:
  // With every size 100.
  Tolerance of(Tensor t) {
    return tolerances(f,
                      [](Expr n) { return n.is(Op::Const) ? n.value() : 100; })[index_of(t.id())];
  }
  Fusion f;
  Expr M = f.extent("M"), N = f.extent("N");
  Tensor x = f.input("x", {M, N}, DataType::Float);
  Tensor k = f.input("k", {M, N}, DataType::Int32);
  Tensor h = f.input("h", {M, N}, DataType::Half);
};

constexpr double kUnit = 0x1p-18 + 8 * 0x1p-24 * 10;  // of 100 floats

TEST_F(Tolerances, WhatHangsOnNoRoundedFoldIsExact) {
  for (Tensor t : {x, exp(x) + k, sum(k, {1}), argmax(x, {1}), any(x),
                   cast(sum(x), DataType::Int32), sum(k) < mean(x), argmax(sum(x, {1}))}) {
    EXPECT_TRUE(of(t).is_exact());
    EXPECT_FALSE(of(t).allows(0.0, -0.0));
    EXPECT_FALSE(of(t).allows(1, 1 + 0x1p-23));
    EXPECT_TRUE(of(t).allows(1, 1));
  }
}

TEST_F(Tolerances, AMeanOf100FloatsIsOffByItsRoundings) {
  const Tolerance t = of(mean(x, {1}));
  EXPECT_TRUE(t.allows(1, 1 + 0.99 * kUnit));
  EXPECT_FALSE(t.allows(1, 1 + 1.01 * kUnit));
  EXPECT_TRUE(t.allows(50, 50 * (1 + 0.99 * kUnit)));
  EXPECT_FALSE(t.allows(50, 50 * (1 + 1.01 * kUnit)));
  EXPECT_TRUE(t.allows(0.0, -0.0));
}

TEST_F(Tolerances, ASumOf100ItemsIsOfSize10) {
  const Tolerance t = of(sum(x, {1}));
  EXPECT_TRUE(t.allows(0, 9.9 * kUnit));
  EXPECT_FALSE(t.allows(0, 10.1 * kUnit));
  // Through other tensors, and of sums of sums: 100 * 100 items.
  const Tolerance all = of(exp(sum(sum(x, {1}))));
  const double unit = 0x1p-18 + 8 * 0x1p-24 * 100;
  EXPECT_TRUE(all.allows(0, 99 * unit));
  EXPECT_FALSE(all.allows(0, 101 * unit));
}

TEST_F(Tolerances, ARoundedResultIsOffByItsType) {
  EXPECT_TRUE(of(mean(h, {1})).allows(1, 1 + 0x1p-10));
  EXPECT_FALSE(of(mean(h, {1})).allows(1, 1 + 0x1p-8));
  EXPECT_TRUE(of(mean(cast(x, DataType::Double))).allows(1, 1 + 0x1p-46));
  EXPECT_FALSE(of(mean(cast(x, DataType::Double))).allows(1, 1 + 0x1p-40));
}

TEST_F(Tolerances, ExtremaAreExact) {
  const Tolerance t = of(max(x, {1}) * 2);
  EXPECT_FALSE(t.allows(0.0, -0.0));
  EXPECT_FALSE(t.allows(1, 1 + 0x1p-23));
  EXPECT_FALSE(of(max(k, {1})).allows(1, 2));
}

TEST_F(Tolerances, InfinitiesAndNaNsAreNotClose) {
  const Tolerance t = of(sum(x, {1}));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(t.allows(infinity, infinity));
  EXPECT_FALSE(t.allows(infinity, 1e30));
  EXPECT_FALSE(t.allows(infinity, -infinity));
  EXPECT_FALSE(t.allows(1, std::nan("")));
  EXPECT_FALSE(t.allows(std::nan(""), 1));
}

TEST_F(Tolerances, OnAGpuFunctionsMayBeOffAsWell) {
  Tolerance t = of(exp(x));
  EXPECT_FALSE(t.allows(1, 1 + 0x1p-19));
  t.allow_functions(DataType::Float);
  EXPECT_TRUE(t.allows(1, 1 + 0x1p-19));
  EXPECT_FALSE(t.allows(1, 1 + 0x1p-17));
  Tolerance integers = of(k);
  integers.allow_functions(DataType::Int32);
  EXPECT_TRUE(integers.is_exact());
}

}  // namespace
}  // namespace selvage
