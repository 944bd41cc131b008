#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/linear.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <random>

namespace selvage {
namespace {

// Random sums over i, j, N and the quotient i/4, and points to evaluate them at.
class Sums : public testing::Test {
 protected:
  Expr expression(int depth) {
    if (depth == 0 || random_() % 5 == 0) {
      const std::uint64_t k = random_() % 6;
      return k < 4 ? atoms_[k] : pool_.constant(std::int64_t(random_() % 13) - 6);
    }
    static constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul};
    const Op op = kOps[random_() % 3];
    const Expr left = expression(depth - 1);
    return pool_.make(op, left, expression(depth - 1));
  }
  std::vector<std::int64_t> point() {
    std::vector<std::int64_t> values;
    for (int k = 0; k < 3; ++k) values.push_back(std::int64_t(random_() % 41) - 20);
    return values;
  }
  std::int64_t value(Expr e, const std::vector<std::int64_t>& at) {
    return evaluate(e, std::span(atoms_).first(3), at).value();
  }
  std::int64_t value(const LinearSum& s, const std::vector<std::int64_t>& at) {
    return value(to_expr(pool_, s), at);
  }

  ExprPool pool_;
  std::vector<Expr> atoms_ = {pool_.symbol("i"), pool_.symbol("j"), pool_.symbol("N"),
                              pool_.symbol("i") / 4};
  std::mt19937_64 random_{7};
};

TEST_F(Sums, WrittenOutAndReadBackTheyAreTheSame) {
  for (int k = 0; k < count(2000, 50000); ++k) {
    const Expr e = expression(4);
    const LinearSum s = to_linear(e);
    const Expr text = to_expr(pool_, s);
    ASSERT_TRUE(to_linear(text).equals(s)) << to_string(e) << " = " << to_string(text);
    ASSERT_TRUE(same(to_expr(pool_, to_linear(text)), text));
    const auto at = point();
    ASSERT_EQ(value(e, at), value(text, at)) << to_string(e) << " = " << to_string(text);
  }
}

TEST_F(Sums, AddMultiplyAndScaleAgreeWithEvaluation) {
  for (int k = 0; k < count(1000, 20000); ++k) {
    const LinearSum a = to_linear(expression(2)), b = to_linear(expression(2));
    const std::int64_t c = std::int64_t(random_() % 9) - 4;
    const auto at = point();
    ASSERT_EQ(value(add(a, b, c).value(), at), value(a, at) + c * value(b, at));
    ASSERT_EQ(value(scale(a, c).value(), at), c * value(a, at));
    if (const auto product = multiply(a, b)) {
      ASSERT_EQ(value(*product, at), value(a, at) * value(b, at));
    }
    ASSERT_TRUE(add(a, a, -1)->is_zero());
    ASSERT_TRUE(add(a, b)->equals(*add(b, a)));
  }
}

TEST_F(Sums, EqualPolynomialsAreEqualTermByTerm) {
  const auto equal = [&](const char* a, const char* b) {
    return to_linear(parse_expr(pool_, a)).equals(to_linear(parse_expr(pool_, b)));
  };
  EXPECT_TRUE(equal("(i + j) * (i - j)", "i * i - j * j"));
  EXPECT_TRUE(equal("(i + 1) * (i + 1) * N", "N * i * i + 2 * (N * i) + N"));
  EXPECT_TRUE(equal("i - i", "0"));
  EXPECT_FALSE(equal("i * i", "i * j"));
  EXPECT_FALSE(equal("i / 4 * 4", "i"));
}

TEST_F(Sums, DivisionTermByTermIsADivision) {
  int divided = 0;
  for (int k = 0; k < count(2000, 50000); ++k) {
    const LinearSum sum = to_linear(expression(3));
    const LinearSum divisor = to_linear(expression(k % 3));
    const auto d = divide_terms(pool_, sum, divisor);
    if (!d) continue;
    const auto product = multiply(d->quotient, divisor);
    ASSERT_TRUE(product && add(*product, d->rest)->equals(sum))
        << to_string(to_expr(pool_, sum)) << " by " << to_string(to_expr(pool_, divisor));
    if (divisor.is_constant()) {
      ASSERT_LE(0, d->rest.constant);
      ASSERT_LT(d->rest.constant, divisor.constant);
    }
    divided += d->quotient.is_zero() ? 0 : 1;
  }
  EXPECT_GT(divided, 0);
}

TEST_F(Sums, AProductTimesASumIsDividedByEither) {
  const auto quotient = [&](const char* sum, const char* divisor) {
    const auto d = divide_terms(pool_, to_linear(parse_expr(pool_, sum)),
                                to_linear(parse_expr(pool_, divisor)));
    return to_string(to_expr(pool_, d->quotient)) + " rest " + to_string(to_expr(pool_, d->rest));
  };
  EXPECT_EQ(quotient("i * N + j", "N"), "i rest j");
  EXPECT_EQ(quotient("(i + 2) * (N * 4 + 1)", "N * 4 + 1"), "i + 2 rest 0");
  EXPECT_EQ(quotient("i * N * 6 + j * N * 4", "N * 4"), "j rest N * i * 6");
  EXPECT_EQ(quotient("i * 4 + j - 5", "4"), "i - 2 rest j + 3");
  EXPECT_EQ(quotient("i + 1", "N"), "0 rest i + 1");
}

TEST_F(Sums, OneIsFoundWithinAnotherAsOftenAsItsTermsSay) {
  const Expr i = atoms_[0], j = atoms_[1], N = atoms_[2];
  const auto times = [&](Expr sum, Expr x) {
    return multiple_within(to_linear_or_atom(sum), to_linear_or_atom(x));
  };
  EXPECT_EQ(times(i * 6 + j * 4 + N, i * 3 + j * 2), 2);
  EXPECT_EQ(times(i * -2 + N, i * 2), -1);
  EXPECT_EQ(times(i * 6 + j * 2, i * 3 + j * 2), 0);
  EXPECT_EQ(times(i * 3, i * 2), 0);
  EXPECT_EQ(times(i * 3, i * 3 + j), 0);
}

TEST_F(Sums, WhatDoesNotFitIsNothing) {
  const LinearSum large = LinearSum::of_constant(INT64_MAX);
  const LinearSum small = LinearSum::of_constant(INT64_MIN);
  const LinearSum i = LinearSum::of_atom(atoms_[0]);
  EXPECT_FALSE(add(large, LinearSum::of_constant(1)));
  EXPECT_FALSE(add(i, small, -1));
  EXPECT_FALSE(scale(small, -1));
  EXPECT_FALSE(scale(*scale(i, INT64_MAX), 2));
  EXPECT_FALSE(multiply(large, large));
  EXPECT_FALSE(divide_terms(pool_, i, LinearSum{}));
  LinearSum many;
  for (std::size_t k = 0; k <= kMostTerms; ++k) {
    const auto grown = add(many, LinearSum::of_atom(pool_.symbol("x" + std::to_string(k))));
    ASSERT_EQ(grown.has_value(), k < kMostTerms);
    if (grown) many = *grown;
  }
}

TEST_F(Sums, WhatOverflowsStaysOneAtom) {
  const Expr e = parse_expr(pool_, "9223372036854775807 + 1");
  EXPECT_TRUE(to_linear(e).equals(LinearSum::of_atom(e)));
  EXPECT_TRUE(same(to_expr(pool_, to_linear(e)), e));
}

TEST_F(Sums, TheCornerOf64BitsDividesByMinusOneWithoutATrap) {
  const Expr i = atoms_[0], n = atoms_[2];
  const auto d = divide_terms(pool_, to_linear(i * n * INT64_MIN), *scale(to_linear(n), -1));
  ASSERT_TRUE(d);
  EXPECT_TRUE(d->quotient.is_zero());
}

TEST_F(Sums, ASumIsWrittenAsAPersonWould) {
  const auto written = [&](const char* text) {
    return to_string(to_expr(pool_, to_linear(parse_expr(pool_, text))));
  };
  EXPECT_EQ(written("5 + j - 2 * k + N * i"), "N * i + j - k * 2 + 5");
  EXPECT_EQ(written("i2 + i10 * 8 + i3 * 4"), "i10 * 8 + i3 * 4 + i2");
  EXPECT_EQ(written("0 - i"), "0 - i");
  EXPECT_EQ(written("3 - i * 2"), "3 - i * 2");
  EXPECT_EQ(written("i - 5"), "i - 5");
  EXPECT_EQ(written("i - -9223372036854775808 + i"), "i + (i - -9223372036854775808)");
}

}  // namespace
}  // namespace selvage
