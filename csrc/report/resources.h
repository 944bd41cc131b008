#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Has NVRTC compile every kernel of the report for an architecture, "sm_80", and notes what each
// one uses. Throws BadInput E623 where there is no NVRTC, Error E704 where it refuses.
void compile_report(const std::string& arch, Report& report);

// One line for each kernel.
void print_resources(const FusionReport& fusion, Lines& out);

}  // namespace selvage
