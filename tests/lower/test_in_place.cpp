// Outputs that take the place of inputs.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/specialised.h>
#include <selvage/scheduler/automatic.h>

#include <gmock/gmock.h>

#include <array>
#include <random>

#include "tests/lower/random_whole_schedule.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using test::expect_agreement;
using test::expect_verified;
using testing::HasSubstr;

// Under an automatic schedule: proved, and equal to the unscheduled program at all sizes.
Program expect_in_place(const Fusion& f, const test::SizeList& sizes) {
  Program program = lower(f);
  expect_verified(program);
  for (const auto& at : sizes) expect_agreement(f, program, {.sizes = at});
  return program;
}

std::vector<std::string> kernels_of(const Program& program) {
  std::vector<std::string> names;
  for (const ProgramStep& step : program.steps) names.push_back(step.variants[0].name);
  return names;
}

TEST(InPlace, ASumTakesThePlaceOfItsOperand) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor y = f.input("y", {M, N}, DataType::Float);
  f.output_in_place("x_new", x + y, x);
  const Program program =
      expect_in_place(f, {{{"M", 1}, {"N", 1}}, {{"M", 37}, {"N", 1027}}, {{"M", 64}, {"N", 64}}});
  ASSERT_EQ(program.buffers.size(), 3U);
  EXPECT_EQ(program.buffers[2].in_place_of, std::optional<std::size_t>(0));
  // The compiler may not take the two pointers for different memory.
  const std::string text = cuda(program.steps[0].variants[0]).text;
  EXPECT_THAT(text, HasSubstr("const float* x, "));
  EXPECT_THAT(text, HasSubstr("const float* __restrict__ y, "));
  EXPECT_THAT(text, HasSubstr("float* x_new"));
  EXPECT_THAT(text, testing::Not(HasSubstr("__restrict__ x_new")));
}

// What a batch norm does in training: y from the statistics of the batch, and running statistics,
// each in its own memory.
TEST(InPlace, ABatchNormMovesItsRunningStatistics) {
  Fusion f;
  const auto [N, C, H, W] = f.extents("N", "C", "H", "W");
  const Tensor x = f.input("x", {N, C, H, W}, DataType::Float);
  const Tensor m = f.input("m", {C}, DataType::Float), v = f.input("v", {C}, DataType::Float);
  const Tensor batch_mean = mean(x, {0, 2, 3}), batch_variance = variance(x, {0, 2, 3});
  const auto by_channel = [&](Tensor t) { return unsqueeze(unsqueeze(t, 1), 2); };
  f.output("y", (x - by_channel(batch_mean)) * by_channel(rsqrt(batch_variance + 1e-5)));
  f.output_in_place("m2", m * 0.9 + batch_mean * 0.1, m);
  f.output_in_place("v2", v * 0.9 + batch_variance * 0.1, v);
  const Program program = lower(f);
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) EXPECT_TRUE(verify(kernel).is_legal());
  }
  for (const auto& [n, c, h, w] :
       {std::array{1, 1, 1, 2}, std::array{4, 5, 3, 7}, std::array{2, 33, 8, 8}}) {
    expect_agreement(f, program, {.sizes = {{"N", n}, {"C", c}, {"H", h}, {"W", w}}});
  }
}

TEST(InPlace, ABatchNormOfColumnsAndAStepOfAdam) {
  {
    Fusion f;
    const Expr N = f.extent("N");
    const Tensor x = f.input("x", {N, f.constant(64)}, DataType::Half);
    const Tensor m = f.input("m", {f.constant(64)}, DataType::Float);
    const Tensor batch_mean = mean(cast(x, DataType::Float), {0});
    f.output("y", cast(x, DataType::Float) - batch_mean, DataType::Half);
    f.output_in_place("m2", m * 0.9 + batch_mean * 0.1, m);
    expect_in_place(f, {{{"N", 1}}, {{"N", 100}}, {{"N", 513}}});
  }
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor g = f.input("g", {N}, DataType::Float), p = f.input("p", {N}, DataType::Half);
  const Tensor m = f.input("m", {N}, DataType::Float), v = f.input("v", {N}, DataType::Float);
  const Tensor m2 = f.output_in_place("m2", m * 0.9 + g * 0.1, m);
  const Tensor v2 = f.output_in_place("v2", v * 0.99 + g * g * 0.01, v);
  f.output_in_place("p2", cast(p, DataType::Float) - 0.01 * m2 / (sqrt(abs(v2)) + 1e-8), p);
  expect_in_place(f, {{{"N", 1}}, {{"N", 1000}}, {{"N", 4096}}});
}

TEST(InPlace, ASoftmaxReplacesItsRows) {
  for (const std::int64_t columns : {64, 1024, 0}) {
    Fusion f;
    const Expr M = f.extent("M"), N = columns != 0 ? f.constant(columns) : f.extent("N");
    const Tensor x = f.input("x", {M, N}, DataType::Float);
    const Tensor e = exp(x - max(x, {1}, keepdim));
    f.output_in_place("y", e / sum(e, {1}, keepdim), x);
    expect_in_place(f, columns != 0
                           ? test::SizeList{{{"M", 1}}, {{"M", 5}}}
                           : test::SizeList{{{"M", 3}, {"N", 7}}, {{"M", 2}, {"N", 5000}}});
  }
}

// Who reads the input comes first, whatever the order of the outputs.
TEST(InPlace, ReadersOfTheInputComeBeforeItIsReplaced) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  f.output_in_place("y", x + 1, x);
  f.output("z", x * 2);
  const Expr i = f.fresh_index("i");
  f.output("r", f.compute("", {i}, {N}, x(N - 1 - i)));
  const Program program = expect_in_place(f, {{{"N", 1}}, {{"N", 100}}, {{"N", 4097}}});
  EXPECT_THAT(kernels_of(program), testing::ElementsAre("kernel_r", "kernel_y"));
  // So without an automatic schedule, too.
  Schedule s(f);
  const Program serial = lower(s);
  expect_verified(serial);
  expect_agreement(f, serial, {.sizes = {{"N", 9}}});
}

// Each of two outputs replaces what the other's kernel reads: a fold may not join its reader then.
TEST(InPlace, KernelsAreCutSoThatAnOrderIsLeft) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float), c = f.input("c", {N}, DataType::Float);
  const Tensor t = x * 2 + c;
  f.output_in_place("y", t + 1, x);
  f.output_in_place("d", c * 0.9 + sum(t, {0}) * 0.1, c);
  expect_in_place(f, {{{"M", 1}, {"N", 1}}, {{"M", 60}, {"N", 200}}, {{"M", 700}, {"N", 33}}});
}

TEST(InPlace, WhatReadsOtherElementsIsRefused) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N, N}, DataType::Float);
  f.output_in_place("y", transpose(x, {1, 0}), x);
  const std::string said = illegal([&] { lower(f); });
  EXPECT_THAT(said, HasSubstr("selvage: error[E447]: y takes the place of x, which x_tile may "
                              "read behind the store of the same element, in one kernel: "));
  EXPECT_THAT(said, HasSubstr("help: give y memory of its own: leave in_place out, or say "
                              "output(\"y\", ...)"));

  Fusion g;
  const Tensor a = g.input("a", {g.constant(16)}, DataType::Float);
  const Expr i = g.fresh_index("i");
  g.output_in_place("b", g.compute("", {i}, {g.constant(16)}, a(15 - i)), a);
  EXPECT_EQ(
      illegal([&] { lower(Schedule(g)); }),
      "selvage: error[E447]: b takes the place of a, which b may read behind the store of the "
      "same element, in one kernel: it is not proved that a[15 - i] is read before b[i] is "
      "stored there; help: give b memory of its own: leave in_place out, or say "
      "output(\"b\", ...)");
}

TEST(InPlace, AKernelBehindTheStoreMayNotReadTheInput) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor y = f.output_in_place("y", x * 2, x);
  f.output("z", x + sum(y, {0, 1}));
  EXPECT_EQ(
      illegal([&] { lower(f); }),
      "selvage: error[E447]: y takes the place of x, which z reads in a kernel behind the one "
      "that stores y; help: give y memory of its own: leave in_place out, or say "
      "output(\"y\", ...)");
  // As an output of its own it may.
  Fusion g;
  const auto [P, Q] = g.extents("M", "N");
  const Tensor a = g.input("x", {P, Q}, DataType::Float);
  const Tensor b = g.output("y", a * 2);
  g.output("z", a + sum(b, {0, 1}));
  expect_in_place(g, {{{"M", 4}, {"N", 9}}});
}

TEST(InPlace, RefusesWhatDoesNotFitTheInput) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  const Tensor y = x + 1;
  EXPECT_EQ(bad_input([&] { f.output_in_place("y", y, y); }),
            "selvage: error[E517]: y cannot take the place of t0, which is no input; help: name an "
            "input of this fusion");
  EXPECT_EQ(
      bad_input([&] { f.output_in_place("y", unsqueeze(y, 0), x); }),
      "selvage: error[E501]: y cannot take the place of x: its shape is [1, N], and that of x "
      "is [N]; help: make the shapes agree, or make y an output of its own");
  f.output_in_place("y", y, x);
  EXPECT_EQ(bad_input([&] { f.output_in_place("z", x * 2, x); }),
            "selvage: error[E517]: z cannot take the place of x, which y does already; help: make "
            "one of the two an output of its own");
  for (const Tensor& t : {x, y}) {
    EXPECT_THAT(bad_input([&] { with_strides(t); }), HasSubstr("shares its memory with"));
  }
}

TEST(InPlace, SizesWithoutItemsReplaceNothing) {
  Fusion f;
  const Expr N = f.extent("N", 0), M = f.extent("M", 0);
  const Tensor x = f.input("x", {M, N}, DataType::Float), s = f.input("s", {N}, DataType::Float);
  f.output_in_place("s2", s * 0.5 + sum(x, {0}), s);
  expect_in_place(f, {{{"M", 0}, {"N", 5}}, {{"M", 3}, {"N", 0}}, {{"M", 3}, {"N", 40}}});
}

TEST(InPlace, StridedAndIntegerInputsAreReplacedWhereTheyLie) {
  Fusion f;
  const auto [M, N, P] = f.extents("M", "N", "P");
  f.assume(N <= P);
  const Tensor x = with_strides(f.input("x", {M, N}, DataType::Int32), {P, 1});
  f.output_in_place("y", x * 3 + 1, x);
  expect_in_place(f, {{{"M", 5}, {"N", 8}, {"P", 8}}, {{"M", 7}, {"N", 30}, {"P", 33}}});
}

// A chain of pointwise operations over inputs some of which are replaced.
TEST(InPlace, RandomPointwiseFusions) {
  int refused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&](int n) { return int(random() % unsigned(n)); };
    Fusion f;
    const auto [M, N] = f.extents("M", "N");
    std::vector<Tensor> inputs, values;
    for (int k = 0; k < 2 + upto(3); ++k) {
      const bool is_row = k > 0 && upto(4) == 0;
      inputs.push_back(f.input("x" + std::to_string(k),
                               is_row ? std::vector<Expr>{N} : std::vector<Expr>{M, N},
                               upto(3) == 0 ? DataType::Half : DataType::Float));
    }
    values = inputs;
    for (int k = 0; k < 3 + upto(5); ++k) {
      const Tensor a = values[std::size_t(upto(int(values.size())))];
      const Tensor b = values[std::size_t(upto(int(values.size())))];
      values.push_back(upto(3) == 0 ? a * b : upto(2) == 0 ? a + b : relu(a) - b);
    }
    int outputs = 0;
    for (std::size_t k = values.size(); k-- > inputs.size() && outputs < 3;) {
      const std::string name = "y" + std::to_string(outputs);
      const auto at = std::size_t(upto(int(inputs.size())));
      const bool fits = inputs[at].rank() == values[k].rank() && !f.replacement(inputs[at].id());
      ++outputs;
      if (fits) f.output_in_place(name, values[k], inputs[at]);
      if (!fits) f.output(name, values[k]);
    }
    SCOPED_TRACE(seed);
    // Two outputs may each need what the other replaces: then nothing runs.
    std::optional<Program> program;
    if (const auto refusal = illegal([&] { program = lower(f); }); !program) {
      EXPECT_THAT(refusal, HasSubstr("E447"));
      ++refused;
      continue;
    }
    expect_verified(*program);
    for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 67), std::pair(16, 64)}) {
      expect_agreement(f, *program, {.sizes = {{"M", m}, {"N", n}}});
    }
    if (HasFailure()) break;
  }
  EXPECT_LT(refused, 20);  // half of them
}

// Whatever a schedule does, what is lowered is right, and nothing else is in the way than an
// element that might be read behind its store.
TEST(InPlace, RandomSchedules) {
  std::map<std::string, int> outcomes;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    std::mt19937_64 rng(seed);
    Fusion f;
    const Expr M = f.constant(6), N = f.constant(20);
    const Tensor x = f.input("x", {M, N}, DataType::Float);
    const Tensor c = f.input("c", {N}, DataType::Float);
    const Tensor t = x * 2 + c, s = sum(t, {0});
    if (seed % 3 == 0) f.output_in_place("y", t + 1, x);
    if (seed % 3 == 1) f.output_in_place("y", t / (1 + abs(sum(t, {1}, keepdim))), x);
    if (seed % 3 == 2) f.output("y", t - s);
    f.output_in_place("d", c * 0.9 + s * 0.1, c);
    Schedule schedule(f);
    SCOPED_TRACE(seed);
    for (int k = 0; k < 8; ++k) {
      Schedule tried = schedule;
      std::string name;
      if (illegal([&] { test::take_step(tried, rng, name); }) == "accepted") schedule = tried;
    }
    std::optional<Program> program;
    const std::string said = illegal([&] { program = lower(schedule); });
    ++outcomes[program ? "lowered" : said.substr(0, 20)];
    if (!program) continue;
    for (const ProgramStep& step : program->steps) {
      for (const Kernel& kernel : step.variants) {
        const Verification v = verify(kernel);
        EXPECT_TRUE(v.is_legal()) << (v.findings.empty() ? "" : v.findings[0].text);
      }
    }
    expect_agreement(f, *program, {});
    if (HasFailure()) break;
  }
  EXPECT_GT(outcomes["lowered"], 30);
  for (const auto& [what, count] : outcomes) printf("[FIGURE] %s: %d\n", what.c_str(), count);
}

}  // namespace
}  // namespace selvage
