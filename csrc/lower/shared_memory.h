#pragma once

#include <selvage/lower/barriers.h>

namespace selvage {

// Places the buffers of a block in its shared memory. Buffers with disjoint lifetimes may share
// bytes. The lifetime of a buffer runs from the first to the last statement that accesses it,
// within the innermost body that holds all its accesses. That is right since no value outlives the
// iteration of a loop around all its accesses: what is read was computed in the same iteration.

// The hardware's limit for a thread's local memory (for a block's shared memory: kMaxSharedBytes).
inline constexpr std::int64_t kMostLocalBytes = 512 * 1'024;

// The bytes, without those in a workspace, that all buffers in shared (local) memory take for a
// block (thread), given their offsets; nullopt if past 2^63.
std::optional<std::int64_t> bytes_in(const Kernel& kernel, Memory memory);

// Inserts barriers into a kernel (lower/barriers.h). Gives large buffers offsets if some can share
// bytes; not if sharing costs a barrier, unless there is no room without. Then ask_at_launch().
// `within`, `known`: as of add_barriers().
void place_shared_memory(Kernel& kernel, const Within& within = {}, KnownMeetings* known = nullptr);

// The same where the shared memory of a block is not enough: buffers with a tensor, largest first,
// come into a workspace until the rest fits. Leaves the kernel as place_shared_memory() does where
// that is of no use: too large for a workspace, or a kernel that counts blocks or records failures.
void place_with_workspace(Kernel& kernel, TensorId root, const Within& within = {},
                          KnownMeetings* known = nullptr);

// If the buffers in shared memory take more than a kernel may declare: gives each an offset (those
// that have one keep it) in memory that the launch asks for, Launch::shared_bytes. Changes no other
// kernel.
void ask_at_launch(Kernel& kernel);

}  // namespace selvage
