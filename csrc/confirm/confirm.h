#pragma once

#include <selvage/report/report.h>

namespace selvage {

// Asks Z3 about every obligation of a report and fills the confirmations of its tensors. A
// refutation is a fault of Selvage and becomes a diagnostic (E901). Also asks about each wanted
// rule; no answer about these is a fault. Throws BadInput E902 if this was built without Z3.
void confirm(Report& report);

}  // namespace selvage
