#include <selvage/base/diagnostic.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

Array integers(DataType type, std::vector<std::int64_t> shape, std::vector<std::int64_t> items) {
  Array array(type, std::move(shape));
  for (std::size_t k = 0; k < items.size(); ++k) array.set_int(std::int64_t(k), items[k]);
  return array;
}
std::vector<std::int64_t> items(const Array& array) {
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < array.size(); ++k) list.push_back(array.get_int(k));
  return list;
}
using Items = std::vector<std::int64_t>;

// x[2, 3] = 0 1 2 / 10 11 12.
struct Case {
  explicit Case(std::vector<std::int64_t> idx_shape, Items idx_items) {
    x = f.input("x", {f.constant(2), f.constant(3)}, DataType::Int32);
    std::vector<Expr> extents;
    for (std::int64_t n : idx_shape) extents.push_back(f.constant(n));
    idx = f.input("idx", extents, DataType::Int64);
    inputs = {{"x", integers(DataType::Int32, {2, 3}, {0, 1, 2, 10, 11, 12})},
              {"idx", integers(DataType::Int64, std::move(idx_shape), std::move(idx_items))}};
  }
  Array result(Tensor y) {
    f.output("y", y);
    return run_reference(f, {}, inputs)[0];
  }
  Fusion f;
  Tensor x, idx;
  std::map<std::string, Array> inputs;
};

TEST(GatherOps, IndexSelectPutsTheIndicesInThePlaceOfTheAxis) {
  Case c({2, 2}, {2, 0, 1, 1});
  const Array y = c.result(index_select(c.x, 1, c.idx));
  EXPECT_EQ(y.shape, (Items{2, 2, 2}));
  EXPECT_EQ(items(y), (Items{2, 0, 1, 1, 12, 10, 11, 11}));
}

TEST(GatherOps, EmbeddingTakesRowsOfATable) {
  Case c({3}, {1, 0, 1});
  EXPECT_EQ(items(c.result(embedding(c.x, c.idx))), (Items{10, 11, 12, 0, 1, 2, 10, 11, 12}));
}

TEST(GatherOps, TakeAlongTakesAnItemForEachIndex) {
  Case c({2, 2}, {2, 0, 1, 1});
  EXPECT_EQ(items(c.result(take_along(c.x, c.idx, -1))), (Items{2, 0, 11, 11}));
  Case repeated({1, 4}, {2, 2, 0, 1});
  EXPECT_EQ(items(repeated.result(take_along(repeated.x, repeated.idx, 1))),
            (Items{2, 2, 0, 1, 12, 12, 10, 11}));
}

TEST(GatherOps, OutOfBoundsIsWhatIsAskedFor) {
  const Items hostile = {-1, 2, INT64_MIN, INT64_MAX, 1};
  const auto first = [&](const Outside& outside) {
    Case c({5}, hostile);
    Array y = c.result(embedding(c.x, c.idx, outside));
    Items column;
    for (std::int64_t k = 0; k < 5; ++k) column.push_back(y.get_int(3 * k + 1));
    return column;
  };
  EXPECT_EQ(first({}), (Items{0, 0, 0, 0, 11}));
  EXPECT_EQ(first(Outside::fill(-5)), (Items{-5, -5, -5, -5, 11}));
  EXPECT_EQ(first(Outside::clamped()), (Items{1, 11, 1, 11, 11}));
  EXPECT_EQ(bad_input([&] { first(Outside::unchecked()); }),
            "selvage: error[E616]: x[-1, 0] is read, outside its shape [2, 3]; help: keep the "
            "indices within the extents; or read clamped or fill");
}

TEST(GatherOps, IndexNotationReadsAtElements) {
  Case c({3}, {1, 0, 7});
  const Expr i = c.f.fresh_index("i");
  const Element twice =
      c.x(clamped(c.idx(i)), clamped(c.idx(i) + 1)) + gather_or(c.x, {c.idx(i), 0}, 100);
  EXPECT_EQ(items(c.result(c.f.compute("", {i}, {c.f.constant(3)}, twice))),
            (Items{12 + 10, 1 + 0, 12 + 100}));
}

// A gather of a gather, and of what is computed in the same fusion.
TEST(GatherOps, IndicesMayBeComputed) {
  Case c({3}, {2, 0, 1});
  const Tensor twice = index_select(c.idx, 0, c.idx, Outside::unchecked());
  EXPECT_EQ(items(c.result(index_select(c.x, 1, twice * 1, Outside::unchecked()))),
            (Items{1, 2, 0, 11, 12, 10}));
}

TEST(GatherOps, RefusalsNameTheOperation) {
  Case c({2, 2}, {0, 0, 0, 0});
  const Tensor real = c.f.input("real", {c.f.constant(2)}, DataType::Float),
               large = c.f.input("large", {c.f.constant(2)}, DataType::UInt64);
  EXPECT_EQ(
      bad_input([&] { index_select(c.x, 0, real); }),
      "selvage: error[E516]: index_select: real[2]: a subscript that is a value of type float "
      "cannot be an index; help: cast it to an integer type, such as int32");
  EXPECT_EQ(bad_input([&] { embedding(c.x, large); }),
            "selvage: error[E516]: embedding: large[2]: a subscript that is a value of type uint64 "
            "cannot be an index; help: cast it to int64, if it fits");
  EXPECT_EQ(bad_input([&] { embedding(c.idx, large); }).substr(0, 20), "selvage: error[E516]");
  EXPECT_EQ(bad_input([&] { index_select(c.x, 2, c.idx); }),
            "selvage: error[E510]: index_select: x[2, 3] has no axis 2; help: name axes from -2 to "
            "1, each once");
  EXPECT_EQ(bad_input([&] { embedding(real, c.idx); }),
            "selvage: error[E511]: embedding: the table real[2] has 1 axes; help: give a table of "
            "two axes, or call index_select");
  EXPECT_EQ(bad_input([&] { take_along(c.x, real, 0); }).substr(0, 20), "selvage: error[E516]");
  EXPECT_EQ(bad_input([&] { take_along(real, c.idx, 0); }),
            "selvage: error[E511]: take_along: real[2] and the indices idx[2, 2] differ in rank; "
            "help: give both as many axes");
  const Tensor wide = c.f.input("wide", {c.f.constant(2), c.f.constant(5)}, DataType::Int32);
  EXPECT_EQ(
      bad_input([&] { take_along(c.x, wide, 0); }),
      "selvage: error[E501]: take_along: x[2, 3] and the indices wide[2, 5] differ along axis "
      "1; help: make all extents but those of axis 0 equal, or one of them 1");
  EXPECT_EQ(bad_input([&] { index_select(c.x, 0, c.idx, Outside::fill(0.5)); }),
            "selvage: error[E506]: index_select: the value 0.5 does not fit the int32 of x[2, 3]; "
            "help: give an integer, or cast the tensor first");
}

}  // namespace
}  // namespace selvage
