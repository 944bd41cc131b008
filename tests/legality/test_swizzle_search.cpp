// Swizzles and paddings that are found make both sides conflict-free, the least of their kind;
// where none is found, none of the whole family does it.
#include <selvage/base/random.h>
#include <selvage/legality/swizzle_lines.h>

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "tests/legality/bank_case.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// One warp after another, in each 32 threads.
TileAccess access(std::int64_t lanes, std::int64_t warps,
                  const std::function<TileItem(std::int64_t warp, std::int64_t thread)>& item) {
  TileAccess result{lanes, {}};
  for (std::int64_t w = 0; w < warps; ++w) {
    auto& warp = result.warps.emplace_back();
    for (std::int64_t t = 0; t < 32; ++t) warp.emplace_back(item(w, t));
  }
  return result;
}
// Threads along rows, or down columns.
TileAccess by_rows(const Tile& tile, std::int64_t lanes = 1) {
  const std::int64_t wide = tile.columns / lanes;
  return access(lanes, tile.rows * wide / 32, [&](std::int64_t w, std::int64_t t) {
    const std::int64_t n = w * 32 + t;
    return TileItem{n / wide, n % wide * lanes};
  });
}
TileAccess by_columns(const Tile& tile, std::int64_t lanes = 1) {
  return access(lanes, tile.rows * tile.columns / lanes / 32, [&](std::int64_t w, std::int64_t t) {
    const std::int64_t n = w * 32 + t;
    return TileItem{n % tile.rows, n / tile.rows * lanes};
  });
}

std::int64_t degree(const Tile& tile, const TileAccess& store, const TileAccess& load,
                    const RowMap& map, std::int64_t padding = 0) {
  return std::max(tile_degree(tile, store, tile.columns + padding, map),
                  tile_degree(tile, load, tile.columns + padding, map));
}

constexpr XorField kClassic{0, 4, 0};  // column ^ row

TEST(SwizzleSearch, A16By32FloatTransposeIsFreedByTwiceTheRowAndNotByTheRow) {
  const Tile tile{16, 32, 4};
  const TileAccess store = by_rows(tile), load = by_columns(tile);
  EXPECT_EQ(degree(tile, store, load, {}), 16);
  EXPECT_EQ(degree(tile, store, load, row_map(kClassic, 16)), 2);
  const SwizzleResult result = find_swizzle(tile, store, load);
  const auto* found = std::get_if<TileSwizzle>(&result);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->fields.size(), 1u);
  EXPECT_EQ(found->fields[0], (XorField{0, 4, 1}));
  EXPECT_EQ(to_text(found->fields[0], 16), "row * 2");
  EXPECT_EQ(degree(tile, store, load, found->map), 1);
  const auto lines = swizzle_lines({{"row", "column"}, {16, 32}, {}}, *found);
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(lines->view, (std::vector<std::string>{
                             "split: {in: column, factor: 2, out: [column_o, column_i]}",
                             "swizzle: {kind: xor, in: [row, column_o], out: [row_s, column_x]}",
                             "merge: {in: [column_x, column_i], out: column_s}"}));
  // A warp reads two columns: with a pitch of 33 row r + 1 of the first meets row r of the second.
  const auto padding = find_padding(tile, store, load);
  ASSERT_TRUE(padding.has_value());
  EXPECT_EQ(padding->elements, 2);
  EXPECT_EQ(padding->bytes, 128);
}

TEST(SwizzleSearch, A32By32FloatTransposeIsFreedByTheRowOrAPitchOf33) {
  const Tile tile{32, 32, 4};
  const SwizzleResult result = find_swizzle(tile, by_rows(tile), by_columns(tile));
  ASSERT_TRUE(std::holds_alternative<TileSwizzle>(result));
  EXPECT_EQ(std::get<TileSwizzle>(result).fields, (std::vector<XorField>{{0, 5, 0}}));
  const auto padding = find_padding(tile, by_rows(tile), by_columns(tile));
  ASSERT_TRUE(padding.has_value());
  EXPECT_EQ(padding->elements, 1);
  EXPECT_EQ(padding->bytes, 128);
}

TEST(SwizzleSearch, VectorsStayWhole) {
  // Rows of 64 halves, stored and read as vectors of 8: one down the column, one along the row.
  const Tile tile{64, 64, 2};
  const TileAccess store = by_rows(tile, 8), load = by_columns(tile, 8);
  const SwizzleResult result = find_swizzle(tile, store, load);
  ASSERT_TRUE(std::holds_alternative<TileSwizzle>(result));
  const TileSwizzle& found = std::get<TileSwizzle>(result);
  EXPECT_EQ(found.fields, (std::vector<XorField>{{0, 3, 3}}));
  EXPECT_EQ(to_text(found.fields[0], 64), "row % 8 * 8");
  EXPECT_EQ(degree(tile, store, load, found.map), 1);
  const auto padding = find_padding(tile, store, load);
  ASSERT_TRUE(padding.has_value());
  EXPECT_EQ(padding->elements, 8);
}

TEST(SwizzleSearch, TwoColumnsOfOneRowInOneBankDefeatEveryRowMap) {
  // Each thread of a warp takes every 32nd float of a row of 1024.
  const Tile tile{4, 1024, 4};
  const TileAccess strided = access(1, 4, [](std::int64_t w, std::int64_t t) {
    return TileItem{w, t * 32};
  });
  const SwizzleResult result = find_swizzle(tile, by_rows(tile), strided);
  const auto* none = std::get_if<NoSwizzle>(&result);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->proof, NoSwizzle::Proof::OneRow);
  EXPECT_EQ(none->first.row, none->second.row);
  EXPECT_EQ((none->first.column - none->second.column) % 32, 0);
  EXPECT_FALSE(find_padding(tile, by_rows(tile), strided).has_value());
}

TEST(SwizzleSearch, RowsThatMeetAtEveryDistanceDefeatEveryRowMap) {
  // Stored so that row 1 is met by row 0 at even distances, read at odd ones.
  const Tile tile{2, 32, 4};
  const auto pairs = [](std::int64_t odd) {
    return access(1, 32, [=](std::int64_t w, std::int64_t t) {
      const std::int64_t row = t % 2, half = t / 2;
      return TileItem{row, row == 0 ? half * 2 : (half * 2 + odd) ^ (w % 2)};
    });
  };
  const SwizzleResult result = find_swizzle(tile, pairs(0), pairs(1));
  const auto* none = std::get_if<NoSwizzle>(&result);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->proof, NoSwizzle::Proof::AllBanks);
}

TEST(SwizzleSearch, APitchThatIsNoPowerOfTwoIsNotSearched) {
  const Tile tile{32, 48, 4};
  const SwizzleResult result = find_swizzle(tile, by_rows(tile), by_columns(tile));
  ASSERT_TRUE(std::holds_alternative<SwizzleUnknown>(result));
  EXPECT_EQ(std::get<SwizzleUnknown>(result).why,
            "rows of 48 elements are no power of two and no whole number of bank rows");
  const auto padding = find_padding(tile, by_columns(tile), by_columns(tile));
  ASSERT_TRUE(padding.has_value());
  EXPECT_EQ(padding->elements, 1);
  EXPECT_EQ(padding->bytes, 128);
}

TEST(RowMap, IsTheXorOfItsFields) {
  SplitMix64 random(7);
  for (int n = 0; n < count(200, 5000); ++n) {
    RowMap map;
    for (int i = 0; i < 6; ++i) map.images.push_back(random.next() % 64);
    RowMap sum{std::vector<std::uint64_t>(6, 0)};
    for (const XorField& f : fields_of(map)) {
      const RowMap part = row_map(f, 64);
      for (std::uint64_t row = 0; row < 64; ++row) {
        EXPECT_EQ(part(row), (row >> f.row_shift & ((1u << f.bits) - 1)) << f.column_shift);
      }
      for (std::size_t i = 0; i < 6; ++i) sum.images[i] ^= part.images[i];
    }
    EXPECT_EQ(sum, map);
  }
}

// A random linear way through the tile: thread bits to row and column bits, each item once.
TileAccess random_access(SplitMix64& random, const Tile& tile, std::int64_t lanes) {
  const int bits = std::countr_zero(std::uint64_t(tile.rows * tile.columns / lanes));
  std::vector<int> order;
  for (int i = 0; i < bits; ++i) order.push_back(i);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  std::vector<std::uint64_t> images;
  for (int i : order) images.push_back(std::uint64_t{1} << i);
  for (int k = 0; k < 3; ++k) {  // additions keep it invertible
    const std::size_t a = random.next() % images.size(), b = random.next() % images.size();
    if (a != b) images[a] ^= images[b];
  }
  return access(lanes, std::int64_t{1} << (bits - 5), [&](std::int64_t w, std::int64_t t) {
    std::uint64_t n = std::uint64_t(w * 32 + t), at = 0;
    for (std::size_t i = 0; n != 0; n >>= 1, ++i) at ^= (n & 1) != 0 ? images[i] : 0;
    const std::int64_t item = std::int64_t(at) * lanes;
    return TileItem{item / tile.columns, item % tile.columns};
  });
}

// Every linear map of a small tile, with no table of differences.
std::int64_t least_degree(const Tile& tile, const TileAccess& store, const TileAccess& load) {
  const int rows = std::countr_zero(std::uint64_t(tile.rows));
  const std::uint64_t columns = std::uint64_t(tile.columns);
  RowMap map{std::vector<std::uint64_t>(std::size_t(rows), 0)};
  const std::uint64_t lanes = std::uint64_t(std::max(store.lanes, load.lanes));
  std::int64_t least = INT64_MAX;
  for (;;) {
    least = std::min(least, degree(tile, store, load, map));
    std::size_t i = 0;
    while (i < map.images.size() && (map.images[i] += lanes) == columns) map.images[i++] = 0;
    if (i == map.images.size() || least == 1) return least;
  }
}

TEST(SwizzleSearch, FindsAMapIfAndOnlyIfThereIsOne) {
  SplitMix64 random(8);
  int found = 0, general = 0, none = 0, lost = 0;
  for (int n = 0; n < count(200, 3000); ++n) {
    const Tile tile{std::int64_t{1} << (1 + random.next() % 4),
                    std::int64_t{16} << (random.next() % 2), 1 << (random.next() % 4)};
    if (tile.rows * tile.columns < 64) continue;
    const TileAccess store = random_access(random, tile, random.next() % 2 == 0 ? 1 : 2);
    const TileAccess load = random_access(random, tile, 1);
    const SwizzleResult result = find_swizzle(tile, store, load);
    const auto padding = find_padding(tile, store, load);
    if (padding) {
      EXPECT_EQ(degree(tile, store, load, {}, padding->elements), 1);
      for (std::int64_t less = 0; less < padding->elements; ++less) {
        if (less % store.lanes != 0) continue;
        EXPECT_GT(degree(tile, store, load, {}, less), 1);
      }
    } else {
      for (std::int64_t more = 0; more < 256; more += store.lanes) {
        EXPECT_GT(degree(tile, store, load, {}, more), 1);
      }
    }
    if (const auto* swizzle = std::get_if<TileSwizzle>(&result)) {
      ASSERT_EQ(degree(tile, store, load, swizzle->map), 1);
      for (std::uint64_t image : swizzle->map.images) {
        EXPECT_EQ(image % std::uint64_t(store.lanes), 0u);
        EXPECT_LT(image, std::uint64_t(tile.columns));
      }
      ++found;
      general += swizzle->fields.size() > 1 ? 1 : 0;
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<NoSwizzle>(result));
    ++none;
    if (tile.rows > 4) continue;  // too many maps to go through
    ++lost;
    EXPECT_GT(least_degree(tile, store, load), 1);
  }
  EXPECT_GT(found, more_than(20));
  EXPECT_GT(general, more_than(0));
  EXPECT_GT(none, more_than(10));
  EXPECT_GT(lost, more_than(5));
}

TEST(SwizzleLines, AFieldIsCutOutOfRowAndColumn) {
  TileSwizzle swizzle;
  swizzle.fields = {{1, 2, 3}};
  const auto lines = swizzle_lines({{"row", "column"}, {32, 64}, {"row_o"}}, swizzle);
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(lines->root, "root: {row: 32, column: 64}");
  EXPECT_EQ(
      lines->view,
      (std::vector<std::string>{
          "split: {in: row, factor: 2, out: [row_o2, row_i]}",
          "split: {in: row_o2, factor: 4, out: [row_o2_o, row_o2_i]}",
          "split: {in: column, factor: 8, out: [column_o, column_i]}",
          "swizzle: {kind: xor, in: [row_o2_i, column_o], out: [row_x, column_x]}",
          "merge: {in: [row_o2_o, row_x], out: row_m}", "merge: {in: [row_m, row_i], out: row_s}",
          "merge: {in: [column_x, column_i], out: column_s}"}));
  EXPECT_EQ(lines->logical, "logical: [row_s, column_s]");
  swizzle.fields = {{1, 2, 3}};
  EXPECT_FALSE(swizzle_lines({{"row", "column"}, {31, 64}, {}}, swizzle).has_value());
}

// Lines of random maps, read as a schedule file: item [plane, row, column] lies where the map says.
TEST(SwizzleLines, ReadBackTheyLayItemsOutAsTheMapSays) {
  SplitMix64 random(9);
  for (int n = 0; n < count(100, 2000); ++n) {
    const std::int64_t planes = n % 3 == 0 ? 2 : 1,
                       rows = std::int64_t{1} << (1 + random.next() % 5);
    const std::int64_t columns = std::int64_t{1} << (1 + random.next() % 5);
    TileSwizzle swizzle;
    for (std::int64_t r = 1; r < planes * rows; r *= 2) {
      swizzle.map.images.push_back(random.next() % std::uint64_t(columns));
    }
    swizzle.fields = fields_of(swizzle.map);
    TileAxes axes{{"row", "column"}, {rows, columns}, {}};
    std::string loop = "[row, column]";
    if (planes > 1) {
      axes.names.insert(axes.names.begin(), "plane");
      axes.extents.insert(axes.extents.begin(), planes);
      loop = "[plane, row, column]";
    }
    const auto lines = swizzle_lines(axes, swizzle);
    ASSERT_TRUE(lines.has_value());
    std::string view = lines->view.empty() ? "    view: []\n" : "    view:\n";
    for (const std::string& line : lines->view) view += "      - " + line + "\n";
    const BankCase k("    dtype: float\n    " + lines->root + "\n" + view + "    " +
                     lines->logical + "\n    loop: " + loop + "\n");
    const TensorAnalysis& a = k.write();
    EXPECT_TRUE(a.predicates.kept.empty());
    EXPECT_TRUE(is_proved(a.coverage.verdict));
    for (std::int64_t item = 0; item < planes * rows * columns; ++item) {
      const std::int64_t row = item / columns, column = item % columns;
      std::vector<std::int64_t> at = {row % rows, column};
      if (planes > 1) at.insert(at.begin(), row / rows);
      const std::int64_t expected =
          row * columns + std::int64_t(std::uint64_t(column) ^ swizzle.map(std::uint64_t(row)));
      ASSERT_EQ(evaluate(a.address, a.variables, at), expected) << view;
    }
  }
}

// The lowest bit of the row may not move the column, the next one must by 3.
TEST(SwizzleSearch, AMapMayLeaveABitOfTheRowOut) {
  const Tile tile{4, 32, 4};
  TileAccess pairs;
  const auto forbid = [&](std::int64_t row, std::int64_t value) {
    pairs.warps.push_back({TileItem{0, 0}, TileItem{row, value}});
  };
  for (std::int64_t value = 0; value < 32; ++value) {
    if (value != 0) forbid(1, value);
    if (value != 3) forbid(2, value);
  }
  const SwizzleResult result = find_swizzle(tile, pairs, pairs);
  const auto* found = std::get_if<TileSwizzle>(&result);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->map.images, (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(degree(tile, pairs, pairs, found->map), 1);
}

}  // namespace
}  // namespace selvage
