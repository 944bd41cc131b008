// Points that facts allow: of random facts over a small box, against every point of it.
#include <selvage/expr/text.h>
#include <selvage/simplifier/sampler.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/support/counts.h"

namespace selvage {
namespace {

using Values = std::vector<std::int64_t>;

// Facts of three sizes, and the points between -4 and 14 at which they hold.
struct RandomFacts {
  explicit RandomFacts(std::uint64_t seed) : random(seed) {
    for (const char* name : {"x", "y", "z"}) symbols.push_back(pool.symbol(name));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::int64_t lo = below(8) - 4, hi = lo + below(9);
      const Expr s = symbols[i];
      conditions.push_back(lo <= s && s <= pool.constant(hi));
      if (i > 0 && below(2) == 0) conditions.push_back(s <= symbols[i - 1] + below(4));
      if (below(3) == 0) conditions.push_back(eq(s % (2 + below(3)), below(2)));
    }
    if (below(2) == 0) conditions.push_back(symbols[0] + symbols[1] <= symbols[2] + below(12));
    for (Expr c : conditions) facts.assume(c);
    Values at(3);
    for (at[0] = -4; at[0] <= 14; ++at[0]) {
      for (at[1] = -4; at[1] <= 14; ++at[1]) {
        for (at[2] = -4; at[2] <= 14; ++at[2]) {
          if (holds(at)) allowed.insert(at);
        }
      }
    }
  }
  bool holds(const Values& at) const {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](Expr c) { return evaluate(c, symbols, at).value() != 0; });
  }
  std::int64_t below(std::int64_t n) { return std::int64_t(random() % std::uint64_t(n)); }

  std::mt19937_64 random;
  ExprPool pool;
  Facts facts{pool};
  std::vector<Expr> symbols, conditions;
  std::set<Values> allowed;
};

// Of a sampler that has them in its own order.
Values in_order_of(const std::vector<Expr>& symbols, const Sampler& sampler) {
  return values_in(in_order(symbols, sampler.point()));
}

TEST(Sampler, GoesThroughJustThePointsThatTheFactsAllow) {
  for (int k = 0; k < count(60, 1'000); ++k) {
    RandomFacts random{std::uint64_t(k)};
    Sampler sampler(random.facts, random.symbols);
    ASSERT_TRUE(sampler.count(20 * 20 * 20).has_value());
    EXPECT_GE(*sampler.count(20 * 20 * 20), std::int64_t(random.allowed.size()));
    std::set<Values> met;
    EXPECT_TRUE(sampler.for_each([&] {
      EXPECT_TRUE(met.insert(in_order_of(random.symbols, sampler)).second);
      return true;
    }));
    EXPECT_EQ(met, random.allowed) << k;
  }
}

TEST(Sampler, DrawsNothingElseAndFindsMostOfWhatThereIs) {
  std::size_t found = 0, there = 0;
  for (int k = 0; k < count(40, 400); ++k) {
    RandomFacts random{1'000 + std::uint64_t(k)};
    Sampler sampler(random.facts, random.symbols);
    std::set<Values> met;
    for (int draw = 0; draw < 4'000; ++draw) {
      if (!sampler.draw(16)) continue;
      const Values at = in_order_of(random.symbols, sampler);
      ASSERT_TRUE(random.allowed.contains(at));
      for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(sampler.root(i), at[i]);
      }
      met.insert(at);
    }
    found += met.size();
    there += random.allowed.size();
  }
  EXPECT_GT(found * 4, there * 3);
}

TEST(Sampler, IsTheSameForTheSameSeedAlone) {
  RandomFacts random{7};
  const auto drawn = [&](std::uint64_t seed) {
    Sampler sampler(random.facts, random.symbols, seed);
    std::vector<Values> list;
    for (int k = 0; k < 50; ++k) {
      sampler.draw(16);
      list.push_back(sampler.values());
    }
    return list;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST(Sampler, TakesWhatTheFactsTieToASymbolAndNothingElse) {
  ExprPool pool;
  Facts facts(pool);
  const Expr a = pool.symbol("a"), b = pool.symbol("b"), c = pool.symbol("c"), d = pool.symbol("d");
  facts.loop(b, pool.constant(100));
  facts.loop(a, b + 1);  // a <= b
  facts.assume(c <= b * b);
  facts.loop(d, pool.constant(5));
  Sampler sampler(facts, std::span(&a, 1));
  ASSERT_EQ(sampler.symbols().size(), 3u);
  EXPECT_TRUE(sampler.move_to(Values{4, 16, 3}) || sampler.move_to(Values{16, 4, 3}));
  const auto tied = [&](Expr e) {
    return std::any_of(sampler.symbols().begin(), sampler.symbols().end(),
                       [&](Expr s) { return same(s, e); });
  };
  EXPECT_TRUE(tied(a) && tied(b) && tied(c) && !tied(d));
}

TEST(Sampler, OfSymbolsWithoutEndsHasValuesOnBothSides) {
  ExprPool pool;
  Facts facts(pool);
  const Expr n = pool.symbol("n");
  facts.congruent(n, 5, 2);
  Sampler sampler(facts, std::span(&n, 1));
  bool is_negative = false, is_positive = false;
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(sampler.draw(10));
    ASSERT_EQ(((sampler.root(0) % 5) + 5) % 5, 2);
    (sampler.root(0) < 0 ? is_negative : is_positive) = true;
  }
  EXPECT_TRUE(is_negative && is_positive);
  EXPECT_FALSE(sampler.count(1'000).has_value());
}

}  // namespace
}  // namespace selvage
