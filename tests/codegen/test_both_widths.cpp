// Kernels that differ in the width of their indices alone are written at once: each text is what it
// is by itself, to the letter.
#include <selvage/codegen/cuda.h>
#include <selvage/codegen/widths.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include "tests/codegen/random_fusion.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

void expect_each_by_itself(const Program& program) {
  for (const ProgramStep& step : program.steps) {
    const std::vector<CudaText> together = cuda(step.variants);
    ASSERT_EQ(together.size(), step.variants.size());
    for (std::size_t k = 0; k < together.size(); ++k) {
      const CudaText alone = cuda(step.variants[k]);
      ASSERT_EQ(together[k].text, alone.text);
      ASSERT_EQ(together[k].name, alone.name);
      ASSERT_EQ(together[k].parameter_types, alone.parameter_types);
      ASSERT_EQ(together[k].origins, alone.origins);
    }
  }
}

TEST(BothWidths, RandomFusionsAreWhatTheyAreByThemselves) {
  std::mt19937_64 rng(17);
  for (int k = 0; k < count(100, 2000); ++k) {
    expect_each_by_itself(test::RandomFusion(rng, true).lowered());
  }
}

// The name of one kernel is taken in its own text, and free in the other's.
TEST(BothWidths, ATensorMayHaveTheNameOfEitherKernel) {
  for (const char* name : {"kernel_y", "kernel_y_64", "kernel_y_2"}) {
    Fusion f;
    const Expr n = f.extent("N");
    const Tensor x = f.input(name, {n}, DataType::Float);
    f.output("y", x + 1.0);
    expect_each_by_itself(lower(Schedule(f)));
  }
}

// Three parameters, of which the last are as long as their type: one line for 32 bits alone.
TEST(BothWidths, AParameterListMayTakeOneLineAndTheOtherMany) {
  Fusion f;
  const auto [n, m] = f.extents("a_size_with_a_name", "another_one");
  f.output("y", f.input("x", {n, m}, DataType::Float) + 1.0);
  expect_each_by_itself(lower(Schedule(f)));
}

// What is computed with an index of 64 bits takes other lines than with one of 32.
TEST(BothWidths, ValuesMayGoByAnIndex) {
  Fusion f;
  const Expr n = f.extent("N");
  const Expr i = f.fresh_index("i");
  ValueGraph& values = f.values();
  const ValueId index = values.index(i * 3 + 1);
  ValueId sum = index;
  for (int k = 0; k < 12; ++k) sum = values.apply(Function::Mul, {sum, index});
  f.output("y", f.compute("sum", {i}, {n}, sum, DataType::Int32));
  expect_each_by_itself(lower(Schedule(f)));
}

TEST(BothWidths, WhereATextDiffersItHasEither) {
  const std::string text = either("int", "long long") + " i = " + either("0", "0") + ";";
  EXPECT_EQ(of_width(text, IndexType::Int32), "int i = 0;");
  EXPECT_EQ(of_width(text, IndexType::Int64), "long long i = 0;");
}

}  // namespace
}  // namespace selvage
