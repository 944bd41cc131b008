#include <selvage/driver/run.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/long_sums.h>
#include <selvage/lower/program.h>
#include <tests/support/lowered.h>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

Array floats(const std::vector<double>& items) {
  Array a(DataType::Float, {std::int64_t(items.size())});
  for (std::size_t k = 0; k < items.size(); ++k) a.set(std::int64_t(k), items[k]);
  return a;
}

struct Row {
  Fusion f;
  Expr N = f.extent("N");
  Tensor x = f.input("x", {N}, DataType::Float);
};

// What one thread's sum of numbers of one sign is off by, at most: the additions of a part, and
// those of parts.
constexpr double kLost = (double(kMostAddedInARow) + 4) * 0x1p-24;

double run_one(const Fusion& f, const Schedule& s, const std::vector<double>& items) {
  const Program p = lower(f, s);
  RunRequest request{.sizes = {{"N", std::int64_t(items.size())}},
                     .inputs = {{"x", floats(items)}},
                     .on = Machine::Virtual,
                     .on_all = true};
  const RunResult r = run(f, p, request);
  EXPECT_TRUE(r.passed()) << (r.comparisons.empty() ? "" : r.comparisons[0].first);
  return r.outputs.at("y").get(0);
}

// Added up one by one, the first of these would be off by 9.7e-5 of it, six times as much.
TEST(LongSums, AThreadLosesNoDigitsOverManyItems) {
  Row row;
  row.f.output("y", sum(row.x));
  for (std::size_t n : {10'000u, 200'000u}) {
    const double exact = double(n) * double(0.1F);
    const double y = run_one(row.f, Schedule(row.f), std::vector<double>(n, double(0.1F)));
    EXPECT_LE(std::abs(y - exact), kLost * exact) << n;
  }
}

TEST(LongSums, AMeanOfProductsInVectorsLosesNoneEither) {
  Row row;
  const Tensor y = row.f.output("y", mean(row.x * row.x));
  Schedule s(row.f);
  const auto [n] = s.loops<1>(y);
  const auto [o, i] = s.split(n, 32);
  const auto [t, v] = s.split(i, 4);
  s.bind(t, ParallelType::TIDx).bind(v, ParallelType::Vectorize);
  std::vector<double> items(50'001, double(1.1F));
  const double exact = double(1.1F * 1.1F);
  EXPECT_LE(std::abs(run_one(row.f, s, items) - exact), kLost * exact);
  EXPECT_THAT(loop_nest(lower(row.f, s).steps[0].variants[0]), HasSubstr("y.sum.lost"));
}

TEST(LongSums, ShortOnesAreLeftAsTheyAre) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(kMostAddedInARow)}, DataType::Float);
  f.output("y", sum(x));
  EXPECT_THAT(loop_nest(lower(f, Schedule(f)).steps[0].variants[0]), Not(HasSubstr("lost")));
  Fusion g;
  g.output("y", sum(g.input("x", {g.constant(kMostAddedInARow + 1)}, DataType::Float)));
  EXPECT_THAT(loop_nest(lower(g, Schedule(g)).steps[0].variants[0]), HasSubstr("lost"));
  Fusion h;
  h.output("y", sum(h.input("x", {h.constant(100'000)}, DataType::Int32)));
  EXPECT_THAT(loop_nest(lower(h, Schedule(h)).steps[0].variants[0]), Not(HasSubstr("lost")));
}

TEST(LongSums, InfinitiesAndNaNsComeThrough) {
  Row row;
  row.f.output("y", sum(row.x));
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> items(1000, 1.0);
  items[300] = infinity;
  EXPECT_EQ(run_one(row.f, Schedule(row.f), items), infinity);
  items[700] = -infinity;
  EXPECT_TRUE(std::isnan(run_one(row.f, Schedule(row.f), items)));
}

// Every item and every part is finite here, and the second part takes the sum past the largest
// float.
TEST(LongSums, ASumThatOverflowsIsInfinite) {
  Row row;
  row.f.output("y", sum(row.x));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run_one(row.f, Schedule(row.f), std::vector<double>(1000, 1e36)), infinity);
  EXPECT_EQ(run_one(row.f, Schedule(row.f), std::vector<double>(1000, -1e36)), -infinity);
}

// Several sums to a thread, inside and outside of the loop that is folded over.
TEST(LongSums, EachItemOfAThreadHasItsOwnParts) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(3), f.constant(700)}, DataType::Float);
  const Tensor y = f.output("y", sum(x, {1}));
  Schedule inside(f);
  const auto [m, n] = inside.loops<2>(y);
  inside.reorder({n, m});
  test::expect_agreement(f, inside);
  test::expect_agreement(f, Schedule(f));
  EXPECT_THAT(loop_nest(lower(f, inside).steps[0].variants[0]), HasSubstr("y.value.lost"));
}

std::string one_thread_sums(std::int64_t rows, std::int64_t items) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(rows), f.constant(items)}, DataType::Float);
  f.output("y", sum(x));
  test::expect_agreement(f, Schedule(f));
  return loop_nest(lower(f, Schedule(f)).steps[0].variants[0]);
}

// Where the sum takes in its part: behind how many items, and behind which loops.
TEST(LongSums, PartsEndWithALoopThatIsRunAgain) {
  EXPECT_THAT(one_thread_sums(9, 400),
              HasSubstr("for i0 in 9\n"
                        "  for i1 in 400\n"
                        "    y.value.part[0] = y.value.part[0] + x[i0 * 400 + i1]\n"
                        "    if (i1 % 256 == 255)\n"
                        "      y.value.part[0] = y.value.part[0] + y.value.lost[0]\n"));
  EXPECT_THAT(one_thread_sums(9, 400),
              HasSubstr("      y.value.part[0] = 0\n"
                        "  y.value.part[0] = y.value.part[0] + y.value.lost[0]\n"));
  EXPECT_THAT(one_thread_sums(9, 200),
              HasSubstr("    y.value.part[0] = y.value.part[0] + x[i0 * 200 + i1]\n"
                        "  y.value.part[0] = y.value.part[0] + y.value.lost[0]\n"));
  EXPECT_THAT(one_thread_sums(99, 20),
              HasSubstr("  if (i0 % 8 == 7)\n"
                        "    y.value.part[0] = y.value.part[0] + y.value.lost[0]\n"));
}

}  // namespace
}  // namespace selvage
