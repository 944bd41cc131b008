// Automatic schedules of fusions that are known by name: which kernels, which plans, what times.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/lowered.h"

namespace selvage {
namespace {

Tensor softmax_of(const Tensor& x) {
  const Tensor e = exp(x - max(x, {1}, keepdim));
  return e / sum(e, {1}, keepdim);
}

AutomaticSchedule scheduled(const Fusion& f) { return filled_in(Schedule(f)); }

std::size_t kernels_of(const Fusion& f) { return lower(f).steps.size(); }

TEST(AutomaticSchedule, OfASoftmaxIsOneKernelThatReadsARowOnce) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64), f.constant(1000)}, DataType::Float);
  f.output("y", softmax_of(x));
  const AutomaticSchedule s = scheduled(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.kernels[0].tensors.size(), 3u);
  EXPECT_EQ(s.kernels[0].taken.plan.kept, Memory::Local);
  EXPECT_TRUE(s.schedule.fusion().find("x_row"));
  test::expect_agreement(f, s.schedule);
}

// More than the registers of a block hold, of odd length, so that there are no vectors.
TEST(AutomaticSchedule, OfLongRowsKeepsThemInSharedMemory) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(200), f.constant(54'613)}, DataType::Float);
  f.output("y", softmax_of(x));
  const AutomaticSchedule s = scheduled(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.kernels[0].taken.plan.kept, Memory::Shared);
  const Program p = lower(s.schedule);
  test::expect_verified(p);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(cost.dram_bytes, 1.01 * double(cost.floor_bytes));
  Fusion small;
  const Tensor z = small.input("z", {small.constant(3), small.constant(2'053)}, DataType::Half);
  small.output("y", softmax_of(z), DataType::Half);
  test::expect_agreement(small, auto_schedule(small));
}

// Copies of a whole row are under way at once, past registers; not where a row has holes, where the
// length of rows is open, or where the device has no such copies.
TEST(AutomaticSchedule, OfLongRowsOfWholeStepsComeByCopiesThatEndLater) {
  const auto plan_of = [](std::int64_t items, const Device& device, bool is_open = false) {
    Fusion f;
    const Expr M = f.extents("M")[0], N = is_open ? f.extents("N")[0] : f.constant(items);
    const Tensor x = f.input("x", {M, N}, DataType::Half);
    f.output("y", exp(x - logsumexp(x, {1}, keepdim)), DataType::Half);
    std::map<std::string, std::int64_t> sizes = {{"M", 4096}};
    if (is_open) sizes["N"] = items;
    const AutomaticSchedule s = filled_in(Schedule(f), sizes, device);
    return s.kernels.at(0).taken.plan;
  };
  const Device& h200 = *find_device("h200");
  const RowPlan plan = plan_of(16'384, h200);
  EXPECT_EQ(plan.kept, Memory::Shared);
  EXPECT_TRUE(plan.is_copied_late) << plan.text();
  EXPECT_FALSE(plan_of(16'392, h200).is_copied_late);
  EXPECT_FALSE(plan_of(16'384, h200, true).is_copied_late);
  Device without = h200;
  without.has_late_copies = false;
  EXPECT_FALSE(plan_of(16'384, without).is_copied_late);

  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(16'384)}, DataType::Half);
  f.output("y", exp(x - logsumexp(x, {1}, keepdim)), DataType::Half);
  const Schedule s = auto_schedule(f);
  const auto row = s.fusion().find("x_row");
  ASSERT_TRUE(row);
  if (s.memory(*row) == Memory::Shared) {
    EXPECT_EQ(s.copied_by(*row), CopyBy::CpAsync);
  };
  test::expect_agreement(f, s);
}

// The class of a row is picked out of the row in shared memory, which is read once; the mean over
// rows is left to the last block, for which the loss of each row is stored.
TEST(AutomaticSchedule, OfACrossEntropyReadsTheLogitsOnce) {
  const auto build = [](Fusion& f, std::int64_t rows, std::int64_t classes) {
    const Tensor x = f.input("x", {f.constant(rows), f.constant(classes)}, DataType::Float);
    const Tensor label = f.input("label", {f.constant(rows)}, DataType::Int64);
    const Tensor wanted = squeeze(take_along(x, unsqueeze(label, 1), 1), {1});
    f.output("loss", mean(logsumexp(x, {1}) - wanted));
  };
  Fusion f;
  build(f, 4096, 50'257);
  const Program p = lower(f);
  EXPECT_EQ(p.steps.size(), 1u);
  const ProgramCost cost = cost_of(p).value();
  EXPECT_LT(cost.dram_bytes, 1.01 * double(cost.floor_bytes));
  Fusion small;
  build(small, 7, 2'999);
  const AutomaticSchedule s = scheduled(small);
  EXPECT_EQ(s.kernels.size(), 2u);
  test::expect_agreement(small, s.schedule);
}

TEST(AutomaticSchedule, OfOpenSizesKeepsNothingAndFitsAllSizes) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  f.output("y", softmax_of(f.input("x", {m, n}, DataType::Half)), DataType::Half);
  const AutomaticSchedule s = scheduled(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_FALSE(s.kernels[0].taken.plan.kept);
  test::expect_agreement(f, s.schedule,
                         {{{"M", 1}, {"N", 1}}, {{"M", 3}, {"N", 1031}}, {{"M", 7}, {"N", 64}}});
}

// A scan along some of a row cannot run through it as the fold of all of it does.
TEST(AutomaticSchedule, OfAScanWithinWhatIsFoldedAgrees) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(3), f.constant(3), f.constant(4)}, DataType::Bool);
  f.output("y", argmax(floor_div(x, cumsum(x, 1)), {1, 2}));
  test::expect_agreement(f, auto_schedule(f));
}

// Kept rows are padded to whole steps, which fit as well.
TEST(AutomaticSchedule, OfColumnsThatHardlyFitSharedMemoryIsLowered) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(1584), f.constant(8)}, DataType::Float);
  const Tensor squares = variance(x, {0}, keepdim, 0);
  const Tensor y = x * rsqrt(squares * squares + 1.0f);
  const Tensor most = max(y, {0}, keepdim);
  f.output("y", y * rsqrt(most * most + 1.0f));
  lower(auto_schedule(f));
}

// What a slice has of a row is read at another place than the row's own items are.
TEST(AutomaticSchedule, OfARowAndOneItemOfItAgrees) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(4), f.constant(5)}, DataType::Int64);
  const Tensor last = slice(x, 1, 4, 5);
  f.output("y", x - last);
  const Tensor less = f.output("less", floor_div(x, last) < last);
  f.output("share", mean(less, {1}));
  test::expect_agreement(f, auto_schedule(f));
}

// A size that is named is what the schedule is made for, and it is right for all others.
TEST(AutomaticSchedule, IsMadeForTheSizesThatAreNamed) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  f.output("y", softmax_of(f.input("x", {m, n}, DataType::Half)), DataType::Half);
  const auto threads = [&](std::int64_t size) {
    return filled_in(Schedule(f), {{"N", size}}).kernels.at(0).taken.plan.threads;
  };
  EXPECT_LT(threads(64), threads(16'384));
  test::expect_agreement(f, auto_schedule(f, {{"N", 1024}}),
                         {{{"M", 3}, {"N", 1024}}, {{"M", 2}, {"N", 77}}});
  EXPECT_THROW(auto_schedule(f, {{"K", 1}}), BadInput);
}

TEST(AutomaticSchedule, OutputsOfARowShareItsKernel) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(96), f.constant(520)}, DataType::Float);
  const Tensor mu = mean(x, {1}, keepdim);
  const Tensor r = rsqrt(variance(x, {1}, keepdim, 0) + 1e-5f);
  f.output("y", (x - mu) * r);
  f.output("mu", mu);
  f.output("r", r);
  EXPECT_EQ(kernels_of(f), 1u);
  test::expect_agreement(f, auto_schedule(f));
}

// The mean and the variance of a row share the mean, and nothing is divided for each item. A row
// that would be read from memory twice is read once.
TEST(AutomaticSchedule, AVarianceOfAKeptRowTakesTwoPasses) {
  const auto folds = [](const Schedule& s, Reduction how) {
    int n = 0;
    for (std::size_t k = 0; k < s.fusion().size(); ++k) {
      const auto& fold = s.fusion()[TensorId(k)].fold;
      n += fold && fold->how == how;
    }
    return n;
  };
  Fusion kept;
  kept.output(
      "y",
      layer_norm(kept.input("x", {kept.constant(4096), kept.constant(4096)}, DataType::Half), {1}));
  const Schedule two = auto_schedule(kept);
  EXPECT_EQ(folds(two, Reduction::Mean), 2);
  EXPECT_EQ(folds(two, Reduction::Variance), 0);
  Fusion open;
  const Expr N = open.extent("N");
  open.output("v", variance(open.input("x", {open.constant(4096), N}, DataType::Float), {1}));
  const Schedule one = auto_schedule(open, {{"N", 1 << 20}});
  EXPECT_GT(folds(one, Reduction::Variance), 0);
  EXPECT_EQ(folds(one, Reduction::Mean), 0);
}

// What a row and a column need both is read once, and each block stores what it folds of columns.
TEST(AutomaticSchedule, ColumnsAreFoldedWhileRowsAreComputed) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(16'384), f.constant(512)}, DataType::Float);
  f.output("row", x - mean(x, {1}, keepdim));
  f.output("column", sum(x, {0}));
  const AutomaticSchedule s = scheduled(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.schedule.fusion()[s.kernels[0].root].name, "row");
  EXPECT_TRUE(s.kernels[0].taken.plan.kept);
  EXPECT_GT(s.kernels[0].taken.plan.turns, 1);
  EXPECT_EQ(lower(s.schedule).steps.size(), 2u);
}

TEST(AutomaticSchedule, FewLongRowsAreFoldedByManyBlocksInTwoKernels) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(1 << 20)}, DataType::Float);
  f.output("y", sum(x, {1}));
  const AutomaticSchedule s = scheduled(f);
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_GT(s.kernels[0].taken.plan.parts, 32);
  EXPECT_EQ(lower(s.schedule).steps.size(), 2u);
}

// The thread that slices an item is not the one that has computed it.
TEST(AutomaticSchedule, RowsThatAreSlicedAreNotKept) {
  Fusion f;
  const Tensor y =
      f.output("y", f.input("x", {f.constant(36), f.constant(6)}, DataType::Float) + 1);
  const Tensor one = f.output("one", slice(y, 1, 2, 3));
  f.output("z", min(one, y));
  test::expect_agreement(f, auto_schedule(f));
}

// Columns that are kept in shared memory are not read in vectors along rows, which lie apart there.
TEST(AutomaticSchedule, ColumnsThatAreKeptLieSideBySide) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2'000), f.constant(64)}, DataType::Half);
  f.output("y", x - max(x, {0}, keepdim), DataType::Half);
  test::expect_agreement(f, auto_schedule(f));
}

// A fold over a part of a row leaves items along the rest, which cannot be merged with it.
TEST(AutomaticSchedule, RowsThatAreFoldedInPartAreNotKept) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(40), f.constant(30), f.constant(50)}, DataType::Float);
  const Tensor y = f.output("y", min(x, sum(x, {2}, keepdim)));
  f.output("z", max(x, sum(y, {2}, keepdim)));
  test::expect_agreement(f, auto_schedule(f));
}

// The fold of b runs over an iterdomain that the row of y lacks.
TEST(AutomaticSchedule, RowsOfAnotherLengthAreNotKept) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor x = f.input("x", {n, f.constant(33), f.constant(2)}, DataType::Float);
  const Tensor column = max(x, {0}, keepdim), all = max(x, {0, 1}, keepdim);
  const Tensor y = f.output("y", column + all);
  f.output("z", transpose(y, {2, 1, 0}));
  test::expect_agreement(f, auto_schedule(f, {{"N", 100}}), {{{"N", 1}}, {{"N", 100}}});
}

// Vectors are of the items that threads run through, not of what is folded for each.
TEST(AutomaticSchedule, VectorsDivideTheItemsOfARow) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor a = f.input("a", {f.constant(5), n}, DataType::Int64);
  const Tensor least = f.output("least", min(a, {1}));
  f.output("y", max(unsqueeze(unsqueeze(least, 1), 2) * unsqueeze(a, 0), {2}));
  test::expect_agreement(f, auto_schedule(f, {{"N", 64}}), {{{"N", 7}}, {{"N", 64}}});
}

TEST(AutomaticSchedule, ATransposeGoesThroughTilesOfWholeWords) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int8, DataType::Double}) {
    Fusion f;
    const Tensor x =
        f.input("x", {f.constant(3), f.constant(70), f.constant(4), f.constant(25)}, type);
    f.output("y", transpose(x, {0, 2, 3, 1}), type);
    const AutomaticSchedule s = scheduled(f);
    ASSERT_EQ(s.kernels.size(), 1u);
    EXPECT_GE(s.kernels[0].taken.plan.tile, 32);
    const Program p = test::expect_agreement(f, s.schedule);
    const ProgramCost cost = cost_of(p).value();
    for (const AccessCost& a : cost.kernels[0].accesses) {
      EXPECT_EQ(a.requests.conflicts, 0) << a.buffer;
      EXPECT_FALSE(a.is_scattered()) << a.buffer;
    }
  }
}

// A tensor that lacks an axis of what it is transposed into has no tile of its own.
TEST(AutomaticSchedule, ATransposedRowOfABroadcastIsReadAsItLies) {
  Fusion f;
  const Expr n = f.constant(96);
  const Tensor x = f.input("x", {n, f.constant(64), f.constant(3)}, DataType::Float);
  const Tensor row = f.input("row", {f.constant(64), n}, DataType::Float);
  f.output("y", x + unsqueeze(transpose(row, {1, 0}), 2));
  test::expect_agreement(f, auto_schedule(f));
}

// What a row of an output is folded into needs no kernel of its own.
TEST(AutomaticSchedule, WhatFollowsAFoldSharesItsKernel) {
  const auto kernels = [](const std::function<void(Fusion&, Tensor)>& build) {
    Fusion f;
    build(f, f.input("x", {f.constant(300), f.constant(520)}, DataType::Float));
    test::expect_agreement(f, auto_schedule(f));
    return kernels_of(f);
  };
  EXPECT_EQ(kernels([](Fusion& f, Tensor x) { f.output("y", sqrt(sum(x * x, {1}))); }), 1u);
  EXPECT_EQ(kernels([](Fusion& f, Tensor x) { f.output("y", logsumexp(x, {1})); }), 1u);
  EXPECT_EQ(kernels([](Fusion& f, Tensor x) {
              f.output("m", mean(x, {1}));
              f.output("v", variance(x, {1}));
            }),
            1u);
}

// Two outputs of one input are computed in one pass over it.
TEST(AutomaticSchedule, WhatReadsTheSameSharesAKernel) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(512), f.constant(640)}, DataType::Float);
  f.output("y", x + 1);
  f.output("z", x * 2);
  EXPECT_EQ(kernels_of(f), 1u);
  test::expect_agreement(f, auto_schedule(f));
}

TEST(AutomaticSchedule, LeavesWhatIsSaid) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(8), f.constant(40)}, DataType::Float);
  const Tensor y = f.output("y", x + 1), z = f.output("z", x * 2);
  Schedule s(f);
  s.bind(s.loops(y)[0], ParallelType::BIDy);
  const AutomaticSchedule filled = filled_in(s);
  ASSERT_EQ(filled.kernels.size(), 1u);
  EXPECT_EQ(filled.kernels[0].root, z.id());
  EXPECT_EQ(filled.schedule.loop_domains(y.id()), s.loop_domains(y.id()));
  test::expect_agreement(f, filled.schedule);
}

// Where nothing but whole tensors is read and stored, rows do not matter.
TEST(AutomaticSchedule, TakesTheWidestVectorThatDividesARow) {
  const auto vector = [](std::int64_t n, DataType type, bool has_bias) {
    Fusion f;
    const Tensor x = f.input("x", {f.constant(16'384), f.constant(n)}, type);
    f.output("y", relu(has_bias ? x + f.input("b", {f.constant(n)}, type) : x), type);
    return scheduled(f).kernels.at(0).taken.plan.vector;
  };
  EXPECT_EQ(vector(1024, DataType::Float, true), 4);
  EXPECT_EQ(vector(1024, DataType::Half, true), 8);
  EXPECT_EQ(vector(1022, DataType::Half, true), 2);
  EXPECT_EQ(vector(1023, DataType::Half, true), 1);
  EXPECT_EQ(vector(1023, DataType::Half, false), 8);
  EXPECT_EQ(vector(1023, DataType::Float, false), 4);
}

TEST(AutomaticSchedule, OneRowAtATimeIsNoTensorOfOneRow) {
  Fusion f;
  const Tensor x = f.input("x", {f.extent("N"), f.constant(1023)}, DataType::Half);
  f.output("y", x - max(x, {1}, keepdim), DataType::Half);
  test::expect_agreement(f, auto_schedule(f, {{"N", 1}}), {{{"N", 1}}, {{"N", 3}}});
}

TEST(Devices, AreFoundByName) {
  for (const Device& device : known_devices()) EXPECT_EQ(find_device(device.name), &device);
  EXPECT_EQ(find_device("h300"), nullptr);
}

}  // namespace
}  // namespace selvage
