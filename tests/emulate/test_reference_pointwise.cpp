// Pointwise operations of C++ by the reference interpreter beside plain loops.
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/special_values.h"

namespace selvage {
namespace {

const std::vector<double> kLeft = {0, -0.0, 1,   -1,        2.5,        -2.5,
                                   7, -7,   100, kInfinity, -kInfinity, kNaN};
const std::vector<double> kRight = {1, 3, -3, 2, 0.5, -0.5, 3, 3, 7, 2, -1, kNaN};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

Array array(DataType type, const std::vector<double>& numbers) {
  Array a(type, {std::int64_t(numbers.size())});
  for (std::size_t k = 0; k < numbers.size(); ++k) a.set(std::int64_t(k), numbers[k]);
  return a;
}

// `op` of x and y, and what it is to be of each pair.
void expect(DataType type, const std::function<Tensor(Tensor, Tensor)>& op,
            const std::function<double(double, double)>& item, const std::vector<double>& left,
            const std::vector<double>& right) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, type), y = f.input("y", {N}, type);
  f.output("z", op(x, y));
  const Array a = array(type, left), b = array(type, right);
  const Array z = run_reference(f, {{"N", a.size()}}, {{"x", a}, {"y", b}}).at(0);
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const double expected = item(a.get(k), b.get(k));
    EXPECT_TRUE(same(z.get(k), expected))
        << a.get(k) << ", " << b.get(k) << ": " << z.get(k) << " and not " << expected;
  }
}

struct Op {
  const char* name;
  std::function<Tensor(Tensor, Tensor)> op;
  std::function<double(double, double)> item;
};

TEST(ReferencePointwise, ComparisonsAndTruthOfEveryFloat) {
  const std::vector<Op> ops = {
      {"==", [](Tensor x, Tensor y) { return x == y; }, [](double a, double b) { return a == b; }},
      {"!=", [](Tensor x, Tensor y) { return x != y; }, [](double a, double b) { return a != b; }},
      {"<", [](Tensor x, Tensor y) { return x < y; }, [](double a, double b) { return a < b; }},
      {"<=", [](Tensor x, Tensor y) { return x <= y; }, [](double a, double b) { return a <= b; }},
      {">", [](Tensor x, Tensor y) { return x > y; }, [](double a, double b) { return a > b; }},
      {">=", [](Tensor x, Tensor y) { return x >= y; }, [](double a, double b) { return a >= b; }},
      {"&&", [](Tensor x, Tensor y) { return x && y; },
       [](double a, double b) { return a != 0 && b != 0; }},
      {"||", [](Tensor x, Tensor y) { return x || y; },
       [](double a, double b) { return a != 0 || b != 0; }},
      {"!", [](Tensor x, Tensor) { return !x; }, [](double a, double) { return a == 0; }},
      {"select", [](Tensor x, Tensor y) { return select(x < y, x, y); },
       [](double a, double b) { return a < b ? a : b; }},
      {"clamp", [](Tensor x, Tensor) { return clamp(x, -1, 2); },
       [](double a, double) { return a < -1  ? -1
                                     : a > 2 ? 2
                                             : a; }}};
  for (DataType type : {DataType::Half, DataType::BFloat16, DataType::Float, DataType::Double}) {
    for (const Op& op : ops) {
      SCOPED_TRACE(std::string(op.name) + " of " + std::string(to_string(type)));
      expect(type, op.op, op.item, kLeft, kRight);
    }
  }
}

TEST(ReferencePointwise, FunctionsOfFloatAreThoseOfC) {
  const std::vector<Op> ops = {{"floor_div", [](Tensor x, Tensor y) { return floor_div(x, y); },
                                [](double a, double b) {
                                  const float q = float(a) / float(b);
                                  return b < 0 ? std::ceil(q) : std::floor(q);
                                }},
                               {"remainder", [](Tensor x, Tensor y) { return remainder(x, y); },
                                [](double a, double b) {
                                  const float r = std::fmod(float(a), float(b));
                                  return r < 0 ? r + std::abs(float(b)) : r;
                                }},
                               {"pow", [](Tensor x, Tensor y) { return pow(x, y); },
                                [](double a, double b) { return std::pow(float(a), float(b)); }},
                               {"floor", [](Tensor x, Tensor) { return floor(x); },
                                [](double a, double) { return std::floor(float(a)); }},
                               {"ceil", [](Tensor x, Tensor) { return ceil(x); },
                                [](double a, double) { return std::ceil(float(a)); }},
                               {"sin", [](Tensor x, Tensor) { return sin(x); },
                                [](double a, double) { return std::sin(float(a)); }},
                               {"cos", [](Tensor x, Tensor) { return cos(x); },
                                [](double a, double) { return std::cos(float(a)); }},
                               {"erf", [](Tensor x, Tensor) { return erf(x); },
                                [](double a, double) { return std::erf(float(a)); }},
                               {"exp2", [](Tensor x, Tensor) { return exp2(x); },
                                [](double a, double) { return std::exp2(float(a)); }},
                               {"expm1", [](Tensor x, Tensor) { return expm1(x); },
                                [](double a, double) { return std::expm1(float(a)); }},
                               {"log2", [](Tensor x, Tensor) { return log2(x); },
                                [](double a, double) { return std::log2(float(a)); }},
                               {"log1p", [](Tensor x, Tensor) { return log1p(x); },
                                [](double a, double) { return std::log1p(float(a)); }},
                               {"reciprocal", [](Tensor x, Tensor) { return reciprocal(x); },
                                [](double a, double) { return 1 / float(a); }},
                               {"round", [](Tensor x, Tensor) { return round(x); },
                                [](double a, double) { return std::nearbyint(float(a)); }},
                               {"trunc", [](Tensor x, Tensor) { return trunc(x); },
                                [](double a, double) { return std::trunc(float(a)); }},
                               {"sign", [](Tensor x, Tensor) { return sign(x); },
                                [](double a, double) { return double(a > 0) - double(a < 0); }},
                               {"isnan", [](Tensor x, Tensor) { return isnan(x); },
                                [](double a, double) { return std::isnan(a); }},
                               {"isinf", [](Tensor x, Tensor) { return isinf(x); },
                                [](double a, double) { return std::isinf(a); }},
                               {"isfinite", [](Tensor x, Tensor) { return isfinite(x); },
                                [](double a, double) { return std::isfinite(a); }}};
  for (const Op& op : ops) {
    SCOPED_TRACE(op.name);
    expect(DataType::Float, op.op, op.item, kLeft, kRight);
  }
}

TEST(ReferencePointwise, DivisionOfIntegersIsEuclidean) {
  const std::vector<double> left = {7, -7, 7, -7, 0, 5, 5, -8}, right = {3, 3, -3, -3, 4, 0, 5, 3};
  for (DataType type : {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64}) {
    const auto rest = [](double a, double b) {
      if (b == 0) return 0.0;
      const double r = std::fmod(a, b);
      return r < 0 ? r + std::abs(b) : r;
    };
    expect(
        type, [](Tensor x, Tensor y) { return x % y; }, rest, left, right);
    expect(
        type, [](Tensor x, Tensor y) { return floor_div(x, y); },
        [&](double a, double b) { return b == 0 ? 0 : (a - rest(a, b)) / b; }, left, right);
    expect(
        type, [](Tensor x, Tensor y) { return cast(x / y, DataType::Double); },
        [](double a, double b) { return double(float(a) / float(b)); }, left, right);
  }
}

TEST(ReferencePointwise, BitsOfIntegersAreThoseOfC) {
  const std::vector<double> left = {7, -7, 100, -128, 0, 5, -1, 64},
                            right = {3, 3, -3, 1, 4, 0, 5, 7};
  for (DataType type : {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64}) {
    SCOPED_TRACE(std::string(to_string(type)));
    const auto both = [](auto f) {
      return [f](double a, double b) { return double(f(int(a), int(b))); };
    };
    expect(
        type, [](Tensor x, Tensor y) { return bit_and(x, y); },
        both([](int a, int b) { return a & b; }), left, right);
    expect(
        type, [](Tensor x, Tensor y) { return bit_or(x, y); },
        both([](int a, int b) { return a | b; }), left, right);
    expect(
        type, [](Tensor x, Tensor y) { return bit_xor(x, y); },
        both([](int a, int b) { return a ^ b; }), left, right);
    expect(
        type, [](Tensor x, Tensor) { return bit_not(x); }, both([](int a, int) { return ~a; }),
        left, right);
    expect(
        type, [](Tensor x, Tensor y) { return shift_right(x, y); },
        both([](int a, int b) { return b < 0 ? (a < 0 ? -1 : 0) : a >> b; }), left, right);
    expect(
        type, [](Tensor x, Tensor y) { return shift_left(cast(x, DataType::Int64), y); },
        both([](int a, int b) { return b < 0 ? 0 : a * (1 << b); }), left, right);
  }
}

TEST(ReferencePointwise, AnIotaCountsAlongItsAxis) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  f.output("rows", iota(f, {M, N}, 0));
  f.output("columns", iota(f, {M, N}));
  const std::vector<Array> out = run_reference(f, {{"M", 2}, {"N", 3}}, {});
  const auto is = [](const Array& a, const std::vector<double>& numbers) {
    Array expected = array(DataType::Int64, numbers);
    expected.shape = {2, 3};
    EXPECT_EQ(a, expected);
  };
  is(out.at(0), {0, 0, 0, 1, 1, 1});
  is(out.at(1), {0, 1, 2, 0, 1, 2});
}

TEST(ReferencePointwise, ACastFromAndToEveryType) {
  for (int from = 0; from <= int(DataType::Double); ++from) {
    for (int to = 0; to <= int(DataType::Double); ++to) {
      const auto source = DataType(from), target = DataType(to);
      SCOPED_TRACE(std::string(to_string(source)) + " to " + std::string(to_string(target)));
      // Small numbers, which every type holds; a bool is 0 or 1.
      expect(
          source, [&](Tensor x, Tensor) { return cast(x, target); },
          [&](double a, double) { return target == DataType::Bool ? double(a != 0) : a; },
          {0, 1, 2, 100}, {0, 0, 0, 0});
    }
  }
}

TEST(ReferencePointwise, ATruthOfIndicesChooses) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  const Expr i = f.fresh_index("i");
  ValueGraph& values = f.values();
  const ValueId item = values.read(DataType::Float, std::uint32_t(index_of(x.id())), {i});
  const ValueId negated = values.apply(Function::Neg, {item});
  f.output("y", f.compute("", {i}, {N},
                          values.apply(Function::Select, {values.index(i < 2), item, negated})));
  const Array y = run_reference(f, {{"N", 4}}, {{"x", array(DataType::Float, {1, 2, 3, 4})}}).at(0);
  EXPECT_EQ(y, array(DataType::Float, {1, 2, -3, -4}));
}

}  // namespace
}  // namespace selvage
