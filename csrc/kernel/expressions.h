#pragma once

#include <selvage/kernel/kernel.h>

#include <unordered_map>
#include <utility>
#include <vector>

namespace selvage {

// Whether some Leave ends the loop, and whether some goes on with its next iteration.
struct LoopExits {
  bool ends = false, goes_on = false;
};
LoopExits exits_of(const Loop& loop);
// The same for those Leaves that stand in an inner loop that iterates.
LoopExits exits_from_inside(const Loop& loop);
// Whether any Leave names the loop.
bool is_left(const Loop& loop);
// Whether a serial loop runs once and no Leave names it: its text needs no loop.
bool runs_once(const Loop& loop);
// Whether the body may run more than once; never for a loop bound to a block or thread index.
bool iterates(const Loop& loop);
// Whether a thread computes the expressions of a statement: an index of the hardware has no ends
// that are computed, and who is elected no condition.
bool computes_its_expressions(const Statement& s);

// The index expressions that the text of a kernel computes.
struct ComputedExpressions {
  std::vector<Expr> all;                           // in the order of the text
  std::vector<std::pair<Expr, Expr>> definitions;  // variables and their values, outer ones first
  // By id of a variable: the number of iterating loops around its definition (the deepest of
  // several). Absent: 0.
  std::unordered_map<std::uint32_t, int> depth;
  // Variables that are one block or thread index wherever they are defined, so they could as well
  // be defined at the head of the kernel. In the order of the text.
  struct Axis {
    Expr variable;
    ParallelType index;
  };
  std::vector<Axis> axes;
  bool is_axis(Expr variable) const;
};
ComputedExpressions computed_expressions(const Kernel& kernel);

}  // namespace selvage
