// Automatic schedules of scans.
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include "tests/support/lowered.h"

namespace selvage {
namespace {

struct ScanOf {
  ScanOf(std::int64_t rows, std::int64_t length, DataType type = DataType::Float, int axis = 1) {
    f.output("y", cumsum(f.input("x", {f.constant(rows), f.constant(length)}, type), axis), type);
  }
  Fusion f;
};

ProgramCost cost_at(const Fusion& f) { return cost_of(lower(f)).value(); }

TEST(ScanPlans, RowsAreOneKernelOfOnePass) {
  ScanOf s(4096, 1024);
  EXPECT_EQ(lower(s.f).steps.size(), 1u);
  const ProgramCost c = cost_at(s.f);
  EXPECT_LT(c.dram_bytes, 1.01 * double(c.floor_bytes));
  EXPECT_LT(c.seconds, 25e-6);
}

TEST(ScanPlans, ColumnsAreReadSideBySide) {
  ScanOf s(1024, 4096, DataType::Float, 0);
  EXPECT_EQ(lower(s.f).steps.size(), 1u);
  const ProgramCost c = cost_at(s.f);
  EXPECT_LT(c.dram_bytes, 1.01 * double(c.floor_bytes));
  EXPECT_LT(c.seconds, 100e-6);
}

TEST(ScanPlans, BlocksShareLongRows) {
  ScanOf s(2, 1 << 20);
  EXPECT_EQ(lower(s.f).steps.size(), 3u);
  EXPECT_LT(cost_at(s.f).seconds, 60e-6);
}

TEST(ScanPlans, AgreeWithTheReference) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {
      {1, 1}, {3, 31}, {5, 1024}, {2, 9'973}, {1, 40'000}};
  for (const auto& [rows, length] : some_of(shapes)) {
    for (const int axis : {0, 1}) {
      for (const DataType type : {DataType::Float, DataType::BFloat16}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(length) + " along " +
                     std::to_string(axis) + " of " + std::string(to_string(type)));
        ScanOf s(rows, length, type, axis);
        test::expect_agreement(s.f, auto_schedule(s.f));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(ScanPlans, AScanSharesAKernelWithWhatItReadsAndWhoReadsIt) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(33), f.constant(260)}, DataType::Float);
  f.output("y", cumsum(softmax(x, 1), 1) * 2 - x);
  const Schedule s = auto_schedule(f);
  EXPECT_EQ(test::expect_agreement(f, s).steps.size(), 1u);
}

TEST(ScanPlans, SizesMayBeUnknown) {
  Fusion f;
  const Expr b = f.extent("B", 0), n = f.extent("N", 0);
  f.output("y", cumprod(f.input("x", {b, n}, DataType::Int32), 1));
  const Program p = lower(f);
  for (const auto& [rows, length] : {std::pair{0, 5}, {3, 0}, {2, 1}, {3, 1'027}, {1, 5'000}}) {
    test::expect_agreement(f, p, {.sizes = {{"B", rows}, {"N", length}}});
  }
}

}  // namespace
}  // namespace selvage
