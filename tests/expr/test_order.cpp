#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <tests/expr/random_expr.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

TEST(Order, NamesAreComparedAsPeopleCount) {
  const char* sorted[] = {"I", "I0", "I1", "I02", "I2", "I10", "I10a", "I10b2", "I10b11", "J", "a"};
  for (std::size_t i = 0; i < std::size(sorted); ++i) {
    for (std::size_t j = 0; j < std::size(sorted); ++j) {
      EXPECT_EQ(name_before(sorted[i], sorted[j]), i < j) << sorted[i] << " " << sorted[j];
    }
  }
}

std::vector<std::string> sorted_texts(std::vector<Expr> all) {
  std::sort(all.begin(), all.end(), structurally_before);
  std::vector<std::string> texts;
  for (Expr e : all) texts.push_back(to_string(e));
  return texts;
}

TEST(Order, ItDoesNotDependOnWhatWasMadeBefore) {
  std::vector<std::string> texts;
  ExprPool first, second;
  RandomExpr random(first, 2, {"i2", "i10", "N"});
  for (int k = 0; k < 300; ++k) texts.push_back(to_string(random.integer(4)));
  std::vector<Expr> there, back;
  for (const std::string& text : texts) there.push_back(parse_expr(first, text));
  second.symbol("N");
  for (auto it = texts.rbegin(); it != texts.rend(); ++it) back.push_back(parse_expr(second, *it));
  EXPECT_EQ(sorted_texts(there), sorted_texts(back));
}

TEST(Order, OfTwoExpressionsExactlyOneStandsBeforeTheOther) {
  ExprPool pool;
  RandomExpr random(pool, 3);
  std::vector<Expr> all;
  for (int k = 0; k < 60; ++k) all.push_back(random.integer(3));
  for (Expr a : all) {
    for (Expr b : all) {
      ASSERT_EQ(structurally_before(a, b) + structurally_before(b, a), same(a, b) ? 0 : 1);
      for (Expr c : all) {
        if (structurally_before(a, b) && structurally_before(b, c)) {
          ASSERT_TRUE(structurally_before(a, c));
        }
      }
    }
  }
}

// Both are 2^100 nodes as trees, and differ at one leaf.
TEST(Order, SharedStructureIsWalkedOnce) {
  ExprPool pool;
  Expr a = pool.symbol("i1"), b = pool.symbol("i2");
  for (int k = 0; k < 100; ++k) a = a * a, b = b * b;
  EXPECT_TRUE(structurally_before(a, b));
  EXPECT_FALSE(structurally_before(b, a));
}

TEST(Order, SymbolsOfExpressionsComeInCanonicalOrder) {
  ExprPool pool;
  const Expr e = parse_expr(pool, "i10 * N + min(i2, t[i1])");
  const Expr hidden = pool.let(pool.symbol("a"));
  std::string names;
  const Expr both[] = {e, hidden};
  for (Expr s : symbols_of(both)) names += std::string(s.name()) + " ";
  EXPECT_EQ(names, "N a i1 i2 i10 ");
}

}  // namespace
}  // namespace selvage
