#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/region.h>
#include <selvage/threads/thread_origin.h>

#include <vector>

namespace selvage {

// The cause (Diagnostic::cause) of a finding that is neither proved nor refuted.
inline constexpr const char* kNotProved = "not proved";

// What the kernel verifier (kernel/verify.h) finds wrong with a program's kernel, or cannot prove,
// as diagnostics at the program's places:
//   E814 a barrier that part of its threads do not reach
//   E815 two blocks that meet in global memory
//   E817 two asynchronous regions that do, or meet in a block's memory, and no sync between
//   E818 any other two threads of a block
//   E819 an element that an array does not have
//   E824 an element that is read before anything is written there
void verify_threads(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                    LoweredThreads& out);

// Of these E817 and E818 alone, of a kernel with no other barriers than the program asks for and
// its joins (threads/joins.h).
void verify_order(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                  LoweredThreads& out);

}  // namespace selvage
