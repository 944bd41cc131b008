#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Messages between two processes over a pipe or a socket: a mark, the length, the bytes. Each call
// gives up at `deadline`; a peer that has gone raises no signal on a socket.
using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

bool send_message(int to, std::span<const std::byte> bytes, Deadline deadline = kNoDeadline);
// None at the end of what is sent, and where it is no message.
std::optional<std::vector<std::byte>> receive_message(int from, Deadline deadline = kNoDeadline);

}  // namespace selvage
