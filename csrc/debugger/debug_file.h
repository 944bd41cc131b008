#pragma once

#include <selvage/debugger/session.h>
#include <selvage/report/run_file.h>

#include <ostream>
#include <string>

namespace selvage {

// Runs a file's kernels on the emulator under a debugger, which reads commands until they end: a
// kernel that the verifier has refused, too. Sizes without a value are made up. False: the file has
// no kernel to run, as its diagnostics say. Throws BadInput as run_file does.
bool debug_file(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                const Device& device, CommandSource& commands, std::ostream& out);

// Runs them the same way and writes what they do, a JSON object in each line:
//   {"kernel": "kernel_y", "grid": [3, 1, 1], "block": [128, 1, 1]}          a kernel begins
//   {"do": "store", "block": [0, 0, 0], "thread": [5, 0, 0], "line": 4, "memory": "y",
//    "address": 5, "item": [0, 5], "value": 1.5, "at": {"b": 0, "t": 5}}     or "load"
//   {"do": "meet", "block": [0, 0, 0], "line": 3, "threads": 128}
//   {"do": "fault", "block": [0, 0, 0], "thread": [5, 0, 0], "text": "..."}
// `line`: of the loops, as --loops prints them. A value that is no number is text: "nan". Throws
// BadInput E802 if `path` cannot be written.
bool trace_file(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                const std::string& path);

// Runs them the same way and draws what they do (debugger/frames.h): FOLDER/frame_001.svg and so
// on, and all of them one after the other, FOLDER/run.svg. Throws BadInput E802 as trace_file does.
bool draw_frames(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                 const std::string& folder);

}  // namespace selvage
