#pragma once

#include <selvage/report/lines.h>
#include <selvage/simplifier/verdict.h>

#include <string>
#include <vector>

namespace selvage {

// What Z3 said of one claim that a report rests on (--prove).
struct Confirmation {
  enum class Of : std::uint8_t {
    Extent,   // an extent is what the transform says of it, for all sizes that the facts allow
    Index,    // an index is what the transform says of it, at every loop point
    Check,    // the checks that stay keep an index in bounds, and nothing out that is
    Dropped,  // a check that is not needed follows from what it is said to follow from
    Address,  // an item's address is what its indices say, at valid points
    Loop,     // a loop of the kernel runs through its whole extent
    Store,    // where the kernel stores, no index is out of bounds
    Access,   // an address, or an index as a value, in the kernel is what the definition says
  };
  Of of;
  std::string what;  // an iterdomain or a tensor
  Expr claim;        // that was asked last; invalid: there was nothing to ask
  Verdict verdict;
};

// "index"
std::string_view to_string(Confirmation::Of of);
// "the index of I1"
std::string subject(Confirmation::Of of, const std::string& what);
// "the index of I1: I3 * 2 + I4 == _t0"
std::string to_text(const Confirmation& confirmation);

// How many are confirmed of each kind, and every one that is not.
void print_confirmations(const std::string& tensor, const std::vector<Confirmation>& confirmations,
                         Lines& out);

}  // namespace selvage
