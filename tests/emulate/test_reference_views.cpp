// Views, pads, slices and concatenation by the reference interpreter, beside plain loops.
#include <selvage/base/diagnostic.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <functional>

namespace selvage {
namespace {

using Sizes = std::map<std::string, std::int64_t>;
using Shape = std::vector<std::int64_t>;

// 1, 2, 3, ...
Array counted(DataType type, Shape shape, std::int64_t first = 1) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set_int(k, first + k);
  return a;
}

Array run(Fusion& f, const Sizes& sizes, const std::map<std::string, Array>& inputs) {
  return run_reference(f, sizes, inputs).at(0);
}

// An array of two axes, item by item.
Array matrix(DataType type, std::int64_t rows, std::int64_t columns,
             const std::function<double(std::int64_t, std::int64_t)>& item) {
  Array a(type, {rows, columns});
  for (std::int64_t m = 0; m < rows; ++m) {
    for (std::int64_t n = 0; n < columns; ++n) a.set(m * columns + n, item(m, n));
  }
  return a;
}

TEST(ReferenceViews, ASqueezeKeepsTheOrderOfItems) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(1), f.constant(3)}, DataType::Int32);
  f.output("y", squeeze(x));
  EXPECT_EQ(run(f, {}, {{"x", counted(DataType::Int32, {2, 1, 3})}}),
            counted(DataType::Int32, {2, 3}));
}

TEST(ReferenceViews, AReshapeKeepsTheOrderOfItems) {
  struct Case {
    Shape from, to;
  };
  for (const auto& [from, to] : std::vector<Case>{{{2, 3, 5}, {6, 5}},
                                                  {{2, 3, 5}, {30}},
                                                  {{30}, {2, 3, 5}},
                                                  {{6, 35}, {10, 21}},
                                                  {{4, 9, 1}, {1, 6, 6}},
                                                  {{1}, {}},
                                                  {{}, {1, 1}},
                                                  {{7, 1}, {7}}}) {
    Fusion f;
    std::vector<Expr> extents;
    for (std::int64_t n : from) extents.push_back(f.constant(n));
    const Tensor x = f.input("x", extents, DataType::Int32);
    f.output("y", reshape(x * 2, std::vector<Extent>(to.begin(), to.end())));
    const Array a = counted(DataType::Int32, from);
    Array expected(DataType::Int32, to);
    for (std::int64_t k = 0; k < a.size(); ++k) expected.set_int(k, 2 * (k + 1));
    EXPECT_EQ(run(f, {}, {{"x", a}}), expected);
  }
}

TEST(ReferenceViews, AReshapeBySizes) {
  Fusion f;
  const auto [A, B, N] = f.extents("A", "B", "N");
  const Tensor x = f.input("x", {A, B, N}, DataType::Half);
  f.output("y", reshape(x, {-1, N}));
  f.output("z", reshape(reshape(x, {-1}), {B, A, N}));
  const Array a = counted(DataType::Half, {3, 5, 7});
  const auto out = run_reference(f, {{"A", 3}, {"B", 5}, {"N", 7}}, {{"x", a}});
  EXPECT_EQ(out[0], counted(DataType::Half, {15, 7}));
  EXPECT_EQ(out[1], counted(DataType::Half, {5, 3, 7}));
}

TEST(ReferenceViews, AReshapeThatDoesNotFitTheSizesIsRefusedAtLaunch) {
  Fusion f;
  const auto [N] = f.extents("N");
  f.output("y", reshape(f.input("x", {N}, DataType::Float), {-1, 4}));
  EXPECT_EQ(run(f, {{"N", 12}}, {{"x", counted(DataType::Float, {12})}}),
            counted(DataType::Float, {3, 4}));
  EXPECT_THROW(run(f, {{"N", 13}}, {{"x", counted(DataType::Float, {13})}}), BadInput);
}

TEST(ReferenceViews, SlicesOfEveryTypeAndStep) {
  for (int t = 0; t <= int(DataType::Double); ++t) {
    for (std::int64_t step : {1, 2, 3, 40}) {
      Fusion f;
      const auto [M] = f.extents("M");
      const Tensor x = f.input("x", {M, f.constant(31)}, DataType(t));
      f.output("y", slice(x, 1, 2, -3, step));
      const Array a = counted(DataType(t), {3, 31});
      const std::int64_t columns = (28 - 2 + step - 1) / step;
      const Array expected = matrix(DataType(t), 3, columns,
                                    [&](auto m, auto n) { return a.get(m * 31 + 2 + n * step); });
      EXPECT_EQ(run(f, {{"M", 3}}, {{"x", a}}), expected);
    }
  }
}

TEST(ReferenceViews, APadPutsItsValueAround) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  f.output("y", pad(x, {{1, 2}, {3, -1}}, -0.5));
  f.output("z", pad(pad(x, {{0, 0}, {-1, -1}}), {{0, 0}, {1, 1}}, 7) + 1);
  const Array a = counted(DataType::Float, {2, 5});
  const auto out = run_reference(f, {{"M", 2}, {"N", 5}}, {{"x", a}});
  EXPECT_EQ(out[0], matrix(DataType::Float, 5, 7, [&](auto m, auto n) {
              const bool inside = m >= 1 && m < 3 && n >= 3;
              return inside ? a.get((m - 1) * 5 + n - 3) : -0.5;
            }));
  EXPECT_EQ(out[1], matrix(DataType::Float, 2, 5, [&](auto m, auto n) {
              return n >= 1 && n < 4 ? a.get(m * 5 + n) + 1 : 8;
            }));
}

TEST(ReferenceViews, APadWithATensorsValue) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  f.output("y", pad(x, {{1, 1}}, max(x)));
  const Array y = run(f, {{"N", 3}}, {{"x", counted(DataType::Float, {3})}});
  Array expected(DataType::Float, {5});
  for (std::int64_t k = 0; k < 5; ++k) expected.set(k, k == 0 || k == 4 ? 3 : double(k));
  EXPECT_EQ(y, expected);
}

TEST(ReferenceViews, ConcatenationPutsOneBehindTheOther) {
  Fusion f;
  const auto [M, N, K] = f.extents("M", "N", "K");
  const Tensor x = f.input("x", {M, N}, DataType::Int8), y = f.input("y", {M, K}, DataType::Int32);
  const Tensor z = f.input("z", {M, f.constant(1)}, DataType::Half);
  f.output("c", concatenate({x, y, z}, -1));
  f.output("r", concatenate({x, x}, 0));
  const Array a = counted(DataType::Int8, {2, 3}), b = counted(DataType::Int32, {2, 2}, 100),
              h = counted(DataType::Half, {2, 1}, 50);
  const auto out = run_reference(f, {{"M", 2}, {"N", 3}, {"K", 2}}, {{"x", a}, {"y", b}, {"z", h}});
  EXPECT_EQ(out[0], matrix(DataType::Half, 2, 6, [&](auto m, auto n) {
              return n < 3 ? a.get(m * 3 + n) : n < 5 ? b.get(m * 2 + n - 3) : h.get(m);
            }));
  EXPECT_EQ(out[1],
            matrix(DataType::Int8, 4, 3, [&](auto m, auto n) { return a.get(m % 2 * 3 + n); }));
}

// Where a size may be 0, a tensor without items adds none.
TEST(ReferenceViews, WhatIsEmptyAddsNothing) {
  Fusion f;
  const Expr n = f.extent("N", 0), k = f.extent("K");
  const Tensor x = f.input("x", {n}, DataType::Int32), y = f.input("y", {k}, DataType::Int32);
  f.output("c", concatenate({x, y}, 0));
  f.output("p", pad(x, {{1, 1}}, 9));
  const auto out =
      run_reference(f, {{"N", 0}, {"K", 2}},
                    {{"x", Array(DataType::Int32, {0})}, {"y", counted(DataType::Int32, {2})}});
  EXPECT_EQ(out[0], counted(DataType::Int32, {2}));
  Array nines(DataType::Int32, {2});
  nines.set_int(0, 9);
  nines.set_int(1, 9);
  EXPECT_EQ(out[1], nines);
}

// The default is looked at out of bounds alone, and the bounds inside it are its own.
TEST(ReferenceViews, ReadsThatSayWhatThereIsOutOfBounds) {
  Fusion f;
  const auto [N] = f.extents("N");
  const Tensor a = f.input("a", {N}, DataType::Float), b = f.input("b", {N}, DataType::Float);
  const Expr i = f.fresh_index("i");
  ValueGraph& values = f.values();
  const ValueId behind =
      values.read(DataType::Float, std::uint32_t(b.id()), {i - N});  // in bounds where a is left
  f.output("y", f.compute("", {i}, {2 * N},
                          values.read_or(DataType::Float, std::uint32_t(a.id()), {i}, behind)));
  const Array y =
      run(f, {{"N", 2}},
          {{"a", counted(DataType::Float, {2})}, {"b", counted(DataType::Float, {2}, 3)}});
  EXPECT_EQ(y, counted(DataType::Float, {4}));
}

TEST(ReferenceViews, BroadcastsAndAxesOfExtent1) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M}, DataType::Int32);
  f.output("y", broadcast_to(unsqueeze(x, 1), {M, N}));
  f.output("s", squeeze(unsqueeze(unsqueeze(x, 0), -1)));
  const Array a = counted(DataType::Int32, {3});
  const auto out = run_reference(f, {{"M", 3}, {"N", 2}}, {{"x", a}});
  EXPECT_EQ(out[0], matrix(DataType::Int32, 3, 2, [&](auto m, auto) { return a.get(m); }));
  EXPECT_EQ(out[1], a);
}

}  // namespace
}  // namespace selvage
