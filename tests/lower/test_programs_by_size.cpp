// Automatic schedules of fusions whose sizes are open: one for each class of sizes.
#include <selvage/expr/text.h>
#include <selvage/ir/composites.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/runtime/executable.h>

#include <gtest/gtest.h>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;

struct OpenRows {
  explicit OpenRows(DataType type = DataType::Float) {
    const Tensor x = f.input("x", {m, n}, type);
    f.output("y", softmax(x, 1), type);
  }
  Fusion f;
  Expr m = f.extent("M"), n = f.extent("N", 0);
};

std::vector<std::string> conditions(const Fusion& f,
                                    const std::map<std::string, std::int64_t>& named = {}) {
  std::vector<std::string> texts;
  for (const SizeClass& of : size_classes(f, named)) texts.push_back(to_string(of.condition));
  return texts;
}

TEST(SizeClasses, AreThoseOfTheRowsThatAreFolded) {
  const OpenRows rows;
  EXPECT_EQ(conditions(rows.f), (std::vector<std::string>{"N <= 256", "N <= 2048", "N <= 16384"}));
  // Rows whose length is named are in one class with those up to the next power of two.
  EXPECT_EQ(conditions(rows.f, {{"N", 1000}}), (std::vector<std::string>{"N <= 1024"}));
  EXPECT_TRUE(conditions(rows.f, {{"N", 20'000}}).empty());
  EXPECT_EQ(conditions(rows.f, {{"M", 5}}).size(), 3u);
}

TEST(SizeClasses, LeaveOutWhatFactsRuleOut) {
  for (const auto& [lo, hi, expected] :
       {std::tuple(1, 100'000, 3u), {1, 2000, 1u}, {1000, 100'000, 0u}, {200, 300, 1u}}) {
    Fusion f;
    const auto [m, n] = f.extents("M", "N");
    f.assume(n >= lo);
    f.assume(n <= hi);
    f.output("y", sum(f.input("x", {m, n}, DataType::Float), {1}));
    EXPECT_EQ(size_classes(f).size(), expected) << lo << ".." << hi;
  }
}

TEST(SizeClasses, AreNoneWhereNoSizeIsFolded) {
  Fusion f;
  const auto [m, n] = f.extents("M", "N");
  const Tensor x = f.input("x", {m, n, f.constant(64)}, DataType::Float);
  f.output("y", x + 1.0f);
  f.output("s", sum(x, {2}));
  EXPECT_TRUE(size_classes(f).empty());
  EXPECT_EQ(lower(f).by_size, nullptr);
}

TEST(ProgramsBySize, KeepRowsUpToTheLongest) {
  const OpenRows rows;
  const Program program = lower(rows.f);
  ASSERT_NE(program.by_size, nullptr);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto sized = program.by_size->of_class(k);
    ASSERT_NE(sized, nullptr);
    ASSERT_EQ(sized->made.kernels.size(), 1u);
    EXPECT_TRUE(sized->made.kernels[0].taken.plan.kept) << k;
    EXPECT_EQ(sized->program.steps.size(), 1u);
    EXPECT_EQ(program.by_size->of_class(k), sized) << "it is made once";
  }
  const auto of = [&](std::int64_t n) {
    SizeValues sizes;
    sizes.add(rows.m, 3);
    sizes.add(rows.n, n);
    return program.by_size->of_sizes(sizes).get();
  };
  EXPECT_EQ(of(256), &program.by_size->of_class(0)->program);
  EXPECT_EQ(of(257), &program.by_size->of_class(1)->program);
  EXPECT_EQ(of(16'384), &program.by_size->of_class(2)->program);
  EXPECT_EQ(of(16'385), nullptr);
}

TEST(ProgramsBySize, AgreeWithTheReferenceOnBothSidesOfEachBound) {
  for (const DataType type : {DataType::Float, DataType::Half}) {
    const OpenRows rows(type);
    const Program program = lower(rows.f);
    for (std::size_t k = 0; k < 3; ++k) {
      for (const ProgramStep& step : program.by_size->of_class(k)->program.steps) {
        for (const Kernel& kernel : step.variants) EXPECT_TRUE(verify(kernel).findings.empty());
      }
    }
    for (const std::int64_t n :
         {0, 1, 31, 255, 256, 257, 1031, 2048, 2049, 16'383, 16'384, 16'385}) {
      test::expect_agreement(rows.f, program, {.sizes = {{"M", n > 3000 ? 1 : 3}, {"N", n}}});
    }
  }
}

TEST(ProgramsBySize, AreCalledThroughOneExecutable) {
  const OpenRows rows;
  const Executable executable = compile(rows.f, {.target = Target::Virtual});
  for (const std::int64_t n : {0, 5, 300, 5000, 20'000, 5}) {
    const Array x = made_up_input("x", DataType::Float, {2, n}, 1);
    Array y(DataType::Float, {2, n}), expected = y;
    executable({{x}, {y}});
    Executable(compile(lower(Schedule(rows.f)), {.target = Target::Virtual}))({{x}, {expected}});
    for (std::int64_t k = 0; k < y.size(); ++k) {
      ASSERT_NEAR(y.get(k), expected.get(k), 1e-6) << n << " at " << k;
    }
  }
}

// Rows along one or two open axes, folded up to three times.
TEST(ProgramsBySize, OfRandomRowsAgreeWithTheReference) {
  std::mt19937_64 rng(11);
  int kept = 0, classes = 0;
  const int n = count(12, 400);
  for (int i = 0; i < n; ++i) {
    Fusion f;
    std::vector<Expr> shape = {f.extent("M"), f.extent("N")};
    if (chance(rng, 2)) shape.insert(shape.begin() + draw(rng, 0, 2), f.constant(draw(rng, 1, 5)));
    const DataType type = chance(rng, 2) ? DataType::Half : DataType::Float;
    const int last = int(shape.size()) - 1;
    const Axes axes = chance(rng, 4) ? Axes{0} : chance(rng, 4) ? Axes{last - 1, last} : Axes{last};
    Tensor y = f.input("x", shape, type);
    for (std::int64_t k = draw(rng, 1, 3); k > 0; --k) {
      constexpr Reduction kFolds[] = {Reduction::Max, Reduction::Mean, Reduction::Variance};
      const Tensor row = reduce(kFolds[draw(rng, 0, 2)], y, axes, keepdim, 0);
      y = chance(rng, 2) ? y - row : y * rsqrt(row * row + 1.0f);
    }
    f.output("y", y, type);
    const Program program = lower(f);
    const std::size_t own = program.by_size == nullptr ? 0 : program.by_size->classes().size();
    for (std::size_t k = 0; k < own; ++k) {
      const auto sized = program.by_size->of_class(k);
      ASSERT_NE(sized, nullptr) << "case " << i;
      ++classes;
      for (const AutomaticKernel& kernel : sized->made.kernels) {
        kept += kernel.taken.plan.kept.has_value();
      }
    }
    for (const std::int64_t length : {1, 13, 256, 257, 700}) {
      std::map<std::string, std::int64_t> sizes = {{"M", length}, {"N", 3}};
      if (chance(rng, 2)) std::swap(sizes["M"], sizes["N"]);
      test::expect_agreement(f, program, {.sizes = sizes});
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(classes, more_than(20));
  EXPECT_GT(kept, more_than(20));
}

}  // namespace
}  // namespace selvage
