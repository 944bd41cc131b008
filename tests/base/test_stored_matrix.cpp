// Matrices in each format, beside what the words of the format say that they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_matrix.h>
#include <tests/support/counts.h>
#include <tests/support/stored_items.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace selvage {
namespace {

using testing::ElementsAre;

const StorageFormat kFormats[] = {
    {StorageKind::Csr},     {StorageKind::Csc},        {StorageKind::Coo},       {StorageKind::Ell},
    {StorageKind::Sell, 1}, {StorageKind::Sell, 3},    {StorageKind::Sell, 64},  {StorageKind::Dia},
    {StorageKind::Bcsr},    {StorageKind::Bcsr, 2, 3}, {StorageKind::Bcsr, 4, 4}};

using Dense = std::map<std::pair<std::int64_t, std::int64_t>, double>;

// What a matrix holds; items that are 0 are left out.
Dense dense_of(const StoredMatrix& m) {
  Dense dense;
  for (const test::StoredItem& item : test::stored_items(m)) {
    if (item.value != 0) dense[{item.row, item.column}] += item.value;
  }
  return dense;
}

// All values that belong to no item are 0.
double sum_of_values(const StoredMatrix& m) {
  return std::accumulate(m.value.begin(), m.value.end(), 0.0);
}

// Items are small integers, so that their sums do not depend on the order.
CoordinateMatrix random_matrix(SplitMix64& random) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateMatrix m{.rows = below(12), .columns = below(12), .row = {}, .column = {}, .value = {}};
  const std::int64_t items = m.rows * m.columns == 0 ? 0 : below(40);
  for (std::int64_t k = 0; k < items; ++k) {
    m.row.push_back(below(m.rows));
    m.column.push_back(below(m.columns));
    m.value.push_back(double(1 + below(9)));
  }
  return m;
}

Dense dense_of(const CoordinateMatrix& m) {
  Dense dense;
  for (std::size_t k = 0; k < m.items(); ++k) dense[{m.row[k], m.column[k]}] += m.value[k];
  return dense;
}

TEST(StoredMatrix, HoldsTheItemsInEachFormatAndOnTheWayFromEachToEach) {
  SplitMix64 random(7);
  for (int i = 0; i < count(100, 3'000) && !HasFailure(); ++i) {
    const CoordinateMatrix m = random_matrix(random);
    const Dense wanted = dense_of(m);
    for (const StorageFormat& from : kFormats) {
      const StoredMatrix first = stored(m, from);
      EXPECT_EQ(first.format, from);
      EXPECT_EQ(dense_of(first), wanted) << to_string(from);
      EXPECT_EQ(dense_of(items_of(first)), wanted) << to_string(from);
      for (const StorageFormat& to : kFormats) {
        const StoredMatrix second = converted(first, to);
        EXPECT_EQ(dense_of(second), wanted) << to_string(from) << " to " << to_string(to);
        EXPECT_EQ(sum_of_values(second), sum_of_values(first));
      }
    }
  }
}

// The formats that keep items apart keep those with the same coordinates, in their order.
TEST(StoredMatrix, KeepsDuplicatesInTheirOrderAndSortsTheRest) {
  const CoordinateMatrix m{2, 3, {1, 0, 1, 1}, {2, 1, 0, 2}, {10, 20, 30, 40}};
  const StoredMatrix csr = stored(m, {});
  EXPECT_THAT(csr.offsets, ElementsAre(0, 1, 4));
  EXPECT_THAT(csr.column, ElementsAre(1, 0, 2, 2));
  EXPECT_THAT(csr.value, ElementsAre(20, 30, 10, 40));
  EXPECT_THAT(stored(m, {StorageKind::Coo}).row, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(stored(m, {StorageKind::Csc}).value, ElementsAre(30, 20, 10, 40));
  EXPECT_THAT(stored(m, {StorageKind::Ell}).column, ElementsAre(1, -1, -1, 0, 2, 2));
  EXPECT_THAT(stored(m, {StorageKind::Dia}).diagonal, ElementsAre(-1, 1));
  EXPECT_THAT(stored(m, {StorageKind::Dia}).value, ElementsAre(0, 30, 20, 50));
}

TEST(StoredMatrix, FormatsAreReadAsTheyAreWritten) {
  for (const StorageFormat& format : kFormats) {
    EXPECT_EQ(storage_format(to_string(format)), format) << to_string(format);
  }
  EXPECT_EQ(storage_format("bcsr( 4 ,2)"), (StorageFormat{StorageKind::Bcsr, 4, 2}));
  for (const char* text : {"", "cs", "csr(1)", "sell", "sell()", "sell(0)", "sell(4", "sell(4097)",
                           "sell(4, 4)", "bcsr(4)", "bcsr(4, 4, 4)", "bcsr(4, x)", "Csr"}) {
    EXPECT_EQ(storage_format(text), std::nullopt) << text;
  }
}

TEST(StoredMatrix, ARefusedFormatSaysWhichOneWouldDo) {
  CoordinateMatrix m{1 << 20, 1 << 20, {}, {}, {}};
  for (std::int64_t k = 0; k < 2000; ++k) {
    m.row.push_back(k * 37 % m.rows), m.column.push_back(k * 101 % m.columns), m.value.push_back(1);
  }
  try {
    stored(m, {StorageKind::Dia});
    FAIL();
  } catch (const BadInput& refusal) {
    EXPECT_EQ(refusal.diagnostic().message,
              "as dia the matrix would hold more than 1073741824 values for 2000 items");
    EXPECT_EQ(refusal.diagnostic().help, "choose a format that holds the items alone, such as csr");
  }
}

}  // namespace
}  // namespace selvage
