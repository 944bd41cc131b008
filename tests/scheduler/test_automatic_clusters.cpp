// Rows that automatic schedules give to clusters of blocks: when, with which results.
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <functional>

#include "tests/lower/proved_agreement.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

RowPlan plan_of(std::int64_t rows, std::int64_t items, const Device& device, bool is_open = false) {
  Fusion f;
  const Expr M = f.extents("M")[0], N = is_open ? f.extents("N")[0] : f.constant(items);
  f.output("y", softmax(f.input("x", {M, N}, DataType::Half), {1}), DataType::Half);
  std::map<std::string, std::int64_t> sizes = {{"M", rows}};
  if (is_open) sizes["N"] = items;
  return filled_in(Schedule(f), sizes, device).kernels.at(0).taken.plan;
}

// Rows that no block has room for, and few rows that all blocks together read faster; not where a
// row is no whole number of steps, where its length is open, or where a GPU has no clusters.
TEST(AutomaticClusters, AreOfLongRowsAndOfFewRows) {
  const Device& h200 = *find_device("h200");
  EXPECT_GT(plan_of(4096, 131'072, h200).ranks, 1);
  EXPECT_GT(plan_of(4, 65'536, h200).ranks, 1);
  EXPECT_EQ(plan_of(4096, 8'192, h200).ranks, 1);
  EXPECT_EQ(plan_of(4096, 131'080, h200).ranks, 1);
  EXPECT_EQ(plan_of(4096, 131'072, h200, true).ranks, 1);
  EXPECT_EQ(plan_of(4096, 131'072, *find_device("a100")).ranks, 1);
}

// What the model is told is what the kernel does: the row comes from memory once.
TEST(AutomaticClusters, ReadRowsOnce) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(512), f.constant(131'072)}, DataType::Half);
  f.output("y", softmax(x, {1}), DataType::Half);
  const AutomaticSchedule s = filled_in(Schedule(f), {}, *find_device("h200"));
  ASSERT_EQ(s.kernels.size(), 1u);
  ASSERT_GT(s.kernels[0].taken.plan.ranks, 1);
  const Program p = lower(s.schedule);
  test::expect_verified(p);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(cost.dram_bytes, 1.01 * double(cost.floor_bytes));
}

TEST(AutomaticClusters, AgreeForManyFusions) {
  using Make = std::function<void(Fusion&, const Tensor&)>;
  const std::pair<const char*, Make> kMakes[] = {
      {"softmax", [](Fusion& f, const Tensor& x) { f.output("y", softmax(x, {1})); }},
      {"root mean square norm",
       [](Fusion& f, const Tensor& x) {
         f.output("y", x * rsqrt(mean(x * x, {1}, keepdim) + 1e-6));
       }},
      {"layer norm",
       [](Fusion& f, const Tensor& x) {
         const Tensor d = x - mean(x, {1}, keepdim);
         f.output("y", d * rsqrt(mean(d * d, {1}, keepdim) + 1e-5));
       }},
      {"shares and the greatest",
       [](Fusion& f, const Tensor& x) {
         f.output("y", x / sum(x, {1}, keepdim));
         f.output("most", max(x, {1}));
       }},
      {"distance to another row",
       [](Fusion& f, const Tensor& x) {
         const Tensor z = f.input("z", {f.constant(2), f.constant(4'096)}, DataType::Float);
         f.output("y", x - z * sum(x * z, {1}, keepdim));
       }},
  };
  for (const auto& [name, make] : kMakes) {
    for (const std::optional<Memory> kept : {Memory::Local, Memory::Shared}) {
      for (const std::int64_t ranks : {2, 4}) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(ranks) + " blocks" +
                     (kept == Memory::Local ? ", in registers" : ", in shared memory"));
        Fusion f;
        make(f, f.input("x", {f.constant(2), f.constant(4'096)}, DataType::Float));
        const AutomaticSchedule s = filled_in(Schedule(f), {}, *find_device("h200"),
                                              {{"y", {.ranks = ranks, .kept = kept}}});
        EXPECT_EQ(s.kernels.at(0).taken.plan.ranks, ranks);
        test::agreed(f, s.schedule, {{}});
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace selvage
