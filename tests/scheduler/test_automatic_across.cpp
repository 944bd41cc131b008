// Automatic schedules across a short iterdomain: x[n, 2] and y[2, n], where a thread takes all of
// it.
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/lowered.h"

namespace selvage {
namespace {

using Extents = std::vector<std::int64_t>;

Tensor numbers(Fusion& f, const std::string& name, const Extents& sizes, DataType type) {
  std::vector<Expr> extents;
  for (std::int64_t n : sizes) extents.push_back(f.constant(n));
  return f.input(name, extents, type);
}

using AcrossBuild = std::function<void(Fusion&)>;

AcrossBuild transposed(Extents sizes, std::vector<int> order, DataType type) {
  return [=](Fusion& f) { f.output("y", transpose(numbers(f, "x", sizes, type), order), type); };
}

AcrossBuild summed(Extents sizes, DataType type) {
  return [=](Fusion& f) { f.output("y", sum(numbers(f, "x", sizes, type), {1}), type); };
}

// By plans that are across so many items, at sizes that can be run.
void expect_agreement_across(std::int64_t items, const AcrossBuild& build,
                             const test::SizeList& sizes = {{}}) {
  Fusion f;
  build(f);
  const Schedule s = auto_schedule(f, {}, usual_device(), {{"y", {.across = items}}});
  test::expect_agreement(f, s, sizes);
}

// Each line is taken by one block, and stored in whole; the time is what the kernel's requests
// take.
TEST(AutomaticAcross, MovesEachLineOnce) {
  struct Case {
    std::int64_t across;
    AcrossBuild build;
  };
  std::vector<Case> cases;
  for (const DataType type : {DataType::Float, DataType::BFloat16}) {
    cases.push_back({2, transposed({100'000'000, 2}, {1, 0}, type)});
    cases.push_back({2, transposed({2, 100'000'000}, {1, 0}, type)});
    cases.push_back({3, transposed({33'333'333, 3}, {1, 0}, type)});
    cases.push_back({3, transposed({64, 224, 224, 3}, {0, 3, 1, 2}, type)});
    cases.push_back({4, transposed({20'000, 1'024, 4}, {0, 2, 1}, type)});
    cases.push_back({2, summed({33'554'432, 2}, type)});
  }
  for (const Case& c : cases) {
    Fusion f;
    c.build(f);
    const AutomaticSchedule s = filled_in(Schedule(f));
    ASSERT_EQ(s.kernels.size(), 1u);
    const RatedPlan& taken = s.kernels[0].taken;
    SCOPED_TRACE(taken.plan.text());
    EXPECT_EQ(taken.plan.across, c.across);
    const ProgramCost cost = cost_of(lower(s.schedule)).value();
    EXPECT_LT(cost.dram_bytes, 1.001 * double(cost.floor_bytes));
    EXPECT_NEAR(taken.time.seconds / cost.seconds, 1, 0.15);
    for (const AccessCost& a : cost.kernels[0].accesses) {
      if (a.memory != Memory::Global || !writes(a.requests.kind)) continue;
      // Rows of an odd length begin within a sector, and so do the requests.
      const std::int64_t begun = taken.plan.vector == 1 ? a.requests.requests : 0;
      EXPECT_LE(a.requests.sectors, a.bytes() / 32 + begun);
    }
  }
}

TEST(AutomaticAcross, AgreesAtOddSizes) {
  for (const DataType type : {DataType::Float, DataType::BFloat16, DataType::Double}) {
    for (const std::int64_t n : {1'001, 1'024}) {
      for (const std::int64_t short_one : {2, 3, 5, 8}) {
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(short_one));
        expect_agreement_across(short_one, transposed({n, short_one}, {1, 0}, type));
        expect_agreement_across(short_one, transposed({short_one, n}, {1, 0}, type));
        expect_agreement_across(short_one, summed({n, short_one}, type));
      }
    }
    expect_agreement_across(3, transposed({3, 7, 9, 3}, {0, 3, 1, 2}, type));
    expect_agreement_across(3, transposed({5, 3, 12}, {0, 2, 1}, type));
    expect_agreement_across(2, transposed({6, 36, 2}, {2, 0, 1}, type));
  }
}

TEST(AutomaticAcross, AgreesAtOpenSizes) {
  const test::SizeList sizes = {{{"N", 1}}, {{"N", 129}}, {{"N", 1'024}}};
  for (const bool is_stored : {false, true}) {
    expect_agreement_across(
        2,
        [&](Fusion& f) {
          const Expr n = f.extent("N"), two = f.constant(2);
          const std::vector<Expr> extents = is_stored ? std::vector{two, n} : std::vector{n, two};
          f.output("y", transpose(f.input("x", extents, DataType::Float), {1, 0}));
        },
        sizes);
  }
}

// What is read along what is stored, or has one axis alone, needs no copy.
TEST(AutomaticAcross, OtherTensorsAreReadAsTheyLie) {
  expect_agreement_across(3, [](Fusion& f) {
    const Tensor x = numbers(f, "x", {200, 3}, DataType::Half);
    const Tensor other = numbers(f, "other", {3, 200}, DataType::Float);
    const Tensor bias = numbers(f, "bias", {3}, DataType::Half);
    const Tensor scale = numbers(f, "scale", {200}, DataType::Half);
    f.output("y", transpose(x * unsqueeze(scale, 1) + bias, {1, 0}) + other, DataType::Half);
    f.output("z", transpose(x, {1, 0}) * 2, DataType::Half);
  });
}

// Rows of one point of an image: read once, for several folds.
TEST(AutomaticAcross, SeveralFoldsOfAShortRowReadItOnce) {
  Fusion f;
  const Tensor x = numbers(f, "x", {16'777'216, 4}, DataType::BFloat16);
  f.output("y", logsumexp(x, {1}), DataType::BFloat16);
  f.output("most", max(x, {1}), DataType::BFloat16);
  const AutomaticSchedule s = filled_in(Schedule(f));
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.kernels[0].taken.plan.across, 4);
  const ProgramCost cost = cost_of(lower(s.schedule)).value();
  EXPECT_LT(cost.dram_bytes, 1.001 * double(cost.floor_bytes));
}

TEST(AutomaticAcross, IsLeftWhereTilesOrRowsAreFaster) {
  const auto across = [](const AcrossBuild& build) {
    Fusion f;
    build(f);
    return filled_in(Schedule(f)).kernels[0].taken.plan.across;
  };
  for (const DataType type : {DataType::Float, DataType::BFloat16}) {
    EXPECT_EQ(across(transposed({4'096, 4'096}, {1, 0}, type)), 1);
    EXPECT_EQ(across(transposed({4'096, 2, 4'096}, {1, 0, 2}, type)), 1);
    EXPECT_EQ(across(summed({4'096, 4'096}, type)), 1);
  }
}

// Then nothing is gained, and nothing lost.
TEST(AutomaticAcross, OfFewItemsTakesTheTimeOfALaunch) {
  Fusion f;
  transposed({384, 2}, {1, 0}, DataType::Float)(f);
  const AutomaticSchedule s = filled_in(Schedule(f));
  test::expect_agreement(f, s.schedule);
  const auto is_across = [](const RatedPlan& p) { return p.plan.across == 2; };
  const auto other = std::ranges::find_if(s.kernels[0].others, is_across);
  ASSERT_NE(other, s.kernels[0].others.end());
  EXPECT_NEAR(other->time.seconds / s.kernels[0].taken.time.seconds, 1, 0.05);
}

}  // namespace
}  // namespace selvage
