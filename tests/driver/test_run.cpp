#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/numbered.h"
#include "tests/support/refusal.h"
#include "tests/support/widen_guards.h"

namespace selvage {

namespace {

using test::Numbered;
using testing::HasSubstr;

// Emulation and the virtual device both agree with the unscheduled program on every output.
RunResult expect_agreement(const Fusion& fusion, const Schedule& schedule, RunRequest request) {
  const Program program = lower(fusion, schedule, {.items_may_be_lost = request.as_in_memory});
  request.on = Machine::Emulate;
  request.on_all = true;
  RunResult result = run(fusion, program, request);
  for (const std::string& fault : result.faults) ADD_FAILURE() << fault;
  for (const Comparison& c : result.comparisons) {
    EXPECT_EQ(c.mismatches, 0) << to_string(c.machine) << ": " << c.first;
  }
  EXPECT_TRUE(result.passed());
  return result;
}

// y = relu(a + b), b repeated along m; tiles that nothing divides, bound to blocks and threads.
struct BiasRelu {
  explicit BiasRelu(DataType type) {
    const auto [m, n] = f.extents("M", "N");
    const Tensor a = f.input("a", {m, n}, type, {"m", "n"}), b = f.input("b", {n}, type, {"n"});
    y = f.output("y", relu(a + b), type);
  }
  Schedule tiled(std::int64_t tile) {
    Schedule s(f);
    const auto [m, n] = s.loops<2>(y);
    const auto [outer, inner] = s.split(s.merge(m, n), tile);
    s.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
    return s;
  }
  Fusion f;
  Tensor y;
};

TEST(Run, TilesThatDoNotDivideAgree) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int32}) {
    BiasRelu c(type);
    for (const auto& [m, n] : {std::pair{1, 1}, {7, 13}, {32, 4}, {129, 3}}) {
      const RunResult r = expect_agreement(c.f, c.tiled(32), {.sizes = {{"M", m}, {"N", n}}});
      EXPECT_EQ(r.launches, 1);
      EXPECT_EQ(r.outputs.at("y").shape, (std::vector<std::int64_t>{m, n}));
      ASSERT_EQ(r.comparisons.size(), 2u);
      EXPECT_EQ(r.comparisons[0].points, m * n);
    }
  }
}

TEST(Run, AMaterializedTensorIsStoredBetweenTwoKernels) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  const Tensor a = f.input("a", {m, n}, DataType::Float, {"m", "n"});
  const Tensor t = sigmoid(a * 2);
  const Tensor y = f.output("y", transpose(t, {1, 0}) + 1);
  Schedule s(f);
  s.materialize(t.id());
  s.bind(s.loops<2>(t)[0], ParallelType::BIDx);
  s.bind(s.loops<2>(y)[0], ParallelType::TIDx);
  const RunResult r = expect_agreement(f, s, {.sizes = {{"M", 5}, {"N", 9}}});
  EXPECT_EQ(r.launches, 2);
  EXPECT_EQ(r.outputs.at("y").shape, (std::vector<std::int64_t>{9, 5}));
}

TEST(Run, SeveralOutputsAreComparedEach) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor a = f.input("a", {n}, DataType::Double, {"n"});
  f.output("y", a * a);
  f.output("is_positive", a > 0);
  const RunResult r = expect_agreement(f, Schedule(f), {.sizes = {{"N", 11}}});
  EXPECT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.comparisons.size(), 4u);
}

TEST(Run, AnInputWithStridesIsLaidOutSo) {
  Fusion f;
  const Tensor a = f.input("a", {f.constant(3), f.constant(5)}, DataType::Int32, {"m", "n"});
  f.edit(a.id()).strides = {f.constant(1), f.constant(4)};
  const Tensor y = f.output("y", a + 1);
  f.edit(y.id()).strides = {f.constant(8), f.constant(1)};
  Array given(DataType::Int32, {3, 5});
  for (std::int64_t k = 0; k < 15; ++k) given.set_int(k, 10 * k);
  const RunResult r = expect_agreement(f, Schedule(f), {.inputs = {{"a", given}}});
  EXPECT_EQ(r.outputs.at("y").get_int(7), 71);
}

TEST(Run, ATensorsNumbersComeAsTheyLieInMemory) {
  Numbered t("T0", {"I0", "I1"}, {2, 3}, DataType::Int32);
  TensorInfo& info = t.fusion->edit(t.id());
  info.allocation = {info.logical[1], info.logical[0]};
  t.make_schedule();
  const RunResult r = expect_agreement(*t.fusion, *t.schedule, {.as_in_memory = true});
  const Array& memory = r.outputs.at("T0");
  EXPECT_EQ(memory.shape, (std::vector<std::int64_t>{3, 2}));
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = 0; k < 6; ++k) numbers.push_back(memory.get_int(k));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Run, EveryTransformAgrees) {
  Numbered t("T0", {"I0", "I1"}, {10, 8}, DataType::Int64);
  Schedule& s = *t.schedule;
  const auto [m, n] = s.loops<2>(t.tensor);
  const ScheduledLoop padded = s.resize(m, t.c(1), t.c(2));
  const auto [outer, inner] = s.split(padded, 2, {.inner_split = false});
  const auto [x, y] = s.swizzle(SwizzleKind::Xor, outer, n);
  s.bind(x, ParallelType::BIDy).bind(s.merge(inner, y), ParallelType::TIDx);
  const RunResult r = expect_agreement(*t.fusion, s, {});
  EXPECT_EQ(r.comparisons[0].points, 80);
}

TEST(Run, LostItemsAreCountedAndNotCompared) {
  Numbered t("T0", {"I0"}, {10}, DataType::Int32);
  t.schedule->resize(t.schedule->loops(t.id())[0], t.c(-2), t.c(0));
  const RunResult r = expect_agreement(*t.fusion, *t.schedule, {.as_in_memory = true});
  EXPECT_EQ(r.comparisons[0].points, 8);
  EXPECT_EQ(r.comparisons[0].unvisited, 2);
  EXPECT_EQ(r.outputs.at("T0").get_int(0), 0);
  EXPECT_EQ(r.outputs.at("T0").get_int(9), 9);
}

TEST(Run, DuplicatesOfIdempotentStoresAreNoFault) {
  Numbered t("T0", {"I0"}, {15});
  t.fusion->edit(t.id()).duplicates_allowed = true;
  t.make_schedule();
  test::cut_as_in_figure2(t);
  EXPECT_EQ(expect_agreement(*t.fusion, *t.schedule, {}).comparisons[0].points, 15);
}

TEST(Run, NothingIsLaunchedForASizeOfZero) {
  Fusion f;
  const Expr n = f.extent("N", 0);
  f.output("y", relu(f.input("a", {n}, DataType::Float, {"n"})));
  const RunResult r = expect_agreement(f, Schedule(f), {.sizes = {{"N", 0}}});
  EXPECT_EQ(r.launches, 0);
  EXPECT_EQ(r.outputs.at("y").size(), 0);
}

TEST(Run, MadeUpInputsAreTheSameEveryTimeAndWithinTheirRange) {
  for (const DataType type : {DataType::Half, DataType::BFloat16, DataType::Float}) {
    const Array a = made_up_input("a", type, {1000}, 1);
    EXPECT_EQ(a, made_up_input("a", type, {1000}, 1));
    EXPECT_NE(a, made_up_input("a", type, {1000}, 2));
    EXPECT_NE(a, made_up_input("b", type, {1000}, 1));
    for (std::int64_t k = 0; k < 1000; ++k) {
      EXPECT_GE(a.get(k), -1);
      EXPECT_LT(a.get(k), 1);
    }
  }
  EXPECT_EQ(made_up_input("a", DataType::Float, {2}, 1).get(0), 0.5077086687088013);
}

TEST(Run, ReadsSizesOffTheInputs) {
  BiasRelu c(DataType::Float);
  const Schedule s = c.tiled(32);
  const Program p = lower(c.f, s);
  const Array a = made_up_input("a", DataType::Float, {5, 7}, 1);
  const RunResult both = run(c.f, p, {.inputs = {{"a", a}}, .on = Machine::Virtual});
  EXPECT_TRUE(both.passed());
  EXPECT_EQ(both.sizes, (std::map<std::string, std::int64_t>{{"M", 5}, {"N", 7}}));
  EXPECT_EQ(both.inputs.at("b").shape, std::vector<std::int64_t>{7});
  // What is said wins, and what arrays say of one size has to agree.
  EXPECT_THAT(bad_input([&] {
                run(c.f, p, {.sizes = {{"N", 8}}, .inputs = {{"a", a}}});
              }),
              HasSubstr("error[E612]: the input a has shape [5, 7], not [5, 8]"));
}

TEST(Run, WhereThereIsNoGpuTheHelpSpeaksToWhoAsks) {
  if (default_machine() == Machine::Gpu) GTEST_SKIP() << "[SKIP there is a GPU]";
  BiasRelu c(DataType::Float);
  const Program p = lower(c.f, c.tiled(32));
  const auto refused = [&](Asker asker) {
    return bad_input([&] {
      run(c.f, p, {.sizes = {{"M", 2}, {"N", 3}}, .on = Machine::Gpu, .asker = asker});
    });
  };
  EXPECT_THAT(refused(Asker::Program), testing::EndsWith("device, .on = Machine::Virtual"));
  EXPECT_THAT(refused(Asker::Command), testing::EndsWith("device, --on virtual"));
}

TEST(Run, StridesThatAreLeftOpenAreDense) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = with_strides(f.input("x", {M, N}, DataType::Float));
  f.output("y", x * 2);
  const Program p = lower(f, Schedule(f));
  const RunResult r = run(f, p, {.sizes = {{"M", 3}, {"N", 4}}, .on = Machine::Emulate});
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.sizes.at("x_stride_0"), 4);
  EXPECT_EQ(r.sizes.at("x_stride_1"), 1);
}

TEST(Run, SizesThatTellEachOtherAreToldInAnyOrder) {
  Fusion f;
  const auto [N, K, J, M] = f.extents("N", "K", "J", "M");
  f.assume(eq(N, 6 * K));
  f.assume(eq(K, 2 * J));
  const Tensor x = f.input("x", {N, K, J * M}, DataType::Int8);
  const Tensor m = f.input("m", {M}, DataType::Int8);
  f.output("y", x * 2);
  f.output("z", m * 2);
  const Program p = lower(f, Schedule(f));
  const std::map<std::string, std::int64_t> all = {{"N", 24}, {"K", 4}, {"J", 2}, {"M", 3}};
  EXPECT_EQ(run(f, p, {.sizes = {{"J", 2}, {"M", 3}}, .on = Machine::Emulate}).sizes, all);
  const Array given = made_up_input("m", DataType::Int8, {3}, 1);
  EXPECT_EQ(
      run(f, p, {.sizes = {{"K", 4}}, .inputs = {{"m", given}}, .on = Machine::Emulate}).sizes,
      all);
  EXPECT_THAT(bad_input([&] {
                run(f, p, {.sizes = {{"M", 3}}, .on = Machine::Emulate});
              }),
              HasSubstr("error[E614]: the size N has no value"));
}

TEST(Run, WhatCannotBeRunIsRefusedByName) {
  BiasRelu c(DataType::Float);
  const Schedule s = c.tiled(32);
  const Program p = lower(c.f, s);
  const auto refused = [&](RunRequest request) { return bad_input([&] { run(c.f, p, request); }); };
  EXPECT_EQ(refused({.sizes = {{"M", 4}}}),
            "selvage: error[E614]: the size N has no value; help: give it one, .sizes = {{\"N\", "
            "...}}, or an input that has it for an extent");
  EXPECT_THAT(refused({.sizes = {{"M", 4}, {"N", 0}}}), HasSubstr("error[E615]"));
  EXPECT_THAT(refused({.sizes = {{"M", 4}, {"N", 4}}, .inputs = {{"x", Array()}}}),
              HasSubstr("error[E611]: the fusion has no input x"));
  EXPECT_THAT(
      refused({.sizes = {{"M", 4}, {"N", 4}}, .inputs = {{"a", Array(DataType::Float, {4, 5})}}}),
      HasSubstr("error[E612]"));
  EXPECT_THAT(
      refused({.sizes = {{"M", 4}, {"N", 4}}, .inputs = {{"a", Array(DataType::Half, {4, 4})}}}),
      HasSubstr("error[E613]"));
}

TEST(Run, SizesPastALaunchCheckAreRefused) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor y = f.output("y", f.input("a", {n}, DataType::Float, {"n"}) + 1);
  Schedule s(f);
  s.bind(s.loops<1>(y)[0], ParallelType::BIDy);
  const Program p = lower(f, s);
  EXPECT_THAT(bad_input([&] {
                run(f, p, {.sizes = {{"N", 70'000}}});
              }),
              HasSubstr("error[E621]: N"));
  EXPECT_TRUE(run(f, p, {.sizes = {{"N", 1000}}, .on = Machine::Virtual}).passed());
}

TEST(Run, StridesThatMakeItemsOverlapAreRefused) {
  Fusion f;
  const Expr stride = f.extent("S");
  const Tensor a = f.input("a", {f.constant(3), f.constant(5)}, DataType::Float, {"m", "n"});
  const Tensor y = f.output("y", a + 1);
  f.edit(y.id()).strides = {stride, f.constant(1)};
  const Schedule s(f);
  const Program p = lower(f, s);
  EXPECT_THAT(bad_input([&] {
                run(f, p, {.sizes = {{"S", 4}}});
              }),
              HasSubstr("error[E626]: y[0, 4] and y[1, 0] would lie at one address"));
  EXPECT_TRUE(run(f, p, {.sizes = {{"S", 5}}, .on = Machine::Virtual}).passed());
}

TEST(Run, AWrongKernelIsCaughtByEveryMachine) {
  Fusion f;
  const Expr n = f.constant(8);
  f.output("y", f.input("a", {n}, DataType::Float, {"n"}) + 1);
  const Schedule s(f);
  Program p = lower(f, s);
  Fusion g;
  g.output("y", g.input("a", {g.constant(8)}, DataType::Float, {"n"}) + 2);
  for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const RunResult r = run(g, p, {.on = machine});
    EXPECT_FALSE(r.passed());
    EXPECT_EQ(r.comparisons[0].mismatches, 8);
    EXPECT_THAT(r.comparisons[0].first, HasSubstr(", the unscheduled program has "));
  }
}

TEST(Run, OfWhatIsWrongTheWorstIsNamedAndNothingThatIsWithinTheTolerance) {
  // A row that is off by less than a last place, rows of 1 and of 2; then a row that overflows.
  const auto build = [](Fusion& f, bool is_wrong) {
    const Tensor x = f.input("x", {f.constant(4), f.constant(4)}, DataType::Float, {"i", "j"});
    const Tensor s = sum(x, {1});
    f.output("y", is_wrong ? s + sum(x * x, {1}) : s);
  };
  Fusion right, wrong;
  build(right, false);
  build(wrong, true);
  const Schedule schedule(wrong);
  const Program p = lower(wrong, schedule);
  Array x(DataType::Float, {4, 4});
  const auto fill = [&](std::int64_t row, double value) {
    for (std::int64_t j = 0; j < 4; ++j) x.set(row * 4 + j, value);
  };
  fill(0, 1.5e-7);
  const auto run_on = [&] { return run(right, p, {.inputs = {{"x", x}}, .on = Machine::Virtual}); };
  const auto differs = [](const RunResult& r) { return r.comparisons[0]; };
  EXPECT_EQ(differs(run_on()).failures, 0);
  EXPECT_THAT(differs(run_on()).first, HasSubstr("y[0] is 6.00000135e-07"));
  fill(1, 1);
  fill(2, 2);
  EXPECT_EQ(differs(run_on()).mismatches, 3);
  EXPECT_EQ(differs(run_on()).failures, 2);
  EXPECT_EQ(differs(run_on()).first, "y[2] is 24, the unscheduled program has 8");
  EXPECT_EQ(differs(run_on()).max_difference, 16);
  fill(3, 1e30);
  EXPECT_THAT(differs(run_on()).first, HasSubstr("y[3] is inf, the unscheduled program has 4"));
}

TEST(Run, ChecksOnTheVirtualDeviceFindAnAccessThatIsOutside) {
  BiasRelu c(DataType::Float);
  Program p = lower(c.f, c.tiled(32));
  RunRequest request{.sizes = {{"M", 2}, {"N", 3}}, .on = Machine::Virtual, .checks = true};
  EXPECT_TRUE(run(c.f, p, request).passed());
  for (Kernel& k : p.steps[0].variants) test::widen_guards(k.body);
  const RunResult wrong = run(c.f, p, request);
  EXPECT_FALSE(wrong.passed());
  ASSERT_EQ(wrong.faults.size(), 1U);
  EXPECT_THAT(wrong.faults[0], HasSubstr("kernel_y: error[E721]: thread (6, 0, 0) of block "
                                         "(0, 0, 0) reads 4 bytes past the end of argument 0"));
  request.checks = false;
  EXPECT_TRUE(run(c.f, p, request).faults.empty());
}

TEST(Run, EmulationFindsAccessesThatAreOutside) {
  BiasRelu c(DataType::Float);
  Program p = lower(c.f, c.tiled(32));
  for (Kernel& k : p.steps[0].variants) test::widen_guards(k.body);
  const RunRequest request{.sizes = {{"M", 2}, {"N", 3}}, .on = Machine::Emulate};
  const RunResult wrong = run(c.f, p, request);
  EXPECT_FALSE(wrong.passed());
  ASSERT_FALSE(wrong.faults.empty());
  EXPECT_THAT(wrong.faults[0], HasSubstr("y[6] is stored at a hole: "));
}

TEST(Run, ChecksOnTheVirtualDeviceFindAReadOfWhatNoKernelHasStored) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  const Tensor a = f.input("a", {m, n}, DataType::Float, {"m", "n"});
  const Tensor t = sigmoid(a * 2);
  f.output("y", transpose(t, {1, 0}) + 1);
  Schedule s(f);
  s.materialize(t.id());
  Program p = lower(f, s);
  const RunRequest request{.sizes = {{"M", 2}, {"N", 3}}, .on = Machine::Virtual, .checks = true};
  EXPECT_TRUE(run(f, p, request).passed());
  ASSERT_EQ(p.steps.size(), 2U);
  std::swap(p.steps[0], p.steps[1]);
  const RunResult wrong = run(f, p, request);
  EXPECT_FALSE(wrong.passed());
  ASSERT_EQ(wrong.faults.size(), 1U);
  EXPECT_THAT(wrong.faults[0], HasSubstr("kernel_y: error[E722]: thread (0, 0, 0) of block"));
}

TEST(Run, MachinesHaveNames) {
  for (const Machine m : {Machine::Emulate, Machine::Virtual, Machine::Gpu}) {
    EXPECT_EQ(parse_machine(to_string(m)), m);
  }
  EXPECT_EQ(parse_machine("cpu"), std::nullopt);
}

}  // namespace

}  // namespace selvage
