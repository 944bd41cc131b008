// The engine on one case: what it says, and what it does.
#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/threads/lower_threads.h>

#include "tests/threads/thread_run.h"

#include <functional>

namespace selvage::thread_oracle {

struct EngineCase {
  ScheduleFile file;
  LoweredThreads lowered;    // with counts
  std::string refusal;       // the codes of its errors; empty: accepted
  bool is_unproved = false;  // one of them only says that something is not proved
  std::string failure;       // what should never be thrown
};
EngineCase engine_case(const std::string& yaml);

enum class Place { Emulated, VirtualDevice };
// What it leaves in the arrays, local and shared ones empty, and who ran what; `faults` of
// emulation.
Outcome run_engine(const EngineCase& engine, const ThreadCase& program, const Numbering& numbering,
                   const std::vector<std::int64_t>& symbol_values, Place where, std::uint64_t seed,
                   std::string& faults);

std::size_t barrier_count(const Kernel& kernel);
Kernel without_barrier(Kernel kernel, std::size_t number);

}  // namespace selvage::thread_oracle
