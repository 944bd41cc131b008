// Sorting, scheduled automatically and proved, beside std::stable_sort.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/stable_sort.h>
#include <selvage/lower/proof.h>
#include <selvage/scheduler/automatic.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>

#include <algorithm>
#include <numeric>

namespace selvage::test {

namespace {

namespace stable_sort_test {

TEST(StableSort, OrdersAsTheLibraryDoes) {
  Fusion f;
  const Tensor x = f.input("x", {f.extent("N", 0, 100)}, DataType::Int32);
  const Sorted sorted = stable_sort(x);
  f.output("items", sorted.items);
  f.output("order", sorted.order);
  const Program program = lower(auto_schedule(f));
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  SplitMix64 random(3);
  for (int n = 0; n < count(20, 300) && !testing::Test::HasFailure(); ++n) {
    const std::int64_t size = n < 4 ? n : std::int64_t(random.next() % 101), values = 1 + n % 60;
    Array list(DataType::Int32, {size});
    for (std::int64_t k = 0; k < size; ++k) {
      list.set(k, double(random.next() % std::uint64_t(values)) - 9);
    }
    const RunResult result = run(f, program,
                                 {.sizes = {{"N", size}},
                                  .inputs = {{"x", list}},
                                  .on = n % 8 == 0 ? Machine::Virtual : Machine::Emulate,
                                  .on_all = n < 4});
    ASSERT_TRUE(result.passed());
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return list.get_int(k); });
    for (std::int64_t k = 0; k < size; ++k) {
      ASSERT_EQ(result.outputs.at("order").get_int(k), order[std::size_t(k)]) << k;
      ASSERT_EQ(result.outputs.at("items").get_int(k), list.get_int(order[std::size_t(k)])) << k;
    }
  }
}

TEST(StableSort, SortsListsOfIntegers) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(3)}, DataType::Float);
  EXPECT_EQ(bad_input([&] { stable_sort(x); }),
            "selvage: error[E511]: stable_sort: x[3] of type float is no list of integers; "
            "help: give a tensor of integers with one axis");
}

}  // namespace stable_sort_test

}  // namespace

}  // namespace selvage::test
