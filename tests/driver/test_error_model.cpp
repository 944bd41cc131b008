#include <selvage/driver/error_model.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace selvage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-24;

// One output of x[100], of k = int32(x) and of h = half(x), and how far it may be off.
class ErrorBounds : public testing::Test {
 protected:
  double of(Tensor t, const std::vector<double>& items, const ErrorModel& model = {}) {
    f.output("y", t);
    Array a(DataType::Float, {std::int64_t(items.size())});
    for (std::size_t k = 0; k < items.size(); ++k) a.set(std::int64_t(k), items[k]);
    const auto out = run_reference_bounded(f, {{"N", a.size()}}, {{"x", a}}, model);
    EXPECT_EQ(out.size(), 1u);
    return out[0].errors.empty() ? 0 : out[0].errors[0];
  }
  Fusion f;
  Expr N = f.extent("N");
  Tensor x = f.input("x", {N}, DataType::Float);
};

const std::vector<double> kOnes(100, 1.0);

TEST_F(ErrorBounds, WhatHangsOnNoRoundedFoldIsExact) {
  EXPECT_EQ(of(exp(x) * 2, kOnes), 0);
  EXPECT_TRUE(is_within(1, 1, 0, DataType::Float));
  EXPECT_FALSE(is_within(1, 1 + 0x1p-23, 0, DataType::Float));
}

TEST_F(ErrorBounds, FoldsOfIntegersAndExtremaAreExact) {
  EXPECT_EQ(of(sum(cast(x, DataType::Int32)) + max(x), kOnes), 0);
}

TEST_F(ErrorBounds, ASumIsOffByItsLongestChainTimesTheMagnitudes) {
  const double error = of(sum(x), kOnes);
  EXPECT_GT(error, 100 * kUnit * 100);
  EXPECT_LT(error, 110 * kUnit * 100);
}

TEST_F(ErrorBounds, MagnitudesCountWhereASumCancels) {
  EXPECT_GT(of(sum(x), {1e19, -1e19, 1}), 3 * kUnit * 2e19);
}

TEST_F(ErrorBounds, AModelKnowsHowLongChainsAre) {
  const ErrorModel model{.longest_chain = [](std::int64_t) { return std::int64_t{9}; }};
  EXPECT_LT(of(mean(x), kOnes, model), 20 * kUnit);
}

TEST_F(ErrorBounds, ErrorsGoThroughFunctions) {
  const double plain = of(exp(mean(x)), kOnes);
  EXPECT_GT(plain, 100 * kUnit * std::exp(1));
  EXPECT_LT(plain, 110 * kUnit * std::exp(1) + 8 * kUnit);
}

TEST_F(ErrorBounds, ANearTieLeavesEverythingOpen) { EXPECT_EQ(of(sum(x) < 100, kOnes), kOpen); }
TEST_F(ErrorBounds, FarFromATieThereIsNothingToSay) { EXPECT_EQ(of(sum(x) < 101, kOnes), 0); }
TEST_F(ErrorBounds, ARoundedSumIsOneInteger) {
  EXPECT_EQ(of(cast(sum(x) + 0.5, DataType::Int32), kOnes), 0);
}
TEST_F(ErrorBounds, ANearlyWholeSumIsNone) {
  EXPECT_EQ(of(cast(sum(x), DataType::Int32), kOnes), kOpen);
}
TEST_F(ErrorBounds, OverflowOnTheWayIsOpen) { EXPECT_EQ(of(sum(x), {3e38, 3e38, -3e38}), kOpen); }
TEST_F(ErrorBounds, InfinityIsCertain) { EXPECT_EQ(of(sum(x), {1, kInfinity, 2}), 0); }

TEST_F(ErrorBounds, OnAGpuFunctionsMayBeOffAsWell) {
  const ErrorModel gpu{.functions = 64};
  const double error = of(exp(x * 0), {1}, gpu);
  EXPECT_GE(error, 64 * kUnit);
  EXPECT_LT(error, 72 * kUnit);
}

// A random fold of a random kernel's order: every order stays within the bound.
TEST_F(ErrorBounds, AFastFunctionIsOffByItsBound) {
  f.set_math(Math::Fast);
  const double error = of(exp(x), std::vector<double>(8, 0.0));
  EXPECT_GE(error, 4 * kUnit);
  EXPECT_LE(error, 12 * kUnit);
}
TEST_F(ErrorBounds, WhatHasNoFastFormIsExact) {
  f.set_math(Math::Fast);
  EXPECT_EQ(of(sin(x), kOnes), 0);
}
TEST_F(ErrorBounds, AFastQuotientByAHugeNumberIsOpen) {
  EXPECT_EQ(of(fast(1 / x), {0x1p127}), kOpen);
}

TEST_F(ErrorBounds, EveryOrderOfASumIsWithin) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> items(2 + random() % 300);
    for (double& v : items)
      v = double(float(std::ldexp(double(random() % 2001) - 1000, int(random() % 20) - 10)));
    double exact = 0, magnitudes = 0;
    for (double v : items) exact += v, magnitudes += std::abs(v);
    const double error = (double(items.size()) + 1) * kUnit * magnitudes;
    std::shuffle(items.begin(), items.end(), random);
    float sum = 0;
    for (double v : items) sum += float(v);
    EXPECT_TRUE(is_within(float(exact), double(sum), error, DataType::Float));
  }
}

TEST(ErrorModels, PartsAndBlocksThatMeetMakeLongerChains) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor y = f.output("y", sum(f.input("x", {N}, DataType::Float)));
  Schedule s(f);
  const std::int64_t one = error_model(lower(f, s), Machine::Virtual).longest_chain(1 << 30);
  EXPECT_LT(one, 2000);
  const auto [n] = s.loops<1>(y);
  const auto [o, i] = s.split(n, 64);
  Schedule parts = s;
  parts.rfactor(y.id(), {i}, "part");
  EXPECT_EQ(error_model(lower(f, parts), Machine::Virtual).longest_chain(1 << 30), 2 * one);
  EXPECT_EQ(error_model(lower(f, s), Machine::Gpu).functions, 64);
  s.bind(o, ParallelType::BIDx).meet_atomically(y.id());
  EXPECT_EQ(error_model(lower(f, s), Machine::Virtual).longest_chain(1 << 30), 1 << 30);
}

}  // namespace
}  // namespace selvage
