#pragma once

#include <selvage/report/report.h>

namespace selvage {

// Has Z3 confirm all that a report rests on: fills the confirmations of its tensors. A refutation
// is a fault of Selvage and becomes a diagnostic (E901). Asks it as well about each rule that is
// wanted: whatever it says of those is no fault. Throws BadInput E902 where this was built
// without Z3.
void confirm(Report& report);

}  // namespace selvage
