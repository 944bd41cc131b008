#pragma once

#include <selvage/lower/repeated.h>
#include <selvage/report/lines.h>
#include <selvage/report/report.h>

namespace selvage {

// The warning (E439) that a program repeats work: how often, by which loops, and what would end it.
// `schedule`: as the user made it.
Diagnostic warning_of(const Schedule& schedule, const Program& program, const RepeatedWork& work);

// The work that a fusion's schedule repeats, and what would end it; nothing where it repeats none.
void print_repeated(const FusionReport& fusion, Lines& out);

}  // namespace selvage
