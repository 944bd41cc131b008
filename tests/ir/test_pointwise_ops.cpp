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
  EXPECT_EQ(function(gelu_tanh(a)), Function::GeluTanh);
  EXPECT_EQ(function(softplus(a)), Function::Softplus);
  EXPECT_EQ(function(exp2(a)), Function::Exp2);
  EXPECT_EQ(function(expm1(a)), Function::Expm1);
  EXPECT_EQ(function(log2(a)), Function::Log2);
  EXPECT_EQ(function(log1p(a)), Function::Log1p);
  EXPECT_EQ(function(reciprocal(a)), Function::Reciprocal);
  EXPECT_EQ(function(round(a)), Function::Round);
  EXPECT_EQ(function(trunc(a)), Function::Trunc);
  EXPECT_EQ(function(sign(a)), Function::Sign);
  EXPECT_EQ(function(isnan(a)), Function::IsNan);
  EXPECT_EQ(function(isinf(a)), Function::IsInf);
  EXPECT_EQ(function(isfinite(a)), Function::IsFinite);
  const Tensor j = f.input("j", {N}, DataType::Int64), k = f.input("k", {N}, DataType::Int64);
  EXPECT_EQ(function(bit_and(j, k)), Function::BitAnd);
  EXPECT_EQ(function(bit_or(j, k)), Function::BitOr);
  EXPECT_EQ(function(bit_xor(j, k)), Function::BitXor);
  EXPECT_EQ(function(bit_not(j)), Function::BitNot);
  EXPECT_EQ(function(shift_left(j, 3)), Function::ShiftLeft);
  EXPECT_EQ(function(shift_right(1, k)), Function::ShiftRight);
  EXPECT_EQ(function(where(a < b, a, b)), Function::Select);
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

TEST(PointwiseOps, BitsAreThoseOfIntegersAndBools) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Half), k = f.input("k", {N}, DataType::Int8);
  const Tensor c = f.input("c", {N}, DataType::Bool);
  const auto type = [&](Tensor t) { return f[t.id()].type; };
  EXPECT_EQ(type(bit_and(c, c)), DataType::Bool);
  EXPECT_EQ(type(bit_not(c)), DataType::Bool);
  EXPECT_EQ(type(shift_left(c, c)), DataType::Int32);
  EXPECT_EQ(type(bit_or(c, k)), DataType::Int8);
  EXPECT_EQ(type(shift_right(k, 3)), DataType::Int8);
  EXPECT_EQ(type(isnan(k)), DataType::Bool);
  EXPECT_EQ(type(round(k)), DataType::Float);
  EXPECT_EQ(type(sign(k)), DataType::Int8);
  const std::size_t before = f.size();
  EXPECT_EQ(
      bad_input([&] { bit_and(k, x); }),
      "selvage: error[E506]: bit_and is of bools and integers, and meets the type half; help: "
      "cast to an integer type what it meets: write bit_and(int32(...), ...)");
  EXPECT_EQ(
      bad_input([&] { bit_not(x); }),
      "selvage: error[E506]: bit_not is of bools and integers, and meets the type half; help: "
      "cast to an integer type what it meets: write bit_not(int32(...))");
  EXPECT_EQ(bad_input([&] { shift_left(k, 0.5); }),
            "selvage: error[E506]: shift_left is of bools and integers, and meets the type float; "
            "help: cast to an integer type what it meets: write shift_left(int32(...), ...)");
  EXPECT_EQ(f.size(), before);
  EXPECT_EQ(bad_input([&] { bit_and(k, cast(x, DataType::Int32)); }), "accepted");
}

TEST(PointwiseOps, AnIotaHoldsIndicesOfAnAxisThatThereIs) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor rows = iota(f, {M, N}, 0), columns = iota(f, {M, N}), five = iota(f, {5});
  EXPECT_EQ(to_string(f.shape(rows.id())[1]), "N");
  EXPECT_EQ(f[rows.id()].type, DataType::Int64);
  const auto index = [&](Tensor t) {
    return std::string(f.values()[*f[t.id()].definition].index.name()).substr(0, 2);
  };
  EXPECT_EQ(index(rows) + index(columns) + index(five), "i0i1i0");
  const std::size_t before = f.size();
  EXPECT_EQ(
      bad_input([&] {
        iota(f, {M, N}, 2);
      }),
      "selvage: error[E510]: iota: the shape [M, N] has no axis 2; help: name an axis from -2 "
      "to 1");
  EXPECT_EQ(bad_input([&] { iota(f, {}); }),
            "selvage: error[E510]: iota: the shape [] has no axis -1; help: give a shape of at "
            "least one axis");
  EXPECT_EQ(f.size(), before);
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
