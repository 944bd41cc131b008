#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Parts of the report, each the text of a JSON value.
//
// `masks` of the format's section 6: one entry per region, in the order of the file. Beyond the
// format, an asynchronous one says `async`, and one whose threads depend on loops has `iterations`,
// each `at` values of these and with its mask.
std::string masks_json(const ThreadReport& report);
// The same for the guards of a kernel, whose texts they have under `when`; those that depend on
// sizes are dynamic.
std::string masks_json(const Kernel& kernel);
// Regions that run side by side, by their numbers in `masks`; null: it is not known whether they
// are disjoint, or complete.
std::string groups_json(const ThreadReport& report);
// By machine: by region, how often each thread has run it (`executed`; null: too many threads);
// regions that have not been compared with their masks, what differs, faults, times.
std::string runs_json(const ThreadReport& report);

}  // namespace selvage
