#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Messages between two processes over a pipe or a socket: a mark, the length, the bytes. Each call
// gives up at `deadline`. If the peer has gone, a call on a socket raises no signal.
using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

bool send_message(int to, std::span<const std::byte> bytes, Deadline deadline = kNoDeadline);
// nullopt at the end of the stream, at the deadline, and for bytes that are no message.
std::optional<std::vector<std::byte>> receive_message(int from, Deadline deadline = kNoDeadline);

}  // namespace selvage
