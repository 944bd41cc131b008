// Every scan of the reference interpreter beside folds of all prefixes.
#include <selvage/emulate/reference.h>
#include <selvage/emulate/reference_fold.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/counts.h"
#include "tests/support/special_values.h"

namespace selvage {
namespace {

constexpr Reduction kScans[] = {Reduction::Sum, Reduction::Prod, Reduction::Max,
                                Reduction::Min, Reduction::FMax, Reduction::FMin};

Array random_items(std::mt19937_64& random, DataType type, std::vector<std::int64_t> shape) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const auto n = std::int64_t(random() % 9);
    if (is_floating(type)) {
      a.set(k, random() % 12 == 0 ? kNaN : double(n - 4) * 0.5);
    } else {
      a.set_int(k, type == DataType::Bool ? n % 2 : n);
    }
  }
  return a;
}

TEST(ReferenceScan, EachElementIsTheFoldOfThoseUpToIt) {
  std::mt19937_64 random(3);
  for (int n = 0; n < count(60, 600); ++n) {
    const Reduction how = kScans[random() % std::size(kScans)];
    const auto type = DataType(random() % (std::size_t(DataType::Double) + 1));
    std::vector<std::int64_t> shape;
    for (std::size_t rank = 1 + random() % 3; rank > 0; --rank) {
      shape.push_back(std::int64_t(random() % 6));
    }
    const std::size_t along = random() % shape.size();
    Fusion f;
    std::vector<Expr> extents;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      extents.push_back(f.extent("N" + std::to_string(k), 0));
    }
    const Tensor x = f.input("x", extents, type);
    f.output("y", scan(how, x, int(along)));
    std::map<std::string, std::int64_t> sizes;
    for (std::size_t k = 0; k < shape.size(); ++k) sizes["N" + std::to_string(k)] = shape[k];
    const Array in = random_items(random, type, shape);
    const Array y = run_reference(f, sizes, {{"x", in}})[0];
    ASSERT_EQ(y.type, result_type(how, type));
    ASSERT_EQ(y.shape, shape);
    const std::int64_t width = size_of(type);
    std::int64_t stride = 1;
    for (std::size_t k = along + 1; k < shape.size(); ++k) stride *= shape[k];
    for (std::int64_t k = 0; k < y.size(); ++k) {
      Fusion one;
      const std::int64_t items = k / stride % shape[along] + 1;
      Array row(type, {items});
      for (std::int64_t i = 0; i < items; ++i) {
        const std::int64_t from = k - (items - 1 - i) * stride;
        std::copy_n(in.bytes.begin() + from * width, width, row.bytes.begin() + i * width);
      }
      one.output("y", reduce(how, one.input("x", {one.constant(items)}, type)));
      const Array wanted = run_reference(one, {}, {{"x", row}})[0];
      const std::int64_t bytes = size_of(y.type);
      const auto at = y.bytes.begin() + k * bytes;
      ASSERT_TRUE(std::equal(at, at + bytes, wanted.bytes.begin())) << "scan " << n << " at " << k;
    }
  }
}

}  // namespace
}  // namespace selvage
