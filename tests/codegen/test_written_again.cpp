// A fusion that was written as a file and read again is the same kernels, to the letter.
#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_writer.h>

#include <gtest/gtest.h>

#include "tests/codegen/random_fusion.h"
#include "tests/frontend/schedule_files.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

std::string kernels(const Program& program) {
  std::string text;
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) text += cuda(kernel).text;
  }
  return text;
}

TEST(WrittenAgain, AFusionIsTheSameKernels) {
  std::mt19937_64 rng(8);
  for (int k = 0; k < count(100, 2000); ++k) {
    const test::RandomFusion random(rng, k % 2 == 1);
    const std::string text = to_schedule_file(*random.fusion, *random.schedule);
    SCOPED_TRACE(text);
    const ScheduleFile file = schedule_files::read(text);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    EXPECT_EQ(to_schedule_file(*file.fusion, *file.schedule), text);
    ASSERT_EQ(kernels(lower(*file.fusion, *file.schedule)), kernels(random.lowered()));
  }
}

}  // namespace
}  // namespace selvage
