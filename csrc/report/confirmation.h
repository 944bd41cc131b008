#pragma once

#include <selvage/report/lines.h>
#include <selvage/simplifier/verdict.h>

#include <string>
#include <vector>

namespace selvage {

// Z3's answer about one claim that a report rests on (--prove).
struct Confirmation {
  enum class Of : std::uint8_t {
    Extent,   // an extent is that of its transform, for all sizes that the facts allow
    Index,    // an index is that of its transform, at every loop point
    Check,    // the checks that stay hold exactly where an index is in bounds
    Dropped,  // a check that is not needed follows from those that the report names
    Address,  // an item's address is that of its indices, at valid points
    Loop,     // a loop of the kernel runs through its whole extent
    Store,    // where the kernel stores, no index is out of bounds
    Access,   // an address, or an index as a value, in the kernel is that of the definition
  };
  Of of;
  std::string what;  // an iterdomain or a tensor
  Expr claim;        // the last one asked; invalid: there was nothing to ask
  Verdict verdict;
};

// "index"
std::string_view to_string(Confirmation::Of of);
// "the index of I1"
std::string subject(Confirmation::Of of, const std::string& what);
// "the index of I1: I3 * 2 + I4 == _t0"
std::string to_text(const Confirmation& confirmation);

// Prints the number of confirmed claims of each kind, and every claim that is not confirmed.
void print_confirmations(const std::string& tensor, const std::vector<Confirmation>& confirmations,
                         Lines& out);

}  // namespace selvage
