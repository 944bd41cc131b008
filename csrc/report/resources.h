#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Compiles every kernel of the report for an architecture, "sm_80", or finds it in the caches, and
// notes its resources in the report. Throws Error: E713 if there is no NVRTC, E704 if NVRTC refuses
// a text.
void compile_report(const std::string& arch, Report& report);

// One line for each kernel.
void print_resources(const CompiledReport& compiled, Lines& out);

}  // namespace selvage
