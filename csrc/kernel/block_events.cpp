#include <selvage/kernel/block_events.h>
#include <selvage/kernel/run_state.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace selvage {

BarrierObjects::BarrierObjects(const Kernel& kernel, std::span<const std::int64_t> elements)
    : ranks_(kernel.launch.ranks()) {
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    begin_.push_back(arrivals_.size());
    const std::optional<std::int64_t>& each = kernel.buffers[b].arrivals;
    if (!each) continue;
    arrivals_.resize(arrivals_.size() + std::size_t(elements[b]), *each);
    for (std::int64_t k = 0; k < elements[b]; ++k) {
      rank_of_.push_back(k * ranks_ / elements[b]);
    }
  }
  begin_.push_back(arrivals_.size());
}

std::optional<std::size_t> BarrierObjects::at(BufferId b, std::int64_t address) const {
  const std::size_t begin = begin_[b];
  if (address < 0 || address >= std::int64_t(begin_[b + 1] - begin)) return std::nullopt;
  return begin + std::size_t(address);
}

// Phase -1 ended before any.
static std::string named(std::int64_t phase) {
  return phase < 0 ? "the phase before any" : fmt::format("phase {}", phase);
}
static std::string wait_and_next(std::int64_t phase) {
  return fmt::format("a wait for {}, where {} may have ended as well", named(phase),
                     named(phase + 1));
}

BlockEvents::BlockEvents(std::int64_t threads, const BarrierObjects& objects, bool has_mma)
    : threads_(threads),
      ranks_(objects.ranks()),
      queues_(has_mma ? kThreadQueues : kThreadQueues - 1),
      arrivals_(objects.arrivals()),
      rank_of_(objects.rank_of()) {
  start_block();
}

void BlockEvents::start_block() {
  batches_.assign(queues_ * std::size_t(threads_), 0);
  groups_.assign(queues_ * std::size_t(threads_), {});
  waits_.assign(std::size_t(threads_), 0);
  objects_.assign(arrivals_.size(), {});
}

std::int64_t BlockEvents::agent_of(std::uint32_t thread, ThreadQueue queue) const {
  switch (queue) {
    case ThreadQueue::Copies: return agent_of_queue(threads_, thread);
    case ThreadQueue::Stores: return agent_of_stores(threads_, thread);
    case ThreadQueue::Products: break;
  }
  return agent_of_mma(threads_, objects_.size(), thread);
}

CopyAgent BlockEvents::begin(std::uint32_t thread, ThreadQueue own) const {
  return {agent_of(thread, own), batches_[queue(thread, own)] + 1};
}

CopyAgent BlockEvents::copy_for(std::size_t object) const {
  return {agent_of_object(threads_, object), ThreadClocks::Tick(objects_[object].ended.size() + 1)};
}

void BlockEvents::fence(std::uint32_t thread, ThreadClocks& clocks) const {
  clocks.learn(thread, agent_of_fences(threads_, thread), clocks.now(thread));
  if (queues_ == kThreadQueues) {
    clocks.learn(thread, agent_of_fenced(threads_, objects_.size(), thread),
                 clocks.known(thread, agent_of_queue(threads_, thread)));
  }
  // What it does next is not behind this fence.
  clocks.give(thread);
}

void BlockEvents::announce(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                           const ThreadClocks& clocks) {
  objects_[object].expected += bytes;
  objects_[object].announcers.push_back({thread, clocks.now(thread)});
}

void BlockEvents::close_group(std::uint32_t thread, ThreadQueue closed) {
  const std::size_t own = queue(thread, closed);
  groups_[own].push_back(++batches_[own]);
}

std::string BlockEvents::bring(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                               bool is_of_other, ThreadClocks& clocks) {
  Object& o = objects_[object];
  const ThreadClocks::Tick ended(o.ended.size());
  const bool is_early =
      is_of_other && ended > 0 &&
      !clocks.is_before(agent_of_object(threads_, object), ended, std::int64_t(thread));
  o.copied += bytes;
  // Bytes tell of what is copied. What the thread did before another one need not know of them.
  std::string wrong =
      come(is_of_other ? Ticks(std::size_t(clocks.size())) : clocks.give(thread), o, object);
  return is_early ? "bytes for a phase where the one before may not have ended" : wrong;
}

void BlockEvents::wait_for_groups(std::uint32_t thread, const Wait& wait,
                                  ThreadClocks& clocks) const {
  const Ticks& closed = groups_[queue(thread, wait.queue)];
  const std::int64_t ended = std::int64_t(closed.size()) - wait.pending;
  if (ended <= 0) return;
  clocks.learn(thread, agent_of(thread, wait.queue), closed[std::size_t(ended - 1)]);
}

// Arrivals count for the phase that is there when they come. So that the order of threads cannot
// say which one that is, each has to come behind all arrivals of the phase before.
std::string BlockEvents::early(std::uint32_t thread, std::size_t object, bool is_of_copies,
                               const ThreadClocks& clocks) const {
  const Object& o = objects_[object];
  const auto phase = std::int64_t(o.ended.size());
  if (clocks.is_before(agent_of_object(threads_, object), ThreadClocks::Tick(phase), thread)) {
    return {};
  }
  const bool is_behind = std::ranges::all_of(o.arrivals_before, [&](const auto& before) {
    const bool is_own = is_of_copies && before.first == agent_of_queue(threads_, thread);
    return is_own || clocks.is_before(before.first, before.second, thread);
  });
  if (is_behind) return {};
  return fmt::format("an arrival in phase {}, which nothing keeps from coming in phase {}", phase,
                     phase - 1);
}

std::string BlockEvents::arrive(std::uint32_t thread, std::size_t object, std::int64_t bytes,
                                ThreadClocks& clocks) {
  Object& o = objects_[object];
  if (o.arrived == arrivals_[object]) {
    return "an arrival more than the object takes in a phase: " + state(object);
  }
  const std::string early = this->early(thread, object, false, clocks);
  ++o.arrived;
  o.expected += bytes;
  o.last_arrival[thread] = clocks.now(thread);
  const std::string wrong = come(clocks.give(thread), o, object);
  return early.empty() ? wrong : early;
}

std::string BlockEvents::arrive_of_copies(std::uint32_t thread, std::size_t object,
                                          ThreadClocks& clocks) {
  Object& o = objects_[object];
  if (o.arrived == arrivals_[object]) {
    return "an arrival more than the object takes in a phase: " + state(object);
  }
  const std::string early = this->early(thread, object, true, clocks);
  ++o.arrived;
  const std::int64_t queue_of = agent_of_queue(threads_, thread);
  const ThreadClocks::Tick batch = ++batches_[queue(thread, ThreadQueue::Copies)];
  o.last_arrival[queue_of] = batch;
  Ticks known = clocks.give(thread);
  std::fill(known.begin(), known.begin() + std::ptrdiff_t(agent_of_waits(threads_, 0)), 0);
  known[std::size_t(queue_of)] = batch;
  const std::string wrong = come(known, o, object);
  return early.empty() ? wrong : early;
}

// Who knows of an arrival knows of all in the phases before it, so the last two are enough.
std::optional<std::uint32_t> BlockEvents::arrival_after_an_end(const ThreadClocks& clocks) const {
  if (ranks_ == 1) return std::nullopt;
  const std::int64_t of_rank = threads_ / ranks_;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    for (const auto* arrivals : {&objects_[k].arrivals_before, &objects_[k].last_arrival}) {
      for (const auto& [agent, tick] : *arrivals) {
        // The queue of a thread is an agent of its own.
        const std::int64_t thread = agent % threads_, first = rank_of_[k] * of_rank;
        bool is_known = false;
        for (std::int64_t t = first; t < first + of_rank && !is_known; ++t) {
          is_known = clocks.is_before(agent, tick, t);
        }
        if (!is_known && thread / of_rank != rank_of_[k]) return std::uint32_t(thread);
      }
    }
  }
  return std::nullopt;
}

std::int64_t BlockEvents::phase_of(std::uint32_t thread, std::size_t object, std::int64_t parity,
                                   const ThreadClocks& clocks) const {
  const std::int64_t last =
      std::int64_t(clocks.known(thread, agent_of_object(threads_, object))) - 1;
  return (last - parity) % 2 == 0 ? last : last + 1;
}

std::string BlockEvents::come(const Ticks& known, Object& o, std::size_t object) {
  o.known.resize(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) o.known[i] = std::max(o.known[i], known[i]);
  if (o.arrived < arrivals_[object] || o.copied < o.expected) return {};
  if (o.copied > o.expected)
    return "more bytes are copied than arrivals have said: " + state(object);
  std::string wrong;
  const auto is_late = [&](const Waiter& w) {
    return o.known[std::size_t(agent_of_waits(threads_, w.thread))] < w.tick;
  };
  if (std::ranges::any_of(o.waiters, is_late)) {
    const auto phase = std::int64_t(o.ended.size());
    wrong = fmt::format("the end of phase {}, while a thread may still wait for {}", phase,
                        named(phase - 1));
  }
  const auto is_open = [&](const Waiter& w) {
    const auto at = o.last_arrival.find(w.thread);
    return at == o.last_arrival.end() || at->second < w.tick;
  };
  if (std::ranges::any_of(o.announcers, is_open)) {
    wrong = "the end of a phase that need not wait for the bytes that a thread announces in it";
  }
  o.known[std::size_t(agent_of_object(threads_, object))] = ThreadClocks::Tick(o.ended.size() + 1);
  o.ended.push_back(std::move(o.known));
  o.arrived = o.expected = o.copied = 0;
  o.known.clear();
  o.waiters.clear();
  o.announcers.clear();
  o.arrivals_before = std::exchange(o.last_arrival, {});
  return wrong;
}

std::string BlockEvents::begin_wait(std::uint32_t thread, std::size_t object, std::int64_t phase,
                                    const ThreadClocks& clocks) const {
  const auto ended = std::int64_t(objects_[object].ended.size());
  const std::int64_t agent = agent_of_object(threads_, object);
  const bool knows_the_one_before =
      phase >= -1 &&
      (phase <= 0 || clocks.is_before(agent, ThreadClocks::Tick(phase), std::int64_t(thread)));
  if (!knows_the_one_before) {
    return fmt::format("a wait for phase {}, where the one before may not have ended", phase);
  }
  if (ended > phase + 1) {
    return wait_and_next(phase);
  }
  return {};
}

bool BlockEvents::end_wait(std::uint32_t thread, std::size_t object, std::int64_t phase,
                           ThreadClocks& clocks, std::string& wrong) {
  Object& o = objects_[object];
  const auto ended = std::int64_t(o.ended.size());
  if (phase >= ended) return false;
  if (phase >= 0) clocks.learn(thread, o.ended[std::size_t(phase)]);
  const ThreadClocks::Tick wait = ++waits_[thread];
  clocks.learn(thread, agent_of_waits(threads_, thread), wait);
  if (phase + 1 == ended) {
    o.waiters.push_back({thread, wait});
  } else if (phase + 2 <= ended) {
    wrong = wait_and_next(phase);
  }
  return true;
}

std::string BlockEvents::state(std::size_t object) const {
  const Object& o = objects_[object];
  const std::string arrived = fmt::format("{} of {} arrivals", o.arrived, arrivals_[object]);
  if (o.expected == 0 && o.copied == 0) return arrived + " have come";
  return fmt::format("{} and {} of {} bytes have come", arrived, o.copied, o.expected);
}

void BlockEvents::describe(RunState& state) const {
  for (std::int64_t t = 0; t < threads_; ++t) {
    state.tick(agent_of_waits(threads_, t), waits_[std::size_t(t)]);
    for (std::size_t k = 0; k < queues_; ++k) {
      const std::int64_t agent = agent_of(std::uint32_t(t), ThreadQueue(k));
      const std::size_t own = queue(std::uint32_t(t), ThreadQueue(k));
      state.tick(agent, batches_[own]);
      const Ticks& closed = groups_[own];
      const std::size_t last = std::min(closed.size(), std::size_t(state.groups()));
      state.number(std::int64_t(last));
      for (std::size_t k = closed.size() - last; k < closed.size(); ++k) {
        state.tick(agent, closed[k]);
      }
    }
  }
  const auto all = [&](const Ticks& known) {
    state.number(std::int64_t(known.size()));
    state.ticks(known);
  };
  const auto arrivals = [&](const std::map<std::int64_t, ThreadClocks::Tick>& last) {
    state.number(std::int64_t(last.size()));
    for (const auto& [agent, tick] : last) {
      state.number(agent);
      state.tick(agent, tick);
    }
  };
  for (const Object& o : objects_) {
    state.phases_ended(std::int64_t(o.ended.size()));
    for (const std::int64_t n : {o.arrived, o.expected, o.copied}) state.number(n);
    all(o.known);
    // A wait for a phase before the last one is a fault.
    all(o.ended.empty() ? Ticks() : o.ended.back());
    state.number(std::int64_t(o.waiters.size()));
    for (const Waiter& w : o.waiters) {
      state.number(w.thread);
      state.tick(agent_of_waits(threads_, w.thread), w.tick);
    }
    state.number(std::int64_t(o.announcers.size()));
    for (const Waiter& w : o.announcers) {
      state.number(w.thread);
      state.tick(w.thread, w.tick);
    }
    arrivals(o.last_arrival);
    arrivals(o.arrivals_before);
  }
}

}  // namespace selvage
