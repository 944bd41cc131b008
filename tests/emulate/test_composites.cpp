// Composites by the reference interpreter beside plain loops in long double.
#include <selvage/emulate/reference.h>
#include <selvage/ir/composites.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/support/refusal.h"
#include "tests/support/special_values.h"

namespace selvage {
namespace {

using Real = long double;
using Row = std::vector<Real>;

Array special(DataType type, std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
  Array a(type, std::move(shape));
  for (std::size_t k = 0; k < numbers.size(); ++k) a.set(std::int64_t(k), numbers[k]);
  return a;
}

Array numbers_of(std::mt19937& random, DataType type, std::vector<std::int64_t> shape) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, int(random() % 4001) / 200.0 - 10);
  return a;
}

// What `op` makes of x[M, N], run by the reference.
Array made(const Array& x, const std::function<Tensor(Tensor)>& op,
           std::optional<DataType> type = {}) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  f.output("y", op(f.input("x", {M, N}, x.type)), type);
  return run_reference(f, {{"M", x.shape[0]}, {"N", x.shape[1]}}, {{"x", x}}).at(0);
}

Row row_of(const Array& x, std::int64_t m) {
  Row row;
  for (std::int64_t n = 0; n < x.shape[1]; ++n) row.push_back(Real(x.get(m * x.shape[1] + n)));
  return row;
}

Real greatest(const Row& row) {
  Real most = -std::numeric_limits<Real>::infinity();
  for (Real v : row) most = std::isnan(v) || std::isnan(most) ? v + most : std::max(most, v);
  return most;
}

// As PyTorch has it: shifted by the greatest, but where that is infinite.
Real log_of_sum(const Row& row) {
  const Real most = greatest(row), shift = std::isinf(most) ? 0 : most;
  Real total = 0;
  for (Real v : row) total += std::exp(v - shift);
  return std::log(total) + shift;
}

void expect_near(double actual, Real expected, double scale, const std::string& what) {
  if (std::isnan(expected) || std::isinf(expected)) {
    EXPECT_TRUE(actual == double(expected) || (std::isnan(expected) && std::isnan(actual)))
        << what << ": " << actual << " and not " << double(expected);
    return;
  }
  EXPECT_NEAR(actual, double(expected), scale * std::max(1.0, std::abs(double(expected)))) << what;
}

// How far results of a type may be off: some steps in its last place.
double step(DataType type) {
  return type == DataType::Half       ? 0x1p-9
         : type == DataType::BFloat16 ? 0x1p-6
         : type == DataType::Double   ? 0x1p-46
                                      : 0x1p-18;
}

constexpr DataType kFloats[] = {DataType::Half, DataType::BFloat16, DataType::Float,
                                DataType::Double};

// Rows of what is special, and one of plain numbers.
const std::vector<double> kRows = {1,          2,          3,          -4,          //
                                   -kInfinity, 1,          2,          -kInfinity,  //
                                   -kInfinity, -kInfinity, -kInfinity, -kInfinity,  //
                                   kInfinity,  1,          2,          3,           //
                                   kInfinity,  kInfinity,  -kInfinity, 0,           //
                                   kNaN,       1,          kInfinity,  2,           //
                                   30000,      30000,      30000,      30000,       //
                                   -30000,     -30001,     -30002,     0.5,         //
                                   -0.0,       0.0,        -0.0,       0.0};

TEST(Composites, LogSumExpIsThatOfPyTorch) {
  const auto along_rows = [](Tensor x) { return logsumexp(x, {1}); };
  std::mt19937 random(3);
  for (DataType type : kFloats) {
    for (const Array& x : {special(type, {9, 4}, kRows), numbers_of(random, type, {5, 37})}) {
      const Array y = made(x, along_rows);
      EXPECT_EQ(y.type, type);
      for (std::int64_t m = 0; m < x.shape[0]; ++m) {
        expect_near(y.get(m), log_of_sum(row_of(x, m)), step(type), "row " + std::to_string(m));
      }
      EXPECT_EQ(made(x, [](Tensor t) { return squeeze(logsumexp(t, {1}, keepdim), {1}); }), y);
    }
  }
  const Array y = made(special(DataType::Float, {9, 4}, kRows), along_rows);
  EXPECT_EQ(y.get(2), -kInfinity);
  EXPECT_EQ(y.get(3), kInfinity);
  EXPECT_EQ(y.get(4), kInfinity);
  EXPECT_TRUE(std::isnan(y.get(5)));
}

TEST(Composites, LogSumExpOverAllAxesAndOverNone) {
  const Array x = special(DataType::Float, {2, 2}, {0, 1, 2, 3});
  const Array all = made(x, [](Tensor t) { return logsumexp(t); });
  EXPECT_EQ(all.shape, (std::vector<std::int64_t>{}));
  expect_near(all.get(0), log_of_sum({0, 1, 2, 3}), 0x1p-20, "all");
  const Array kept = made(x, [](Tensor t) { return logsumexp(t, {}, keepdim); });
  EXPECT_EQ(kept.shape, (std::vector<std::int64_t>{1, 1}));
  Fusion f;
  f.output("y", logsumexp(f.input("x", {}, DataType::Float)));
  EXPECT_EQ(run_reference(f, {}, {{"x", special(DataType::Float, {}, {2.5})}}).at(0).get(0), 2.5);
  // Of no items there is no sum.
  Fusion g;
  const Expr n = g.extent("N", 0);
  g.output("y", logsumexp(g.input("x", {n}, DataType::Float)));
  EXPECT_EQ(run_reference(g, {{"N", 0}}, {{"x", Array(DataType::Float, {0})}}).at(0).get(0),
            -kInfinity);
}

TEST(Composites, SoftmaxAndItsLogarithmAreThoseOfPyTorch) {
  std::mt19937 random(4);
  for (DataType type : kFloats) {
    for (const Array& x : {special(type, {9, 4}, kRows), numbers_of(random, type, {5, 37})}) {
      const Array y = made(x, [](Tensor t) { return softmax(t, -1); });
      const Array z = made(x, [](Tensor t) { return log_softmax(t, 1); });
      EXPECT_EQ(y.type, type);
      for (std::int64_t m = 0; m < x.shape[0]; ++m) {
        const Row row = row_of(x, m);
        const Real most = greatest(row);
        Real total = 0;
        for (Real v : row) total += std::exp(v - most);
        for (std::size_t n = 0; n < row.size(); ++n) {
          const std::int64_t k = m * x.shape[1] + std::int64_t(n);
          const std::string what =
              "row " + std::to_string(m) + " of " + std::string(to_string(type));
          expect_near(y.get(k), std::exp(row[n] - most) / total, step(type), what);
          expect_near(z.get(k), row[n] - most - std::log(total), step(type), what);
        }
      }
    }
  }
  // Along the other axis, and of integers, which meet no overflow.
  const Array x = special(DataType::Int8, {2, 2}, {-128, 1, 127, 1});
  const Array y = made(x, [](Tensor t) { return softmax(t, 0); });
  EXPECT_EQ(y.type, DataType::Float);
  EXPECT_LT(y.get(0), 1e-30);
  EXPECT_EQ(y.get(1), 0.5);
  EXPECT_EQ(y.get(2), 1);
}

struct Moments {
  Real mean = 0, variance = 0, square = 0;  // of all items
};
Moments moments(const Row& row) {
  Moments m;
  const Real n = Real(row.size());
  for (Real v : row) m.mean += v / n, m.square += v * v / n;
  for (Real v : row) m.variance += (v - m.mean) * (v - m.mean) / n;
  return m;
}

TEST(Composites, NormsAreThoseOfPyTorch) {
  std::mt19937 random(5);
  for (DataType type : kFloats) {
    const Array x = numbers_of(random, type, {6, 31});
    const Array weight = numbers_of(random, type, {31}), bias = numbers_of(random, type, {31});
    Fusion f;
    const auto [M, N] = f.extents("M", "N");
    const Tensor t = f.input("x", {M, N}, type), w = f.input("w", {N}, type),
                 b = f.input("b", {N}, type);
    f.output("plain", layer_norm(t, {1}));
    f.output("whole", layer_norm(t, {-1}, w, b, 0.25));
    f.output("shifted", layer_norm(t, {1}, std::nullopt, b));
    f.output("roots", rms_norm(t, {1}, w, 1e-6));
    f.output("bare", rms_norm(t, {1}, {}, 1e-6));
    const std::vector<Array> y =
        run_reference(f, {{"M", 6}, {"N", 31}}, {{"x", x}, {"w", weight}, {"b", bias}});
    for (std::int64_t m = 0; m < 6; ++m) {
      const Moments of = moments(row_of(x, m));
      for (std::int64_t n = 0; n < 31; ++n) {
        const std::int64_t k = m * 31 + n;
        const Real v = Real(x.get(k)), gain = Real(weight.get(n)), shift = Real(bias.get(n));
        const auto normal = [&](Real eps) { return (v - of.mean) / std::sqrt(of.variance + eps); };
        const std::string what = std::string(to_string(type)) + " " + std::to_string(k);
        const double scale = 16 * step(type);
        expect_near(y[0].get(k), normal(1e-5L), scale, what);
        expect_near(y[1].get(k), normal(0.25L) * gain + shift, scale, what);
        expect_near(y[2].get(k), normal(1e-5L) + shift, scale, what);
        const Real root = v / std::sqrt(of.square + 1e-6L);
        expect_near(y[3].get(k), root * gain, scale, what);
        expect_near(y[4].get(k), root, scale, what);
      }
    }
  }
  // One item has no variance, divided by all items that is 0 and not 0 / 0.
  const Array one =
      made(special(DataType::Float, {2, 1}, {3, 4}), [](Tensor t) { return layer_norm(t, {1}); });
  EXPECT_EQ(one, special(DataType::Float, {2, 1}, {0, 0}));
}

TEST(Composites, HalvesAreCarriedInFloat) {
  // The square of 300 is no half, and the sum of 300 of them neither.
  const Array x = special(DataType::Half, {1, 300}, std::vector<double>(300, 300));
  const Array y = made(x, [](Tensor t) { return rms_norm(t, {1}, {}, 0); });
  EXPECT_EQ(y.get(7), 1);
}

TEST(Composites, MaskedFillTakesTheValueWhereTheMaskHolds) {
  const Array x = special(DataType::Half, {2, 3}, {1, 2, 3, kNaN, 5, 6});
  const Array y = made(x, [](Tensor t) { return masked_fill(t, t > 2 || isnan(t), -kInfinity); });
  EXPECT_EQ(
      y, special(DataType::Half, {2, 3}, {1, 2, -kInfinity, -kInfinity, -kInfinity, -kInfinity}));
}

TEST(Composites, AMedianIsTheLowerMiddleOfAllItems) {
  const auto of_rows = [](const Array& x) {
    return made(x, [](Tensor t) { return median(t, {1}); });
  };
  EXPECT_EQ(
      of_rows(special(DataType::Float, {3, 4}, {4, 1, 3, 2, 5, 5, 5, -1, 0, kInfinity, 2, 9})),
      special(DataType::Float, {3}, {2, 5, 2}));
  EXPECT_EQ(of_rows(special(DataType::Half, {2, 3}, {1, kNaN, 3, -kInfinity, 7, kInfinity})),
            special(DataType::Half, {2}, {kNaN, 7}));
  EXPECT_EQ(of_rows(special(DataType::UInt8, {2, 3}, {255, 0, 255, 1, 200, 100})),
            special(DataType::UInt8, {2}, {255, 100}));
  const Array all = made(special(DataType::Int64, {2, 3}, {9, 8, 7, 1, 2, 3}),
                         [](Tensor t) { return median(t, {}, keepdim); });
  EXPECT_EQ(all, special(DataType::Int64, {1, 1}, {3}));
}

TEST(Composites, AreRefusedByTheirNamesWhereAnAxisIsMissing) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  const auto refusal = [](const std::string& op) {
    return "selvage: error[E510]: " + op +
           ": x[N] has no axis 1; help: name axes from -1 to 0, each once";
  };
  const std::size_t before = f.size();
  EXPECT_EQ(bad_input([&] { softmax(x, 1); }), refusal("softmax"));
  EXPECT_EQ(bad_input([&] { log_softmax(x, 1); }), refusal("log_softmax"));
  EXPECT_EQ(bad_input([&] { logsumexp(x, {1}); }), refusal("logsumexp"));
  EXPECT_EQ(bad_input([&] { layer_norm(x, {1}); }), refusal("layer_norm"));
  EXPECT_EQ(bad_input([&] { rms_norm(x, {1}, {}, 0); }), refusal("rms_norm"));
  EXPECT_EQ(f.size(), before);
}

}  // namespace
}  // namespace selvage
