#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// The report for other programs: one JSON object, format "schedule_inspect/1". Its size, and the
// time it takes, are linear in the number of iterdomains and transforms.
std::string to_json(const Report& report);

}  // namespace selvage
