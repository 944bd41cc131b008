#include <selvage/runtime/scratch.h>

namespace selvage {

// Buffers by number; each as large as anybody has asked for.
struct ScratchPool::Set {
  std::mutex in_use;  // of a stream's
  std::vector<DeviceBuffer> on_device;
  std::vector<std::vector<std::max_align_t>> on_host;

  // Memory of the host is 0 where it is new.
  std::uint64_t host(std::size_t k, const Wanted& wanted) {
    if (on_host.size() <= k) on_host.resize(k + 1);
    const std::size_t units = wanted.bytes / sizeof(std::max_align_t) + 1;
    if (on_host[k].size() < units) on_host[k].resize(units);
    return reinterpret_cast<std::uintptr_t>(on_host[k].data());
  }
  std::uint64_t device(const Driver& driver, std::size_t k, const Wanted& wanted) {
    while (on_device.size() <= k) on_device.emplace_back(driver, 0);
    if (on_device[k].size() < wanted.bytes) {
      on_device[k] = DeviceBuffer(driver, wanted.bytes);
      if (wanted.begins_at_zero) on_device[k].copy_from(std::vector<std::byte>(wanted.bytes));
    }
    return on_device[k].address();
  }
};

ScratchPool::ScratchPool(const Driver* driver) : driver_(driver) {}
ScratchPool::~ScratchPool() = default;

ScratchPool::Lease ScratchPool::take(std::span<const Wanted> buffers, Driver::Stream stream,
                                     std::vector<std::uint64_t>& addresses) {
  if (buffers.empty()) return {nullptr, {this}};
  Set* set = nullptr;
  {
    const std::lock_guard guard(lock_);
    Set*& known = driver_ != nullptr ? of_stream_[stream] : set;
    if (driver_ == nullptr && !free_.empty()) {
      set = free_.back();
      free_.pop_back();
    }
    if (known == nullptr) known = &sets_.emplace_back();
    set = known;
  }
  if (driver_ != nullptr) set->in_use.lock();
  Lease lease(set, {this});
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    addresses.push_back(driver_ != nullptr ? set->device(*driver_, k, buffers[k])
                                           : set->host(k, buffers[k]));
  }
  return lease;
}

void ScratchPool::give_back(Set* set) {
  if (driver_ != nullptr) return set->in_use.unlock();
  const std::lock_guard guard(lock_);
  free_.push_back(set);
}

}  // namespace selvage
