#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/schedule.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

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
  EXPECT_EQ(bad_input([&] { max(a, b); }),
            "selvage: error[E501]: the shapes [N] of a and [N + 1] of b do not broadcast in max: N "
            "and N + 1 differ; help: make the extents equal, or one of them 1; axes are aligned at "
            "the last one");
  EXPECT_EQ(f.size(), before);
  EXPECT_EQ(bad_input([&] { max(a, f.input("c", {N}, DataType::Float)); }), "accepted");
}

TEST(PointwiseOps, NoTensorIsRefusedByTheNameOfTheOp) {
  Fusion f;
  const Tensor a = f.input("a", {f.extent("N")}, DataType::Float), none;
  const std::string by_op =
      "an operand stands for no tensor: Tensor{}; help: assign to it first what an input or an "
      "operation gave";
  EXPECT_EQ(bad_input([&] { exp(none); }), "selvage: error[E508]: exp: " + by_op);
  EXPECT_EQ(bad_input([&] { a + none; }), "selvage: error[E508]: +: " + by_op);
  const std::string by_use =
      "selvage: error[E508]: a Tensor is used that stands for no tensor of a fusion: Tensor{}; "
      "help: assign to it first what an input or an operation gave";
  EXPECT_EQ(bad_input([&] { f.output("y", none); }), by_use);
  EXPECT_EQ(bad_input([&] { sum(none); }), by_use);
  EXPECT_EQ(bad_input([&] { cast(none, DataType::Half); }), by_use);
  EXPECT_EQ(bad_input([&] { reshape(none, {1}); }), by_use);
  EXPECT_EQ(bad_input([&] { concatenate({a, none}, 0); }).substr(0, 20), by_use.substr(0, 20));
  EXPECT_EQ(bad_input([&] { Schedule(f).loops<1>(none); }), by_use);
}

TEST(PointwiseOps, TensorsAreCalledAsTheyAreNamed) {
  Fusion f;
  const Tensor a = f.input("a", {f.extent("N")}, DataType::Float);
  const Tensor scores = named(a * 2, "scores"), other = a + 1;
  EXPECT_EQ(f[scores.id()].name, "scores");
  EXPECT_EQ(f.find("scores"), scores.id());
  named(scores, "twice");
  EXPECT_EQ(f.find("scores"), std::nullopt);
  EXPECT_EQ(f.find("twice"), scores.id());
  const std::string made_up = f[other.id()].name;
  EXPECT_EQ(bad_input([&] { named(other, "a"); }),
            "selvage: error[E502]: a is the name of a tensor already; help: choose another name");
  EXPECT_EQ(f[other.id()].name, made_up);
  EXPECT_EQ(f.find(made_up), other.id());
  named(scores, made_up);  // a made-up name gives way
  EXPECT_EQ(f.find(made_up), scores.id());
  EXPECT_NE(f[other.id()].name, made_up);
  f.output("y", scores);
  EXPECT_EQ(f[scores.id()].name, "y");
}

TEST(PointwiseOps, StridesAreSaidOfWhatCallsAreGiven) {
  Fusion f;
  const auto [M, N, S] = f.extents("M", "N", "S");
  const auto strides = [&](Tensor t) {
    std::string text;
    for (Expr e : f[t.id()].strides) text += to_string(e) + " ";
    return text;
  };
  const Tensor a = with_strides(f.input("a", {M, N}, DataType::Float));
  EXPECT_EQ(strides(a), "a_stride_0 a_stride_1 ");
  const Tensor b = with_strides(f.input("b", {M, N}, DataType::Float), {S * 2, 1});
  EXPECT_EQ(strides(b), "S * 2 1 ");
  const std::size_t sizes = f.sizes().size();
  EXPECT_EQ(bad_input([&] { with_strides(a); }),
            "selvage: error[E515]: with_strides: a[M, N] is laid out already; help: say once how "
            "it lies in memory");
  EXPECT_EQ(bad_input([&] { with_strides(named(a + b, "t")); }),
            "selvage: error[E515]: with_strides: t[M, N] is neither an input nor an output; help: "
            "say it of one that a call is given");
  EXPECT_EQ(bad_input([&] { with_strides(f.output("y", a * b), {1}); }),
            "selvage: error[E515]: with_strides: y[M, N] has 2 axes, not 1; help: give one stride "
            "for each axis, in elements, or none");
  EXPECT_EQ(f.sizes().size(), sizes);
}

TEST(PointwiseOps, OperandsAreTensorsOfOneFusion) {
  Fusion f, g;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Float);
  const Tensor b = g.input("b", {g.extent("N")}, DataType::Float);
  EXPECT_EQ(bad_input([&] { select(1, a, b); }),
            "selvage: error[E508]: select: the operands a and b belong to two fusions; help: build "
            "both from the inputs of one");
  EXPECT_EQ(
      bad_input([&] { pow(2, 3); }),
      "selvage: error[E508]: pow: no operand is a tensor of a fusion; help: give at least one "
      "tensor");
  EXPECT_EQ(bad_input([&] { pow(2, a); }), "accepted");
}

}  // namespace
}  // namespace selvage
