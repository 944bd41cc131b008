// Hilbert's curve through squares of tiles: every step is to a neighbour, and nothing is left out.
#include <selvage/expr/tape.h>
#include <selvage/index/hilbert.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace selvage {
namespace {

using Pair = std::array<std::int64_t, 2>;

TEST(Hilbert, EachPointIsANeighbourOfTheOneBefore) {
  for (std::int64_t side = 1; side <= 32; side *= 2) {
    for (const std::int64_t squares : {1, 3}) {
      Pair before = {0, 0};
      std::set<Pair> seen;
      for (std::int64_t k = 0; k < squares * side * side; ++k) {
        const Pair p = hilbert_point(k / side, k % side, side);
        ASSERT_EQ(std::abs(p[0] - before[0]) + std::abs(p[1] - before[1]), k == 0 ? 0 : 1)
            << side << " " << k;
        ASSERT_TRUE(0 <= p[0] && p[0] < squares * side && 0 <= p[1] && p[1] < side);
        ASSERT_EQ(hilbert_number(p[0], p[1], side), (Pair{k / side, k % side}));
        seen.insert(p);
        before = p;
      }
      EXPECT_EQ(std::int64_t(seen.size()), squares * side * side);
      EXPECT_EQ(before, (Pair{squares * side - 1, 0}));
    }
  }
}

// The picture in the header.
TEST(Hilbert, IsTheCurveThatIsDrawn) {
  const std::int64_t drawn[] = {0, 3, 4, 5, 1, 2, 7, 6, 14, 13, 8, 9, 15, 12, 11, 10};
  for (std::int64_t k = 0; k < 16; ++k) {
    const Pair n = hilbert_number(k / 4, k % 4, 4);
    EXPECT_EQ(n[0] * 4 + n[1], drawn[k]);
  }
}

// Expressions and numbers agree, also where either is out of bounds.
TEST(Hilbert, IsTheSameInExpressions) {
  ExprPool pool;
  const std::vector<Expr> in = {pool.symbol("u"), pool.symbol("v")};
  for (std::int64_t side = 1; side <= 8; side *= 2) {
    const auto point = hilbert_point(in[0], in[1], side);
    const auto number = hilbert_number(in[0], in[1], side);
    const std::vector<Expr> roots = {point[0], point[1], number[0], number[1]};
    Tape tape(roots, in);
    for (std::int64_t u = -2 * side - 1; u <= 3 * side; ++u) {
      for (std::int64_t v = -side - 1; v <= 2 * side; ++v) {
        const std::vector<std::int64_t> at = {u, v};
        ASSERT_TRUE(tape.evaluate(at));
        const Pair p = hilbert_point(u, v, side), n = hilbert_number(u, v, side);
        ASSERT_EQ((std::vector{tape.root(0), tape.root(1), tape.root(2), tape.root(3)}),
                  (std::vector{p[0], p[1], n[0], n[1]}))
            << side << ": " << u << ", " << v;
      }
    }
  }
}

}  // namespace
}  // namespace selvage
