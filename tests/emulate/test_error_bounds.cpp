// How far a result may be off, where its operands are.
#include <selvage/emulate/error_bounds.h>
#include <selvage/emulate/memory.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace selvage {
namespace {

Uncertain sure(Scalar v) { return {v, 0}; }
Uncertain truth(bool v, double error = 0) { return {Scalar::of(DataType::Bool, v), error}; }

double of_choice(const Uncertain& condition, const Uncertain& a, const Uncertain& b) {
  const Uncertain operands[] = {condition, a, b};
  return error_of(Function::Select, operands, a.value, {});
}

TEST(ErrorOfAFunction, OfAChoiceIsThatOfWhatIsChosen) {
  const Uncertain a = {Scalar::of(1.0), 0.25}, b = {Scalar::of(-3.0), 0.5};
  EXPECT_EQ(of_choice(truth(true), a, b), 0.25);
  EXPECT_EQ(of_choice(truth(false), a, b), 0.5);
}

TEST(ErrorOfAFunction, OfAnOpenChoiceIsHowFarApartBothAreAsWell) {
  const auto of = [](const Uncertain& a, const Uncertain& b) {
    return of_choice(truth(true, kOpen), a, b);
  };
  EXPECT_EQ(of({Scalar::of(1.0), 0.25}, {Scalar::of(-3.0), 0.5}), 4.5);
  EXPECT_EQ(of({Scalar::of(1.0f), 0.25}, {Scalar::of(-3.0f), 0.5}), 4.5);
  EXPECT_EQ(of(sure(Scalar::of(DataType::Int64, -1)), sure(Scalar::of(DataType::Int64, 2))), 3);
  const Scalar large = Scalar::of(DataType::UInt64, -1);
  EXPECT_EQ(of(sure(large), sure(Scalar::of(DataType::UInt64, 0))), 0x1p64);
  // Infinity less infinity is no number, and nothing bounds it.
  const Scalar infinity = Scalar::of(HUGE_VAL);
  EXPECT_EQ(of(sure(infinity), sure(infinity)), kOpen);
}

// Wherever an operand may be, the function is within the bound. Doubles, so that their own rounding
// is nothing beside the errors.
TEST(ErrorOfAFunction, BoundsHowFarEveryFunctionOfOneNumberIsOff) {
  std::mt19937_64 random(1);
  const auto draw = [&](double most) { return most * (double(random() % 2001) / 1000 - 1); };
  std::set<Function> bounded;
  for (int k = 0; k < kFunctionCount; ++k) {
    const auto f = Function(k);
    const ResultRule rule = info(f).rule;
    const bool is_of_numbers =
        rule == ResultRule::Real || rule == ResultRule::Same || rule == ResultRule::Test;
    if (info(f).arity != 1 || !is_of_numbers) continue;
    for (int n = 0; n < 4000; ++n) {
      const double x = draw(n % 2 == 0 ? 25 : 2), e = std::abs(draw(n % 3 == 0 ? 1 : 0.01));
      const auto of = [&](double at) {
        const Scalar operand[] = {Scalar::of(at)};
        return selvage::apply(f, operand);
      };
      const Uncertain operand[] = {{Scalar::of(x), e}};
      const double bound = error_of(f, operand, of(x), {});
      if (bound == kOpen) continue;
      if (e == 0 && std::isnan(as_real(of(x)))) continue;  // the same NaN each time
      bounded.insert(f);
      for (int p = -4; p <= 4; ++p) {
        const double there = as_real(of(x + e * p / 4)), off = std::abs(there - as_real(of(x)));
        EXPECT_LE(off, bound * (1 + 1e-9) + 1e-13)
            << info(f).text << " of " << x << " +- " << e << ", at " << p << " / 4";
      }
    }
    EXPECT_TRUE(bounded.contains(f)) << info(f).text;
    if (HasFailure()) return;
  }
}

TEST(ErrorOfAFunction, OfATestIsOpenWhereTheNumberMayLeaveItsRange) {
  const auto of = [](Function f, float v, double error) {
    const Uncertain operand[] = {{Scalar::of(v), error}};
    return error_of(f, operand, Scalar::of(DataType::Bool, false), {});
  };
  for (Function f : {Function::IsNan, Function::IsInf, Function::IsFinite}) {
    EXPECT_EQ(of(f, 1, 0.5), 0);
    EXPECT_EQ(of(f, 0x1.fffffep127f, 0x1p100), kOpen);
    EXPECT_EQ(of(f, HUGE_VALF, 0), 0);
    EXPECT_EQ(of(f, HUGE_VALF, 1), kOpen);
  }
}

// true is what is not 0: known where the error does not reach 0.
TEST(ErrorOfAConversion, ToATruthIsOpenWhereTheValueMayBeZero) {
  const Scalar yes = Scalar::of(DataType::Bool, true);
  EXPECT_EQ(error_of_conversion({Scalar::of(3.0f), 0.25}, DataType::Bool, yes), 0);
  EXPECT_EQ(error_of_conversion({Scalar::of(-3.0f), 0.25}, DataType::Bool, yes), 0);
  EXPECT_EQ(error_of_conversion({Scalar::of(0.125f), 0.25}, DataType::Bool, yes), kOpen);
}

// To a half, which has 11 bits: the value may be a unit in the last place off on either side.
TEST(ErrorOfAConversion, ToFewerBitsAddsTwoRoundings) {
  constexpr double kUnit = 0x1p-11, kLeast = 0x1p-24;
  EXPECT_EQ(error_of_conversion({Scalar::of(3.0f), 0.25}, DataType::Half, Scalar::of(3.0f)),
            0.25 + 2 * kUnit * 3.25 + kLeast);
}

// Each item may be larger by its error, and each product is rounded.
TEST(ErrorOfAFold, OfAProductIsHowMuchLargerItMayBe) {
  const Fold product = {.how = Reduction::Prod, .type = DataType::Float};
  const auto of = [&](const std::vector<Uncertain>& items, float result) {
    return error_of_fold(product, items, Scalar::of(result), {});
  };
  EXPECT_NEAR(of({{Scalar::of(2.0f), 1}, {Scalar::of(-3.0f), 0}}, -6), 3, 1e-5);
  const Uncertain one = {Scalar::of(1.0f), 0};
  EXPECT_NEAR(of({{Scalar::of(0.5f), 0}, one}, 0.5), 0x1p-23, 1e-12);
  // Part of it might be too large, or too small, for a float.
  EXPECT_LT(of({{Scalar::of(0x1p127f), 0}, one}, 0x1p127f), kOpen);
  EXPECT_EQ(of({{Scalar::of(0x1p127f), 0}, {Scalar::of(2.0f), 0}}, HUGE_VALF), kOpen);
  EXPECT_LT(of({{Scalar::of(0x1p-126f), 0}, one}, 0x1p-126f), kOpen);
  EXPECT_EQ(of({{Scalar::of(0x1p-126f), 0}, {Scalar::of(0.5f), 0}}, 0), kOpen);
}

// Doubles are bounded in double, where 1 and half a unit in its last place are 1: of many factors,
// multiplied in another order.
TEST(ErrorOfAFold, OfAProductOfDoublesHoldsInAnyOrder) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> factors(0.5, 2);
  for (int k = 0; k < 200; ++k) {
    std::vector<Uncertain> items;
    double forward = 1, backward = 1;
    for (int i = 0; i < 300; ++i) items.push_back({Scalar::of(factors(random)), 0});
    for (std::size_t i = 0; i < items.size(); ++i) {
      forward *= as_real(items[i].value);
      backward *= as_real(items[items.size() - 1 - i].value);
    }
    const double error = error_of_fold({.how = Reduction::Prod, .type = DataType::Double}, items,
                                       Scalar::of(forward), {});
    EXPECT_LE(std::abs(forward - backward), error);
    EXPECT_LE(error, 300 * 0x1p-50 * forward);
  }
}

// Items may be larger than they are here by their errors, and so may what is lost in adding them.
TEST(ErrorOfAFold, OfASumGrowsWithTheErrorsOfItsItems) {
  const Fold sum = {.how = Reduction::Sum, .type = DataType::Float};
  const Scalar result = Scalar::of(2.0f);
  const std::vector<Uncertain> sure = {{Scalar::of(1.0f), 0}, {Scalar::of(1.0f), 0}};
  const std::vector<Uncertain> open = {{Scalar::of(1.0f), 1000}, {Scalar::of(1.0f), 1000}};
  // Three roundings of the sum of magnitudes, 2 and 2002; two of the result; the items' own errors.
  constexpr double kUnit = 0x1p-24;
  EXPECT_NEAR(error_of_fold(sum, sure, result, {}), 3 * kUnit * 2 + 2 * kUnit * 2, 1e-12);
  EXPECT_NEAR(error_of_fold(sum, open, result, {}) - 2000, 3 * kUnit * 2002 + 2 * kUnit * 2, 1e-9);
}

}  // namespace
}  // namespace selvage
