#pragma once

#include <selvage/kernel/print.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include "tests/support/lowered.h"

namespace selvage::test {

// What a schedule is lowered to: proved, each variant, and as without a schedule at all these
// sizes. Whether each barrier is needed is not looked at.
inline Program agreed(const Fusion& fusion, const Schedule& schedule, const SizeList& sizes) {
  Program program = lower(fusion, schedule);
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) {
      for (const KernelFinding& f : verify(kernel).findings) {
        ADD_FAILURE() << f.text << "\n" << loop_nest(kernel);
      }
    }
  }
  for (const auto& at : sizes) expect_agreement(fusion, program, {.sizes = at});
  return program;
}

}  // namespace selvage::test
