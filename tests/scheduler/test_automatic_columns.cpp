// Automatic schedules of folds over columns, of rows together with columns, and of rows of views.
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using oracle::draw;

AutomaticSchedule with_plans(const Fusion& f) { return filled_in(Schedule(f)); }

Tensor matrix(Fusion& f, const std::string& name, std::int64_t rows, std::int64_t length,
              DataType type = DataType::Float) {
  return f.input(name, {f.constant(rows), f.constant(length)}, type);
}

// A few thousand columns are too few threads to read all rows at the speed of memory.
TEST(AutomaticColumns, OfManyRowsAreFoldedByManyBlocksInTwoKernels) {
  Fusion f;
  f.output("y", sum(matrix(f, "x", 16'384, 4096), {0}));
  const AutomaticSchedule s = with_plans(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_TRUE(s.kernels[0].taken.plan.is_along_rows);
  EXPECT_GT(s.kernels[0].taken.plan.parts, 1);
  const Program p = lower(s.schedule);
  test::expect_verified(p);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_EQ(cost.kernels.size(), 2u);
  EXPECT_LT(cost.dram_bytes, 1.02 * double(cost.floor_bytes));
  for (const KernelCost& kernel : cost.kernels) {
    for (const AccessCost& a : kernel.accesses) {
      EXPECT_FALSE(a.is_scattered()) << a.buffer;
      EXPECT_EQ(a.requests.conflicts, 0) << a.buffer;
    }
  }
}

// One pass over rows computes the gradient of each, and folds those of the weights.
void backward_of_layer_norm(Fusion& f, std::int64_t rows, std::int64_t length) {
  const Tensor dy = matrix(f, "dy", rows, length), x = matrix(f, "x", rows, length);
  const Tensor weight = f.input("weight", {f.constant(length)}, DataType::Float);
  const Tensor r = rsqrt(variance(x, {1}, keepdim, 0) + 1e-5f);
  const Tensor normal = (x - mean(x, {1}, keepdim)) * r, dnormal = dy * weight;
  const Tensor along = mean(dnormal * normal, {1}, keepdim);
  f.output("dx", (dnormal - mean(dnormal, {1}, keepdim) - normal * along) * r);
  f.output("dweight", sum(dy * normal, {0}));
  f.output("dbias", sum(dy, {0}));
}

TEST(AutomaticColumns, OfABackwardPassAreFoldedWhileRowsAreComputed) {
  Fusion f;
  backward_of_layer_norm(f, 8192, 2048);
  const AutomaticSchedule s = with_plans(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  const RowPlan& plan = s.kernels[0].taken.plan;
  EXPECT_EQ(plan.kept, Memory::Local);
  EXPECT_GE(plan.turns * plan.folders * 2 * usual_device().multiprocessors, 8192);
  const Program p = lower(s.schedule);
  EXPECT_EQ(p.steps.size(), 2u);
  test::expect_verified(p);
}

TEST(AutomaticColumns, OfABackwardPassAgreeWithTheReference) {
  for (const auto& [rows, length] : {std::pair{1, 1}, {3, 70}, {301, 24}, {40, 264}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << length);
    Fusion f;
    backward_of_layer_norm(f, rows, length);
    test::expect_agreement(f, auto_schedule(f));
  }
}

// The gradients of a scale and of what is scaled read the same.
TEST(AutomaticColumns, OfAPointwiseTensorAreFoldedOnTheWay) {
  const auto build = [](Fusion& f, std::int64_t rows, std::int64_t length) {
    const Tensor dy = matrix(f, "dy", rows, length), x = matrix(f, "x", rows, length);
    const Tensor scale = f.input("scale", {f.constant(length)}, DataType::Float);
    f.output("dx", dy * scale);
    f.output("dscale", sum(dy * x, {0}));
  };
  Fusion f;
  build(f, 16'384, 4096);
  const Program p = lower(auto_schedule(f));
  EXPECT_EQ(p.steps.size(), 2u);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(cost.dram_bytes, 1.02 * double(cost.floor_bytes));
  Fusion small;
  build(small, 530, 36);
  test::expect_agreement(small, auto_schedule(small));
}

// The mean of a group of channels and the items of the group are in one row of the view, in whose
// loops the result is computed.
TEST(AutomaticViews, AGroupNormIsOneKernelInTheLoopsOfItsGroups) {
  const auto build = [](Fusion& f, std::int64_t n, std::int64_t groups, std::int64_t of_group,
                        std::int64_t side) {
    const auto c = [&](std::int64_t v) { return f.constant(v); };
    const Expr channels = c(groups * of_group);
    const Tensor x = f.input("x", {c(n), channels, c(side), c(side)}, DataType::Half);
    const Tensor w = f.input("w", {channels, c(1), c(1)}, DataType::Half);
    const Tensor t = layer_norm(reshape(x, {c(n), c(groups), c(of_group * side * side)}), {2});
    f.output("y", reshape(t, {c(n), channels, c(side), c(side)}) * w, DataType::Half);
  };
  Fusion f;
  build(f, 16, 32, 20, 32);
  const AutomaticSchedule s = with_plans(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_TRUE(s.kernels[0].taken.plan.kept);
  EXPECT_GT(s.kernels[0].taken.plan.vector, 1);
  const Program p = lower(s.schedule);
  test::expect_verified(p);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(cost.dram_bytes, 1.01 * double(cost.floor_bytes));
  for (int seed = 0; seed < count(6, 60); ++seed) {
    std::mt19937_64 random(std::uint64_t(seed) + 1);
    Fusion small;
    build(small, draw(random, 1, 3), draw(random, 1, 4), draw(random, 1, 5), draw(random, 1, 7));
    test::expect_agreement(small, auto_schedule(small));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

// A second column is stored for a reader in another kernel.
TEST(AutomaticColumns, AreReadByKernelsBehindThem) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(4096), f.constant(512)}, DataType::Float);
  f.output("y", x - mean(x, {1}, keepdim));
  const Tensor some = any(x, {0}), most = max(x, {0});
  f.output("most", most);
  f.output("twice", most + cast(some, DataType::Float) * 2.0f);
  lower(auto_schedule(f));
}

}  // namespace
}  // namespace selvage
