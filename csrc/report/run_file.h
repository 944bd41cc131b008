#pragma once

#include <selvage/report/report.h>

#include <map>
#include <optional>
#include <string>

namespace selvage {

// What --run and --check are given.
struct RunFileOptions {
  bool run = true;  // false: only what the file expects is checked
  // On emulation and the virtual device as well, there with every access checked where gcc is,
  // sizes that are open made up; and what the file expects.
  bool check = false;
  std::map<std::string, std::string> inputs = {}, outputs = {};  // .npy files, by tensor
  std::vector<std::string> prints = {};                          // tensors whose values are shown
  std::string save_inputs = {};  // a folder for NAME.npy; empty: none
  std::uint64_t seed = 1;
  std::optional<Machine> on = {};
  bool times = false;  // measure
};

// Runs what has been lowered, adds the results to the report and writes the files asked for. A
// tensor of section 1 is written as it lies in memory, items that no loop point visits and gaps as
// 0. Expectations that are not met become diagnostics.
// Throws BadInput as `run`, read_npy and write_npy do, and E625: no output has that name, or, of
// what is to be shown, no input either.
void run_file(const ScheduleFile& file, const RunFileOptions& options, Report& report);

}  // namespace selvage
