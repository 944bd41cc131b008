#pragma once

#include <selvage/legality/warp_access.h>

#include <string>
#include <vector>

namespace selvage {

// The part of an address that decides about banks. All threads of a phase have the same values of
// the serial and block loops. A term that adds the same number of elements, a multiple of
// `unit_elements`, to the address of every thread moves all threads by as many banks and changes no
// degree, so it is dropped. A loop that remains is looked at up to its period: going that far moves
// all threads alike.
struct BankCore {
  Expr address;                          // in elements; over loops alone
  std::vector<BlockWalk::Range> ranges;  // of the loops in it but threads
  std::string why_unknown = {};          // if not empty, nothing else is set
};
BankCore bank_core(const WarpAccess& access, const Facts& ranges, std::int64_t unit_elements);

// Whether no thread variable occurs in e.
bool is_uniform(const WarpAccess& access, Expr e);

}  // namespace selvage
