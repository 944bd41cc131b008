#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/region.h>
#include <selvage/threads/thread_origin.h>

#include <vector>

namespace selvage {

// The cause (Diagnostic::cause) of a finding that is neither proved nor refuted.
inline constexpr const char* kNotProved = "not proved";

// Reports the findings of the kernel verifier (kernel/verify.h), refuted or not proved, as
// diagnostics at the program's places:
//   E814 a barrier that part of its threads do not reach
//   E815 a race of two blocks in global memory
//   E817 a race of two asynchronous regions with no sync between, in any memory
//   E818 a race of any other two threads of a block
//   E819 an element that an array does not have
//   E824 an element that is read before anything is written there
//   E829 a wait for a phase that never ends, or an arrival that may come in another phase
void verify_threads(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                    LoweredThreads& out);

// Reports only E817 and E818, for a kernel whose barriers are those written in the program and its
// joins (threads/joins.h).
void verify_order(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                  LoweredThreads& out);

}  // namespace selvage
