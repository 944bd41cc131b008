#pragma once

#include <selvage/codegen/scope.h>
#include <selvage/kernel/kernel.h>

#include <map>
#include <unordered_set>
#include <vector>

namespace selvage {

// Chooses the index expressions that a kernel's text computes once: those needed at several places,
// or in a loop that does not change them. Each is computed at the first point where all its
// variables are defined.
//
// That point may be above a guard under which the expression was simplified. There it is the right
// address only if the guard holds. That is harmless: it has the same value wherever it is computed,
// and it is proved without any guard that no intermediate leaves the index type. Only a division
// whose divisor may be 0 above the guard is harmful: so a division that is proved to be the
// machine's only under a guard stays under the guard.
struct Plan {
  // By the statement after whose variable or test they stand; nullptr: at the head of the kernel.
  // Smaller expressions come before those that contain them.
  std::map<Scope::Place, std::vector<Expr>> temporaries;
  // The ids of the symbols that the text mentions.
  std::unordered_set<std::uint32_t> mentioned;
};

Plan plan(const Kernel& kernel, const Forms& forms, Scope& scope);

// Throws Illegal E706 for a kind of statement that is not emitted yet.
void check_is_emitted(const Kernel& kernel);

}  // namespace selvage
