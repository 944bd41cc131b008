// Sparse matrices that are made by a rule.
#include <selvage/base/diagnostic.h>
#include <selvage/driver/made_matrix.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/support/refusal.h"

namespace selvage {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StoredMatrix made(std::string_view text, std::uint64_t seed = 1) {
  return stored(made_matrix(text, seed).value(), {});
}
std::vector<std::int64_t> lengths(const StoredMatrix& m) {
  std::vector<std::int64_t> list;
  for (std::int64_t r = 0; r < m.rows; ++r) {
    list.push_back(m.offsets[std::size_t(r) + 1] - m.offsets[std::size_t(r)]);
  }
  return list;
}

TEST(MadeMatrix, RowsHaveTheLengthsOfTheRule) {
  EXPECT_THAT(lengths(made("diagonal:rows=5")), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(lengths(made("diagonal:rows=4,columns=2")), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(lengths(made("banded:rows=5")), ElementsAre(2, 3, 3, 3, 2));
  EXPECT_THAT(lengths(made("blocks:rows=5,width=2")), ElementsAre(2, 2, 2, 2, 1));
  EXPECT_THAT(lengths(made("even:rows=3,columns=40,items=7")), ElementsAre(7, 7, 7));
  EXPECT_THAT(lengths(made("even:rows=2,columns=4,items=7")), ElementsAre(4, 4));
  EXPECT_THAT(lengths(made("empty_rows:rows=6,columns=9,items=2")), ElementsAre(0, 2, 2, 2, 0, 2));
  EXPECT_THAT(lengths(made("power_law:rows=5,columns=100,longest=12")),
              ElementsAre(12, 6, 4, 3, 2));
  EXPECT_THAT(lengths(made("one_row:rows=4,columns=50,longest=33")), ElementsAre(33, 1, 1, 1));
  EXPECT_EQ(made("diagonal").rows, 1024);
}

TEST(MadeMatrix, ItemsAreApartAndWithin) {
  for (const char* text :
       {"random:rows=50,columns=70,items=9", "even:rows=20,columns=100,items=90", "rmat:rows=64",
        "rmat:rows=37,columns=11,items=4", "power_law:rows=30,columns=64,longest=64"}) {
    const StoredMatrix m = made(text);
    for (std::int64_t r = 0; r < m.rows; ++r) {
      std::set<std::int64_t> columns;
      for (std::int64_t k = m.offsets[std::size_t(r)]; k < m.offsets[std::size_t(r) + 1]; ++k) {
        const std::int64_t c = m.column[std::size_t(k)];
        EXPECT_TRUE(0 <= c && c < m.columns) << text;
        EXPECT_TRUE(columns.insert(c).second) << text;
      }
    }
    EXPECT_GT(m.column.size(), 0u) << text;
    EXPECT_EQ(m.column, made(text).column);
    EXPECT_NE(m.value, made(text, 2).value);
    for (const double v : m.value) EXPECT_TRUE(-1 <= v && v < 1);
  }
}

// Half of a half of the edges of such a graph are those of a quarter of its nodes.
TEST(MadeMatrix, AnRmatIsSkewed) {
  const std::vector<std::int64_t> list = lengths(made("rmat:rows=1024,items=8"));
  const std::int64_t first = std::accumulate(list.begin(), list.begin() + 256, std::int64_t{0});
  const std::int64_t all = std::accumulate(list.begin(), list.end(), std::int64_t{0});
  EXPECT_GT(first * 2, all);
}

TEST(MadeMatrix, Refusals) {
  EXPECT_FALSE(is_made_matrix("even.npy"));
  EXPECT_FALSE(made_matrix("evens:rows=3", 1));
  const auto refusal = [](const char* text) {
    return refusal_by<BadInput>([&] { made_matrix(text, 1); });
  };
  EXPECT_THAT(
      refusal("banded:items=3"),
      HasSubstr("error[E604]: the matrix 'banded:items=3': banded has no key 'items'; help: its "
                "keys are rows, columns, width, such as width=8"));
  EXPECT_THAT(refusal("diagonal:width=3"),
              HasSubstr("its keys are rows, columns, such as columns=8"));
  for (const char* text :
       {"even:rows=0", "even:rows=x", "even:rows", "even:rows=-1", "even:rows=1e3"}) {
    EXPECT_THAT(refusal(text), HasSubstr("write a whole number from 1 to 134217728")) << text;
  }
  EXPECT_THAT(refusal("rmat:rows=100000000"), HasSubstr("it has more than 33554432 items"));
}

}  // namespace

}  // namespace selvage
