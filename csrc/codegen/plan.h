#pragma once

#include <selvage/codegen/scope.h>
#include <selvage/kernel/kernel.h>

#include <map>
#include <unordered_set>
#include <vector>

namespace selvage {

// What a kernel's text computes once: index expressions that are needed at several places, or in a
// loop that does not change them, each at the first point where all its variables are defined.
//
// That may be above a guard, even if the expression was simplified under it. It stands for the
// right address only where the guard holds; but it has one value, wherever it is computed, and that
// no intermediate of it leaves the index type is proved without any guard. What could still go
// wrong elsewhere is a division whose divisor is 0 there: one that is the machine's nowhere but
// under a guard stays there.
struct Plan {
  // By the statement after whose variable or test they stand; nullptr: first in the kernel.
  // Smaller ones come before those that contain them.
  std::map<Scope::Place, std::vector<Expr>> temporaries;
  // Symbols that the text mentions, by id.
  std::unordered_set<std::uint32_t> mentioned;
};

Plan plan(const Kernel& kernel, const Forms& forms, Scope& scope);

}  // namespace selvage
