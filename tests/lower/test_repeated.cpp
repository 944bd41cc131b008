// Work that a schedule repeats: found by the loops that repeat it, and as often as kernels do it.
#include <selvage/ir/ops.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/mend_repeated.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/known_fusions.h"

namespace selvage {
namespace {

// s[m] = sum over k of x[m, k]; y[m, j] = s[m] * w[j], with blocks along m and threads along j.
struct RowSums {
  RowSums(std::int64_t rows, std::int64_t folded, std::int64_t columns)
      : x(f.input("x", {f.pool().constant(rows), f.pool().constant(folded)}, DataType::Float)),
        w(f.input("w", {f.pool().constant(columns)}, DataType::Float)),
        s(sum(x, {1})),
        y(f.output("y", unsqueeze(s, 1) * unsqueeze(w, 0))) {}

  Schedule schedule() const {
    Schedule schedule(f);
    const auto [m, j] = schedule.loops<2>(y);
    schedule.bind(m, ParallelType::BIDx).bind(j, ParallelType::TIDx);
    return schedule;
  }

  Fusion f;
  Tensor x, w, s, y;
};

// The loads of a tensor's elements by all threads.
double loads_of(const Program& program, const std::string& name) {
  const auto cost = cost_of(program);
  double loads = 0;
  for (const KernelCost& kernel : cost->kernels) {
    for (const AccessCost& a : kernel.accesses) {
      const bool is_load = a.requests.kind == AccessKind::Read && a.buffer == name;
      if (is_load) loads += double(a.requests.threads * a.requests.bytes) / 4;
    }
  }
  return loads;
}

TEST(Repeated, AFoldThatEachThreadMakesForItself) {
  const RowSums c(64, 1000, 256);
  const Program program = lower(c.schedule());
  const std::vector<RepeatedWork> found = repeated_work(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tensor, c.s.id());
  ASSERT_EQ(found[0].by.size(), 1u);
  EXPECT_EQ(found[0].by[0].parallel, ParallelType::TIDx);
  EXPECT_EQ(found[0].times(), 256);
  EXPECT_EQ(found[0].points, 64000);
}

TEST(Repeated, IsWhatTheKernelsDo) {
  std::mt19937 rng(5);
  const auto draw = [&](int low, int high) {
    return std::int64_t(low + int(rng() % (high - low)));
  };
  int repeated = 0;
  for (int round = 0; round < 40; ++round) {
    const RowSums c(draw(2, 90), draw(2, 700), draw(1, 200));
    const Program program = lower(c.schedule());
    const std::vector<RepeatedWork> found = repeated_work(program);
    if (found.empty()) continue;
    ++repeated;
    EXPECT_EQ(loads_of(program, "x"), found[0].times() * found[0].points);
  }
  EXPECT_GT(repeated, 20);
}

TEST(Repeated, AFoldInsideALoopThatItDoesNotHave) {
  const RowSums c(128, 900, 16);
  Schedule schedule(c.f);
  const auto [m, j] = schedule.loops<2>(c.y);
  schedule.bind(m, ParallelType::BIDx).compute_at(c.s, j);
  const Program program = lower(schedule);
  const std::vector<RepeatedWork> found = repeated_work(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].by[0].parallel, ParallelType::Serial);
  EXPECT_EQ(found[0].times(), 16);
  EXPECT_EQ(loads_of(program, "x"), found[0].times() * found[0].points);
  EXPECT_EQ(mend_repeated(schedule, program, found[0]).text,
            "compute " + c.s.name() + " further out, before the loop " +
                schedule.name(c.y.id(), j.domain) +
                ": inline: {into: y, at: " + schedule.name(c.y.id(), m.domain) + "}");
}

TEST(Repeated, ByBlocksThatTheFoldHasNoLoopFor) {
  const RowSums c(128, 900, 16);
  Schedule schedule(c.f);
  const auto [m, j] = schedule.loops<2>(c.y);
  schedule.bind(m, ParallelType::BIDx).bind(j, ParallelType::BIDy);
  const std::vector<RepeatedWork> found = repeated_work(lower(schedule));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].by[0].parallel, ParallelType::BIDy);
  EXPECT_EQ(found[0].times(), 16);
}

TEST(Repeated, NotWhereItIsLittleBesideTheRest) {
  // Each of 256 threads adds up 8 numbers, and computes 16.
  const RowSums few(64, 8, 4096);
  Schedule own(few.f);
  const auto [row, column] = own.loops<2>(few.y);
  const auto [step, thread] = own.split(column, 256);
  own.bind(row, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  EXPECT_TRUE(repeated_work(lower(own)).empty());
  // Small arrays take no time that is worth a word.
  EXPECT_TRUE(repeated_work(lower(RowSums(4, 60, 256).schedule())).empty());
  // Each thread of a row loads the bias of its column again.
  Fusion f;
  const auto n = [&](std::int64_t value) { return f.pool().constant(value); };
  const Tensor a = f.input("a", {n(4096), n(256)}, DataType::Float);
  const Tensor b = f.input("b", {n(256)}, DataType::Float);
  const Tensor y = f.output("y", a + unsqueeze(b, 0));
  Schedule schedule(f);
  const auto [m, j] = schedule.loops<2>(y);
  schedule.bind(m, ParallelType::BIDx).bind(j, ParallelType::TIDx);
  const TensorId own_bias = schedule.cache(b, "b_l", Memory::Local);
  schedule.like(own_bias, y).compute_at(own_bias, j);
  EXPECT_TRUE(repeated_work(lower(schedule)).empty());
}

TEST(Repeated, NotByAutomaticSchedules) {
  for (const test::KnownFusion& known : test::known_fusions()) {
    const Program program = lower(auto_schedule(*known.fusion));
    EXPECT_TRUE(repeated_work(program).empty()) << known.name;
  }
}

}  // namespace
}  // namespace selvage
