#pragma once

#include <selvage/report/report.h>

#include <map>
#include <optional>
#include <string>

namespace selvage {

// The options of --run and --check.
struct RunFileOptions {
  bool run = true;  // false: only the file's expectations are checked
  // Runs on emulation and the virtual device as well, on the latter with every access checked if
  // gcc is there; makes up sizes without a value; and checks the file's expectations.
  bool check = false;
  std::map<std::string, std::string> inputs = {}, outputs = {};  // .npy files, by tensor
  std::vector<std::string> prints = {};                          // tensors whose values are shown
  std::string save_inputs = {};  // a folder for NAME.npy; empty: none
  std::uint64_t seed = 1;
  std::optional<Machine> on = {};
  bool times = false;  // measure
};

// The runs that the options ask for, of a fusion and of a thread program. Throw BadInput as
// read_npy and the functions that make up sizes do.
RunRequest request_for(const ScheduleFile& file, const RunFileOptions& options,
                       const FusionReport& subject);
ThreadRunRequest request_for(const ScheduleFile& file, const RunFileOptions& options,
                             const ThreadReport& threads);

// Throws BadInput E611 or E625 if no input or output of the report has a name that the options
// give.
void check_run_names(const RunFileOptions& options, const Report& report);

// Counts how the nests of the report's fusions share the items of rows among threads, by the
// offsets that the options give, or that are made up. Throws BadInput as `run` does, and E801 where
// inputs are given and no nest is over items of rows: nothing would read them.
void add_loads(const ScheduleFile& file, const RunFileOptions& options, Report& report);

// Runs the lowered programs, adds the results to the report and writes the requested files. A
// tensor of section 1 is written as it lies in memory, with 0 for gaps and for items that no loop
// point visits. Expectations that are not met become diagnostics.
// Throws BadInput as `run`, read_npy and write_npy do, and E625 if no output has a requested name
// (for `prints`: no output and no input).
void run_file(const ScheduleFile& file, const RunFileOptions& options, Report& report);

}  // namespace selvage
