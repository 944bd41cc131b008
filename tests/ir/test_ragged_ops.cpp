#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/simplifier/simplifier.h>
#include <tests/support/refusal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace selvage {
namespace {

using testing::HasSubstr;

// Calls `visit` with every list of up to `most` lengths of at most `longest`.
void each_list_of_lengths(int most, std::int64_t longest,
                          const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> lengths;
  const std::function<void()> extend = [&] {
    visit(lengths);
    if (int(lengths.size()) == most) return;
    for (std::int64_t n = 0; n <= longest; ++n) {
      lengths.push_back(n);
      extend();
      lengths.pop_back();
    }
  };
  extend();
}

// The bound holds for all rows, and for each number of rows and of items some rows reach it.
TEST(RaggedOps, TheBoundOfRowTilesIsTight) {
  ExprPool pool;
  Simplifier simplifier{Facts(pool)};
  for (std::int64_t size = 1; size <= 5; ++size) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> most;
    each_list_of_lengths(4, 9, [&](const std::vector<std::int64_t>& lengths) {
      std::int64_t tiles = 0, items = 0;
      for (std::int64_t n : lengths) items += n, tiles += (n + size - 1) / size;
      auto& own = most[{std::int64_t(lengths.size()), items}];
      own = std::max(own, tiles);
    });
    for (const auto& [at, tiles] : most) {
      const auto [count, items] = at;
      // One row alone holds no more than the longest list tried.
      if (items > 9) continue;
      const Expr bound =
          row_tiles_bound(pool.constant(count), pool.constant(items), pool.constant(size));
      EXPECT_TRUE(simplifier.simplify(bound).is_const(tiles))
          << count << " rows, " << items << " items by " << size << ": " << to_string(bound)
          << ", not " << tiles;
    }
  }
}

TEST(RaggedOps, TheBoundOfRowTilesIsAnExpressionOfSizes) {
  Fusion f;
  const RowsId rows = add_rows(f.input("off", {f.extent("B", 0) + 1}, DataType::Int64));
  EXPECT_EQ(to_string(row_tiles_bound(f, rows, 16)), "min(off_items, B + (off_items - B) / 16)");
}

struct RaggedOperands {
  RaggedOperands() {
    B = f.extent("B", 0);
    one = add_rows(f.input("one", {B + 1}, DataType::Int64));
    two = add_rows(f.input("two", {B + 1}, DataType::Int64));
    x = ragged_input(f, "x", one, {f.extent("D")}, DataType::Float);
    v = ragged_input(f, "v", one, {}, DataType::Float);
    w = ragged_input(f, "w", two, {}, DataType::Float);
    dense = f.input("dense", {B}, DataType::Float);
  }
  Fusion f;
  Expr B;
  RowsId one{}, two{};
  Tensor x, v, w, dense;
};

TEST(RaggedOps, RowsAreNeverAssumedToBeTheSame) {
  RaggedOperands r;
  const std::string help =
      "; help: give both the same rows; or test that they are equal by check_same_rows(), and "
      "write as_rows() of one";
  EXPECT_EQ(bad_input([&] { r.v + r.w; }),
            "selvage: error[E501]: +: v has items of the rows of one, and w items of those of two" +
                help);
  const Tensor table = r.f.input("table", {r.f.extent("V"), r.f.extent("E")}, DataType::Float);
  const Tensor idx = ragged_input(r.f, "idx", r.one, {}, DataType::Int32);
  EXPECT_EQ(bad_input([&] { embedding_bag(table, idx, Reduction::Sum, r.w); }),
            "selvage: error[E501]: embedding_bag: idx has items of the rows of one, and w items of "
            "those of "
            "two" +
                help);
  const Expr b = r.f.fresh_index("b"), j = r.f.fresh_index("j");
  EXPECT_EQ(bad_input([&] {
              item(r.w, r.one, {b, j});
            }),
            "selvage: error[E501]: w has items of the rows of two, and is read by those of one; "
            "help: read "
            "it by its own; or test that they are equal by check_same_rows(), and write as_rows() "
            "of it");
  // The smallest changes that make them legal.
  EXPECT_EQ(bad_input([&] { r.v + as_rows(r.w, r.one); }), "accepted");
  EXPECT_EQ(bad_input([&] { r.v + r.v; }), "accepted");
  EXPECT_EQ(bad_input([&] { item(as_rows(r.w, r.one), r.one, {b, j}); }), "accepted");
}

TEST(RaggedOps, PointwiseResultsHaveItemsWhereTheirFirstAxisHas) {
  RaggedOperands r;
  const auto rows = [&](Tensor t) { return r.f[t.id()].items_of; };
  EXPECT_EQ(rows(r.v * 2), r.one);
  EXPECT_EQ(rows(exp(cast(r.x, DataType::Double))), r.one);
  EXPECT_EQ(rows(unsqueeze(r.v, 0) + r.v), std::nullopt);
  EXPECT_EQ(rows(r.f.output("copy", r.v)), r.one);
}

TEST(RaggedOps, ShapesAreThoseOfRows) {
  RaggedOperands r;
  const auto shape = [](Tensor t) {
    std::string text;
    for (Expr n : t.shape()) text += (text.empty() ? "" : ", ") + to_string(n);
    return text;
  };
  EXPECT_EQ(shape(row_sum(r.x)), "B, D");
  EXPECT_EQ(shape(row_mean(r.v)), "B");
  EXPECT_EQ(shape(to_padded(r.x, 7)), "B, 7, D");
  EXPECT_EQ(shape(row_softmax(r.x)), "one_items, D");
  EXPECT_EQ(shape(concatenated(r.v, r.w)), "one_items + two_items");
  EXPECT_EQ(shape(truncated(r.x, 3)), "x_slice_offsets_items, D");
  EXPECT_EQ(shape(sliced(r.v, 1, 3, r.B * 2)), "B * 2");
}

TEST(RaggedOps, WhatIsRefused) {
  RaggedOperands r;
  const Tensor matrix = r.f.input("matrix", {r.B, r.f.constant(4)}, DataType::Float);
  const Tensor idx = ragged_input(r.f, "idx", r.one, {}, DataType::Int32);
  const struct {
    std::function<void()> made;
    const char* says;
  } cases[] = {
      {[&] { row_sum(r.dense); },
       "error[E511]: row_sum: dense[B] has no items of rows; help: make it by ragged_input() or "
       "compute_ragged(), or give it rows by as_rows()"},
      {[&] { to_padded(r.dense, 4); }, "E511]: to_padded: dense[B] has no items of rows"},
      {[&] { from_padded(r.dense, r.one); },
       "E511]: from_padded: dense[B] has no items of its rows"},
      {[&] { rows_of_lengths(r.dense); },
       "error[E519]: rows_of_lengths: dense[B] of type float tells no rows; help: give one integer "
       "for each row: how many items it has"},
      {[&] { concatenated(r.x, r.w); }, "E511]: concatenated: w[two_items] has 1 axes"},
      {[&] { sliced(r.v, 3, 2); },
       "error[E512]: sliced: v[one_items] from 3 to 2 leaves the rows; help: keep 0 <= first <= "
       "end"},
      {[&] { truncated(r.v, -1); }, "E512]: sliced: v[one_items] from 0 to -1"},
      {[&] { embedding_bag(matrix, r.v); }, "E516]: embedding_bag: v[one_items]: "},
      {[&] { embedding_bag(matrix, idx, Reduction::Min); },
       "error[E511]: embedding_bag: bags have no min; help: take the sum, the mean or the max"},
      {[&] { embedding_bag(matrix, idx, Reduction::Mean, r.v); },
       "E511]: embedding_bag: weights have no mean"},
      {[&] { grouped_matmul(r.x, matrix); }, "E511]: grouped_matmul: matrix[B, 4] has 2 axes"},
      {[&] {
         grouped_matmul(ragged_input(r.f, "u", r.one, {r.f.constant(5)}, DataType::Float),
                        r.f.input("m", {r.B, r.f.constant(4), r.f.constant(4)}, DataType::Float));
       },
       "error[E501]: grouped_matmul: the numbers of an item and the rows of a matrix differ in "
       "number: 5 and 4; help: make them equally many"},
  };
  for (const auto& c : cases) EXPECT_THAT(bad_input(c.made), HasSubstr(c.says));
}

}  // namespace
}  // namespace selvage
