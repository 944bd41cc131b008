// Every reduction of the reference interpreter beside plain loops.
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/special_values.h"

namespace selvage {
namespace {

std::vector<DataType> types() {
  std::vector<DataType> list;
  for (int t = 0; t <= int(DataType::Double); ++t) list.push_back(DataType(t));
  return list;
}
std::vector<Reduction> reductions() {
  std::vector<Reduction> list;
  for (std::size_t r = 0; r < reduction_names().size(); ++r) list.push_back(Reduction(r));
  return list;
}

// Small numbers with ties, that every type holds exactly; unsigned ones are not negative.
Array random_elements(std::mt19937& random, DataType type, std::vector<std::int64_t> shape) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const int n = int(random() % 9);
    const bool has_sign = is_floating(type) || (type >= DataType::Int8 && type <= DataType::Int64);
    if (is_floating(type)) {
      a.set(k, (n - 4) * 0.5);
    } else {
      a.set_int(k, type == DataType::Bool ? n % 2 : has_sign ? n - 4 : n);
    }
  }
  return a;
}

// What the loop over one row comes to, in double.
double plain(Reduction how, const std::vector<double>& row, std::int64_t correction) {
  const auto n = double(row.size());
  double sum = 0, product = 1, best = 0, squares = 0, powers = 0;
  bool any = false, all = true;
  std::size_t place = 0;
  const bool is_max = how == Reduction::Max || how == Reduction::FMax || how == Reduction::ArgMax;
  for (std::size_t k = 0; k < row.size(); ++k) {
    sum += row[k];
    product *= row[k];
    any = any || row[k] != 0;
    all = all && row[k] != 0;
    if (k == 0 || (is_max ? row[k] > best : row[k] < best)) {
      best = row[k];
      place = k;
    }
  }
  for (double x : row) squares += (x - sum / n) * (x - sum / n);
  const double greatest = *std::ranges::max_element(row);
  for (double x : row) powers += std::exp(x - greatest);
  switch (how) {
    case Reduction::Sum: return sum;
    case Reduction::Prod: return product;
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: return best;
    case Reduction::Mean: return sum / n;
    case Reduction::Any: return any;
    case Reduction::All: return all;
    case Reduction::ArgMax:
    case Reduction::ArgMin: return double(place);
    case Reduction::LogSumExp: return greatest + std::log(powers);
    case Reduction::Variance: break;
  }
  return squares / (n - double(correction));
}

DataType result_of(Reduction how, DataType type) {
  const bool is_real = is_floating(type);
  switch (how) {
    case Reduction::Sum:
    case Reduction::Prod: return is_real || type == DataType::UInt64 ? type : DataType::Int64;
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: return type;
    case Reduction::Mean:
    case Reduction::Variance:
    case Reduction::LogSumExp: return is_real ? type : DataType::Float;
    case Reduction::Any:
    case Reduction::All: return DataType::Bool;
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  return DataType::Int64;
}

Array run(Fusion& f, const std::map<std::string, std::int64_t>& sizes, const Array& x) {
  return run_reference(f, sizes, {{"x", x}}).at(0);
}

TEST(ReferenceFold, EveryReductionOfEveryTypeIsAPlainLoop) {
  std::mt19937 random(1);
  for (Reduction how : reductions()) {
    for (DataType type : types()) {
      for (std::int64_t n : {1, 2, 31, 33}) {
        SCOPED_TRACE(std::string(to_string(how)) + " of " + std::string(to_string(type)) + ", " +
                     std::to_string(n));
        Fusion f;
        const auto [M, N] = f.extents("M", "N");
        const Tensor x = f.input("x", {M, N}, type);
        f.output("y", reduce(how, x, {1}));
        const Array a = random_elements(random, type, {3, n});
        const Array y = run(f, {{"M", 3}, {"N", n}}, a);
        ASSERT_EQ(y.type, result_of(how, type));
        Array expected(y.type, {3});
        for (std::int64_t m = 0; m < 3; ++m) {
          std::vector<double> row;
          for (std::int64_t k = 0; k < n; ++k) row.push_back(a.get(m * n + k));
          const double v = plain(how, row, 1);
          // A product that 64 bits do not hold wraps around.
          if (is_floating(y.type)) {
            expected.set(m, is_floating(type) || how != Reduction::Prod ? float(v) : v);
            if (y.type == DataType::Double) expected.set(m, v);
          } else if (how == Reduction::Prod) {
            std::uint64_t product = 1;
            for (double e : row) product *= std::uint64_t(std::int64_t(e));
            expected.set_int(m, std::int64_t(product));
          } else {
            expected.set_int(m, std::int64_t(v));
          }
        }
        EXPECT_EQ(y, expected);
      }
    }
  }
}

// x[a, b, c] over every set of axes, kept or not, beside a loop over all items.
TEST(ReferenceFold, AnyAxesInAnyOrder) {
  std::mt19937 random(2);
  const std::vector<std::int64_t> shape = {3, 4, 5};
  const Array a = random_elements(random, DataType::Int32, shape);
  const std::vector<Axes> sets = {{0},    {1},    {2},     {-1},      {-3},
                                  {0, 1}, {2, 0}, {-1, 1}, {0, 1, 2}, {}};
  for (const Axes& axes : sets) {
    for (bool keep : {false, true}) {
      for (Reduction how : {Reduction::Sum, Reduction::ArgMax}) {
        Fusion f;
        const Tensor x =
            f.input("x", {f.constant(3), f.constant(4), f.constant(5)}, DataType::Int32);
        f.output("y", reduce(how, x, axes, keep));
        const Array y = run(f, {}, a);
        std::vector<bool> folded(3, axes.empty());
        for (int axis : axes) folded[std::size_t(axis < 0 ? axis + 3 : axis)] = true;
        std::vector<std::int64_t> extents;
        for (std::size_t k = 0; k < 3; ++k) {
          if (!folded[k]) extents.push_back(shape[k]);
          if (folded[k] && keep) extents.push_back(1);
        }
        Array expected(DataType::Int64, extents), best(DataType::Int64, extents);
        std::vector<std::int64_t> seen(std::size_t(expected.size()), 0);
        for (std::int64_t k = 0; k < a.size(); ++k) {
          const std::array<std::int64_t, 3> at = {k / 20, k / 5 % 4, k % 5};
          std::int64_t to = 0;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!folded[axis]) to = to * shape[axis] + at[axis];
          }
          const std::int64_t v = a.get_int(k), before = seen[std::size_t(to)]++;
          if (how == Reduction::Sum) {
            expected.set_int(to, expected.get_int(to) + v);
          } else if (before == 0 || v > best.get_int(to)) {
            best.set_int(to, v);
            expected.set_int(to, before);
          }
        }
        EXPECT_EQ(y, expected) << to_string(how);
      }
    }
  }
}

std::vector<double> elements_of(const Array& a) {
  std::vector<double> list;
  for (std::int64_t k = 0; k < a.size(); ++k) list.push_back(a.get(k));
  return list;
}

// One reduction of one row.
double of_row(Reduction how, DataType type, const std::vector<double>& row,
              std::int64_t correction = 0) {
  Fusion f;
  const Expr n = f.extent("N", 0);
  f.output("y", reduce(how, f.input("x", {n}, type), {}, false, correction));
  Array x(type, {std::int64_t(row.size())});
  for (std::size_t k = 0; k < row.size(); ++k) x.set(std::int64_t(k), row[k]);
  return run(f, {{"N", x.size()}}, x).get(0);
}

TEST(ReferenceFold, ANaNIsTheExtremumUnlessItIsPassedOver) {
  using enum Reduction;
  const std::vector<double> row = {-3, 2, kNaN, -kInfinity, 7, 7, kNaN};
  EXPECT_TRUE(std::isnan(of_row(Max, DataType::Float, row)));
  EXPECT_TRUE(std::isnan(of_row(Min, DataType::Half, row)));
  EXPECT_EQ(of_row(ArgMax, DataType::Float, row), 2);
  EXPECT_EQ(of_row(ArgMin, DataType::Double, row), 2);
  EXPECT_EQ(of_row(FMax, DataType::Float, row), 7);
  EXPECT_EQ(of_row(FMin, DataType::BFloat16, row), -kInfinity);
  const std::vector<double> none = {kNaN, kNaN};
  EXPECT_EQ(of_row(FMax, DataType::Float, none), -kInfinity);
  EXPECT_EQ(of_row(FMin, DataType::Half, none), kInfinity);
  EXPECT_EQ(of_row(ArgMax, DataType::Float, none), 0);
  EXPECT_EQ(of_row(ArgMin, DataType::Float, {-kInfinity, kNaN}), 1);
}

TEST(ReferenceFold, NaNsAndInfinitiesStayInSums) {
  using enum Reduction;
  EXPECT_TRUE(std::isnan(of_row(Sum, DataType::Float, {1, kNaN, 2})));
  EXPECT_EQ(of_row(Sum, DataType::Float, {1, kInfinity, 2}), kInfinity);
  EXPECT_TRUE(std::isnan(of_row(Sum, DataType::Float, {kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(of_row(Mean, DataType::Double, {1, kNaN})));
  EXPECT_TRUE(std::isnan(of_row(Variance, DataType::Float, {1, kInfinity})));
  EXPECT_TRUE(std::isnan(of_row(Prod, DataType::Float, {0, kInfinity})));
  EXPECT_EQ(of_row(Any, DataType::Float, {0, kNaN}), 1);  // NaN is true, as in C
  EXPECT_TRUE(std::isnan(of_row(LogSumExp, DataType::Float, {kInfinity, kNaN, 1})));
  EXPECT_EQ(of_row(LogSumExp, DataType::Float, {-kInfinity, 3, -kInfinity}), 3);
  EXPECT_EQ(of_row(LogSumExp, DataType::Float, {-kInfinity, -kInfinity}), -kInfinity);
  EXPECT_EQ(of_row(LogSumExp, DataType::Double, {1, kInfinity, kInfinity}), kInfinity);
  EXPECT_EQ(of_row(LogSumExp, DataType::Double, {1e300, 1e300}), 1e300);
}

TEST(ReferenceFold, OfNothingThereIsTheValueThatChangesNothing) {
  using enum Reduction;
  EXPECT_EQ(of_row(Sum, DataType::Half, {}), 0);
  EXPECT_EQ(of_row(Prod, DataType::Int8, {}), 1);
  EXPECT_EQ(of_row(Max, DataType::Float, {}), -kInfinity);
  EXPECT_EQ(of_row(Min, DataType::Double, {}), kInfinity);
  EXPECT_EQ(of_row(Max, DataType::Int32, {}), -2147483648.0);
  EXPECT_EQ(of_row(Any, DataType::Int32, {}), 0);
  EXPECT_EQ(of_row(All, DataType::Int32, {}), 1);
  EXPECT_EQ(of_row(ArgMin, DataType::Float, {}), 0);
  EXPECT_TRUE(std::isnan(of_row(Mean, DataType::Float, {})));
  EXPECT_TRUE(std::isnan(of_row(Variance, DataType::Int32, {})));
  EXPECT_EQ(of_row(LogSumExp, DataType::Int32, {}), -kInfinity);
}

TEST(ReferenceFold, AVarianceIsTakenInTwoPasses) {
  std::vector<double> row;
  for (int k = 0; k < 1001; ++k) row.push_back(1048576 + k % 2);
  const double p = 500.0 / 1001;
  EXPECT_EQ(of_row(Reduction::Variance, DataType::Float, row), float(p * (1 - p)));
  EXPECT_EQ(of_row(Reduction::Variance, DataType::Float, {1, 2, 4}, 1), float(7.0 / 3));
  EXPECT_EQ(of_row(Reduction::Variance, DataType::Float, {1, 2}, 2), kInfinity);
  EXPECT_TRUE(std::isnan(of_row(Reduction::Variance, DataType::Float, {1}, 1)));
}

TEST(ReferenceFold, HalvesAreSummedInFloatAndRoundedWhereTheyAreStored) {
  // 4096 ones and a quarter: half holds no 4096.25, and no partial sum is rounded to it.
  std::vector<double> row(4096, 1.0);
  row.push_back(0.25);
  EXPECT_EQ(of_row(Reduction::Sum, DataType::Half, row), 4096);
  Fusion f;
  const auto [N] = f.extents("N");
  f.output("y", cast(sum(f.input("x", {N}, DataType::Half)), DataType::Float));
  Array x(DataType::Half, {4097});
  for (std::int64_t k = 0; k < 4097; ++k) x.set(k, row[std::size_t(k)]);
  EXPECT_EQ(run(f, {{"N", 4097}}, x).get(0), 4096.25);
}

TEST(ReferenceFold, SumsOfIntegersWrapIn64Bits) {
  Fusion f;
  const auto [N] = f.extents("N");
  f.output("y", sum(f.input("x", {N}, DataType::Int32)));
  Array x(DataType::Int32, {3});
  for (std::int64_t k = 0; k < 3; ++k) x.set_int(k, 2147483647);
  EXPECT_EQ(run(f, {{"N", 3}}, x).get_int(0), 3 * 2147483647LL);
}

// design.md section 4.
TEST(ReferenceFold, RmsNorm) {
  Fusion f;
  const auto [B, H] = f.extents("B", "H");
  const Tensor x = f.input("x", {B, H}, DataType::Half), w = f.input("w", {H}, DataType::Half);
  f.output("y", x * rsqrt(mean(x * x, {1}, keepdim) + 1e-6f) * w);
  Array a(DataType::Half, {2, 3}), b(DataType::Half, {3});
  for (std::int64_t k = 0; k < 6; ++k) a.set(k, double(k) - 2);
  for (std::int64_t k = 0; k < 3; ++k) b.set(k, 0.5 * double(k + 1));
  const Array y = run_reference(f, {{"B", 2}, {"H", 3}}, {{"x", a}, {"w", b}}).at(0);
  Array expected(DataType::Half, {2, 3});
  for (std::int64_t m = 0; m < 2; ++m) {
    double squares = 0;
    for (std::int64_t n = 0; n < 3; ++n) squares += a.get(m * 3 + n) * a.get(m * 3 + n);
    const float scale = 1.0f / std::sqrt(float(squares / 3) + 1e-6f);
    for (std::int64_t n = 0; n < 3; ++n) {
      expected.set(m * 3 + n, float(a.get(m * 3 + n)) * scale * float(b.get(n)));
    }
  }
  EXPECT_EQ(elements_of(y), elements_of(expected));
}

TEST(ReferenceFold, ReductionsOfReductionsAndOfScalars) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float), c = f.input("c", {}, DataType::Half);
  f.output("a", max(sum(x, {1})));
  f.output("b", sum(c));
  f.output("n", argmin(c));
  Array v(DataType::Float, {2, 2}), s(DataType::Half, {});
  for (std::int64_t k = 0; k < 4; ++k) v.set(k, double(k));
  s.set(0, 3);
  const auto out = run_reference(f, {{"M", 2}, {"N", 2}}, {{"x", v}, {"c", s}});
  EXPECT_EQ(out[0].get(0), 5);
  EXPECT_EQ(out[1].get(0), 3);
  EXPECT_EQ(out[1].type, DataType::Half);
  EXPECT_EQ(out[2].get(0), 0);
}

}  // namespace
}  // namespace selvage
