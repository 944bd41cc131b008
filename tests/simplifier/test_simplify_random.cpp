#include <selvage/expr/tape.h>
#include <tests/expr/random_expr.h>
#include <tests/simplifier/scope.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace selvage {
namespace {

// A loop nest with a chain of splits and merges over it, as schedules make them.
class Chain {
 public:
  explicit Chain(std::uint64_t seed) : random_(seed), symbolic_(below(2) == 0) {
    if (symbolic_) {
      for (const char* name : {"N", "M"}) {
        const std::int64_t most = below(2) == 0 ? 9 : 40;
        facts.bound(pool.symbol(name), pool.constant(1), pool.constant(most));
        parameters.emplace_back(pool.symbol(name), most);
      }
      if (below(4) == 0) facts.assume(pool.symbol("N") <= pool.symbol("M"));
      if (below(4) == 0) facts.assume(eq(pool.symbol("M") % 4, 0));
    }
    const std::size_t loop_count = 1 + below(3);
    for (std::size_t k = 0; k < loop_count; ++k) {
      const Expr loop = pool.symbol("i" + std::to_string(k));
      const Expr n = extent();
      facts.loop(loop, n);
      loops.emplace_back(loop, n);
      axes.emplace_back(loop, n);
    }
    for (std::size_t k = 0, steps = 1 + below(5); k < steps; ++k) step();
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Values of the parameters and loops, in this order; none where an assumption fails.
  std::optional<std::vector<std::int64_t>> point() {
    std::vector<Expr> symbols;
    std::vector<std::int64_t> values;
    const auto pick = [&](std::int64_t lo, std::int64_t hi) {
      const std::uint64_t end = below(4);
      return end == 0 ? lo : end == 1 ? hi : lo + std::int64_t(below(std::uint64_t(hi - lo + 1)));
    };
    for (const auto& [symbol, most] : parameters) {
      symbols.push_back(symbol);
      values.push_back(pick(1, most));
    }
    for (const auto& [symbol, n] : loops) {
      const std::int64_t size = evaluate(n, symbols, values).value();
      symbols.push_back(symbol);
      values.push_back(pick(0, size - 1));
    }
    for (Expr e : facts.assumptions()) {
      if (evaluate(e, symbols, values) != 1) return std::nullopt;
    }
    if (const auto* s = facts.find(pool.symbol("M")); s && !s->congruence.contains(values[1])) {
      return std::nullopt;
    }
    return values;
  }

  std::vector<Expr> symbols() const {
    std::vector<Expr> all;
    for (const auto& [symbol, most] : parameters) all.push_back(symbol);
    for (const auto& [symbol, n] : loops) all.push_back(symbol);
    return all;
  }

  // At least 1, whatever the parameters are.
  Expr extent() {
    if (!symbolic_ || below(3) == 0) return pool.constant(1 + std::int64_t(below(12)));
    const Expr n = pool.symbol(below(2) == 0 ? "N" : "M");
    switch (below(3)) {
      case 0: return n;
      case 1: return ceil_div(n, pool.constant(2 + std::int64_t(below(6))));
      default: return n * pool.constant(1 + std::int64_t(below(4)));
    }
  }

  ExprPool pool;
  Facts facts{pool};
  std::vector<std::pair<Expr, std::int64_t>> parameters;
  std::vector<std::pair<Expr, Expr>> loops, axes;  // (index, extent)

 private:
  void step() {
    const std::size_t k = below(axes.size());
    const auto [index, n] = axes[k];
    if (k + 1 < axes.size() && below(2) == 0) {
      const auto [inner, m] = axes[k + 1];
      axes[k] = {index * m + inner, n * m};
      axes.erase(axes.begin() + std::ptrdiff_t(k) + 1);
    } else {
      const Expr f = extent();
      axes[k] = {index / f, ceil_div(n, f)};
      axes.insert(axes.begin() + std::ptrdiff_t(k) + 1, {index % f, f});
    }
  }

  std::mt19937_64 random_;
  bool symbolic_;
};

void expect_equal_values(Chain& chain, Simplifier& simplifier, Expr e, int points) {
  const Expr s = simplifier.simplify(e);
  const std::vector<Expr> symbols = chain.symbols();
  Tape before({&e, 1}, symbols), after({&s, 1}, symbols);
  for (int k = 0; k < points; ++k) {
    const auto values = chain.point();
    if (!values || !before.evaluate(*values)) continue;
    ASSERT_TRUE(after.evaluate(*values) && before.root(0) == after.root(0))
        << to_string(e) << "\n-> " << to_string(s) << "\nat " << testing::PrintToString(*values);
    ASSERT_TRUE(simplifier.interval(e).contains(before.root(0))) << to_string(e);
    ASSERT_TRUE(simplifier.congruence(e).contains(before.root(0))) << to_string(e);
  }
}

TEST(SimplifyRandom, IndicesAndPredicatesOfChainsKeepTheirValues) {
  for (int k = 0; k < count(1500, 60000); ++k) {
    SCOPED_TRACE(k);
    Chain chain(std::uint64_t(k) + 1);
    Simplifier simplifier(chain.facts);
    for (const auto& [index, n] : chain.axes) {
      expect_equal_values(chain, simplifier, index, 20);
      expect_equal_values(chain, simplifier, index < n, 20);
      expect_equal_values(chain, simplifier, index + 1 < n, 20);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(SimplifyRandom, ArbitraryExpressionsKeepTheirValues) {
  for (int k = 0; k < count(3000, 100000); ++k) {
    SCOPED_TRACE(k);
    Chain chain(std::uint64_t(k) + 1);
    std::vector<std::string> names;
    for (Expr s : chain.symbols()) names.emplace_back(s.name());
    RandomExpr random(chain.pool, std::uint64_t(k), names);
    random.ends = false;
    Simplifier simplifier(chain.facts);
    expect_equal_values(chain, simplifier, random.integer(4), 20);
    expect_equal_values(chain, simplifier, random.truth(4), 20);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// With constants at the ends of 64 bits another order of the terms may overflow where the written
// one does not; where both have a value it is the same.
TEST(SimplifyRandom, ConstantsAtTheEndsOf64BitsGiveNoOtherValue) {
  for (int k = 0; k < count(3000, 100000); ++k) {
    Chain chain(std::uint64_t(k) + 1);
    const std::vector<Expr> symbols = chain.symbols();
    std::vector<std::string> names;
    for (Expr s : symbols) names.emplace_back(s.name());
    RandomExpr random(chain.pool, std::uint64_t(k), names);
    const Expr e = k % 2 == 0 ? random.integer(3) : random.truth(3);
    const Expr s = Simplifier(chain.facts).simplify(e);
    const Expr roots[] = {e, s};
    Tape tape(roots, symbols);
    for (int n = 0; n < 10; ++n) {
      const auto values = chain.point();
      if (!values || !tape.evaluate(*values)) continue;
      ASSERT_EQ(tape.root(0), tape.root(1))
          << to_string(e) << "\n-> " << to_string(s) << "\nat " << testing::PrintToString(*values);
    }
  }
}

// merge(split(x)) is x, by one factor and by two, numbers or symbols.
TEST(SimplifyRandom, SplitsAndTheirMergesCancel) {
  for (int k = 0; k < count(500, 20000); ++k) {
    Chain chain(std::uint64_t(k) + 1);
    Simplifier simplifier(chain.facts);
    const Expr x = chain.loops[chain.below(chain.loops.size())].first;
    const Expr whole = simplifier.simplify(x), f = chain.extent(), g = chain.extent();
    const Expr outer = x / f / g * g + x / f % g;
    for (Expr back : {x / f * f + x % f, outer * f + x % f}) {
      EXPECT_TRUE(same(simplifier.simplify(back), whole))
          << to_string(back) << " gives " << to_string(simplifier.simplify(back));
    }
  }
}

// split(merge(o, i)) gives o and i back, for any extents.
TEST(SimplifyRandom, AMergeAndItsSplitCancel) {
  for (int k = 0; k < count(300, 5000); ++k) {
    Chain chain(std::uint64_t(k) + 1);
    Simplifier simplifier(chain.facts);
    if (chain.loops.size() < 2) continue;
    const auto [o, n] = chain.loops[0];
    const auto [i, m] = chain.loops[1];
    EXPECT_TRUE(same(simplifier.simplify((o * m + i) / m), simplifier.simplify(o)));
    EXPECT_TRUE(same(simplifier.simplify((o * m + i) % m), simplifier.simplify(i)));
    EXPECT_TRUE(simplifier.simplify(o * m + i < n * m).is_true());
  }
}

// At points where the facts hold, whatever other symbols they are about.
void expect_true(Chain& chain, const Facts& facts, Expr claim, int points) {
  const std::vector<Expr> symbols = chain.symbols();
  for (int k = 0; k < points; ++k) {
    const auto values = chain.point();
    if (!values) continue;
    const auto holds = [&](Expr c) { return evaluate(c, symbols, *values) == 1; };
    if (!std::ranges::all_of(facts.assumptions(), holds)) continue;
    const bool is_inside = std::ranges::all_of(symbols, [&](Expr s) {
      const Facts::Symbol* known = facts.find(s);
      const std::int64_t value = *evaluate(s, symbols, *values);
      return known == nullptr ||
             (known->range.contains(value) && known->congruence.contains(value));
    });
    if (!is_inside) continue;
    const auto value = evaluate(claim, symbols, *values);
    ASSERT_TRUE(!value || *value == 1)
        << to_string(claim) << " at " << testing::PrintToString(*values);
  }
}

// Scopes of one nest, each with conditions of its own and some with one more loop: what is learned
// of a condition once, for all of them, is true in each, and as good as what it learns alone:
// proofs that end for want of work end elsewhere, in either.
TEST(SimplifyRandom, ScopesThatShareSymbolsProveAsMuchAsEachAlone) {
  int proved = 0, lost = 0, gained = 0;
  for (int k = 0; k < count(300, 20000); ++k) {
    SCOPED_TRACE(k);
    Chain chain(std::uint64_t(k) + 1);
    std::vector<Expr> conditions;
    for (const auto& [index, n] : chain.axes) {
      conditions.push_back(index + std::int64_t(chain.below(4)) < n);
      conditions.push_back(index * (1 + std::int64_t(chain.below(4))) <= n);
    }
    for (const auto& [loop, n] : chain.loops) {
      conditions.push_back(eq(loop % (2 + std::int64_t(chain.below(3))), 0));
      conditions.push_back(!(loop < std::int64_t(chain.below(6))) || loop < n / 2);
    }
    SimplifiersByFacts shared;
    for (int scope = 0; scope < 5; ++scope) {
      Facts facts = chain.facts;
      if (chain.below(3) == 0) facts.loop(chain.pool.symbol("more"), chain.extent());
      for (Expr c : conditions) {
        if (chain.below(3) == 0) facts.assume(c);
      }
      Simplifier alone(facts);
      Simplifier& together = shared.of(facts);
      // Where nothing holds anything follows, as far as one looks.
      if (alone.proves(eq(chain.loops[0].first, -1))) continue;
      std::vector<Expr> claims = conditions;
      for (const auto& [index, n] : chain.axes) claims.push_back(index + 2 < n);
      for (Expr claim : claims) {
        const bool is_proved = together.proves(claim), is_alone = alone.proves(claim);
        proved += is_alone;
        lost += is_alone && !is_proved;
        gained += !is_alone && is_proved;
        if (is_proved) expect_true(chain, facts, claim, 20);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  std::printf(
      "[FIGURE] scopes that share symbols: %d claims proved alone, %d of them not together, "
      "%d together alone\n",
      proved, lost, gained);
  EXPECT_LT(500 * lost, proved);
}

}  // namespace
}  // namespace selvage
