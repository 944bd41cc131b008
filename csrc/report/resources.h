#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Has every kernel of the report compiled for an architecture, "sm_80", or finds it in the caches,
// and notes what each one uses. Throws Error: E713 where there is no NVRTC, E704 where it refuses.
void compile_report(const std::string& arch, Report& report);

// One line for each kernel.
void print_resources(const CompiledReport& compiled, Lines& out);

}  // namespace selvage
