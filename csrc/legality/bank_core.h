#pragma once

#include <selvage/legality/warp_access.h>

#include <string>
#include <vector>

namespace selvage {

// What of an address decides about banks. All threads of a phase are at one value of the serial and
// block loops; what these add to every address alike, in whole units of `unit_elements` elements,
// moves all threads by as many banks and changes no degree. So such terms are left out, and a loop
// that is not left out is looked at up to its period: going that far on moves all threads alike.
struct BankCore {
  Expr address;                          // in elements; over loops alone
  std::vector<BlockWalk::Range> ranges;  // of the other loops in it
  std::string why_unknown = {};          // where it cannot be said: nothing else is set then
};
BankCore bank_core(const WarpAccess& access, const Facts& ranges, std::int64_t unit_elements);

// No thread variable occurs in it.
bool is_uniform(const WarpAccess& access, Expr e);

}  // namespace selvage
