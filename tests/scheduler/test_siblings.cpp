// Folds of the same items, which go through them together: in one kernel, and where blocks fold
// parts of a row, in the two kernels that one fold takes.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/scheduler/automatic.h>

#include <gmock/gmock.h>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using oracle::draw;
using test::expect_agreement;
using testing::HasSubstr;

// A mean, a variance and a maximum of each row, of each column, or of each channel of an image.
struct Statistics {
  Statistics(const std::vector<std::int64_t>& shape, const Axes& over) {
    std::vector<Expr> extents;
    for (std::int64_t n : shape) extents.push_back(f.constant(n));
    x = f.input("x", extents, DataType::Float);
    f.output("m", mean(x, over));
    f.output("v", variance(x, over));
    f.output("most", max(x * x, over));
  }
  AutomaticSchedule with(const PlanChoice& choice) {
    PlanChoices all;
    for (const char* name : {"m", "v", "most"}) all[name] = choice;
    return filled_in(Schedule(f), {}, usual_device(), all);
  }

  Fusion f;
  Tensor x{};
};

TEST(Siblings, ShareAKernelAndItsLoads) {
  Statistics s({40, 96}, {1});
  const Program p = expect_agreement(s.f, auto_schedule(s.f));
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].stores.size(), 3u);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(double(cost.kernels[0].work.l2_bytes), 1.1 * 40 * 96 * 4 + 3 * 40 * 32);
}

TEST(Siblings, ShareBothKernelsOfAFoldInParts) {
  for (const auto& [shape, axes] :
       {std::pair(std::vector<std::int64_t>{3, 900}, std::vector{1}),
        std::pair(std::vector<std::int64_t>{900, 40}, std::vector{0}),
        std::pair(std::vector<std::int64_t>{4, 6, 200}, std::vector{0, 2}),
        std::pair(std::vector<std::int64_t>{6, 50, 8}, std::vector{0, 1})}) {
    Statistics s(shape, axes);
    const AutomaticSchedule made = s.with({.parts = 4});
    const Program p = expect_agreement(s.f, made.schedule);
    ASSERT_EQ(p.steps.size(), 2u);
    EXPECT_EQ(p.steps[0].stores.size(), 3u);
    EXPECT_EQ(made.kernels.size(), 1u);
  }
}

TEST(Siblings, OfRandomShapesAgreeWithTheReference) {
  std::mt19937_64 random(11);
  for (int k = 0; k < count(5, 300); ++k) {
    std::vector<std::int64_t> shape;
    for (int rank = int(draw(random, 2, 3)); rank > 0; --rank) shape.push_back(draw(random, 1, 24));
    std::vector<int> axes;
    for (int axis = 0; axis < int(shape.size()); ++axis) {
      if (oracle::chance(random, 2)) axes.push_back(axis);
    }
    if (axes.empty()) axes.push_back(0);
    Statistics s(shape, axes);
    PlanChoice choice;
    if (oracle::chance(random, 2)) choice.parts = std::int64_t(1) << draw(random, 1, 3);
    std::optional<AutomaticSchedule> made;
    if (illegal([&] { made = s.with(choice); }) != "accepted") continue;
    expect_agreement(s.f, made->schedule);
    ASSERT_FALSE(HasFailure()) << k;
  }
}

// Few channels: mean and variance by all blocks, and what is made of them by another kernel, take
// less time than a block a channel.
TEST(Siblings, OfABatchNormAreReadOnce) {
  for (const bool is_last : {false, true}) {
    Fusion f;
    const Expr n = f.constant(256), c = f.constant(64), side = f.constant(112);
    const Tensor x = is_last ? f.input("x", {n, side, side, c}, DataType::Float)
                             : f.input("x", {n, c, side, side}, DataType::Float);
    const Axes over = is_last ? Axes{0, 1, 2} : Axes{0, 2, 3};
    const Tensor m = mean(x, over, keepdim), v = variance(x, over, keepdim, 0);
    f.output("y", (x - m) * rsqrt(v + 1e-5));
    const Program p = lower(f);
    EXPECT_EQ(p.steps.size(), 3u);
    const ProgramCost cost = cost_of(p).value();
    EXPECT_LT(cost.dram_bytes, 1.51 * double(cost.floor_bytes));
  }
}

// The loops of the two stand in other orders, with each other's names.
TEST(Siblings, DoNotTakeOneLoopForAnother) {
  Fusion f;
  const Expr n = f.constant(8), k = f.constant(48);
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j"), q = f.fresh_index("q");
  const Tensor x = f.input("x", {n, n, k}, DataType::Float);
  const Tensor a =
      f.output("a", f.compute_fold("", {i, j}, {n, n}, {Reduction::Sum, {q}, {k}}, x(i, j, q)));
  const Tensor b =
      f.output("b", f.compute_fold("", {j, i}, {n, n}, {Reduction::Max, {q}, {k}}, x(i, j, q)));
  Schedule s(f);
  for (Tensor t : {a, b}) {
    const auto [outer, inner, item] = s.loops<3>(t);
    s.bind(outer, ParallelType::BIDx).bind(s.split(item, 16).second, ParallelType::TIDx);
  }
  expect_agreement(f, s);
  expect_agreement(f, auto_schedule(f));
}

// By a user's own schedule alike; but not where one fold reads the other.
TEST(Siblings, AreFoundInAnySchedule) {
  Statistics s({8, 64}, {1});
  const auto cut = [&](Schedule& schedule, TensorId t) {
    const auto [row, item] = schedule.loops<2>(t);
    schedule.bind(row, ParallelType::BIDx);
    schedule.bind(schedule.split(item, 32).second, ParallelType::TIDx);
  };
  Schedule schedule(s.f);
  for (const char* name : {"m", "v", "most"}) cut(schedule, *s.f.find(name));
  EXPECT_EQ(expect_agreement(s.f, schedule).steps.size(), 1u);
  Fusion f;
  const Tensor x = f.input("x", {f.constant(8), f.constant(64)}, DataType::Float);
  const Tensor a = f.output("a", sum(x, {1}));
  const Tensor b = f.output("b", sum(x * unsqueeze(a, 1), {1}));
  Schedule other(f);
  cut(other, a.id());
  cut(other, b.id());
  EXPECT_EQ(expect_agreement(f, other).steps.size(), 2u);
}

}  // namespace
}  // namespace selvage
