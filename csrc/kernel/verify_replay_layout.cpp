#include <selvage/base/integer.h>
#include <selvage/kernel/verify_replay_layout.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kMostLocal = 1 << 24;   // elements of local memory, of all threads
constexpr std::int64_t kMostShared = 1 << 18;  // bytes

}  // namespace

std::optional<ReplayLayout> replay_layout(
    const AccessMap& map, const std::function<std::optional<std::int64_t>(Expr)>& number,
    std::int64_t threads) {
  ReplayLayout out;
  std::int64_t unit = 0, shared_end = 0;
  const auto& buffers = map.kernel().buffers;
  for (const Buffer& b : buffers) {
    const auto n = number(b.elements);
    if (!n) return std::nullopt;
    out.elements.push_back(std::max<std::int64_t>(0, *n));
    if (b.memory != Memory::Shared) continue;
    unit = std::gcd(unit, std::int64_t(size_of(b.type)));
    unit = std::gcd(unit, b.offset.value_or(0));
  }
  out.unit = std::max<std::int64_t>(unit, 1);
  // Buffers with offsets are placed there; the others lie after them, one after the other.
  std::vector<std::int64_t> bytes(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const auto size = checked_mul(out.elements[b], size_of(buffers[b].type));
    if (buffers[b].memory == Memory::Global) continue;
    if (!size || *size > kMostLocal) return std::nullopt;
    bytes[b] = *size;
    const std::int64_t offset = buffers[b].offset.value_or(0);
    if (buffers[b].memory != Memory::Shared || !buffers[b].offset) continue;
    if (offset < 0 || offset > kMostShared) return std::nullopt;
    shared_end = std::max(shared_end, offset + bytes[b]);
  }
  out.begin.resize(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].memory == Memory::Shared) {
      out.begin[b] = buffers[b].offset.value_or(shared_end) / out.unit;
      if (!buffers[b].offset) shared_end += bytes[b];
    } else if (buffers[b].memory == Memory::Local) {
      out.begin[b] = out.local;
      out.local += out.elements[b];
    }
  }
  const auto all_local = checked_mul(out.local, threads);
  if (!all_local || *all_local > kMostLocal || shared_end > kMostShared) return std::nullopt;
  out.shared = shared_end / out.unit;
  return out;
}

}  // namespace selvage
