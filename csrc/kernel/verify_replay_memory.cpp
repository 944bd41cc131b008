#include <selvage/base/integer.h>
#include <selvage/kernel/verify_replay_memory.h>

#include <algorithm>
#include <utility>

namespace selvage {

ReplayMemory::ReplayMemory(const AccessMap& map, ReplayLayout layout, std::int64_t threads,
                           const ThreadClocks* clocks, Log& log)
    : map_(map),
      layout_(std::move(layout)),
      clocks_(clocks),
      log_(log),
      local_written_(std::size_t(layout_.local * threads)),
      shared_(std::size_t(layout_.shared)) {}

void ReplayMemory::start_block(std::int32_t number) {
  block_ = number;
  std::fill(local_written_.begin(), local_written_.end(), 0);
  clocked_.clear();
}

void ReplayMemory::access(const KernelAccess& a, const Comer& now, std::int64_t address,
                          std::int64_t& work) {
  const std::int64_t n = layout_.elements[a.buffer];
  if (a.alignment > 1 && euclid_mod(address, a.alignment) != 0) {
    log_.alone(Hazard::Bounds, a, now.thread, address,
               "begins an access of " + std::to_string(a.width) +
                   " elements and is no multiple of " + std::to_string(a.alignment));
  }
  if (address < 0 || address > n - a.width) {
    log_.alone(Hazard::Bounds, a, now.thread, address,
               "is out of bounds: there are " + std::to_string(n) + " elements");
  }
  if (a.kind == KernelAccess::Kind::Signal) return;
  for (std::int64_t i = 0; i < a.width; ++i) {
    work -= 10;
    const auto at = checked_add(address, i);
    if (!at || *at < 0 || *at >= n) continue;
    switch (map_.kernel().buffers[a.buffer].memory) {
      case Memory::Local: local(a, now, *at); break;
      case Memory::Shared: shared(a, now, *at, work); break;
      case Memory::Global:
        if (map_.is_written(a.buffer)) global(a, now, *at, work);
        break;
    }
  }
}

void ReplayMemory::local(const KernelAccess& a, const Comer& now, std::int64_t address) {
  char& written =
      local_written_[std::size_t(now.thread * layout_.local + layout_.begin[a.buffer] + address)];
  if (a.kind != KernelAccess::Kind::Write && !written) {
    log_.alone(Hazard::Lifetime, a, now.thread, address,
               "is read before anything is written there");
  }
  if (a.kind != KernelAccess::Kind::Read) written = 1;
}

void ReplayMemory::shared(const KernelAccess& a, const Comer& now, std::int64_t address,
                          std::int64_t& work) {
  const std::int64_t units = size_of(map_.kernel().buffers[a.buffer].type) / layout_.unit;
  const std::int64_t from = layout_.begin[a.buffer] + address * units;
  bool is_initialised = true, is_lost = false;
  const auto own = std::int32_t(a.buffer) + 1;
  for (std::int64_t u = from; u < from + units; ++u) {
    SharedCell& cell = shared_[std::size_t(u)];
    const auto* other = clocks_ != nullptr ? clocked(kSharedKey, u, now, work) : cell.meets(now);
    if (other != nullptr) log_.race(a, now.thread, address, *other);
    const std::int32_t owner = cell.owner(block_);
    is_initialised = is_initialised && owner == own;
    is_lost = is_lost || (owner != 0 && owner != own);
    if (a.kind != KernelAccess::Kind::Read) cell.own(std::int32_t(a.buffer), block_);
  }
  if (a.kind == KernelAccess::Kind::Write || is_initialised) return;
  log_.alone(Hazard::Lifetime, a, now.thread, address,
             is_lost ? "is read after a store to a buffer that overlaps it"
                     : "is read before anything is written there");
}

const EpochComers::Seen* ReplayMemory::clocked(std::int64_t memory, std::int64_t place,
                                               const Comer& now, std::int64_t& work) {
  ClockedCell& cell = clocked_[(memory << 48) ^ place];
  work -= std::int64_t(cell.size()) + 4;
  return cell.meets(now, *clocks_);
}

void ReplayMemory::global(const KernelAccess& a, const Comer& now, std::int64_t address,
                          std::int64_t& work) {
  const auto other = clocks_ != nullptr ? global_.meets_other_block(a.buffer, address, now, block_)
                                        : global_.meets(a.buffer, address, now, block_);
  if (clocks_ != nullptr) {
    const auto* own = clocked(a.buffer, address, now, work);
    if (own != nullptr && !other) return log_.race(a, now.thread, address, *own);
  }
  if (!other) return;
  if (other->block == block_) return log_.race(a, now.thread, address, other->seen);
  log_.race_of_blocks(a, now.thread, address, *other);
}

}  // namespace selvage
