// Loops around random predicates, symbols in them, and long texts of their masks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_masks.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::Draw;
using test::Drawn;
using test::levels_of;
using test::LevelSizes;
using test::RandomMask;
using test::spelled_out;
using test::Threads;
using test::threads_of;
using test::Values;

// A loop around is one index more, and another mask each time.
TEST(ThreadMaskSymbols, IterationsAreSlices) {
  SplitMix64 random(10);
  for (int n = 0; n < count(100, 2'000); ++n) {
    RandomMask r(random);
    const std::int64_t turns = std::int64_t(random.next() % 5) + 1;
    std::vector<Expr> symbols = r.symbols;
    symbols.push_back(r.pool.symbol("turn"));
    Draw draw(r.pool, random, symbols);
    const Drawn predicate = draw.truth(2);
    std::vector<Threads> expected(static_cast<std::size_t>(turns));
    bool fails = false;
    for (std::int64_t i = 0; i < turns; ++i) {
      r.each([&](std::int64_t t, Values v) {
        v.push_back(i);
        if (predicate.value(v, fails) != 0) expected[std::size_t(i)].insert(t);
      });
    }
    if (fails) continue;
    const MaskIndex loop = {symbols.back(), turns};
    const auto masks = masks_by_iteration(predicate.e, r.levels, std::span(&loop, 1), r.facts);
    ASSERT_EQ(masks.size(), expected.size());
    for (std::size_t i = 0; i < masks.size(); ++i) {
      ASSERT_TRUE(masks[i]);
      EXPECT_EQ(threads_of(*masks[i]), expected[i]) << to_string(predicate.e) << " at " << i;
    }
  }
}

// With symbols: a mask only where no value changes it, and always where none does.
TEST(ThreadMaskSymbols, IsDynamicJustWhereAValueChangesIt) {
  SplitMix64 random(11);
  int constant = 0, dynamic = 0;
  for (int n = 0; n < count(400, 5'000); ++n) {
    RandomMask r(random);
    const auto below = [&](std::int64_t m) {
      return std::int64_t(random.next() % std::uint64_t(m));
    };
    const Expr symbol_n = r.pool.symbol("N"), symbol_m = r.pool.symbol("M");
    std::vector<Expr> symbols = r.symbols;
    symbols.push_back(symbol_n);
    symbols.push_back(symbol_m);
    const std::int64_t lo = below(9) - 4, hi = lo + below(5), top = below(6), step = below(3) + 1;
    r.facts.bound(symbol_n, r.pool.constant(lo), r.pool.constant(hi));
    r.facts.bound(symbol_m, r.pool.constant(0), r.pool.constant(top));
    r.facts.congruent(symbol_m, step);
    const bool is_tied = below(2) == 0;
    if (is_tied) r.facts.assume(symbol_n <= symbol_m);
    Draw draw(r.pool, random, symbols);
    const Drawn predicate = draw.truth(2);
    std::set<Threads> found;
    bool fails = false;
    for (std::int64_t v_n = lo; v_n <= hi; ++v_n) {
      for (std::int64_t v_m = 0; v_m <= top; v_m += step) {
        if (is_tied && v_n > v_m) continue;
        Threads threads;
        r.each([&](std::int64_t t, Values v) {
          v.push_back(v_n);
          v.push_back(v_m);
          if (predicate.value(v, fails) != 0) threads.insert(t);
        });
        found.insert(threads);
      }
    }
    if (fails || found.empty()) continue;
    const auto mask = ThreadMask::of(predicate.e, r.levels, r.facts);
    SCOPED_TRACE(to_string(predicate.e) + " for " + std::to_string(n));
    ASSERT_EQ(mask.has_value(), found.size() == 1);
    if (mask) {
      EXPECT_EQ(threads_of(*mask), *found.begin());
    }
    ++(mask ? constant : dynamic);
  }
  EXPECT_GT(constant, more_than(50));
  EXPECT_GT(dynamic, more_than(50));
}

TEST(ThreadMaskSymbols, LongTextsSayTheSame) {
  SplitMix64 random(12);
  for (int n = 0; n < count(40, 400); ++n) {
    ExprPool pool;
    const std::int64_t x = std::int64_t(random.next() % 40) + 1, y = 5000 / x + 1;
    const LevelSizes sizes = {{{"b", 3}}, {{"x", x}, {"y", y}, {"z", 2}}};
    const auto levels = levels_of(pool, sizes);
    Draw draw(pool, random, {levels[1].indices[0].symbol, levels[1].indices[1].symbol});
    const Drawn predicate = draw.truth(2);
    std::string bits;
    bool fails = false;
    for (std::int64_t t = x * y * 2; t-- > 0;) {
      bits += predicate.value({t / 2 / y, t / 2 % y}, fails) != 0 ? '1' : '0';
    }
    if (fails) continue;
    const bool is_none = bits.find('1') == bits.npos;
    const auto mask = ThreadMask::of(predicate.e, levels, Facts(pool));
    const std::string text = mask->text();
    const std::size_t cut = text.find('-');
    EXPECT_EQ(spelled_out(text.substr(0, cut)), is_none ? "000" : "111");
    EXPECT_EQ(spelled_out(text.substr(cut + 1)), bits) << to_string(predicate.e);
  }
}

}  // namespace
}  // namespace selvage
