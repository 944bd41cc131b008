#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// Parts of the report, each the text of a JSON value.
//
// `masks` of the format's section 6: one entry per region, in the order of the file. Beyond the
// format, an asynchronous region has `async`, and a region whose threads depend on loops has
// `iterations`, each with the loops' values `at` it and its mask.
std::string masks_json(const ThreadReport& report);
// The same for the guards of a kernel; `when` is the guard's text. A mask that depends on sizes is
// dynamic.
std::string masks_json(const Kernel& kernel);
// Groups of regions that run side by side, by their numbers in `masks`. null: it is not known
// whether they are disjoint, or complete.
std::string groups_json(const ThreadReport& report);
// By machine: by region, how many times each thread ran it (`executed`; null: too many threads);
// regions not compared with their masks, differences, faults, times.
std::string runs_json(const ThreadReport& report);

}  // namespace selvage
