// Laws S and V, of rows whose items are rows and of vectors along a row: for all short lists of
// rows and for random ones, and V as proofs over all rows.
#include <selvage/expr/text.h>
#include <selvage/simplifier/simplifier.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/oracle/draws.h"
#include "tests/oracle/ragged_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using oracle::draw;
using oracle::RowList;
using Lengths = std::vector<std::int64_t>;

void for_each_lengths(std::size_t rows, std::int64_t longest,
                      const std::function<void(const Lengths&)>& visit) {
  for (Lengths lengths(rows, 0);;) {
    visit(lengths);
    std::size_t k = rows;
    while (k > 0 && lengths[k - 1] == longest) lengths[--k] = 0;
    if (k == 0) return;
    ++lengths[k - 1];
  }
}

// About a third of the rows is empty.
RowList random_rows(std::mt19937_64& rng, std::int64_t count, std::int64_t longest) {
  Lengths lengths;
  for (std::int64_t k = 0; k < count; ++k) {
    lengths.push_back(oracle::chance(rng, 3) ? 0 : draw(rng, 0, longest));
  }
  return oracle::rows_of(lengths);
}

// Rows, and rows of which each of their items is one. Each has one, as in all laws.
using VisitPair = std::function<void(const RowList&, const RowList&)>;
void for_each_pair(const VisitPair& visit) {
  const auto of_rows = [&](const Lengths& outer) {
    const RowList rows = oracle::rows_of(outer);
    if (rows.items() == 0) return;
    for_each_lengths(std::size_t(rows.items()), 2,
                     [&](const Lengths& inner) { visit(rows, oracle::rows_of(inner)); });
  };
  for (std::size_t count = 1; count <= 4; ++count) for_each_lengths(count, 2, of_rows);
  std::mt19937_64 rng(9);
  for (int k = 0; k < count(3'000, 30'000); ++k) {
    const RowList rows = random_rows(rng, draw(rng, 1, 40), 4);
    if (rows.items() > 0) visit(rows, random_rows(rng, rows.items(), 4));
  }
}

RowList composed(const RowList& rows, const RowList& items) {
  RowList made;
  made.offsets.clear();
  for (std::int64_t k : rows.offsets) made.offsets.push_back(items.offsets[std::size_t(k)]);
  return made;
}

TEST(LawS, OffsetsOfOffsetsAreOffsets) {
  for_each_pair([](const RowList& rows, const RowList& items) {
    const RowList all = composed(rows, items);
    EXPECT_EQ(all.count(), rows.count());
    EXPECT_EQ(all.offsets.front(), 0);
    EXPECT_EQ(all.items(), items.items());
    EXPECT_TRUE(std::ranges::is_sorted(all.offsets));
  });
}

TEST(LawS, TheRowOfTheRowOfAPositionIsItsRowByTheComposedOffsets) {
  for_each_pair([](const RowList& rows, const RowList& items) {
    const RowList all = composed(rows, items);
    for (std::int64_t x = -3; x < items.items() + 3; ++x) {
      const std::int64_t inner = items.row_of(x, 0), outer = rows.row_of(inner, 0);
      ASSERT_TRUE(items.has(inner) && rows.has(outer) && rows.has(all.row_of(x, 0)));
      if (x < 0 || x >= items.items()) continue;
      ASSERT_EQ(outer, all.row_of(x, 0)) << to_text(rows) << to_text(items) << " at " << x;
      // And the item of the outer row is the inner one.
      ASSERT_TRUE(rows.begin(outer) <= inner && inner < rows.end(outer));
    }
  });
}

// The one check of the innermost position is the whole predicate, however many levels there are.
TEST(LawS, APositionThatIsInBoundsIsInBoundsAtEveryLevel) {
  for_each_pair([](const RowList& rows, const RowList& items) {
    for (std::int64_t x = -3; x < items.items() + 3; ++x) {
      const std::int64_t inner = items.row_of(x, 0), outer = rows.row_of(inner, 0);
      const bool is_inner = items.begin(inner) <= x && x < items.end(inner);
      const bool is_outer = rows.begin(outer) <= inner && inner < rows.end(outer);
      ASSERT_EQ(is_inner && is_outer, 0 <= x && x < items.items());
    }
  });
}

TEST(LawS, HoldsForAnyNumberOfLevels) {
  std::mt19937_64 rng(10);
  for (int k = 0; k < count(3'000, 30'000); ++k) {
    RowList all = random_rows(rng, draw(rng, 1, 12), 3);
    std::vector<RowList> levels = {all};
    for (std::int64_t more = draw(rng, 1, 4); more > 0 && all.items() > 0; --more) {
      levels.push_back(random_rows(rng, all.items(), 2));
      all = composed(all, levels.back());
    }
    for (std::int64_t x = 0; x < all.items(); ++x) {
      std::int64_t row = x;
      for (std::size_t l = levels.size(); l > 0; --l) row = levels[l - 1].row_of(row, 0);
      ASSERT_EQ(row, all.row_of(x, 0));
    }
  }
}

// At holes both are rows, but one may be another than the other.
TEST(LawS, SaysNothingOfHoles) {
  bool below = false, above = false;
  for_each_pair([&](const RowList& rows, const RowList& items) {
    const RowList all = composed(rows, items);
    const auto differs = [&](std::int64_t x) {
      return rows.row_of(items.row_of(x, 0), 0) != all.row_of(x, 0);
    };
    below = below || differs(-1);
    above = above || differs(items.items());
  });
  EXPECT_TRUE(below && above);
}

void for_each_rows(const std::function<void(const RowList&)>& visit) {
  for (std::size_t count = 1; count <= 5; ++count) {
    for_each_lengths(count, 4, [&](const Lengths& lengths) { visit(oracle::rows_of(lengths)); });
  }
  std::mt19937_64 rng(13);
  for (int k = 0; k < count(3'000, 30'000); ++k) visit(random_rows(rng, draw(rng, 1, 40), 20));
}

constexpr std::int64_t kVectors[] = {1, 2, 4, 8};
std::int64_t round_up(std::int64_t x, std::int64_t v) { return (x + v - 1) / v * v; }

TEST(LawV, VectorsFromTheOneThatHoldsTheBeginHaveEachItemOfTheRowOnce) {
  for_each_rows([](const RowList& rows) {
    for (const std::int64_t v : kVectors) {
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const std::int64_t begin = rows.begin(row), end = rows.end(row);
        const std::int64_t first = begin & ~(v - 1);
        ASSERT_TRUE(0 <= first && first <= begin && begin - first < v && first % v == 0);
        std::int64_t next = begin;
        for (std::int64_t at = first; at < end; at += v) {
          for (std::int64_t x = at; x < at + v; ++x) {
            ASSERT_LT(x, round_up(rows.items(), v));
            if (x < begin || x >= end) continue;
            ASSERT_EQ(x, next++);
          }
        }
        ASSERT_EQ(next, end);
      }
    }
  });
}

// No more vectors than the items fill, and one more: for an empty row one at most.
TEST(LawV, ARowTakesAtMostOneVectorMore) {
  for_each_rows([](const RowList& rows) {
    for (const std::int64_t v : kVectors) {
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const std::int64_t begin = rows.begin(row), end = rows.end(row);
        const std::int64_t taken = (round_up(end, v) - (begin & ~(v - 1))) / v;
        ASSERT_LE(taken, (end - begin + v - 1) / v + 1);
      }
    }
  });
}

// The last vector may reach over the end of memory, unless the number of items is rounded up. And
// all begin at the begins of rows, without being moved down, only if the vector divides these.
TEST(LawV, NeedsItemsThatAreRoundedUp) {
  for (const std::int64_t v : {2, 4, 8}) {
    bool reaches_over = false, is_crooked = false;
    for_each_rows([&](const RowList& rows) {
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const bool is_empty = rows.begin(row) == rows.end(row);
        reaches_over = reaches_over || (!is_empty && round_up(rows.end(row), v) > rows.items());
        is_crooked = is_crooked || (!is_empty && rows.begin(row) % v != 0);
      }
    });
    EXPECT_TRUE(reaches_over && is_crooked) << v;
  }
}

TEST(LawV, IsProvedForAllRows) {
  for (const std::int64_t width : kVectors) {
    ExprPool pool;
    const Expr begin = pool.symbol("begin"), end = pool.symbol("end"), items = pool.symbol("items"),
               x = pool.symbol("x"), v = pool.constant(width);
    Facts facts(pool);
    facts.bound(items, pool.constant(0), Expr());
    facts.bound(end, pool.constant(0), items);
    facts.bound(begin, pool.constant(0), end);
    facts.assume(x < (end + v - 1) / v * v);  // an item of any vector that is taken
    Simplifier simplifier(facts);
    const Expr first = begin / v * v;
    for (const Expr claim : {0 <= first, first <= begin, begin < first + v, eq(first % v, 0),
                             x < (items + v - 1) / v * v,
                             (end + v - 1) / v - begin / v <= (end - begin + v - 1) / v + 1}) {
      EXPECT_TRUE(simplifier.proves(claim)) << to_string(claim) << ", by " << width;
    }
  }
}

}  // namespace
}  // namespace selvage
