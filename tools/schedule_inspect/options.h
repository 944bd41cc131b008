#pragma once

#include <selvage/report/page.h>
#include <selvage/report/run_file.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace selvage {

// The command line of schedule_inspect.
struct Options {
  enum class Task : std::uint8_t { Inspect, Simplify, Rules, Schema, Help, Version };

  Task task = Task::Inspect;
  std::string file;
  bool json = false;
  bool dot = false;
  std::string svg;               // the file to draw into; "-": standard output; empty: none
  std::string arch;              // to compile for; empty: none
  std::optional<Device> device;  // that schedules are made for; absent: default_device()
  bool is_gpu = false;  // that device is the GPU of this machine, on which plans can be timed
  bool tune = false;    // try plans of what is scheduled automatically
  PlanChoices plans;    // what is decided of them, by tensor
  PageOptions page;
  std::map<std::string, std::int64_t> sizes;
  bool run = false;  // --run, --check or --print
  // Whether the items of rows are counted, and nothing is run.
  bool only_loads() const {
    return !run && !is_watched() && (page.load || !running.inputs.empty());
  }
  bool prove = false;  // has Z3 confirm what is printed
  bool trust = false;  // accepts kernels that are neither proved nor refuted
  std::string trace;   // the file to write what a run does to; empty: none
  std::string frames;  // the folder to draw what a run does into; empty: none
  bool debug = false;  // runs under a debugger
  RunFileOptions running;
  // Whether the emulator runs the kernels, and somebody looks on.
  bool is_watched() const { return debug || !trace.empty() || !frames.empty(); }
  // Whether kernels check themselves (ir/value_check.h).
  bool checks() const { return running.check || is_watched(); }
  std::string help;  // the text, for Task::Help
};

// Throws BadInput E801 for a command line that makes no sense.
Options parse_options(int argc, const char* const* argv);

// Throws BadInput E801 if an option has no meaning for a thread program.
void refuse_for_threads(const Options& options);
// Throws BadInput E801: --plan for a tensor that is in no kernel that was scheduled automatically.
void check_plans(const Options& options, const ScheduleFile& file);
// Throws BadInput E801: --tune where the file leaves nothing to be scheduled.
[[noreturn]] void refuse_to_tune(const Options& options);

}  // namespace selvage
