#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <tests/expr/random_expr.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace selvage {
namespace {

using Point = std::map<std::string, std::int64_t, std::less<>>;

// What the operators mean, straight from their definitions; wide enough never to overflow itself.
std::optional<std::int64_t> meaning(Expr e, const Point& point) {
  __extension__ using Wide = __int128;
  std::vector<Wide> v;
  if (e.is(Op::Symbol)) return point.find(e.name())->second;
  if (e.is(Op::Const) || e.is(Op::Bool)) return e.value();
  for (Expr a : e.args()) {
    const auto value = meaning(a, point);
    if (!value) return std::nullopt;
    v.push_back(*value);
  }
  const auto fits = [](Wide w) -> std::optional<std::int64_t> {
    if (w < INT64_MIN || w > INT64_MAX) return std::nullopt;
    return std::int64_t(w);
  };
  const auto remainder = [](Wide a, Wide b) {
    const Wide r = a % b;
    return r >= 0 ? r : r + (b < 0 ? -b : b);
  };
  switch (e.op()) {
    case Op::Add: return fits(v[0] + v[1]);
    case Op::Sub: return fits(v[0] - v[1]);
    case Op::Mul: return fits(v[0] * v[1]);
    case Op::Div:
      if (v[1] == 0) return std::nullopt;
      return fits((v[0] - remainder(v[0], v[1])) / v[1]);
    case Op::Mod:
      if (v[1] == 0) return std::nullopt;
      return fits(remainder(v[0], v[1]));
    case Op::Min: return fits(v[0] < v[1] ? v[0] : v[1]);
    case Op::Max: return fits(v[0] < v[1] ? v[1] : v[0]);
    case Op::Xor: return std::int64_t(v[0]) ^ std::int64_t(v[1]);
    case Op::Select: return fits(v[0] != 0 ? v[1] : v[2]);
    case Op::Lt: return v[0] < v[1];
    case Op::Le: return v[0] <= v[1];
    case Op::Eq: return v[0] == v[1];
    case Op::Not: return v[0] == 0;
    case Op::And: return v[0] != 0 && v[1] != 0;
    case Op::Or: return v[0] != 0 || v[1] != 0;
    case Op::Let: return std::int64_t(v[0]);
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Load:
    case Op::Call: break;
  }
  return std::nullopt;
}

TEST(Tape, AgreesWithTheDefinitions) {
  ExprPool pool;
  RandomExpr random(pool, 4);
  const Expr symbols[] = {pool.symbol("i"), pool.symbol("j"), pool.symbol("N")};
  int defined = 0;
  for (int k = 0; k < count(3000, 100000); ++k) {
    const Expr e = k % 4 == 0 ? random.truth(4) : random.integer(4);
    Tape tape(std::span(&e, 1), symbols);
    for (int point = 0; point < 5; ++point) {
      const std::int64_t v[] = {random.number(), random.number(), random.number()};
      const auto expected = meaning(e, {{"i", v[0]}, {"j", v[1]}, {"N", v[2]}});
      ASSERT_EQ(tape.evaluate(v), expected.has_value()) << to_string(e);
      if (!expected) continue;
      ASSERT_EQ(tape.root(0), *expected) << to_string(e);
      ++defined;
    }
  }
  EXPECT_GT(defined, 0);
}

// Many points at a time have a value exactly where each of them has; an input keeps its values.
TEST(LaneTape, AgreesWithSinglePoints) {
  ExprPool pool;
  RandomExpr random(pool, 14);
  const Expr symbols[] = {pool.symbol("i"), pool.symbol("j"), pool.symbol("N")};
  int defined = 0;
  for (int k = 0; k < count(2000, 50000); ++k) {
    const Expr roots[] = {random.integer(3), random.truth(3)};
    Tape tape(roots, symbols);
    LaneTape lanes(roots, symbols);
    const std::int64_t n = random.number();
    std::ranges::fill(lanes.input(2), n);
    for (int turn = 0; turn < 3; ++turn) {
      const std::size_t points = 1 + random.below(LaneTape::kLanes);
      for (std::size_t p = 0; p < points; ++p) {
        lanes.input(0)[p] = random.number();
        lanes.input(1)[p] = random.number();
      }
      bool all = true;
      for (std::size_t p = 0; p < points; ++p) {
        const std::int64_t v[] = {lanes.input(0)[p], lanes.input(1)[p], n};
        all = tape.evaluate(v) && all;
      }
      ASSERT_EQ(lanes.evaluate(points), all) << to_string(roots[0]) << "; " << to_string(roots[1]);
      if (!all) continue;
      ++defined;
      for (std::size_t p = 0; p < points; ++p) {
        const std::int64_t v[] = {lanes.input(0)[p], lanes.input(1)[p], n};
        ASSERT_TRUE(tape.evaluate(v));
        ASSERT_EQ(lanes.root(0, p), tape.root(0)) << to_string(roots[0]);
        ASSERT_EQ(lanes.root(1, p), tape.root(1)) << to_string(roots[1]);
      }
    }
  }
  EXPECT_GT(defined, more_than(500));
}

TEST(Tape, WhatOverflowsOrDividesByZeroHasNoValue) {
  ExprPool pool;
  for (const char* text :
       {"9223372036854775807 + 1", "-9223372036854775808 - 1", "9223372036854775807 * 2", "1 / 0",
        "1 % 0", "-9223372036854775808 / -1", "select(true, 1, 1 / 0)", "t[0]", "f()"}) {
    EXPECT_EQ(evaluate(parse_expr(pool, text), {}, {}), std::nullopt) << text;
  }
  EXPECT_EQ(evaluate(parse_expr(pool, "-9223372036854775808 % -1"), {}, {}), 0);
  EXPECT_EQ(evaluate(parse_expr(pool, "-7 / 2 * 10 + -7 % 2"), {}, {}), -39);
  EXPECT_EQ(evaluate(parse_expr(pool, "7 / -2 * 10 + 7 % -2"), {}, {}), -29);
}

TEST(Tape, ASymbolThatIsNoInputHasNoValue) {
  ExprPool pool;
  EXPECT_EQ(evaluate(pool.symbol("i") + 1, {}, {}), std::nullopt);
}

TEST(Tape, AnInputMayBeAnyExpressionAndStandTwice) {
  ExprPool pool;
  const Expr i = pool.symbol("i"), load = parse_expr(pool, "t[i]");
  const Expr inputs[] = {load, i, i};
  const std::int64_t values[] = {100, 1, 2};  // the last one counts
  EXPECT_EQ(evaluate(load + i, inputs, values), 102);
}

TEST(Tape, SeveralRootsShareWhatTheyHaveInCommon) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  const Expr roots[] = {i * i, i * i + 1, i, pool.constant(7)};
  Tape tape(roots, std::span(&i, 1));
  const std::int64_t value = 5;
  ASSERT_TRUE(tape.evaluate(std::span(&value, 1)));
  EXPECT_EQ(tape.root(0), 25);
  EXPECT_EQ(tape.root(1), 26);
  EXPECT_EQ(tape.root(2), 5);
  EXPECT_EQ(tape.root(3), 7);
}

TEST(Tape, LetIsLookedThrough) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  const Expr t = pool.let(i * 3);
  const std::int64_t value = 4;
  EXPECT_EQ(evaluate(t + pool.let(t), std::span(&i, 1), std::span(&value, 1)), 24);
}

TEST(Tape, ChainsOfAHundredThousandLetsNeedNoStack) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  Expr e = i;
  for (int k = 0; k < 100000; ++k) e = pool.let(e + 1);
  const std::int64_t value = 5;
  EXPECT_EQ(evaluate(e, std::span(&i, 1), std::span(&value, 1)), 100005);
  EXPECT_EQ(symbols_of(std::span(&e, 1)).size(), 1u);
  EXPECT_EQ(reachable(std::span(&e, 1), false).size(), 1u);
}

}  // namespace
}  // namespace selvage
