// A condition drawn out of loops against all points inside, one by one.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/legality/hoist.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using oracle::draw;

// Loops o, p outside and u, v inside.
struct Nest {
  Nest(std::int64_t o, std::int64_t p, std::int64_t u, std::int64_t v) : extents{o, p, u, v} {
    Facts facts(pool);
    for (int k = 0; k < 4; ++k) {
      symbols.push_back(pool.symbol(std::string(1, "opuv"[k])));
      facts.loop(symbols.back(), pool.constant(extents[std::size_t(k)]));
    }
    ranges = std::make_unique<Simplifier>(std::move(facts));
  }
  Expr parse(const std::string& text) { return parse_expr(pool, text); }
  Hoisted hoisted(Expr condition) {
    return hoist(condition, std::span(symbols).subspan(2), *ranges);
  }
  std::string text(const std::string& condition) {
    const Hoisted h = hoisted(parse(condition));
    return to_string(h.condition) + (h.exact ? "" : " (sufficient)");
  }

  ExprPool pool;
  std::vector<std::int64_t> extents;
  std::vector<Expr> symbols;
  std::unique_ptr<Simplifier> ranges;
};

// At every point outside: does the hoisted condition hold, and do all points inside?
void expect_right(Nest& nest, Expr condition) {
  const Hoisted h = nest.hoisted(condition);
  Tape inside(std::span(&condition, 1), nest.symbols);
  Tape outside(std::span(&h.condition, 1), nest.symbols);
  const auto& n = nest.extents;
  for (std::int64_t o = 0; o < n[0]; ++o) {
    for (std::int64_t p = 0; p < n[1]; ++p) {
      bool all = true;
      for (std::int64_t u = 0; u < n[2]; ++u) {
        for (std::int64_t v = 0; v < n[3]; ++v) {
          const std::int64_t point[] = {o, p, u, v};
          ASSERT_TRUE(inside.evaluate(point));
          all = all && inside.root(0) != 0;
        }
      }
      const std::int64_t point[] = {o, p, 0, 0};
      ASSERT_TRUE(outside.evaluate(point));
      const bool holds = outside.root(0) != 0;
      ASSERT_TRUE(h.exact ? holds == all : !holds || all)
          << to_string(condition) << " hoisted to " << to_string(h.condition)
          << (h.exact ? "" : " (sufficient)") << " at o = " << o << ", p = " << p << "; extents "
          << n[0] << " " << n[1] << " " << n[2] << " " << n[3];
    }
  }
}

TEST(Hoist, TakesTheLargestOfASum) {
  Nest nest(10, 5, 4, 8);
  EXPECT_EQ(nest.text("o*32 + u*8 + v < 300"), "o < 9");
  EXPECT_EQ(nest.text("0 <= o - u"), "3 <= o");
  EXPECT_EQ(nest.text("o < 7"), "o < 7");
  EXPECT_EQ(nest.text("v < 7"), "false");
}

TEST(Hoist, TakesTheLargestRemainderThatIsReached) {
  // Four in a row out of 251: they go round only from 248 on, so that 250 is reached from 247 on.
  Nest nest(4016, 1, 4, 4);
  EXPECT_EQ(nest.text("(o*4 + u) % 251 * 4 + v < 1001"), "o * 4 % 251 < 247");
}

TEST(Hoist, KnowsWhatAnXorReaches) {
  Nest nest(8, 16, 8, 4);
  EXPECT_EQ(nest.text("(p ^ u) < 8"), "p < 8");
  EXPECT_EQ(nest.text("(p ^ u) + v < 10"), "false");
}

// Of a loop of three an xor with o reaches what lies past o, and before it.
TEST(Hoist, OfAnXorWithALoopThatIsNoPowerOfTwoIsNotExact) {
  Nest nest(8, 1, 3, 1);
  expect_right(nest, nest.parse("(o ^ u) < 3"));
}

// Four in a row out of eight: from o = 5 on they go round to 0.
TEST(Hoist, TakesTheLeastRemainderWhereItIsReached) {
  Nest nest(16, 1, 4, 1);
  EXPECT_EQ(nest.text("1 <= (o + u) % 8"), "o % 8 < 5 && 1 <= o % 8");
  expect_right(nest, nest.parse("1 <= (o + u) % 8"));
}

TEST(Hoist, IsOnlySufficientWhereTwoPartsShareAVariable) {
  Nest nest(40, 1, 100, 1);
  const Hoisted h = nest.hoisted(nest.parse("(o + u) % 7 + u * u < 10000"));
  EXPECT_FALSE(h.exact);
  expect_right(nest, nest.parse("(o + u) % 7 + u * u < 10000"));
}

TEST(Hoist, IsOnlySufficientWhereALoopMayEndBeforeItsRange) {
  ExprPool pool;
  Facts facts(pool);
  const Expr size = pool.symbol("U"), o = pool.symbol("o"), u = pool.symbol("u");
  facts.bound(size, pool.constant(1), pool.constant(4));
  facts.loop(o, pool.constant(100));
  facts.loop(u, size);
  Simplifier ranges(std::move(facts));
  const auto hoisted = [&](const char* condition) {
    const Hoisted h = hoist(parse_expr(pool, condition), std::span(&u, 1), ranges);
    return to_string(h.condition) + (h.exact ? "" : " (sufficient)");
  };
  EXPECT_EQ(hoisted("(o*4 + u) % 251 < 250"), "o * 4 % 251 < 247 (sufficient)");
  EXPECT_EQ(hoisted("(o ^ u) < 7"), "o < 4 (sufficient)");
  EXPECT_EQ(hoisted("!(o*3 + u == 7)"), "(o * 3 != 6) (sufficient)");
  EXPECT_EQ(hoisted("o + u < 90"), "U + o < 91");
}

// A random quasi-affine form of the loops.
Expr form(std::mt19937_64& rng, Nest& nest, int depth) {
  const auto number = [&](std::int64_t lo, std::int64_t hi) {
    return nest.pool.constant(draw(rng, lo, hi));
  };
  if (depth == 0) return nest.symbols[std::size_t(draw(rng, 0, 3))];
  const auto part = [&] { return form(rng, nest, depth - 1); };
  switch (draw(rng, 0, 9)) {
    case 0:
    case 1:
    case 2: return part() * number(1, 9) + part();
    case 3: return part() - part() * number(1, 3);
    case 4: return part() / number(1, 6);
    case 5:
    case 6: return (part() * number(1, 6) + part()) % number(2, 24);
    case 7: return min(part(), part() + number(-2, 4));
    case 8: return max(part(), number(0, 6));
    default: return part() + number(-4, 9);
  }
}

TEST(Hoist, OfRandomFormsHoldsJustWhereAllPointsInsideDo) {
  std::mt19937_64 rng(7);
  int exact = 0;
  const int cases = count(400, 20'000);
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    Nest nest(draw(rng, 1, 12), draw(rng, 1, 6), draw(rng, 1, 6), draw(rng, 1, 8));
    const Expr f = form(rng, nest, 3);
    const Interval range = nest.ranges->interval(f);
    const Expr bound = nest.pool.constant(draw(rng, range.lo, range.hi));
    const Expr condition = draw(rng, 0, 1) == 0 ? f < bound : bound <= f;
    exact += nest.hoisted(condition).exact;
    expect_right(nest, condition);
  }
  std::printf("[FIGURE] %d of %d random conditions are hoisted exactly\n", exact, cases);
  EXPECT_GT(exact, cases / 2);
}

}  // namespace
}  // namespace selvage
