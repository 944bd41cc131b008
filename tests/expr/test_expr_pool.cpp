#include <selvage/base/check.h>
#include <selvage/expr/conjuncts.h>
#include <selvage/expr/expr.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <tests/expr/random_expr.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace selvage {
namespace {

TEST(ExprPool, EqualStructureIsTheSameHandle) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  EXPECT_TRUE(same(i + 4, pool.symbol("i") + pool.constant(4)));
  EXPECT_FALSE(same(i + 4, pool.constant(4) + i));
  EXPECT_FALSE(same(pool.constant(1), pool.truth(true)));
  EXPECT_FALSE(same(pool.symbol("f"), pool.call("f", {})));
  EXPECT_FALSE(same(pool.load("f", {}), pool.call("f", {})));
  EXPECT_FALSE(same(pool.let(i), i));
  EXPECT_TRUE(same(pool.let(i + 4), pool.let(i + 4)));
}

TEST(ExprPool, IdsAreDenseAndOperandsComeFirst) {
  ExprPool pool;
  RandomExpr random(pool, 5);
  std::vector<Expr> roots;
  for (int k = 0; k < 500; ++k) roots.push_back(random.integer(5));
  std::vector<bool> seen(pool.size());
  for (Expr e : reachable(roots, true)) {
    ASSERT_LT(e.id(), pool.size());
    ASSERT_FALSE(seen[e.id()]);
    seen[e.id()] = true;
    for (Expr a : e.args()) ASSERT_LT(a.id(), e.id());
  }
}

TEST(ExprPool, SizeCountsTheWrittenTreeAndALetAsOne) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  const Expr sum = i + i;
  EXPECT_EQ(sum.size(), 3u);
  EXPECT_EQ((sum * sum).size(), 7u);
  EXPECT_EQ((pool.let(sum) * 2).size(), 3u);
}

TEST(ExprPool, WithItsOwnOperandsAnExpressionIsItself) {
  ExprPool pool;
  RandomExpr random(pool, 6);
  const Expr i = pool.symbol("i"), j = pool.symbol("j");
  std::vector<Expr> roots = {pool.load("t", {}), pool.call("f", {}),
                             pool.load("t", std::span(&i, 1)), pool.call("f", std::span(&i, 1)),
                             pool.let(i + j)};
  for (int k = 0; k < 500; ++k) roots.push_back(random.integer(5));
  for (Expr e : reachable(roots, true)) {
    if (e.args().empty() && !e.is(Op::Load) && !e.is(Op::Call)) continue;
    ASSERT_TRUE(same(with_operands(e, e.args()), e)) << to_string(e);
  }
  const Expr others[] = {j, i + 1};
  EXPECT_EQ(to_string(with_operands(i - j, others)), "j - (i + 1)");
  EXPECT_EQ(to_string(with_operands(roots[2], others)), "t[j, i + 1]");
  EXPECT_EQ(to_string(with_operands(roots[3], others)), "f(j, i + 1)");
  EXPECT_THROW(with_operands(!(i < j), others), InternalError);
}

TEST(ExprPool, AWrongNumberOfOperandsIsABug) {
  ExprPool pool;
  const Expr i = pool.symbol("i");
  EXPECT_THROW(pool.make(Op::Add, std::span(&i, 1)), InternalError);
  EXPECT_THROW(pool.make(Op::Call, std::span(&i, 1)), InternalError);
}

// All threads make the same expressions, each in its own order, and some of their own in between.
// What the threads may race on only shows under ThreadSanitizer; one command, no build tree:
//   g++ -std=c++20 -g -O1 -fsanitize=thread -Iinclude -I. csrc/expr/*.cpp csrc/base/*.cpp
//       tests/expr/test_expr_pool.cpp -lgtest -lgtest_main -lpthread -o /tmp/pool && /tmp/pool
TEST(ExprPool, ThreadsThatMakeTheSameExpressionsGetTheSameHandles) {
  constexpr int kThreads = 8, kShared = 400, kOwn = 200;
  std::vector<std::string> texts;
  {
    ExprPool scratch;
    RandomExpr random(scratch, 6);
    for (int k = 0; k < kShared; ++k) texts.push_back(to_string(random.integer(4)));
  }
  ExprPool pool;
  std::vector<std::vector<Expr>> shared(kThreads, std::vector<Expr>(kShared));
  std::vector<std::vector<Expr>> own(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < kShared; ++k) {
        const int n = t % 2 == 0 ? (k + t * 50) % kShared : kShared - 1 - k;
        shared[t][n] = parse_expr(pool, texts[n]);
        if (k % 2 == 0) {
          own[t].push_back(pool.symbol("own" + std::to_string(t * kOwn + k / 2)) * shared[t][n]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<Expr> roots;
  for (int n = 0; n < kShared; ++n) {
    EXPECT_EQ(to_string(shared[0][n]), texts[n]);
    for (int t = 1; t < kThreads; ++t) EXPECT_TRUE(same(shared[0][n], shared[t][n])) << texts[n];
    roots.push_back(shared[0][n]);
  }
  for (const auto& list : own) roots.insert(roots.end(), list.begin(), list.end());
  // Every node is one of these or beneath one, and ids are dense: no id was given twice or lost.
  const std::vector<Expr> nodes = reachable(roots, true);
  EXPECT_EQ(nodes.size(), pool.size());
  EXPECT_EQ(nodes.back().id() + 1, pool.size());
  for (Expr e : nodes) {
    for (Expr a : e.args()) EXPECT_LT(a.id(), e.id());
  }
}

TEST(Conjuncts, OfEitherWhatBothSayStandsInFront) {
  ExprPool pool;
  const Expr x = pool.symbol("x"), a = x < 1, b = x < 2, c = x < 3;
  EXPECT_TRUE(same(either(a && b, c && a), a && (b || c)));
  EXPECT_TRUE(same(either(a && b, b), b));
  EXPECT_TRUE(same(either(a, c), a || c));
}

}  // namespace
}  // namespace selvage
