#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

std::string refusal(const auto& action) { return refusal_by<BadInput>(action); }

TEST(PointwiseOps, EachIsItsFunction) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Float), b = f.input("b", {N}, DataType::Float);
  const auto function = [&](Tensor t) { return f.values()[*f[t.id()].definition].function; };
  EXPECT_EQ(function(a == b), Function::Eq);
  EXPECT_EQ(function(a != 2), Function::Ne);
  EXPECT_EQ(function(1 == a), Function::Eq);
  EXPECT_EQ(function(a < b && b < 3), Function::And);
  EXPECT_EQ(function(a < b || b < 3), Function::Or);
  EXPECT_EQ(function(!(a < b)), Function::Not);
  EXPECT_EQ(function(floor_div(a, 2)), Function::FloorDiv);
  EXPECT_EQ(function(a % b), Function::Mod);
  EXPECT_EQ(function(remainder(a, b)), Function::Mod);
  EXPECT_EQ(function(pow(a, 2.5)), Function::Pow);
  EXPECT_EQ(function(floor(a)), Function::Floor);
  EXPECT_EQ(function(ceil(a)), Function::Ceil);
  EXPECT_EQ(function(sin(a)), Function::Sin);
  EXPECT_EQ(function(cos(a)), Function::Cos);
  EXPECT_EQ(function(erf(a)), Function::Erf);
  EXPECT_EQ(function(clamp(a, 0, 1)), Function::Min);
  EXPECT_EQ(f[(a == b).id()].type, DataType::Bool);
}

TEST(PointwiseOps, ExtentsThatCanNeverBeEqualAreRefusedByTheNameOfTheOp) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Float), b = f.input("b", {N + 1}, DataType::Float);
  const std::size_t before = f.size();
  EXPECT_EQ(refusal([&] { max(a, b); }),
            "selvage: error[E501]: the shapes [N] of a and [N + 1] of b do not broadcast in max: N "
            "and N + 1 differ; help: make the extents equal, or one of them 1; axes are aligned at "
            "the last one");
  EXPECT_EQ(f.size(), before);
  EXPECT_EQ(refusal([&] { max(a, f.input("c", {N}, DataType::Float)); }), "accepted");
}

TEST(PointwiseOps, OperandsAreTensorsOfOneFusion) {
  Fusion f, g;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Float);
  const Tensor b = g.input("b", {g.extent("N")}, DataType::Float);
  EXPECT_EQ(refusal([&] { select(1, a, b); }),
            "selvage: error[E508]: select: the operands a and b belong to two fusions; help: build "
            "both from the inputs of one");
  EXPECT_EQ(
      refusal([&] { pow(2, 3); }),
      "selvage: error[E508]: pow: no operand is a tensor of a fusion; help: give at least one "
      "tensor");
  EXPECT_EQ(refusal([&] { pow(2, a); }), "accepted");
}

}  // namespace
}  // namespace selvage
