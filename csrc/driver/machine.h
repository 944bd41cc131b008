#pragma once

#include <selvage/driver/layout.h>
#include <selvage/driver/run.h>
#include <selvage/runtime/bound_kernel.h>

namespace selvage {

// What a program's memory holds: one array per buffer, in order, laid out as the tensor asks;
// launches are bound to them by their numbers.
using ProgramMemory = std::vector<Array>;

struct Outcome {
  std::string device;
  RunTimes times;
  std::vector<std::string> faults;  // of emulation, or of checks
  // By program buffer, from emulation: how often each element was stored; empty if it never was.
  std::vector<std::vector<std::uint32_t>> visits;
};

// Throws BadInput E623: it is a GPU, and there is none.
void check_machine(Machine machine, Asker asker);

// Runs the launches one after the other on a memory whose inputs are filled in. `offsets`: bytes,
// by program buffer, by which its address on the virtual device misses RunRequest::kAlignment.
// `is_filled`: by program buffer, does it hold values already? Given, the virtual device checks
// every access, and a wrong one is a fault after which nothing is launched.
Outcome execute(Machine machine, const std::vector<BoundKernel>& launches, const SizeValues& sizes,
                ProgramMemory& memory, const std::vector<std::int64_t>& offsets,
                std::optional<std::vector<bool>> is_filled = {});

}  // namespace selvage
