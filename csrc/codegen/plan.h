#pragma once

#include <selvage/codegen/scope.h>
#include <selvage/kernel/kernel.h>

#include <map>
#include <unordered_set>
#include <vector>

namespace selvage {

// What a kernel's text computes once: index expressions that are needed at several places, each at
// the first point where all its variables are defined. That may be above a guard: indices fit the
// index type at every loop point, guarded or not. Only a division that is the machine's nowhere but
// under a guard (its dividend may be negative elsewhere) stays there.
struct Plan {
  // By the statement after whose variable or test they stand; nullptr: first in the kernel.
  // Smaller ones come before those that contain them.
  std::map<const Statement*, std::vector<Expr>> temporaries;
  // Symbols that the text mentions, by id.
  std::unordered_set<std::uint32_t> mentioned;
};

Plan plan(const Kernel& kernel, Scope& scope);

// A serial loop that runs once needs no loop.
bool runs_once(const Loop& loop);

}  // namespace selvage
