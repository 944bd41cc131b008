// Which type index arithmetic needs: where index_width says that everything fits, it does, at the
// ends of every range too.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/memory_axiom.h>

#include <gtest/gtest.h>

#include "tests/kernel/points.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using oracle::draw;
using Sizes = std::map<std::string, std::int64_t>;

// Sizes M, N and K, loops over what is made of them, and random expressions over the loops.
struct WidthCase {
  explicit WidthCase(bool symbolic = true) {
    for (const char* name : {"K", "M", "N"}) {
      if (!symbolic) break;
      sizes.push_back(pool.symbol(name));
      facts.bound(sizes.back(), pool.constant(1), {});
    }
  }
  Expr parse(std::string_view text) { return parse_expr(pool, text); }
  WidthCase& loop(const std::string& name, const std::string& extent) {
    facts.loop(pool.symbol(name), parse(extent));
    return *this;
  }
  IndexWidth width(const std::vector<Expr>& roots) {
    const std::vector<Expr> values = reachable(roots, true);
    Simplifier ranges(facts);
    KnownSizes known(sizes, facts);
    return index_width({values, elements, {}, ranges, known});
  }
  std::string condition(std::string_view text) {
    return to_string(width({parse(text)}).condition_32);
  }

  ExprPool pool;
  Facts facts{pool};
  std::vector<Expr> sizes, elements;
};

TEST(IndexWidth, ASumNeedsItsLargestValue) {
  EXPECT_EQ(WidthCase().loop("i", "N").loop("j", "M").condition("i * M + j"),
            "M < 2147483648 && M * N < 2147483649");
}

TEST(IndexWidth, ARemainderNeedsItsDivisorAndAQuotientLessThanItsDividend) {
  EXPECT_EQ(WidthCase().loop("q", "N * N * N").condition("q % (N * N) * N"),
            "N * N < 2147483648 && N * N * N < 2147483649");
  EXPECT_EQ(WidthCase().loop("q", "M * N").condition("q / N * N"),
            "N < 2147483648 && M * N < 2147483649");
}

TEST(IndexWidth, ADifferenceNeedsTheLargerSide) {
  EXPECT_EQ(WidthCase().loop("i", "N").condition("N - i"), "N < 2147483648");
}

TEST(IndexWidth, ALoopOfKnownLengthIsNoSize) {
  EXPECT_EQ(WidthCase().loop("t", "8").condition("N * t"), "N < 306783379");
}

TEST(IndexWidth, OfSizesThatHaveAMaximumTheSmallerOnesMayFit) {
  WidthCase c;
  for (Expr size : c.sizes) c.facts.bound(size, {}, c.pool.constant(1 << 20));
  const IndexWidth width = c.loop("i", "N").loop("j", "M").width({c.parse("i * M + j")});
  EXPECT_EQ(to_string(width.condition_32), "M * N < 2147483649");
  EXPECT_FALSE(width.never_fits);
  EXPECT_TRUE(width.condition_64.is_true());
}

TEST(IndexWidth, KnownRangesSettleIt) {
  WidthCase c(false);
  c.loop("i", "65536").loop("j", "32768");
  EXPECT_TRUE(c.width({c.parse("i * 32768 + j")}).fits_32);
  EXPECT_TRUE(c.width({c.parse("i * 32769 + j")}).never_fits);
  EXPECT_TRUE(c.width({c.parse("i * 32769 + j")}).condition_64.is_true());
}

TEST(IndexWidth, SixtyFourBitsAreEnoughForWhatMemoryHolds) {
  WidthCase c;
  c.elements = {c.parse("M * N")};
  c.loop("b", "(M * N + 127) / 128").loop("t", "128");
  EXPECT_TRUE(c.width({c.parse("b * 128 + t")}).condition_64.is_true());
  EXPECT_TRUE(c.width({c.parse("((M + 6) / 7 * 7 * N - N % 7) * 4 + 23")}).condition_64.is_true());
  EXPECT_EQ(to_string(c.width({c.parse("M * N * K")}).condition_64),
            "K * M * N <= 9223372036854775807");
}

TEST(IndexWidth, MemoryBoundsSixteenThousandTimesItsElements) {
  WidthCase c;
  const std::vector<Expr> elements = {c.parse("M * N")};
  Simplifier ranges(c.facts);
  EXPECT_TRUE(fits_by_memory(c.parse("M * N * 16000 + N * 384"), elements, ranges));
  EXPECT_FALSE(fits_by_memory(c.parse("M * N * 16000 + N * 385"), elements, ranges));
}

// A factor that may be negative makes a product no larger; two of them may.
TEST(IndexWidth, AProductIsBoundedByMemoryWhereOneFactorMayBeNegative) {
  WidthCase c;
  const std::vector<Expr> elements = {c.parse("M * N")};
  Simplifier ranges(c.facts);
  EXPECT_TRUE(fits_by_memory(c.parse("(M - K) * N"), elements, ranges));
  EXPECT_TRUE(fits_by_memory(c.parse("M * (N - K)"), elements, ranges));
  EXPECT_FALSE(fits_by_memory(c.parse("(M - K) * (N - K)"), elements, ranges));
}

// Random index expressions whose values come near the ends of both types.
Expr random_index(std::mt19937_64& rng, WidthCase& c, const std::vector<Expr>& loops, int depth) {
  const auto index = [&] { return random_index(rng, c, loops, depth - 1); };
  if (depth == 0) return loops[std::size_t(draw(rng, 0, std::int64_t(loops.size()) - 1))];
  const auto factor = [&] {
    const bool number = c.sizes.empty() || draw(rng, 0, 1) == 0;
    return number ? c.pool.constant(std::int64_t{1} << draw(rng, 0, 12))
                  : c.sizes[std::size_t(draw(rng, 0, 2))];
  };
  const Expr a = index();
  switch (draw(rng, 0, 7)) {
    case 0:
    case 1: return a * factor();
    case 2: return a + index();
    case 3: return a - index();
    case 4: return a / factor();
    case 5: return a % factor();
    case 6: return a - draw(rng, 0, 1 << 20);
    default: return draw(rng, 0, 1) == 0 ? min(a, index()) : max(a, index());
  }
}

void expect_to_fit(std::mt19937_64& rng, const WidthCase& c, Expr e, bool narrow,
                   const Sizes& sizes) {
  for (int k = 0; k < 12; ++k) {
    const auto point = test::random_point(rng, c.facts, sizes);
    if (!point) return;
    Tape tape({&e, 1}, point->symbols);
    if (narrow) tape.limit(-INT32_MAX, INT32_MAX);
    ASSERT_TRUE(tape.evaluate(point->values))
        << to_string(e) << ": " << to_string(tape.stopped_at()) << " at "
        << testing::PrintToString(point->values);
  }
}

TEST(IndexWidthRandom, WhatIsSaidToFitFitsAtKnownExtents) {
  std::mt19937_64 rng(23);
  const int expressions = count(1'500, 60'000);
  int fit = 0, not_32 = 0;
  for (int i = 0; i < expressions && !testing::Test::HasFailure(); ++i) {
    WidthCase c(false);
    std::vector<Expr> loops;
    for (const char* name : {"i", "j"}) {
      loops.push_back(c.pool.symbol(name));
      c.facts.loop(loops.back(), c.pool.constant(std::int64_t{1} << draw(rng, 0, 24)));
    }
    const Expr e = random_index(rng, c, loops, 4);
    const IndexWidth width = c.width({e});
    if (!width.fits_32) ++not_32;
    const bool fits_64 = evaluate(width.condition_64, {}, {}).value_or(0) != 0;
    if (width.fits_32 || fits_64) {
      expect_to_fit(rng, c, e, width.fits_32, {});
      ++fit;
    }
  }
  EXPECT_GT(fit, expressions / 2);
  EXPECT_GT(not_32, expressions / 10);
}

TEST(IndexWidthRandom, WhatIsSaidToFitFitsWhereTheConditionHolds) {
  std::mt19937_64 rng(29);
  const int expressions = count(200, 4'000);
  int held[2] = {0, 0};
  for (int i = 0; i < expressions && !testing::Test::HasFailure(); ++i) {
    WidthCase c;
    c.elements = {c.parse("M * N")};
    c.loop("i", "M").loop("j", "(N + 6) / 7").loop("k", "K");
    const Expr e =
        random_index(rng, c, {c.pool.symbol("i"), c.pool.symbol("j"), c.pool.symbol("k")}, 3);
    const IndexWidth width = c.width({e});
    for (int k = 0; k < 30; ++k) {
      Sizes sizes;
      std::vector<std::int64_t> values;
      const std::int64_t bits = draw(rng, 1, 40);
      for (Expr s : c.sizes) {
        values.push_back(draw(rng, 1, std::int64_t{1} << draw(rng, 0, bits)));
        sizes[std::string(s.name())] = values.back();
      }
      const auto holds = [&](Expr condition) {
        return evaluate(condition, c.sizes, values).value_or(0) != 0;
      };
      const bool exists = holds(c.elements[0] <= (std::int64_t{1} << 48));
      for (bool narrow : {true, false}) {
        if (!exists || !holds(narrow ? width.condition_32 : width.condition_64)) continue;
        expect_to_fit(rng, c, e, narrow, sizes);
        ++held[narrow ? 1 : 0];
      }
    }
  }
  EXPECT_GT(held[0], expressions);
  EXPECT_GT(held[1], expressions);
}

}  // namespace
}  // namespace selvage
