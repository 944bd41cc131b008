// How far a result may be off, where its operands are.
#include <selvage/emulate/error_bounds.h>

#include <gtest/gtest.h>

#include <cmath>
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

// true is what is not 0: known where the error does not reach 0.
TEST(ErrorOfAConversion, ToATruthIsOpenWhereTheValueMayBeZero) {
  const Scalar yes = Scalar::of(DataType::Bool, true);
  EXPECT_EQ(error_of_conversion({Scalar::of(3.0f), 0.25}, DataType::Bool, yes), 0);
  EXPECT_EQ(error_of_conversion({Scalar::of(-3.0f), 0.25}, DataType::Bool, yes), 0);
  EXPECT_EQ(error_of_conversion({Scalar::of(0.125f), 0.25}, DataType::Bool, yes), kOpen);
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
