#include <selvage/base/diagnostic.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace selvage {
namespace {

using Numbers = std::vector<double>;
using Sizes = std::map<std::string, std::int64_t>;

Array array(DataType type, std::vector<std::int64_t> shape, const Numbers& numbers) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, numbers[std::size_t(k)]);
  return a;
}

Numbers numbers(const Array& a) {
  Numbers list;
  for (std::int64_t k = 0; k < a.size(); ++k) list.push_back(a.get(k));
  return list;
}

Array random_array(std::mt19937& random, DataType type, std::vector<std::int64_t> shape) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, int(random() % 2001) / 100.0 - 10);
  return a;
}

ValueId read(Fusion& f, Tensor t, std::vector<Expr> subscripts) {
  return f.values().read(f[t.id()].type, std::uint32_t(t.id()), std::move(subscripts));
}

// One output of one input x.
Numbers run1(Fusion& f, const Sizes& sizes, const Array& x) {
  return numbers(run_reference(f, sizes, {{"x", x}}).at(0));
}

TEST(Reference, BiasAndRelu) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, DataType::Float), b = f.input("b", {N}, DataType::Float);
  f.output("y", relu(a + b));
  const auto out = run_reference(f, {{"M", 2}, {"N", 3}},
                                 {{"a", array(DataType::Float, {2, 3}, {1, -2, 3, -4, 5, -6})},
                                  {"b", array(DataType::Float, {3}, {0.5, 1, -3.5})}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0], array(DataType::Float, {2, 3}, {1.5, 0, 0, 0, 6, 0}));
}

TEST(Reference, BroadcastingRepeatsAxes) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, f.constant(1)}, DataType::Int32);
  const Tensor y = f.input("y", {N}, DataType::Int32), c = f.input("c", {}, DataType::Int32);
  f.output("z", 10 * x + y + c);
  const auto out = run_reference(f, {{"M", 2}, {"N", 3}},
                                 {{"x", array(DataType::Int32, {2, 1}, {1, 2})},
                                  {"y", array(DataType::Int32, {3}, {3, 4, 5})},
                                  {"c", array(DataType::Int32, {}, {100})}});
  EXPECT_EQ(out[0], array(DataType::Int32, {2, 3}, {113, 114, 115, 123, 124, 125}));
}

TEST(Reference, TransposeAndReversal) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Int32);
  f.output("t", transpose(x, {1, 0}));
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  f.output("r", f.compute("", {i, j}, {M, N}, read(f, x, {i, N - 1 - j})));
  const auto out = run_reference(f, {{"M", 2}, {"N", 3}},
                                 {{"x", array(DataType::Int32, {2, 3}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(out.at(0), array(DataType::Int32, {3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(out.at(1), array(DataType::Int32, {2, 3}, {3, 2, 1, 6, 5, 4}));
}

// a[m, n] + a[n, m]: one tensor under two maps.
TEST(Reference, ATensorReadUnderTwoMaps) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(2)}, DataType::Float);
  f.output("y", x + transpose(x, {1, 0}));
  EXPECT_EQ(run1(f, {}, array(DataType::Float, {2, 2}, {1, 2, 3, 4})), (Numbers{2, 5, 5, 8}));
}

TEST(Reference, AGatherLoadsItsSubscript) {
  Fusion f;
  const auto [N, K] = f.extents("N", "K");
  const Tensor x = f.input("x", {N}, DataType::Float);
  f.input("at", {K}, DataType::Int64);
  const Expr i = f.fresh_index("i");
  f.output("y", f.compute("", {i}, {K}, read(f, x, {f.pool().load("at", std::span(&i, 1))})));
  const Array values = array(DataType::Float, {3}, {1, 2, 3});
  const auto run = [&](const Numbers& at) {
    return run_reference(f, {{"N", 3}, {"K", 2}},
                         {{"x", values}, {"at", array(DataType::Int64, {2}, at)}});
  };
  EXPECT_EQ(numbers(run({2, 0})[0]), (Numbers{3, 1}));
  EXPECT_EQ(bad_input([&] {
              run({2, 3});
            }),
            "selvage: error[E616]: x[3] is read, outside its shape [3]; help: keep the subscripts "
            "below the extents");
}

TEST(Reference, CastsWrapAndSaturate) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  f.output("i", cast(x, DataType::Int32));
  f.output("b", cast(cast(x, DataType::Int32), DataType::UInt8));
  f.output("t", cast(x, DataType::Bool));
  const auto out =
      run_reference(f, {{"N", 4}}, {{"x", array(DataType::Float, {4}, {2.75, -1.5, 1e20, 0})}});
  EXPECT_EQ(numbers(out[0]), (Numbers{2, -1, 2147483647, 0}));
  EXPECT_EQ(numbers(out[1]), (Numbers{2, 255, 255, 0}));
  EXPECT_EQ(numbers(out[2]), (Numbers{1, 1, 1, 0}));
}

// 1 + 2^-12 is no half: it is lost where an output is stored and where a half is asked for, and
// nowhere else; who reads the output reads what was stored before it was rounded.
TEST(Reference, OnlyOutputsAndCastsRoundHalfs) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(1)}, DataType::Half);
  const auto difference = [&](Tensor t) { return cast(t, DataType::Float) - 1.0; };
  const Tensor t = x + 1.0, y = f.output("y", x + 1.0), c = cast(x + 1.0, DataType::Half);
  EXPECT_EQ(f[t.id()].type, DataType::Half);
  f.output("unrounded", difference(t));
  f.output("of_output", difference(y));
  f.output("of_cast", difference(c));
  const double tiny = 1.0 / 4096;
  const auto out = run_reference(f, {}, {{"x", array(DataType::Half, {1}, {tiny})}});
  EXPECT_EQ(numbers(out.at(0)), Numbers{1});
  EXPECT_EQ(numbers(out.at(1)), Numbers{tiny});
  EXPECT_EQ(numbers(out.at(2)), Numbers{tiny});
  EXPECT_EQ(numbers(out.at(3)), Numbers{0});
}

TEST(Reference, AnOutputIsStoredInItsType) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2)}, DataType::Float);
  const Tensor y = f.output("y", x * 3.0, DataType::BFloat16);
  EXPECT_EQ(stored_type(f[y.id()]), DataType::BFloat16);
  const auto out = run_reference(f, {}, {{"x", array(DataType::Float, {2}, {0.1, 1})}});
  EXPECT_EQ(out[0], array(DataType::BFloat16, {2}, {0.1F * 3.0F, 3}));
}

TEST(Reference, SelectAndIndexValues) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Int32);
  f.output("y", select(x < 3, x, -x));
  ValueGraph& v = f.values();
  const Expr i = f.fresh_index("i");
  const ValueId sum = v.apply(Function::Add, {v.index(i * N), read(f, x, {i})});
  f.output("z", f.compute("", {i}, {N}, sum));
  const auto out = run_reference(f, {{"N", 3}}, {{"x", array(DataType::Int32, {3}, {2, 3, 4})}});
  EXPECT_EQ(numbers(out[0]), (Numbers{2, -3, -4}));
  EXPECT_EQ(out[1], array(DataType::Int64, {3}, {2, 6, 10}));
}

// The same statement by operators and in index notation.
TEST(Reference, OperatorsAreIndexNotation) {
  struct Row {
    Function function;
    std::function<Tensor(Tensor, Tensor)> op;
  };
  const std::vector<Row> rows = {
      {Function::Add, [](Tensor a, Tensor b) { return a + b; }},
      {Function::Sub, [](Tensor a, Tensor b) { return a - b; }},
      {Function::Mul, [](Tensor a, Tensor b) { return a * b; }},
      {Function::TrueDiv, [](Tensor a, Tensor b) { return a / b; }},
      {Function::Lt, [](Tensor a, Tensor b) { return a < b; }},
      {Function::Le, [](Tensor a, Tensor b) { return a <= b; }},
      {Function::Min, [](Tensor a, Tensor b) { return min(a, b); }},
      {Function::Max, [](Tensor a, Tensor b) { return max(a, b); }},
      {Function::Neg, [](Tensor a, Tensor) { return -a; }},
      {Function::Abs, [](Tensor a, Tensor) { return abs(a); }},
      {Function::Exp, [](Tensor a, Tensor) { return exp(a); }},
      {Function::Log, [](Tensor a, Tensor) { return log(a); }},
      {Function::Tanh, [](Tensor a, Tensor) { return tanh(a); }},
      {Function::Sqrt, [](Tensor a, Tensor) { return sqrt(a); }},
      {Function::Rsqrt, [](Tensor a, Tensor) { return rsqrt(a); }},
      {Function::Relu, [](Tensor a, Tensor) { return relu(a); }},
      {Function::Sigmoid, [](Tensor a, Tensor) { return sigmoid(a); }},
      {Function::Silu, [](Tensor a, Tensor) { return silu(a); }},
      {Function::Gelu, [](Tensor a, Tensor) { return gelu(a); }},
      {Function::GeluTanh, [](Tensor a, Tensor) { return gelu_tanh(a); }},
      {Function::Softplus, [](Tensor a, Tensor) { return softplus(a); }},
      {Function::Exp2, [](Tensor a, Tensor) { return exp2(a); }},
      {Function::Expm1, [](Tensor a, Tensor) { return expm1(a); }},
      {Function::Log2, [](Tensor a, Tensor) { return log2(a); }},
      {Function::Log1p, [](Tensor a, Tensor) { return log1p(a); }},
      {Function::Reciprocal, [](Tensor a, Tensor) { return reciprocal(a); }},
      {Function::Round, [](Tensor a, Tensor) { return round(a); }},
      {Function::Trunc, [](Tensor a, Tensor) { return trunc(a); }},
      {Function::Sign, [](Tensor a, Tensor) { return sign(a); }},
      {Function::IsNan, [](Tensor a, Tensor) { return isnan(a); }},
      {Function::IsInf, [](Tensor a, Tensor) { return isinf(a); }},
      {Function::IsFinite, [](Tensor a, Tensor) { return isfinite(a); }},
  };
  std::mt19937 random(1);
  for (DataType type : {DataType::Float, DataType::Half, DataType::Double, DataType::Int32}) {
    for (const Row& row : rows) {
      Fusion f;
      const auto [M, N] = f.extents("M", "N");
      const Tensor a = f.input("a", {M, N}, type), b = f.input("b", {N}, type);
      f.output("by_operator", row.op(a, b));
      const Expr m = f.fresh_index("m"), n = f.fresh_index("n");
      std::vector<ValueId> operands = {read(f, a, {m, n}), read(f, b, {n})};
      operands.resize(std::size_t(info(row.function).arity));
      f.output("by_index", f.compute("", {m, n}, {M, N}, f.values().apply(row.function, operands)));
      const auto out = run_reference(
          f, {{"M", 3}, {"N", 4}},
          {{"a", random_array(random, type, {3, 4})}, {"b", random_array(random, type, {4})}});
      EXPECT_EQ(out[0], out[1]) << info(row.function).name << " " << to_string(type);
    }
  }
}

// Every function at random values, against itself applied to the very elements.
TEST(Reference, APointwiseResultIsTheFunctionOfItsElements) {
  std::mt19937 random(2);
  for (int i = 0; i < kFunctionCount; ++i) {
    const auto function = Function(i);
    if (info(function).arity != 2) continue;
    using Types = std::vector<DataType>;
    for (DataType type : is_of_integers(function) ? Types{DataType::Int64}
                                                  : Types{DataType::Float, DataType::Double}) {
      Fusion f;
      const auto [N] = f.extents("N");
      const Tensor a = f.input("a", {N}, type), b = f.input("b", {N}, type);
      f.output("y", apply(function, {a, b}));
      const Array x = random_array(random, type, {7}), y = random_array(random, type, {7});
      const Array z = run_reference(f, {{"N", 7}}, {{"a", x}, {"b", y}})[0];
      const bool is_logic = function == Function::And || function == Function::Or;
      for (std::int64_t k = 0; k < 7; ++k) {
        const DataType in = is_logic ? DataType::Bool : type;
        const std::vector<Scalar> operands = {convert(Scalar::of(x.get(k)), in),
                                              convert(Scalar::of(y.get(k)), in)};
        const Scalar expected = convert(selvage::apply(function, operands), DataType::Double);
        Array one(DataType::Double, {2});
        one.set(0, expected.real);
        one.set(1, z.get(k));
        EXPECT_TRUE(one.get(0) == one.get(1) ||
                    (one.get(0) != one.get(0) && one.get(1) != one.get(1)))
            << info(function).name << " " << expected.real << " " << z.get(k);
      }
    }
  }
}

TEST(Reference, AnExtentOf0MakesAnEmptyArray) {
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N", 0);
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  f.output("y", exp(x) + 1.0);
  const auto out = run_reference(f, {{"M", 3}, {"N", 0}}, {{"x", Array(DataType::Float, {3, 0})}});
  EXPECT_EQ(out[0], Array(DataType::Float, {3, 0}));
}

TEST(Reference, RefusesWhatDoesNotFitTheFusion) {
  Fusion f;
  const Expr m = f.extent("M", 2, 64, 2), n = f.extent("N"), k = f.extent("K");
  const Tensor x = f.input("x", {m, n}, DataType::Float), b = f.input("b", {k}, DataType::Half);
  f.assume(m <= n);
  f.output("y", x + b);
  const Sizes sizes = {{"M", 2}, {"N", 3}, {"K", 3}};
  const Array a(DataType::Float, {2, 3}), h(DataType::Half, {3});
  const auto run = [&](const Sizes& s, const std::map<std::string, Array>& inputs) {
    return bad_input([&] { run_reference(f, s, inputs); });
  };
  const auto with = [&](const char* name, std::int64_t value) {
    Sizes s = sizes;
    s[name] = value;
    return run(s, {{"x", a}, {"b", h}});
  };
  EXPECT_EQ(run(sizes, {{"x", a}, {"b", h}}), "accepted");
  EXPECT_EQ(run(sizes, {{"x", a}}),
            "selvage: error[E611]: the input b is missing; help: give half[3] for it");
  EXPECT_EQ(run(sizes, {{"x", a}, {"b", h}, {"y", a}}),
            "selvage: error[E611]: the fusion has no input y; help: leave it out, or correct its "
            "name");
  EXPECT_EQ(run(sizes, {{"x", Array(DataType::Float, {3, 2})}, {"b", h}}),
            "selvage: error[E612]: the input x has shape [3, 2], not [2, 3]; help: give float[2, "
            "3] for it");
  EXPECT_EQ(run(sizes, {{"x", a}, {"b", Array(DataType::Float, {3})}}),
            "selvage: error[E613]: the input b is of type float, not half; help: give half[3] for "
            "it");
  EXPECT_EQ(run({{"M", 2}, {"N", 3}}, {}),
            "selvage: error[E614]: the size K has no value; help: give K a value");
  EXPECT_EQ(with("Q", 1),
            "selvage: error[E614]: the fusion has no size Q; help: leave it out, or correct its "
            "name");
  EXPECT_EQ(with("M", 0),
            "selvage: error[E615]: the size M is 0, below its min of 2; help: give it a value that "
            "the fusion allows, such as M = 2");
  EXPECT_EQ(with("M", 66),
            "selvage: error[E615]: the size M is 66, above its max of 64; help: give it a value "
            "that the fusion allows, such as M = 2");
  EXPECT_EQ(with("M", 3),
            "selvage: error[E615]: the size M is 3, but modulo 2 it is to be 0; help: give it a "
            "value that the fusion allows, such as M = 2");
  EXPECT_EQ(with("M", 4),
            "selvage: error[E615]: M <= N does not hold at M = 4, N = 3; help: give sizes for "
            "which it holds, such as M = 2");
  EXPECT_EQ(with("K", 4),
            "selvage: error[E615]: N == K does not hold at K = 4, N = 3; help: give sizes for "
            "which it holds, such as K = 3");
}

}  // namespace
}  // namespace selvage
