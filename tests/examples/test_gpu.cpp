// The examples on a GPU, where there is one, beside emulation, the virtual device and the
// unscheduled program.
#include <selvage/driver/run.h>

#include <gtest/gtest.h>

#include "examples/cpp/examples.h"
#include "tests/support/gpu.h"

namespace selvage {
namespace {

class GpuExamples : public testing::TestWithParam<Example> {};

TEST_P(GpuExamples, EqualTheEmulatorsAtOddSizes) {
  if (const std::string why = test::why_no_gpu(); !why.empty()) GTEST_SKIP() << why;
  const Example& e = GetParam();
  const Program program = lower(*e.fusion, e.schedule);
  for (const std::int64_t rows : {1, 3, 33}) {
    for (const std::int64_t items : {1, 2, 31, 33, 127, 1023, 1027}) {
      RunRequest request{.on = Machine::Gpu, .on_all = true};
      for (const std::string& size : e.sizes) request.sizes[size] = size == "B" ? rows : items;
      EXPECT_EQ(test::wrong(run(*e.fusion, program, request)), "") << rows << " x " << items;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuExamples, testing::ValuesIn(examples()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace selvage
