#pragma once

#include <selvage/kernel/verify_replay.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Runs that decide, for every value of a size, what the threads of a block do to one another in
// loops whose ends depend on it.
//
// Theorem 19 (doc/theory.md). Let the long loops of a kernel shift (kernel/verify_shifts.h), and
// let the run for some n come twice, at rounds r < r', to the same state (kernel/run_state.h), the
// second time some times `turns` iterations later, each thread in a long loop with iterations to
// come that do not depend on n, or in none for good; let objects have ended as many more phases as
// waits are for. If the runs of all values below n + `step`, as many times, are without faults, so
// are those of all others.
//   The run for n + step is the same up to r', as that does not depend on n, and goes on from there
//   as the run for n does from r on.
struct RecurringRuns {
  std::vector<Replay> runs;
  bool is_decided = false;  // for every value; else the run has a fault
};

// nullopt: this decides nothing. `work`: the most operations to take.
std::optional<RecurringRuns> recurring_runs(const AccessMap& map, std::int64_t work);

}  // namespace selvage
