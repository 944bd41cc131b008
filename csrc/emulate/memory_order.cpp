#include <selvage/emulate/memory_order.h>

#include <algorithm>

namespace selvage {

BarrierClock::BarrierClock(std::int64_t threads_of_a_block, bool is_clocked, std::int64_t agents)
    : threads_(threads_of_a_block),
      warp_barriers_(std::size_t((threads_of_a_block + kWarp - 1) / kWarp)) {
  if (is_clocked) clocks_.emplace(threads_of_a_block, agents);
}

void BarrierClock::start_block(std::int64_t number) {
  first_ = number * threads_;
  block_barriers_ = 0;
  std::fill(warp_barriers_.begin(), warp_barriers_.end(), 0);
  if (clocks_) clocks_->start_block();
}

void BarrierClock::run(std::int64_t thread_of_the_block) {
  thread_ = thread_of_the_block;
  warp_ = std::int64_t(std::uint64_t(thread_) / kWarp);
}

void Crowd::add(const BarrierClock& clock) {
  const Moment now = clock.now();
  const Moment& known = warps_[0].last;
  if (!known.is_none() && !clock.is_here(known)) {
    of_another_block_ = known.thread;
    warps_ = {};
  } else if (known.block_barriers < now.block_barriers) {
    warps_ = {};
  }
  for (OfWarp& w : warps_) {
    if (w.last.is_none()) {
      w = {now};
      return;
    }
    if (clock.warp_of(w.last) != clock.warp_of(now)) continue;
    if (w.last.warp_barriers < now.warp_barriers) {
      w = {now};
    } else if (w.last.thread != now.thread) {
      w.second = now.thread;
    }
    return;
  }
}

std::optional<Moment> Crowd::at_once(const BarrierClock& clock) const {
  if (of_another_block_ >= 0) return Moment{of_another_block_};
  for (const OfWarp& w : warps_) {
    if (w.last.is_none()) break;
    if (!clock.is_before_now(w.last)) return w.last;
    const Moment second{w.second, w.last.block_barriers, w.last.warp_barriers};
    if (!second.is_none() && !clock.is_before_now(second)) return second;
  }
  return std::nullopt;
}

void ClockedCrowd::add(const BarrierClock& clock) {
  const Moment now = clock.now();
  const auto is_of_another = [&](const Moment& m) { return !clock.is_here(m); };
  const auto first = std::find_if(moments_.begin(), moments_.end(), is_of_another);
  if (first != moments_.end()) {
    const auto end = std::remove_if(first + 1, moments_.end(), is_of_another);
    moments_.erase(end, moments_.end());
  }
  std::erase_if(moments_, [&](const Moment& m) { return clock.is_before_now(m); });
  moments_.push_back(now);
}

std::optional<Moment> ClockedCrowd::at_once(const BarrierClock& clock) const {
  for (const Moment& m : moments_) {
    if (!clock.is_before_now(m)) return m;
  }
  return std::nullopt;
}

void AccessLog::forget() {
  std::fill(cells_.begin(), cells_.end(), Cell{});
  for (auto& crowd : crowds_) std::fill(crowd.begin(), crowd.end(), Crowd{});
  for (auto& crowd : clocked_) std::fill(crowd.begin(), crowd.end(), ClockedCrowd{});
}

void AccessLog::join(std::size_t cell, Way way, const BarrierClock& clock) {
  const auto join_one = [&](auto& crowds) {
    if (crowds.empty()) crowds.resize(cells_.size());
    crowds[cell].add(clock);
  };
  has_crowds_ = true;
  if (clock.is_clocked()) return join_one(clocked_[std::size_t(way)]);
  join_one(crowds_[std::size_t(way)]);
}

std::optional<AccessLog::Race> AccessLog::race(std::size_t cell, Way way,
                                               const BarrierClock& clock) const {
  const Moment& write = cells_[cell].write;
  const bool repeats = way == Way::Repeat;
  if (!repeats && !write.is_none() && !clock.is_before_now(write)) {
    return Race{write.thread, Way::Write, write.is_copy()};
  }
  if (!has_crowds_) return std::nullopt;
  for (Way other : {Way::Read, Way::Repeat, Way::Add, Way::Min, Way::Max}) {
    if (other == way && way != Way::Write) continue;
    const auto& crowds = crowds_[std::size_t(other)];
    if (!crowds.empty()) {
      if (const auto who = crowds[cell].at_once(clock))
        return Race{who->thread, other, who->is_copy()};
    } else if (const auto& clocked = clocked_[std::size_t(other)]; !clocked.empty()) {
      if (const auto who = clocked[cell].at_once(clock))
        return Race{who->thread, other, who->is_copy()};
    }
  }
  return std::nullopt;
}

std::optional<AccessLog::Race> AccessLog::access(std::size_t cell, Way way, std::uint32_t owner,
                                                 const BarrierClock& clock) {
  Cell& c = cells_[cell];
  const auto found = race(cell, way, clock);
  switch (way) {
    // Of all writes before it comes after each, or a race is told: who comes after this one comes
    // after all. Crowds stay: a repetition may come before this, and yet not before them.
    case Way::Write: c.write = clock.now(); break;
    case Way::Repeat:
      if (!c.write.is_none()) join(cell, way, clock);
      break;
    case Way::Read:
    case Way::Add:
    case Way::Min:
    case Way::Max: join(cell, way, clock); break;
  }
  if (way != Way::Read) {
    ++c.visits;
    c.owner = owner;
  }
  return found;
}

}  // namespace selvage
