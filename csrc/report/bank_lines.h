#pragma once

#include <selvage/legality/bank_conflicts.h>
#include <selvage/report/lines.h>

namespace selvage {

// How stores and loads of a shared tensor meet the banks, which threads collide, and the layouts
// that would free it of conflicts.
void print_banks(const BankConflicts& banks, Lines& out);

}  // namespace selvage
