// Which buffers of a kernel share memory.
#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/kernel/verify_access.h>

namespace selvage {

void AccessMap::note_replacements() {
  replacement_.resize(kernel_.buffers.size());
  for (BufferId b = 0; b < kernel_.buffers.size(); ++b) {
    const Buffer& buffer = kernel_.buffers[b];
    if (!buffer.replaces) continue;
    SELVAGE_CHECK(buffer.memory == Memory::Global && !replacement_[*buffer.replaces]);
    replacement_[*buffer.replaces] = b;
    written_[*buffer.replaces] = written_[*buffer.replaces] || buffer.is_written;
  }
}

std::optional<std::int64_t> AccessMap::bytes(BufferId b) const {
  const Buffer& buffer = kernel_.buffers[b];
  if (!buffer.elements.is(Op::Const)) return std::nullopt;
  return checked_mul(buffer.elements.value(), size_of(buffer.type));
}

bool AccessMap::overlap(BufferId a, BufferId b) const {
  if (a == b || replacement_[a] == b || replacement_[b] == a) return true;
  const Buffer &x = kernel_.buffers[a], &y = kernel_.buffers[b];
  if (x.memory != Memory::Shared || y.memory != Memory::Shared) return false;
  if (!x.offset || !y.offset) return false;
  const auto m = bytes(a), n = bytes(b);
  const auto begins_below_end = [](std::int64_t begin, std::int64_t from,
                                   const std::optional<std::int64_t>& size) {
    const auto end = size ? checked_add(from, *size) : std::nullopt;
    return !end || begin < *end;
  };
  return begins_below_end(*x.offset, *y.offset, n) && begins_below_end(*y.offset, *x.offset, m);
}

bool AccessMap::lies_alone(BufferId b) const {
  for (BufferId other = 0; other < kernel_.buffers.size(); ++other) {
    if (other != b && overlap(other, b)) return false;
  }
  return true;
}

}  // namespace selvage
