#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// A check of a fusion's values (ir/value_check.h), and whether a kernel tests it: what is proved is
// not tested.
struct MadeCheck {
  ValueCheck check;
  bool is_tested = false;
};
// Empty: the fusion is not checked.
std::vector<MadeCheck> value_checks_of(const FusionReport& fusion);

void print_value_checks(const FusionReport& fusion, Lines& out);

}  // namespace selvage
