#pragma once

#include <selvage/simplifier/verdict.h>

#include <utility>
#include <vector>

namespace selvage {

// Whether this was built with Z3. Where it was not, every answer is Unknown.
bool has_z3();

// Z3, asked whether claims hold at all points that some assumptions allow. It shares no reasoning
// with the simplifier. A point gives every symbol an integer without bounds; one at which a divisor
// is 0 does not count.
//   Proved   Z3 finds that no point contradicts the claim
//   Refuted  at this point the claim fails: evaluated, not only as Z3 says
//   Unknown  neither within `steps`
// Loads and calls may be any functions. Xor is bitwise, of 64 bits, where no other arithmetic is
// asked about; elsewhere it is any function of which xor_hints are true.
class Solver {
 public:
  // Counted by Z3 (its rlimit), never by a clock: answers do not depend on the machine.
  static constexpr unsigned kSteps = 1'000'000;

  explicit Solver(std::vector<Expr> assumptions, unsigned steps = kSteps)
      : assumptions_(std::move(assumptions)), steps_(steps) {}

  Verdict confirm(Expr claim) const;

 private:
  std::vector<Expr> assumptions_;
  unsigned steps_;
};

}  // namespace selvage
