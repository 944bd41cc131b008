#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage {

// Where the buffers of a block lie in its shared memory. Buffers whose lifetimes are apart may lie
// in the same bytes: a lifetime runs from the first to the last statement that touches a buffer, of
// the innermost body that holds all of these. No value outlives the iteration of a loop that is
// around all of its accesses, since what is read was computed in the same iteration.

// Bytes in all, of a block or of a thread, as things lie; nothing where they are past 2^63.
std::optional<std::int64_t> bytes_in(const Kernel& kernel, Memory memory);

// Gives the large buffers offsets, of a kernel without barriers, if some can share bytes.
bool share_bytes(Kernel& kernel);

}  // namespace selvage
