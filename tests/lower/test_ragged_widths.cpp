// Rows with more items than 32 bits count: which kernel is taken, by sizes alone.
#include <selvage/base/integer.h>
#include <selvage/ir/sizes.h>
#include <selvage/ir/sparse_input.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/row_schedules.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMost32 = INT32_MAX;

// y = A x for a csr matrix; `lanes`: x has D columns; `has_blocks`: each item of A is D numbers.
struct SparseProduct {
  SparseProduct(bool lanes, bool has_blocks) {
    const Expr I = f.extent("I", 0), J = f.extent("J");
    const Tensor off = f.input("off", {I + 1}, DataType::Int64);
    rows = add_rows(off);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j"), d = f.fresh_index("d"),
               D = f.extent("D");
    const Tensor columns = ragged_input(f, "columns", rows, {}, DataType::Int32);
    const Element column = cast(item(columns, rows, {i, j}), DataType::Int64);
    const Tensor a = ragged_input(f, "a", rows, has_blocks ? std::vector{D} : std::vector<Expr>(),
                                  DataType::Float);
    std::vector<Expr> at = {i}, shape = {I}, a_at = {i, j};
    if (lanes) at.push_back(d), shape.push_back(D);
    if (has_blocks) a_at.push_back(d);
    const Tensor x = f.input("x", lanes ? std::vector{J, D} : std::vector{J}, DataType::Float);
    const Element factor = lanes ? gather(x, {clamped(column), d}) : gather(x, {clamped(column)});
    y = f.output("y", f.compute_fold("", at, shape, {.indices = {j}, .shape = {length(f, rows)}},
                                     item(a, rows, a_at) * factor));
  }
  Program by(const RowSchedule& how) const {
    Schedule s(f);
    schedule_rows(s, y.id(), how);
    return lower(f, s);
  }
  Fusion f;
  RowsId rows{};
  Tensor y;
};

std::vector<RowSchedule> row_schedules_to_try() {
  using enum RowSchedule::Kind;
  return {{ThreadARow, 1}, {GroupARow, 8}, {GroupARow, 32}, {MergePath, 8}, {MergePath, 3}};
}

// The kernel of a step that runs at these sizes; null: none may.
const Kernel* taken(const ProgramStep& step, const SizeValues& sizes) {
  const auto runs = [&](const Kernel& k) {
    return !k.condition.valid() || sizes(k.condition).value_or(0) != 0;
  };
  const auto it = std::ranges::find_if(step.variants, runs);
  return it == step.variants.end() ? nullptr : &*it;
}

SizeValues sizes_of(const Fusion& f, std::int64_t I, std::int64_t E, std::int64_t D) {
  SizeValues sizes;
  for (const auto& [name, value] :
       {std::pair("I", I), std::pair("J", I), std::pair("off_items", E), std::pair("D", D)}) {
    sizes.add(size_called(f, name), value);
  }
  return sizes;
}

// Sizes around those at which some index of a matrix passes 32 bits.
template <class Visit>
void for_each_size(Visit visit) {
  for (const std::int64_t D : {1, 2, 3, 32, 1000}) {
    for (const std::int64_t all : {kMost32 / 1000, kMost32 - 70'000, kMost32, kMost32 + 1,
                                   kMost32 + 2, 2 * kMost32, std::int64_t{1} << 40}) {
      for (const std::int64_t I : {1, 1000, 1 << 20}) visit(I, ceil_div(all, D), D);
    }
  }
}

TEST(RaggedWidths, ItemsThat32BitsDoNotCountHaveIndicesOf64) {
  const SparseProduct product(false, false);
  for (const RowSchedule& how : row_schedules_to_try()) {
    const Program program = product.by(how);
    int narrow = 0, wide = 0;
    for_each_size([&](std::int64_t I, std::int64_t E, std::int64_t D) {
      const SizeValues sizes = sizes_of(product.f, I, E, D);
      const Kernel* kernel = taken(program.steps[0], sizes);
      ASSERT_NE(kernel, nullptr) << how.text();
      const bool is_wide = kernel->index_type == IndexType::Int64;
      EXPECT_TRUE(is_wide || E <= kMost32) << how.text() << ", " << E << " items";
      // What is proved of 32 threads a row is 33 times as much as their items.
      EXPECT_TRUE(!is_wide || 33 * (E + 2 * I + 65'536) > kMost32) << how.text() << ", " << E;
      ++(is_wide ? wide : narrow);
    });
    EXPECT_TRUE(narrow > 0 && wide > 0) << how.text();
  }
}

// The elements of a matrix whose items are rows of D numbers: E*D, with few items as well.
TEST(RaggedWidths, ItemsTimesDenseExtentsCountAsWell) {
  const SparseProduct product(true, true);
  for (const RowSchedule& how : row_schedules_to_try()) {
    const Program program = product.by(how);
    int narrow = 0, of_product = 0;
    for_each_size([&](std::int64_t I, std::int64_t E, std::int64_t D) {
      const Kernel* kernel = taken(program.steps[0], sizes_of(product.f, I, E, D));
      ASSERT_NE(kernel, nullptr) << how.text();
      const bool is_wide = kernel->index_type == IndexType::Int64;
      EXPECT_TRUE(is_wide || E * D <= kMost32 + 1) << how.text() << ", " << E << " x " << D;
      narrow += is_wide ? 0 : 1;
      // Neither items nor elements of what is dense are too many by themselves.
      of_product += is_wide && 33 * (E + 2 * I + 65'536) < kMost32 && I * D < kMost32 ? 1 : 0;
    });
    EXPECT_TRUE(narrow > 0 && of_product > 0) << how.text();
  }
}

}  // namespace

}  // namespace selvage
