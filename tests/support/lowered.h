#pragma once

#include <selvage/driver/run.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/barriers.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/counts.h"

namespace selvage::test {

// Checks what lowering makes of a schedule by everything that judges it.

// Removes the k-th barrier, in the order of the text.
inline bool remove_barrier(Body& body, std::size_t& k) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (std::holds_alternative<Barrier>(body[i].node) && k-- == 0) {
      body.erase(body.begin() + std::ptrdiff_t(i));
      return true;
    }
    for (Body* inner : bodies(body[i])) {
      if (remove_barrier(*inner, k)) return true;
    }
  }
  return false;
}

// Expects every kernel to be free of races, divergence and bad addresses, with proof, and to read
// nothing unwritten; and to race without any one of its barriers. With `bounds_may_be_open`, an
// address that is not proved to lie inside is left to emulation.
inline void expect_verified(const Program& program, bool bounds_may_be_open = false) {
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) {
      const Verification v = verify(kernel);
      for (const KernelFinding& f : v.findings) {
        // Reads of unwritten elements that are not refuted by proof are left to emulation.
        const bool may_be_open =
            f.hazard == Hazard::Lifetime || (f.hazard == Hazard::Bounds && bounds_may_be_open);
        if (may_be_open && !is_refuted(f.verdict)) continue;
        ADD_FAILURE() << kernel.name << ": " << to_string(f.hazard) << ": " << f.text << "\n"
                      << loop_nest(kernel);
      }
      for (std::size_t k = 0; is_sample_large() && k < barriers_in(kernel.body); ++k) {
        Kernel without = kernel;
        std::size_t at = k;
        ASSERT_TRUE(remove_barrier(without.body, at));
        EXPECT_TRUE(is_refuted(verify(without).of(Hazard::Race)))
            << "barrier " << k << " of " << kernel.name << " is not needed:\n"
            << loop_nest(kernel);
      }
    }
  }
}

using SizeList = std::vector<std::map<std::string, std::int64_t>>;

// Expects emulation (without a fault) and the virtual device to agree with the unscheduled program.
inline void expect_agreement(const Fusion& fusion, const Program& program, RunRequest request) {
  request.on = Machine::Emulate;
  request.on_all = true;
  const RunResult r = run(fusion, program, request);
  std::string where;
  for (const auto& [name, value] : request.sizes)
    where += name + " = " + std::to_string(value) + " ";
  for (const std::string& fault : r.faults) ADD_FAILURE() << where << fault;
  for (const Comparison& c : r.comparisons) {
    EXPECT_EQ(c.failures, 0) << where << to_string(c.machine) << ": " << c.first;
  }
  EXPECT_EQ(r.comparisons.size() % 2, 0u);
}

// Lowers the schedule, and expects the same at all these sizes.
inline Program expect_agreement(const Fusion& fusion, const Schedule& schedule,
                                const SizeList& sizes = {{}}) {
  Program program = lower(fusion, schedule);
  expect_verified(program);
  for (const auto& at : some_of(sizes)) {
    expect_agreement(fusion, program, {.sizes = at});
    if (testing::Test::HasFailure()) break;
  }
  return program;
}

}  // namespace selvage::test
