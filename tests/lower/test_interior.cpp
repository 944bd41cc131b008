// Loops that are cut where their first iterations need no check, folds that take items in by
// groups, and folds that go through a row together.
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/ir/composites.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>
#include <tests/support/counts.h>
#include <tests/support/lowered.h>

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

// The sum of n floats, in loops of outer x middle x inner items.
struct Summed {
  Summed(std::int64_t n, std::int64_t factor, std::int64_t inner) : s(f) {
    const Tensor x = f.input("x", {f.constant(n)}, DataType::Float);
    y = f.output("y", sum(x, {0}));
    s = Schedule(f);
    const auto [a, rest] = s.split(s.loops<1>(y)[0], factor);
    const auto [b, c] = s.split(rest, inner);
    loops = {a, b, c};
  }
  Fusion f;
  Tensor y{};
  Schedule s;
  std::vector<ScheduledLoop> loops;
};

std::string text_of(const Summed& c) { return loop_nest(lower(c.f, c.s)); }

TEST(Interior, AnUnrolledLoopIsCutWhereItsChecksEnd) {
  Summed c(21, 32, 4);
  c.s.bind(c.loops[1], ParallelType::Unroll);
  const std::string text = text_of(c);
  EXPECT_THAT(text, HasSubstr("in 5")) << text;
  EXPECT_THAT(text, HasSubstr("in 5..8 (Unroll)")) << text;
}

TEST(Interior, ASerialLoopStaysWhole) {
  const Summed c(21, 32, 4);
  EXPECT_THAT(text_of(c), Not(HasSubstr(".."))) << text_of(c);
}

// Both conditions of 7 items in twos in fives hold together, but only one may depend on a loop.
TEST(Interior, AConditionOfAnotherLoopStays) {
  for (std::size_t unrolled = 0; unrolled < 8; ++unrolled) {
    Summed c(7, 5, 2);
    for (std::size_t k = 0; k < 3; ++k) {
      if (unrolled >> k & 1) c.s.bind(c.loops[k], ParallelType::Unroll);
    }
    test::expect_agreement(c.f, lower(c.f, c.s), {});
  }
}

TEST(Interior, NoItemIsLostOrTakenTwice) {
  std::mt19937_64 random(7);
  const auto draw = [&](int most) { return 1 + std::int64_t(random() % std::uint64_t(most)); };
  for (int k = 0; k < count(60, 2'000); ++k) {
    const std::int64_t n = draw(90), factor = draw(24), inner = draw(6);
    SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(factor) + " by " +
                 std::to_string(inner));
    Summed c(n, factor, inner);
    for (const ScheduledLoop& loop : c.loops) {
      if (random() % 2 == 0) c.s.bind(loop, ParallelType::Unroll);
    }
    test::expect_agreement(c.f, lower(c.f, c.s), {});
  }
}

// Rows of special values, folded by groups of vectors and unrolled steps, and by threads.
TEST(FoldGroups, SpecialValuesAreThoseOfTheReference) {
  constexpr double kInfinity = HUGE_VAL;
  const double nan = std::nan("");
  const std::vector<std::vector<double>> rows = {
      {-kInfinity},   {kInfinity, 1},      {-kInfinity, 3, kInfinity},
      {nan, 1, 2},    {1e38, 2e38, -3e38}, {1e-38, 1e-30, 88},
      {-1000, -1001}, {1000, 999, -1000},  {0},
      {-kInfinity, 5}};
  for (const std::int64_t n : {1, 2, 7, 31, 64, 100, 517}) {
    Fusion f;
    const Tensor x =
        f.input("x", {f.constant(std::int64_t(rows.size())), f.constant(n)}, DataType::Float);
    f.output("l", logsumexp(x, {1}));
    f.output("v", variance(x, {1}, false, 0));
    Array values(DataType::Float, {std::int64_t(rows.size()), n});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t k = 0; k < n; ++k) {
        values.set(std::int64_t(r) * n + k, rows[r][std::size_t(k) % rows[r].size()]);
      }
    }
    const Program program = lower(auto_schedule(f));
    RunRequest request{.inputs = {{"x", values}}, .on = Machine::Virtual, .on_all = true};
    const RunResult result = run(f, program, request);
    EXPECT_TRUE(result.faults.empty());
    for (const Comparison& c : result.comparisons) EXPECT_EQ(c.failures, 0) << n << ": " << c.first;
    test::expect_verified(program);
  }
}

TEST(FoldGroups, AnItemTakesOnePowerAndNoDivision) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(8), f.constant(4096)}, DataType::Float);
  f.output("l", logsumexp(x, {1}));
  const std::string text = cuda(lower(auto_schedule(f)));
  EXPECT_THAT(text, HasSubstr("fast_exp(")) << text;
  EXPECT_THAT(text, HasSubstr("_group")) << text;
}

// The mean and the variance of rows that no block can keep, on a GPU without clusters.
TEST(OnePass, FoldsOfOneTensorLoadItOnce) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(300), f.constant(1 << 18)}, DataType::Float);
  const Tensor m = mean(x, {1}, keepdim), v = variance(x, {1}, keepdim, 0);
  f.output("y", (x - m) * rsqrt(v + 1e-5));
  Device device = usual_device();
  device.has_clusters = false;
  const Program program = lower(auto_schedule(f, {}, device));
  ASSERT_EQ(program.steps.size(), 1u);
  int loads = 0;
  for_each_statement(program.steps[0].variants[0].body, [&](const Statement& s) {
    loads += std::holds_alternative<Transfer>(s.node);
  });
  EXPECT_LE(loads, 3) << loop_nest(program);  // for the folds, for y, and y's store
  test::expect_verified(program);
}

TEST(OnePass, ResultsAreThoseOfTheReference) {
  for (const std::int64_t n : {1, 5, 64, 1000}) {
    Fusion f;
    const Tensor x = f.input("x", {f.constant(6), f.constant(n)}, DataType::Float);
    const Tensor w = f.input("w", {f.constant(6), f.constant(n)}, DataType::Float);
    f.output("a", sum(x, {1}));
    f.output("b", max(x * w, {1}));
    f.output("c", variance(x, {1}, false, 0) + mean(w, {1}));
    test::expect_agreement(f, lower(auto_schedule(f)), {});
  }
}

}  // namespace
}  // namespace selvage
