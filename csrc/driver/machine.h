#pragma once

#include <selvage/driver/layout.h>
#include <selvage/driver/run.h>
#include <selvage/runtime/bound_kernel.h>

namespace selvage {

// A program's memory: one array per buffer, in order, with the tensor's layout. Launches are bound
// to the arrays by their numbers.
using ProgramMemory = std::vector<Array>;

struct Outcome {
  std::string device;
  RunTimes times;
  std::vector<std::string> faults;  // of emulation, or of checks
  // From emulation, by program buffer: the number of stores to each element; empty if no kernel
  // stores to the buffer.
  std::vector<std::vector<std::uint32_t>> visits;
};

// Throws BadInput E623 if the machine is a GPU, and there is none.
void check_machine(Machine machine, Asker asker);

// Runs the launches one after the other on a memory whose inputs are filled in. `offsets`: by
// program buffer, its address on the virtual device modulo RunRequest::kAlignment, in bytes.
// `is_filled`: if present, the virtual device checks every access, and nothing is launched after a
// wrong one, which is a fault; by program buffer, whether it holds values already.
Outcome execute(Machine machine, const std::vector<BoundKernel>& launches, const SizeValues& sizes,
                ProgramMemory& memory, const std::vector<std::int64_t>& offsets,
                std::optional<std::vector<bool>> is_filled = {},
                const EmulationOptions& emulation = {});

}  // namespace selvage
