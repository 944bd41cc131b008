#pragma once

#include <selvage/simplifier/verdict.h>

#include <utility>
#include <vector>

namespace selvage {

// Whether this was built with Z3. If not, every answer is Unknown.
bool has_z3();

// Asks Z3 whether claims hold at all points that some assumptions allow. It shares no reasoning
// with the simplifier. A point gives every symbol an unbounded integer; points at which a divisor
// is 0 do not count.
//   Proved   Z3 finds that no point contradicts the claim
//   Refuted  at this point the claim fails, which is evaluated here, too
//   Unknown  neither within `steps`
// Loads and calls may be any functions. Xor is bitwise, of 64 bits, if a question has no other
// arithmetic; else it is any function for which xor_hints hold.
class Solver {
 public:
  // Z3's rlimit instead of a time limit, so that answers do not depend on the machine.
  static constexpr unsigned kSteps = 1'000'000;

  explicit Solver(std::vector<Expr> assumptions, unsigned steps = kSteps)
      : assumptions_(std::move(assumptions)), steps_(steps) {}

  Verdict confirm(Expr claim) const;

 private:
  std::vector<Expr> assumptions_;
  unsigned steps_;
};

}  // namespace selvage
