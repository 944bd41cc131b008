#pragma once

#include <selvage/kernel/verify_meeting.h>

namespace selvage {

// Where the buffers of a block lie in its shared memory. Buffers whose lifetimes are apart may lie
// in the same bytes: a lifetime runs from the first to the last statement that touches a buffer, of
// the innermost body that holds all of these. No value outlives the iteration of a loop that is
// around all of its accesses, since what is read was computed in the same iteration.

// Of a thread, by the hardware; of a block it is kMaxSharedBytes.
inline constexpr std::int64_t kMostLocalBytes = 512 * 1'024;

// Bytes in all, of a block or of a thread, as things lie; nothing where they are past 2^63.
std::optional<std::int64_t> bytes_in(const Kernel& kernel, Memory memory);

// Puts barriers into a kernel that has none, and gives large buffers offsets, where some can share
// bytes: not if that costs a barrier, unless there is no room without. Then ask_at_launch().
// `known`: as of a MeetingJudge.
void place_shared_memory(Kernel& kernel, KnownMeetings* known = nullptr);

// A kernel whose buffers in shared memory take more than it may declare has all of them in memory
// that its launch asks for, each at an offset: those that have one already keep it. Any other
// kernel stays as it is.
void ask_at_launch(Kernel& kernel);

}  // namespace selvage
