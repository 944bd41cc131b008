// What the tests of the simplifier lean on: exact values, the points of a domain, shrinking, and
// lines made from bytes.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

#include <set>

#include "tests/corpus/exact_value.h"
#include "tests/corpus/points.h"
#include "tests/corpus/shrink.h"
#include "tests/expr/random_expr.h"
#include "tests/fuzz/line_from_bytes.h"
#include "tests/support/counts.h"

namespace selvage::corpus {
namespace {

TEST(ExactValue, IsThatOfTheTapeWhere64BitsSuffice) {
  for (int k = 0; k < count(3000, 60000); ++k) {
    ExprPool pool;
    RandomExpr random(pool, std::uint64_t(k));
    const Expr e = k % 2 == 0 ? random.integer(4) : random.truth(4);
    const std::vector<Expr> symbols = symbols_of({&e, 1});
    std::vector<std::int64_t> values;
    for (std::size_t n = 0; n < symbols.size(); ++n) values.push_back(random.number());
    Tape tape({&e, 1}, symbols);
    if (!tape.evaluate(values)) continue;
    EXPECT_EQ(ExactValue(e, symbols).at(values), tape.root(0)) << to_string(e);
  }
}

TEST(ExactValue, GoesOnPast64BitsAndSaysWhere128EndIt) {
  ExprPool pool;
  const Expr most = pool.constant(INT64_MAX);
  ExactValue square(most * most / most, {}), fourth(most * most * (most * most), {});
  EXPECT_EQ(square.at({}), INT64_MAX);
  EXPECT_FALSE(square.overflowed());
  EXPECT_EQ(fourth.at({}), std::nullopt);
  EXPECT_TRUE(fourth.overflowed());
  ExactValue undefined(most / pool.constant(0), {});
  EXPECT_EQ(undefined.at({}), std::nullopt);
  EXPECT_FALSE(undefined.overflowed());
}

TEST(Domain, SmallOnesAreGivenWhole) {
  const Problem problem(parse_line("t\tI\ti:N;j:i + 1\tN:1:3\ti + j"));
  const std::optional<std::vector<Point>> points = Domain(problem).all(100);
  ASSERT_TRUE(points.has_value());
  EXPECT_EQ(points->size(), 1u + 3 + 6);  // for N = 1, 2, 3
  EXPECT_EQ(Domain(problem).all(9), std::nullopt);
}

TEST(Domain, LargeOnesByTheirCornersAndOthers) {
  const Problem problem(parse_line("t\tI\ti:1000;j:1000\t\ti\ti + j < 1500"));
  Domain domain(problem);
  const std::vector<Point> points = domain.points(100, 1);
  EXPECT_GT(points.size(), 50u);
  std::set<Point> distinct(points.begin(), points.end());
  EXPECT_GT(distinct.size(), 30u);
  EXPECT_TRUE(distinct.count({0, 0}));
  EXPECT_FALSE(distinct.count({999, 999}));
  for (const Point& point : points) EXPECT_TRUE(domain.contains(point));
  EXPECT_FALSE(domain.contains({1000, 0}));
}

TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const Line line = parse_line(
      "t\tI\ti:1000;j:64;k:N\tN:1:99;M:1:7\t"
      "(i * 8 + j) % 24 / 3 + min(k, M) * (i + 17)\ti < 900 && k < 4");
  const Line shrunk = shrink(line, [](const Line& l) {
    return l.expression.find('%') != std::string::npos && l.guard.find("k < ") != std::string::npos;
  });
  EXPECT_EQ(to_text(shrunk), "t\tI\tk:1\t\t0 % 0\tk < 0");
}

TEST(LineFromBytes, HasEveryOperatorGuardsAndLoopsThatDependOnOthers) {
  std::mt19937_64 rng(1);
  std::set<Op> operators;
  int guards = 0, dependent = 0;
  for (int k = 0; k < 3000; ++k) {
    std::vector<std::uint8_t> bytes(20 + rng() % 100);
    for (std::uint8_t& b : bytes) b = std::uint8_t(rng() >> 24);
    const Line line = fuzz::line_from_bytes(bytes);
    EXPECT_EQ(to_text(parse_line(to_text(line))), to_text(line));
    const Problem problem(line);
    for (Expr e : reachable({&problem.expression, 1}, true)) operators.insert(e.op());
    guards += problem.guard.valid() ? 1 : 0;
    for (Expr extent : problem.extents) {
      for (Expr s : symbols_of({&extent, 1})) dependent += s.name()[0] == 'i' ? 1 : 0;
    }
  }
  EXPECT_GT(guards, 1000);
  EXPECT_GT(dependent, 500);
  EXPECT_EQ(operators.size(), 17u);  // all but Bool, Let, Load and Call
}

}  // namespace
}  // namespace selvage::corpus
