#include <selvage/kernel/verify_shadow.h>

#include <algorithm>

namespace selvage {

AccessClass access_class(const AccessMap& map, const KernelAccess& a) {
  switch (a.kind) {
    case KernelAccess::Kind::Read: return AccessClass::Read;
    case KernelAccess::Kind::Write: {
      const bool is_global = map.kernel().buffers[a.buffer].memory == Memory::Global;
      return is_global && a.duplicates_allowed ? AccessClass::Duplicates : AccessClass::Write;
    }
    case KernelAccess::Kind::Signal: return AccessClass::Signal;
    case KernelAccess::Kind::Atomic: break;
  }
  return a.function == Function::Min   ? AccessClass::Min
         : a.function == Function::Max ? AccessClass::Max
                                       : AccessClass::Add;
}

bool disturb(AccessClass a, AccessClass b) { return a != b || a == AccessClass::Write; }

void EpochComers::add(const Comer& c) {
  const Seen seen{c.thread, c.warp_epoch, c.step};
  if (!one_.is_any()) {
    one_ = seen;
  } else if (one_.thread / kWarp != c.thread / kWarp) {
    if (!stranger_.is_any()) stranger_ = seen;
  } else if (c.warp_epoch > one_.warp_epoch) {
    one_ = seen;
    neighbour_ = {};
  } else if (c.thread != one_.thread && !neighbour_.is_any()) {
    neighbour_ = seen;
  }
}

const EpochComers::Seen* EpochComers::meets(const Comer& c) const {
  if (!one_.is_any()) return nullptr;
  if (one_.thread / kWarp != c.thread / kWarp) return &one_;
  if (stranger_.is_any()) return &stranger_;
  if (one_.warp_epoch != c.warp_epoch) return nullptr;
  if (one_.thread != c.thread) return &one_;
  return neighbour_.is_any() ? &neighbour_ : nullptr;
}

EpochComers& SharedCell::of(std::size_t kind) {
  if (kind < usual_.size()) return usual_[kind];
  if (others_ == nullptr) others_ = std::make_unique<std::array<EpochComers, kAccessClasses - 2>>();
  return (*others_)[kind - usual_.size()];
}

const EpochComers::Seen* SharedCell::meets(const Comer& c) {
  if (block_epoch_ != c.block_epoch) {
    usual_ = {};
    if (others_ != nullptr) *others_ = {};
    block_epoch_ = c.block_epoch;
  }
  const EpochComers::Seen* found = nullptr;
  const std::size_t classes = others_ == nullptr ? usual_.size() : kAccessClasses;
  for (std::size_t k = 0; k < classes && found == nullptr; ++k) {
    if (disturb(AccessClass(k), c.kind)) found = of(k).meets(c);
  }
  if (found != nullptr) {
    met_ = *found;
    found = &met_;
  }
  of(std::size_t(c.kind)).add(c);
  return found;
}

GlobalShadow::Cell& GlobalShadow::cell(BufferId buffer, std::int64_t address) {
  std::unique_ptr<Cell>& cell = cells_[(std::int64_t(buffer) << 48) ^ address];
  if (cell == nullptr) cell = std::make_unique<Cell>();
  return *cell;
}

std::optional<GlobalShadow::Other> GlobalShadow::meets_other_block(Cell& cell, const Comer& c,
                                                                   std::int32_t block) const {
  std::optional<Other> found;
  for (std::size_t k = 0; k < kAccessClasses && !found; ++k) {
    if (!disturb(AccessClass(k), c.kind)) continue;
    for (const auto* list : {&cell.by, &cell.last}) {
      const BlockComer& other = (*list)[k];
      if (other.number >= 0 && other.number != block) found = Other{other.seen, other.number};
    }
  }
  const BlockComer now{block, {c.thread, c.warp_epoch, c.step}};
  const auto kind = std::size_t(c.kind);
  if (cell.by[kind].number < 0) cell.by[kind] = now;
  cell.last[kind] = now;
  return found;
}

std::optional<GlobalShadow::Other> GlobalShadow::meets(BufferId buffer, std::int64_t address,
                                                       const Comer& c, std::int32_t block) {
  Cell& at = cell(buffer, address);
  std::optional<Other> found = meets_other_block(at, c, block);
  if (const EpochComers::Seen* other = at.own.meets(c); other != nullptr && !found) {
    found = Other{*other, block};
  }
  return found;
}

std::optional<GlobalShadow::Other> GlobalShadow::meets_other_block(BufferId buffer,
                                                                   std::int64_t address,
                                                                   const Comer& c,
                                                                   std::int32_t block) {
  return meets_other_block(cell(buffer, address), c, block);
}

const EpochComers::Seen* ClockedCell::meets(const Comer& c, const ThreadClocks& clocks) {
  const EpochComers::Seen* found = nullptr;
  std::erase_if(seen_, [&](const Seen& s) {
    const bool is_before = clocks.is_before(s.agent, s.tick, c.thread);
    if (!is_before && found == nullptr && disturb(s.kind, c.kind)) {
      met_ = s.who;
      found = &met_;
    }
    return is_before && (s.kind == c.kind || c.kind == AccessClass::Write);
  });
  const CopyAgent by = c.agent.value_or(CopyAgent{c.thread, clocks.now(c.thread)});
  seen_.push_back(
      {{c.thread, c.warp_epoch, c.step, c.agent.has_value()}, by.agent, by.end, c.kind});
  return found;
}

}  // namespace selvage
