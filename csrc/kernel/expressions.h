#pragma once

#include <selvage/kernel/kernel.h>

#include <unordered_map>
#include <utility>
#include <vector>

namespace selvage {

// Does a Leave end the loop, or go on with its next iteration?
struct LoopExits {
  bool ends = false, goes_on = false;
};
LoopExits exits_of(const Loop& loop);
// Does one that stands inside of an inner loop that iterates?
LoopExits exits_from_inside(const Loop& loop);
// Does any?
bool is_left(const Loop& loop);
// A serial loop that runs once, and that nothing leaves, needs no loop.
bool runs_once(const Loop& loop);
// Is its body run again and again? A block or thread index is no such loop.
bool iterates(const Loop& loop);

// The index expressions that the text of a kernel computes.
struct ComputedExpressions {
  std::vector<Expr> all;                           // in the order of the text
  std::vector<std::pair<Expr, Expr>> definitions;  // variables and their values, outer ones first
  // How many iterating loops stand around the definition of a variable, by id; what is not there
  // is defined outside of all. Of several definitions the deepest counts.
  std::unordered_map<std::uint32_t, int> depth;
  // Variables that are one block or thread index and nothing else, wherever they are defined: they
  // could as well be defined before everything. In the order of the text.
  struct Axis {
    Expr variable;
    ParallelType index;
  };
  std::vector<Axis> axes;
  bool is_axis(Expr variable) const;
};
ComputedExpressions computed_expressions(const Kernel& kernel);

}  // namespace selvage
