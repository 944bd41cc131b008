#pragma once

#include <selvage/kernel/kernel.h>

#include <vector>

namespace selvage {

// The divisions of floats that an unrolled loop makes by a divisor that is the same in every
// iteration, as those of a softmax by the sum of the row:
//   for lane in 8: y[lane] = e[lane] / s
// They are written with one reciprocal, and have the bits of a division all the same
// (doc/theory.md, "Division by what a loop shares"): a test after the loop finds the rare operands
// for which that does not hold, and then the whole loop is run again with plain divisions.
struct SharedQuotients {
  std::vector<ValueId> divisions;  // each once
  std::vector<ValueId> divisors;   // each once

  bool empty() const { return divisions.empty(); }
};

// Those of a loop that may be run twice, with loops in it, as it only stores, and reads nothing
// that an earlier iteration has stored. Empty where the loop is too short to gain anything.
SharedQuotients shared_quotients(const Kernel& kernel, const Loop& loop);

}  // namespace selvage
