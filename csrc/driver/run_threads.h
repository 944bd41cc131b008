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
  std::map<std::string, Array> inputs = {};  // global arrays; what is missing is 0 everywhere
  std::optional<Machine> on = {};            // default_machine() if not said
  bool times = false;                        // measure
  bool checks = false;                       // every access on the virtual device (RunRequest)
  Asker asker = Asker::Program;
};

struct ThreadRun {
  Machine machine = Machine::Virtual;
  std::string device;  // the GPU's name; empty elsewhere
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, Array> inputs, outputs;  // global arrays before, those written after
  // By region: how often each thread has run it, numbered as masks number them; empty where there
  // are more threads than are counted.
  std::vector<std::vector<std::int64_t>> executed;
  std::vector<std::string> faults;  // what emulation has found
  // Regions whose counts are not those of their masks at these symbols: of all iterations of loops
  // around, or no more than these where such a loop may be left.
  std::vector<std::string> differences;
  std::map<std::size_t, std::string> not_compared;  // of what regions these are not known, and why
  std::optional<RunTimes> times = {};

  bool passed() const { return faults.empty() && differences.empty(); }
};

// Runs a program, one device after the other, and counts who runs what. Throws BadInput: E611 an
// array that the program has not, E612 or E613 one of another type or shape, E614 a symbol without
// a value, E615 one that its range rules out, E617 more work than a day is for, E601, E623 as run()
// does; Illegal: what is wrong with the program.
ThreadRun run_threads(const ThreadProgram& program, const ThreadRunRequest& request);

// What differs between two runs of one program: empty, or one sentence for each array and region.
std::vector<std::string> differences(const ThreadRun& a, const ThreadRun& b);

}  // namespace selvage
