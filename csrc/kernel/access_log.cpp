#include <selvage/kernel/access_log.h>
#include <selvage/kernel/run_state.h>

#include <algorithm>

namespace selvage {

void RecentAccesses::add(const BarrierClock& clock) {
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
    if (clock.part_of(w.last) != clock.part_of(now)) continue;
    if (w.last.part_barriers < now.part_barriers) {
      w = {now};
    } else if (w.last.thread != now.thread) {
      w.second = now.thread;
      w.second_step = now.step;
    }
    return;
  }
}

std::optional<Moment> RecentAccesses::unordered(const BarrierClock& clock) const {
  if (of_another_block_ >= 0 && !clock.sees_all_blocks())
    return Moment{.thread = of_another_block_};
  for (const OfWarp& w : warps_) {
    if (w.last.is_none()) break;
    if (!clock.is_before_now(w.last)) return w.last;
    Moment second = w.last;
    second.thread = w.second;
    second.step = w.second_step;
    if (!second.is_none() && !clock.is_before_now(second)) return second;
  }
  return std::nullopt;
}

void ClockedAccesses::add(const BarrierClock& clock) {
  const Moment now = clock.now();
  const auto is_of_another = [&](const Moment& m) { return !clock.is_here(m); };
  const auto first = std::find_if(moments_.begin(), moments_.end(), is_of_another);
  if (first != moments_.end()) {
    const auto end = std::remove_if(first + 1, moments_.end(), is_of_another);
    moments_.erase(end, moments_.end());
  }
  std::erase_if(moments_, [&](const Moment& m) { return clock.is_before_now(m); });
  // Accesses of one agent with one end are ordered alike.
  const auto is_same = [&](const Moment& m) {
    return m.is_copy() && m.agent == now.agent && m.block_barriers == now.block_barriers;
  };
  if (std::ranges::none_of(moments_, is_same)) moments_.push_back(now);
}

std::optional<Moment> ClockedAccesses::unordered(const BarrierClock& clock) const {
  for (const Moment& m : moments_) {
    if (!clock.is_before_now(m)) return m;
  }
  return std::nullopt;
}

std::size_t AccessLog::add() {
  elements_.emplace_back();
  return elements_.size() - 1;
}

void AccessLog::forget() {
  std::fill(elements_.begin(), elements_.end(), Element{});
  for (auto& all : recent_) std::fill(all.begin(), all.end(), RecentAccesses{});
  for (auto& all : clocked_) std::fill(all.begin(), all.end(), ClockedAccesses{});
}

void AccessLog::note(std::size_t element, Effect effect, const BarrierClock& clock) {
  const auto note_in = [&](auto& all) {
    if (all.size() <= element) all.resize(elements_.size());
    all[element].add(clock);
  };
  has_noted_ = true;
  if (clock.is_clocked()) return note_in(clocked_[std::size_t(effect)]);
  note_in(recent_[std::size_t(effect)]);
}

std::optional<AccessLog::Race> AccessLog::race(std::size_t element, Effect effect,
                                               const BarrierClock& clock) const {
  const Moment& write = elements_[element].write;
  // A Repeat needs no order with the last write, whose value it stores again.
  const bool repeats = effect == Effect::Repeat;
  if (!repeats && !write.is_none() && !clock.is_before_now(write)) {
    return Race{write, Effect::Write};
  }
  if (!has_noted_) return std::nullopt;
  for (std::size_t other = 0; other < kEffects; ++other) {
    if (!conflict(Effect(other), effect)) continue;
    std::optional<Moment> who;
    if (element < recent_[other].size()) {
      who = recent_[other][element].unordered(clock);
    } else if (element < clocked_[other].size()) {
      who = clocked_[other][element].unordered(clock);
    }
    if (who) return Race{*who, Effect(other)};
  }
  return std::nullopt;
}

std::optional<AccessLog::Race> AccessLog::access(std::size_t element, Effect effect,
                                                 std::uint32_t owner, const BarrierClock& clock) {
  Element& e = elements_[element];
  const auto found = race(element, effect, clock);
  // A Write comes after all writes before it, or a race was found. So an access after this one
  // comes after all of them, and only the last is kept. Other effects stay noted: a Repeat may come
  // before this access and still be unordered with later ones.
  if (effect == Effect::Write) {
    e.write = clock.now();
  } else if (effect != Effect::Repeat || !e.write.is_none()) {
    note(element, effect, clock);
  }
  if (effect != Effect::Read) {
    ++e.visits;
    e.owner = owner;
  }
  return found;
}

void AccessLog::describe(RunState& state) const {
  const auto moment = [&](const Moment& m) {
    state.number(m.thread);
    state.number(m.agent);
    if (!m.is_none()) state.tick(m.is_copy() ? m.agent : m.thread, m.block_barriers);
  };
  for (std::size_t element = 0; element < elements_.size(); ++element) {
    const Element& e = elements_[element];
    moment(e.write);
    state.number(e.visits > 0 ? e.owner : -1);
    for (const auto& all : clocked_) {
      const bool is_noted = element < all.size();
      state.number(is_noted ? std::int64_t(all[element].moments().size()) : 0);
      if (is_noted) std::ranges::for_each(all[element].moments(), moment);
    }
  }
}

}  // namespace selvage
