#include <selvage/runtime/message.h>
#include <selvage/runtime/packed.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace selvage {

namespace {

constexpr std::uint64_t kMark = 0x3147535345564c53;  // "SLVESSG1"
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kStep = 1 << 16;

// Waits until `fd` can be read or written.
bool wait(int fd, short event, Deadline deadline) {
  for (;;) {
    int milliseconds = -1;
    if (deadline != kNoDeadline) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      milliseconds =
          static_cast<int>(std::min<std::int64_t>(left.count(), std::numeric_limits<int>::max()));
    }
    struct pollfd one = {fd, event, 0};
    const int n = ::poll(&one, 1, milliseconds);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

bool is_passing(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

bool send_all(int to, std::span<const std::byte> bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (!wait(to, POLLOUT, deadline)) return false;
    ssize_t n = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == ENOTSOCK) n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && is_passing(errno)) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool receive_all(int from, std::span<std::byte> bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (!wait(from, POLLIN, deadline)) return false;
    const ssize_t n = ::read(from, bytes.data(), bytes.size());
    if (n < 0 && is_passing(errno)) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

bool send_message(int to, std::span<const std::byte> bytes, Deadline deadline) {
  return send_all(to, Packer().put(kMark, bytes.size()).take(), deadline) &&
         send_all(to, bytes, deadline);
}

std::optional<std::vector<std::byte>> receive_message(int from, Deadline deadline) {
  std::byte head[16];
  if (!receive_all(from, head, deadline)) return std::nullopt;
  std::uint64_t mark = 0, size = 0;
  Unpacker(head).get(mark, size);
  if (mark != kMark || size > kMostBytes) return std::nullopt;
  // Memory is taken as the bytes come, not as the head promises.
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    const std::size_t at = bytes.size();
    bytes.resize(at + std::min<std::size_t>(kStep, size - at));
    if (!receive_all(from, std::span(bytes).subspan(at), deadline)) return std::nullopt;
  }
  return bytes;
}

}  // namespace selvage
