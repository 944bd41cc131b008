#pragma once

#include <selvage/kernel/requests.h>
#include <selvage/kernel/statement_tree.h>

#include <optional>

namespace selvage {

// About how many instructions all threads of a launch issue, whole warps at a time. A function of
// a value counts as instructions_of() says, an access with its address and guard as
// kInstructionsOfAccess. What no iteration of a loop changes is computed once, in front of it, as
// compilers do. `within`: of what stands in that statement alone.
double instructions_of(const Kernel& kernel, const StatementTree& tree,
                       const KernelRequests& requests, std::optional<PlaceId> within = {});

}  // namespace selvage
