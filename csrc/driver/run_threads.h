#pragma once

#include <selvage/base/array.h>
#include <selvage/driver/run.h>
#include <selvage/threads/lower_threads.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

struct ThreadRunRequest {
  std::map<std::string, std::int64_t> symbols = {};
  std::map<std::string, Array> inputs = {};  // global arrays; a missing one is 0 everywhere
  std::optional<Machine> on = {};            // if absent: default_machine()
  bool times = false;                        // measure ThreadRun::times
  bool checks = false;                       // as RunRequest::checks
  Asker asker = Asker::Program;
  EmulationOptions emulation = {};  // of Machine::Emulate
  // Runs a kernel that the verifier has refused, and counts no regions.
  bool runs_refused = false;
};

struct ThreadRun {
  Machine machine = Machine::Virtual;
  std::string device;  // the GPU's name; empty elsewhere
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, Array> inputs, outputs;  // all global arrays before, written ones after
  // By region and thread, numbered as masks number them: how many times the thread ran the region;
  // empty if there are too many threads to count.
  std::vector<std::vector<std::int64_t>> executed;
  std::vector<std::string> faults;  // wrong accesses that emulation and checks find
  // Sentences about regions whose `executed` differs from what their masks say at these symbols
  // (region_counts(); upper bounds where a loop around may be left).
  std::vector<std::string> differences;
  std::map<std::size_t, std::string> not_compared;  // by region: why these counts are not known
  std::optional<RunTimes> times = {};

  bool passed() const { return faults.empty() && differences.empty(); }
};

// Runs a program, one device after the other, and counts how many times threads run regions. Throws
// BadInput: E611 an array that the program does not have, E612 or E613 one of another shape or
// type, E614 a symbol without a value, E615 a value that its range rules out, E617 more work than
// a day allows, E601, E623 as run() does; Illegal: what is wrong with the program.
ThreadRun run_threads(const ThreadProgram& program, const ThreadRunRequest& request);

// The differences between two runs of one program: one sentence for each array and region.
std::vector<std::string> differences(const ThreadRun& a, const ThreadRun& b);

}  // namespace selvage
