#include <selvage/base/integer.h>
#include <selvage/kernel/effect.h>
#include <selvage/kernel/run_state.h>
#include <selvage/kernel/verify_replay_memory.h>

#include <algorithm>
#include <utility>

namespace selvage {

ReplayMemory::ReplayMemory(const AccessMap& map, ReplayLayout layout, std::int64_t threads,
                           const BarrierClock& clock, Log& log)
    : map_(map),
      layout_(std::move(layout)),
      clock_(clock),
      log_(log),
      local_written_(std::size_t(layout_.local * threads)),
      shared_(std::size_t(layout_.shared)) {
  if (has_mma(map.kernel())) registers_.emplace(local_written_.size());
}

void ReplayMemory::start_block() {
  std::fill(local_written_.begin(), local_written_.end(), 0);
  if (registers_) registers_->forget();
  shared_.forget();
}

std::int64_t ReplayMemory::cost_of_a_block() const {
  return std::int64_t(local_written_.size()) / 8 + 4 * layout_.shared;
}

void ReplayMemory::describe(RunState& state) const {
  for (const char written : local_written_) state.number(written);
  if (registers_) registers_->describe(state);
  shared_.describe(state);
}

std::int64_t ReplayMemory::same_place(BufferId to, BufferId from, std::int64_t address) const {
  if (to == from) return address;
  const auto units = [&](BufferId b) {
    return size_of(map_.kernel().buffers[b].type) / layout_.unit;
  };
  return (layout_.begin[from] + address * units(from) - layout_.begin[to]) / units(to);
}

void ReplayMemory::access(const KernelAccess& a, std::int64_t thread, std::int64_t address,
                          std::int64_t& work) {
  const std::int64_t n = layout_.elements[a.buffer];
  if (a.alignment > 1 && euclid_mod(address, a.alignment) != 0) {
    log_.alone(Hazard::Bounds, a, address,
               "begins an access of " + std::to_string(a.width) +
                   " elements and is no multiple of " + std::to_string(a.alignment));
  }
  if (address < 0 || address > n - a.width) {
    log_.alone(Hazard::Bounds, a, address,
               "is out of bounds: there are " + std::to_string(n) + " elements");
  }
  if (a.kind == AccessKind::Signal) return;
  for (std::int64_t i = 0; i < a.width; ++i) {
    work -= 10;
    const auto at = checked_add(address, i);
    if (!at || *at < 0 || *at >= n) continue;
    switch (map_.kernel().buffers[a.buffer].memory) {
      case Memory::Local: local(a, thread, *at); break;
      case Memory::Shared: shared(a, *at); break;
      case Memory::Global:
        if (map_.is_written(a.buffer)) global(a, *at);
        break;
    }
  }
}

void ReplayMemory::local(const KernelAccess& a, std::int64_t thread, std::int64_t address) {
  const auto element = std::size_t(thread * layout_.local + layout_.begin[a.buffer] + address);
  char& written = local_written_[element];
  if (registers_) {
    const auto race = registers_->access(element, a.kind != AccessKind::Read, clock_);
    if (race) log_.race(a, address, race->other);
  }
  if (a.kind != AccessKind::Write && !written) {
    log_.alone(Hazard::Lifetime, a, address, "is read before anything is written there");
  }
  if (a.kind != AccessKind::Read) written = 1;
}

void ReplayMemory::shared(const KernelAccess& a, std::int64_t address) {
  const std::int64_t units = size_of(map_.kernel().buffers[a.buffer].type) / layout_.unit;
  const std::int64_t from = layout_.begin[a.buffer] + address * units;
  bool is_initialised = true, is_lost = false;
  for (std::int64_t u = from; u < from + units; ++u) {
    const AccessLog::Element before = shared_.elements()[std::size_t(u)];
    const auto race = shared_.access(std::size_t(u), effect_of(map_, a), a.buffer, clock_);
    if (race) log_.race(a, address, race->other);
    const bool is_own = before.visits > 0 && before.owner == a.buffer;
    is_initialised = is_initialised && is_own;
    is_lost = is_lost || (before.visits > 0 && !is_own);
  }
  if (a.kind == AccessKind::Write || is_initialised) return;
  log_.alone(Hazard::Lifetime, a, address,
             is_lost ? "is read after a store to a buffer that overlaps it"
                     : "is read before anything is written there");
}

void ReplayMemory::global(const KernelAccess& a, std::int64_t address) {
  const BufferId memory = map_.replacement(a.buffer).value_or(a.buffer);
  const auto [it, is_new] = element_.try_emplace(std::int64_t(memory) << 48 ^ address);
  if (is_new) it->second = global_.add();
  if (memory != a.buffer && global_.elements()[it->second].visits > 0) {
    log_.alone(Hazard::Lifetime, a, address,
               "is read behind a store to " + map_.kernel().buffers[memory].name +
                   ", which takes its place");
  }
  const auto race = global_.access(it->second, effect_of(map_, a), a.buffer, clock_);
  if (race) log_.race(a, address, race->other);
}

}  // namespace selvage
