// Stores elsewhere in C++; those of files are in tests/frontend/test_moved_stores.cpp.
#include <selvage/emulate/reference.h>
#include <selvage/ir/moved_store.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

TEST(MovedStoresInCpp, AreWhatPlainLoopsStore) {
  Fusion f;
  const auto [M, N, H, W] = f.extents("M", "N", "H", "W");
  const Tensor x = f.input("x", {M, N}, DataType::Int32);
  const Tensor old = f.input("old", {H, W}, DataType::Int32);
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  f.output("y", store_at(x, {i, j}, {2 * i - 1, 3 - j}, {H, W}));
  f.output("z", store_into(old, x, {i, j}, {2 * i - 1, 3 - j}));
  Array items(DataType::Int32, {4, 6}), before(DataType::Int32, {5, 3});
  for (std::int64_t k = 0; k < items.size(); ++k) items.set_int(k, k + 1);
  for (std::int64_t k = 0; k < before.size(); ++k) before.set_int(k, -1 - k);
  Array y(DataType::Int32, {5, 3}), z = before;
  for (std::int64_t m = 0; m < 4; ++m) {
    for (std::int64_t n = 0; n < 6; ++n) {
      const std::int64_t h = 2 * m - 1, w = 3 - n;
      if (h < 0 || h >= 5 || w < 0 || w >= 3) continue;
      y.set_int(h * 3 + w, items.get_int(m * 6 + n));
      z.set_int(h * 3 + w, items.get_int(m * 6 + n));
    }
  }
  const std::vector<Array> outputs =
      run_reference(f, {{"M", 4}, {"N", 6}, {"H", 5}, {"W", 3}}, {{"x", items}, {"old", before}});
  EXPECT_EQ(outputs.at(0), y);
  EXPECT_EQ(outputs.at(1), z);
}

TEST(MovedStoresInCpp, ThatMayMeetAreRefused) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N, N}, DataType::Float);
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  EXPECT_EQ(bad_input([&] {
              store_at(x, {i, j}, {i / 2, j}, {N, N});
            }),
            "selvage: error[E316]: two items may come to one element, or it is not known which; "
            "help: store at a number times one index, plus integers and sizes: 2 * i + 1");
  EXPECT_EQ(bad_input([&] {
              store_at(x, {i, j}, {i + j, j}, {N, N});
            }),
            "selvage: error[E316]: two items may come to one element, or it is not known which; "
            "help: store at a number times one index, plus integers and sizes: 2 * i + 1");
  EXPECT_EQ(bad_input([&] {
              store_into(x, x, {i, j}, {i});
            }),
            "selvage: error[E503]: x has rank 2, and there are 2 indices, 1 subscripts and 2 "
            "extents; help: give one of each for each axis");
}

}  // namespace
}  // namespace selvage
