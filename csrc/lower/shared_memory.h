#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage {

// Where the buffers of a block lie in its shared memory. Buffers whose lifetimes are apart may lie
// in the same bytes: a lifetime runs from the first to the last statement that touches a buffer, of
// the innermost body that holds all of these. No value outlives the iteration of a loop that is
// around all of its accesses, since what is read was computed in the same iteration.

// Of a block, without asking for more; of a thread, by the hardware.
inline constexpr std::int64_t kMostSharedBytes = 48 * 1'024, kMostLocalBytes = 512 * 1'024;

// Bytes in all, of a block or of a thread, as things lie; nothing where they are past 2^63.
std::optional<std::int64_t> bytes_in(const Kernel& kernel, Memory memory);

// Puts barriers into a kernel that has none, and gives large buffers offsets, where some can share
// bytes: not if that costs a barrier, unless there is no room without.
void place_shared_memory(Kernel& kernel);

}  // namespace selvage
