// What a kernel's text says of its loads and its instructions: which are under way together, which
// L2 serves, and what is computed once.
#include <selvage/ir/composites.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

constexpr std::int64_t kRowsOfCase = 256, kLengthOfCase = 4096;

// y = x * f(sum of x * x), by rows: 128 threads, vectors of four, eight steps; the sum is computed
// where a row begins.
struct CostCase {
  Fusion f;
  Tensor x = f.input("x", {f.constant(kRowsOfCase), f.constant(kLengthOfCase)}, DataType::Float);
  Tensor squares = sum(x * x, {1}, keepdim);

  Schedule schedule(Tensor y) const {
    Schedule s(f);
    const auto [row, item] = s.loops<2>(y);
    const auto [group, lane] = s.split(item, 4);
    const auto [step, thread] = s.split(group, 128);
    s.reorder({row, step, thread, lane});
    s.bind(row, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    s.bind(lane, ParallelType::Vectorize);
    return s;
  }
  static LaunchWork work(const Schedule& s) {
    const ProgramCost cost = cost_of(lower(s)).value();
    EXPECT_EQ(cost.kernels.size(), 1u);
    return cost.kernels.at(0).work;
  }
};

// All rows and all results fit L2.
TEST(Cost, ARowThatIsReadAgainWaitsForDramAndThenForL2) {
  CostCase c;
  const LaunchWork work = c.work(c.schedule(c.f.output("y", c.x * rsqrt(c.squares))));
  EXPECT_EQ(work.loads_in_turn, 8);
  EXPECT_EQ(work.cached_in_turn, 8);
  EXPECT_EQ(work.bytes_in_flight, 16);
  EXPECT_EQ(work.stored_bytes, 4.0 * kRowsOfCase * kLengthOfCase);
  EXPECT_EQ(work.dram_bytes, 2 * work.stored_bytes);
}

TEST(Cost, ARowThatIsKeptInRegistersIsUnderWayAsAWhole) {
  CostCase c;
  const Tensor y = c.f.output("y", c.x * rsqrt(c.squares));
  Schedule s = c.schedule(y);
  const TensorId kept = s.cache(c.x, "x_row", Memory::Local);
  s.like(kept, y.id());
  s.compute_at(kept, s.loops(y)[0]);
  const LaunchWork work = c.work(s);
  EXPECT_EQ(work.loads_in_turn, 1);
  EXPECT_EQ(work.cached_in_turn, 0);
  EXPECT_EQ(work.bytes_in_flight, 8 * 16);
}

// Weights are read by all blocks, after the fold.
TEST(Cost, WeightsOfARowComeFromL2) {
  CostCase c;
  const Tensor w = c.f.input("w", {c.f.constant(kLengthOfCase)}, DataType::Float);
  const Tensor y = c.f.output("y", c.x * rsqrt(c.squares) * w);
  Schedule s = c.schedule(y);
  const TensorId kept = s.cache(c.x, "x_row", Memory::Local);
  s.like(kept, y.id());
  s.compute_at(kept, s.loops(y)[0]);
  const LaunchWork work = c.work(s);
  EXPECT_NEAR(work.loads_in_turn, 1, 0.01);
  EXPECT_NEAR(work.cached_in_turn, 1, 0.01);
  EXPECT_NEAR(work.bytes_in_flight, 8 * 16, 1);
}

// The address of the second load is what the first one gives.
TEST(Cost, AGatherWaitsForItsIndex) {
  Fusion f;
  const Tensor table = f.input("table", {f.constant(1 << 20)}, DataType::Float);
  const Tensor at = f.input("at", {f.constant(1 << 20)}, DataType::Int64);
  const Tensor y = f.output("y", index_select(table, 0, at, Outside::unchecked()));
  Schedule s(f);
  const auto [block, thread] = s.split(s.loops(y)[0], 128);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  EXPECT_EQ(CostCase::work(s).loads_in_turn, 2);
}

// rsqrt of the row's sum is computed in front of the loops over its items: it costs the threads of
// a row one each, and not one an item.
TEST(Cost, WhatALoopDoesNotChangeIsComputedOnce) {
  CostCase once, never, always;
  const double plain =
      once.work(never.schedule(never.f.output("y", never.x * never.squares))).instructions;
  const double of_sum =
      once.work(once.schedule(once.f.output("y", once.x * rsqrt(once.squares)))).instructions;
  const double of_items =
      once.work(always.schedule(always.f.output("y", rsqrt(always.x) * always.squares)))
          .instructions;
  EXPECT_NEAR(of_sum - plain, 8.0 * kRowsOfCase * 128, 1);
  EXPECT_NEAR(of_items - plain, 8.0 * kRowsOfCase * kLengthOfCase, 1);
}

}  // namespace
}  // namespace selvage
