// Everything under a guard is simplified under it: addresses that are stored to or read, indices
// that are values, reads through inlined tensors, and the guards that are tested after it.
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include "tests/codegen/run.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

namespace selvage {
namespace {

// y over [10], its loop split by 4: o * 4 + i reaches 12 and is tested.
struct Padded {
  Padded() : index(f.fresh_index("i")), a(f.input("a", {f.constant(10)}, DataType::Float)) {}
  ValueId read(Tensor t, Expr subscript) {
    return f.values().read(DataType::Float, std::uint32_t(t.id()), {subscript});
  }
  Kernel kernel(ValueId value) {
    const Tensor y = f.compute("y", {index}, {f.constant(10)}, value);
    f.output("y", y);
    Schedule s(f);
    s.split(s.loops(y.id())[0], 4, {.outer = "o", .inner = "i"});
    program = lower(f, s);
    return program.steps[0].variants[0];
  }
  std::string nest(ValueId value) { return loop_nest(kernel(value)); }

  Fusion f;
  Expr index;
  Tensor a;
  Program program;
};

const std::string kHead =
    "for o in 3\n"
    "  for i in 4\n"
    "    if (o * 4 + i < 10)\n";

TEST(UnderTheGuard, AReadIsSimplified) {
  Padded p;
  EXPECT_EQ(p.nest(p.read(p.a, p.index % 10)), kHead + "      y[o * 4 + i] = a[o * 4 + i]\n");
}

TEST(UnderTheGuard, SoIsAnIndexThatIsAValue) {
  Padded p;
  const ValueId v =
      p.f.values().cast(p.f.values().index(p.index / 10 + p.index % 10), DataType::Float);
  EXPECT_EQ(p.nest(v), kHead + "      y[o * 4 + i] = float(o * 4 + i)\n");
}

TEST(UnderTheGuard, SoIsAReadThroughAnInlinedTensor) {
  Padded p;
  const Expr j = p.f.fresh_index("j");
  const Tensor t = p.f.compute("t", {j}, {p.f.constant(10)}, p.read(p.a, j % 10));
  EXPECT_EQ(p.nest(p.read(t, 9 - p.index)), kHead + "      y[o * 4 + i] = a[9 - o * 4 - i]\n");
}

// Three items, two holes before them and three behind. Of the two halves of the test the first is
// one of the outer loop's variable alone.
TEST(UnderTheGuard, TheHalvesOfATestStandAsFarOutAsTheyCan) {
  Fusion f;
  const Tensor y = f.output("y", relu(f.input("a", {f.constant(3)}, DataType::Float)));
  Schedule s(f);
  const ScheduledLoop padded = s.resize(s.loops(y.id())[0], f.constant(2), f.constant(3));
  s.split(padded, 2, {.outer = "o", .inner = "i"});
  const Program program = lower(f, s);
  EXPECT_EQ(loop_nest(program.steps[0].variants[0]),
            "for o in 4\n"
            "  if (1 <= o)\n"
            "    for i in 2\n"
            "      if (o * 2 + i < 5)\n"
            "        y[o * 2 + i - 2] = relu(a[o * 2 + i - 2])\n");
}

// A test of an outer loop's variable stands in that loop, and what it tells is known inside.
TEST(UnderTheGuard, AnOuterTestSimplifiesAnInnerOne) {
  Fusion f;
  const Tensor y =
      f.output("y", relu(f.input("a", {f.constant(9), f.constant(4)}, DataType::Float)));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  const auto [mo, mi] = s.split(m, 4, {.outer = "mo", .inner = "mi"});
  s.reorder({mo, mi, n});
  EXPECT_EQ(loop_nest(lower(f, s).steps[0].variants[0]),
            "for mo in 3\n"
            "  for mi in 4\n"
            "    if (mo * 4 + mi < 9)\n"
            "      for i1 in 4\n"
            "        y[mo * 16 + mi * 4 + i1] = relu(a[mo * 16 + mi * 4 + i1])\n");
}

std::uint32_t size_of_guards(const Body& body) {
  std::uint32_t size = 0;
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) size += size_of_guards(loop->body);
    if (const auto* guard = std::get_if<Guard>(&statement.node)) {
      size += guard->condition.size() + size_of_guards(guard->body);
    }
  }
  return size;
}

// That the tests still let the same points through is seen where random schedules are run.
TEST(UnderTheGuard, TheTestsOfRandomGraphsGetNoLongerAndSomeGetShorter) {
  std::mt19937_64 rng(37);
  const int graphs = count(300, 5'000);
  int shorter = 0;
  for (int i = 0; i < graphs; ++i) {
    const EngineSchedule s(oracle::random_graph(rng));
    const Program p = lower(*s.fusion, *s.schedule, {.items_may_be_lost = true});
    std::uint32_t before = 0;
    for (const KeptPredicate& kept : p.tensors[0].predicates.kept) {
      before += kept.condition.size() + 1;  // conjuncts that part take their && along
    }
    const std::uint32_t after = size_of_guards(p.steps[0].variants[0].body);
    ASSERT_LE(after, before) << loop_nest(p.steps[0].variants[0]);
    shorter += after + 2 * std::uint32_t(p.tensors[0].predicates.kept.size()) < before;
  }
  EXPECT_GE(shorter, graphs / 200);
}

}  // namespace
}  // namespace selvage
