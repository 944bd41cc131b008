#include <selvage/base/shuffle.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/run_state.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace selvage {

void BlockRun::run(std::vector<Thread>& order, SplitMix64* random) {
  for (Runner& r : runners_) {
    r.frames.clear();
    r.variables.clear();
    r.waits_at = kTop;
    r.is_held = false;
    r.arrived_at = kTop;
    r.frames.push_back({&tree_.body()});
  }
  bool has_released = true;
  while (actions_.goes_on()) {
    set_pace(has_released);
    actions_.begin_round(*this);
    if (random != nullptr) selvage::shuffle(order, *random);
    for (Thread t : order) {
      if (goes_on(t)) run(t);
    }
    // Threads that were not run to where they wait miss nothing.
    if (!actions_.goes_on()) break;
    has_released = release(false);
    const bool is_held = std::ranges::any_of(runners_, &Runner::is_held);
    if (!has_released && !is_held && !release(true)) break;
  }
  if (events_ != nullptr && actions_.goes_on()) tell_arrival_after_an_end();
}

void BlockRun::set_pace(bool has_released) {
  if (paced_.empty()) return;
  std::int64_t slowest = INT64_MAX;
  for (Thread t = 0; t < threads_; ++t) {
    runners_[t].is_held = false;
    if (const auto turn = turn_of(t, paced_)) slowest = std::min(slowest, turn->iteration);
  }
  lead_ = has_released || slowest != slowest_ ? 1 : lead_ + 1;
  slowest_ = slowest;
}

void BlockRun::run(Thread t) {
  Runner& r = runners_[t];
  stand(t);
  while (goes_on(t) && actions_.goes_on()) {
    Frame& f = r.frames.back();
    if (f.at == f.body->size()) {
      end_body(t);
    } else {
      step(t, (*f.body)[f.at++]);
    }
  }
}

void BlockRun::enter(Runner& r, PlaceId owner, const std::vector<PlaceId>& body, std::int64_t next,
                     std::int64_t end) {
  r.frames.push_back({&body, owner, next, end, 0, r.variables.size()});
  if (tree_[owner].variable.valid()) r.variables.push_back(owner);
}

// Continues with the loop's next iteration, or with the statement after the body.
void BlockRun::end_body(Thread t) {
  Runner& r = runners_[t];
  Frame& f = r.frames.back();
  r.variables.resize(f.variables);
  const bool is_while = f.owner != kTop && std::holds_alternative<While>(statement(f.owner).node);
  if (is_while && f.next + 1 >= kMostTurns) tell(f.owner, t, "a loop that goes on and on");
  if (f.next + 1 >= (is_while ? kMostTurns : f.end)) {
    r.frames.pop_back();
    return;
  }
  const bool is_paced = std::ranges::find(paced_, f.owner) != paced_.end();
  r.is_held = is_paced && (slowest_ < INT64_MAX ? f.next - slowest_ : f.turn) >= lead_;
  if (r.is_held) return;
  r.variables.push_back(f.owner);
  f.at = 0;
  ++f.next;
  ++f.turn;
  if (is_while) return turn(r, f.owner);
  actions_.set(f.owner, f.next);
  actions_.come_to(f.owner);
}

// Whether a While runs once more is asked before each iteration.
void BlockRun::turn(Runner& r, PlaceId loop) {
  actions_.set(loop, r.frames.back().next);
  if (actions_.holds(loop).value_or(false)) return;
  r.variables.resize(r.frames.back().variables);
  r.frames.pop_back();
}

void BlockRun::leave(Runner& r, const Leave& leave) {
  const auto is_left = [&](const Frame& f) {
    return f.owner != kTop && same(tree_[f.owner].variable, leave.loop);
  };
  while (!is_left(r.frames.back())) r.frames.pop_back();
  Frame& f = r.frames.back();
  f.at = f.body->size();
  if (leave.is_next) return;
  r.variables.resize(f.variables);
  r.frames.pop_back();
}

void BlockRun::tell(PlaceId id, Thread t, const std::string& what) {
  if (what.empty()) return;
  stand(t);
  actions_.diverge(id, {.thread = t, .what = what});
}

void BlockRun::step(Thread t, PlaceId id) {
  Runner& r = runners_[t];
  const StatementTree::Node& node = tree_[id];
  actions_.come_to(id);
  std::visit(
      overloaded{[&](const Loop& loop) {
                   if (is_index(loop.parallel)) {
                     enter(r, id, node.body, 0, 1);
                     return actions_.name(id);
                   }
                   const auto range = actions_.range(id);
                   if (!range || range->first >= range->second) return;
                   enter(r, id, node.body, range->first, range->second);
                   actions_.set(id, range->first);
                 },
                 [&](const Define&) {
                   actions_.name(id);
                   r.variables.push_back(id);
                 },
                 [&](const Guard&) {
                   const auto holds = actions_.holds(id);
                   if (holds) enter(r, id, *holds ? node.body : node.otherwise, 0, 1);
                 },
                 [&](const Region& region) {
                   const Barrier all{.scope = Barrier::Scope::Threads, .members = region.members};
                   if (all.has(t)) enter(r, id, node.body, 0, 1);
                 },
                 [&](const While&) {
                   enter(r, id, node.body, 0, 0);
                   turn(r, id);
                 },
                 [&](const Leave& l) { leave(r, l); }, [&](const Store&) { actions_.access(id); },
                 [&](const Transfer&) { actions_.access(id); },
                 [&](const AsyncCopy& copy) { begin_copy(t, id, copy); },
                 [&](const Arrive& arrive) {
                   if (!arrive.object) return close_group(t, id, arrive);
                   actions_.spend(clock_.clocks().size());
                   const auto signal = actions_.signal(id);
                   if (!signal) return;
                   r.arrived_at = id;
                   tell(id, t,
                        arrive.of_copies
                            ? events_->arrive_of_copies(t, signal->object, clock_.clocks())
                            : events_->arrive(t, signal->object, signal->amount, clock_.clocks()));
                 },
                 [&](const Wait& wait) {
                   if (!wait.object) return wait_for_groups(t, id, wait);
                   const auto signal = waited_for(t, id);
                   if (!signal) return;
                   tell(id, t,
                        events_->begin_wait(t, signal->object, signal->amount, clock_.clocks()));
                   r.waits_at = id;
                   pass_wait(t, id);
                 },
                 [&](const ProxyFence&) { events_->fence(t, clock_.clocks()); },
                 [&](const Barrier& barrier) { arrive_at(t, id, barrier); },
                 [&](const LastBlock&) { arrive_at(t, id, together_at(id)); },
                 [&](const Mma&) { arrive_at(t, id, together_at(id)); },
                 [&](const Shuffle&) { arrive_at(t, id, together_at(id)); }},
      node.statement->node);
}

// Of multiplications the threads of a warp do it together.
void BlockRun::close_group(Thread t, PlaceId id, const Arrive& arrive) {
  if (arrive.queue == ThreadQueue::Products) return arrive_at(t, id, together_at(id));
  events_->close_group(t, arrive.queue);
}
void BlockRun::wait_for_groups(Thread t, PlaceId id, const Wait& wait) {
  if (wait.queue == ThreadQueue::Products) return arrive_at(t, id, together_at(id));
  events_->wait_for_groups(t, wait, clock_.clocks());
}

void BlockRun::begin_copy(Thread t, PlaceId id, const AsyncCopy& copy) {
  if (!copy.object) return actions_.copy(id, events_->begin(t, *queue_of(statement(id))));
  const auto signal = actions_.signal(id);
  if (!signal) return;
  actions_.spend(clock_.clocks().size());
  if (copy.announces) events_->announce(t, signal->object, signal->amount, clock_.clocks());
  // It reads and writes, and then the object knows of it.
  const auto make = [&](std::size_t object, std::int64_t ranks_on) {
    actions_.copy(id, events_->copy_for(object), ranks_on);
    tell(id, t, events_->bring(t, object, signal->amount, copy.by_rank.valid(), clock_.clocks()));
  };
  if (!signal->multicast) return make(signal->object, 0);
  const Multicast& all = *signal->multicast;
  if (all.rank != all.by_rank) return;
  for (std::int64_t k = -all.rank; k < all.ranks - all.rank; ++k) {
    make(std::size_t(std::int64_t(signal->object) + k * all.objects), k);
  }
}

void BlockRun::arrive_at(Thread t, PlaceId id, const Barrier& barrier) {
  runners_[t].waits_at = id;
  if (!barrier.has(t)) actions_.diverge(id, {RunFault::Kind::Stranger, t, {}, name_of(barrier)});
}

// The object of a wait, and the number of the phase.
std::optional<BlockActions::Signal> BlockRun::waited_for(Thread t, PlaceId id) {
  auto signal = actions_.signal(id);
  if (signal && std::get<Wait>(statement(id).node).by_parity) {
    signal->amount = events_->phase_of(t, signal->object, signal->amount, clock_.clocks());
  }
  return signal;
}

// Passes a wait if its phase has ended; returns whether it has.
bool BlockRun::pass_wait(Thread t, PlaceId id) {
  stand(t);
  const auto signal = waited_for(t, id);
  std::string wrong;
  if (!signal || !events_->end_wait(t, signal->object, signal->amount, clock_.clocks(), wrong)) {
    return false;
  }
  actions_.spend(clock_.clocks().size());
  runners_[t].waits_at = kTop;
  tell(id, t, wrong);
  return true;
}

// `is_endless`: some wait that is forced to go on cannot.
bool BlockRun::release_waits(bool is_forced, bool& is_endless) {
  bool has_released = false;
  std::vector<PlaceId> endless;
  there_.clear();
  for (Thread t = 0; t < threads_; ++t) {
    const PlaceId id = runners_[t].waits_at;
    if (id == kTop) continue;
    const auto* wait = std::get_if<Wait>(&statement(id).node);
    if (wait == nullptr || !wait->object) {
      there_.push_back(t);
    } else if (pass_wait(t, id)) {
      has_released = true;
    } else if (is_forced && std::find(endless.begin(), endless.end(), id) == endless.end()) {
      endless.push_back(id);
      tell_endless(t, id);
    }
  }
  is_endless = !endless.empty();
  return has_released;
}

// Orders waiting threads; those at the same barrier in the same iterations are equal.
bool BlockRun::comes_before(Thread a, Thread b) const {
  const Runner &x = runners_[a], &y = runners_[b];
  if (x.waits_at != y.waits_at) return x.waits_at < y.waits_at;
  return std::lexicographical_compare(
      x.frames.begin(), x.frames.end(), y.frames.begin(), y.frames.end(),
      [](const Frame& f, const Frame& g) { return f.turn < g.turn; });
}

bool BlockRun::release(bool is_forced) {
  bool is_endless = false;
  bool has_released = release_waits(is_forced, is_endless);
  if (is_endless || there_.empty()) return has_released && !is_endless;
  const auto is_apart = [&](Thread t) {
    return comes_before(t, there_[0]) || comes_before(there_[0], t);
  };
  if (std::none_of(there_.begin(), there_.end(), is_apart)) {
    return release_meeting(there_, is_forced) || has_released;
  }
  const auto before = [&](Thread a, Thread b) { return comes_before(a, b); };
  std::stable_sort(there_.begin(), there_.end(), before);
  std::vector<std::span<const Thread>> meetings;  // in the order of the first who waits
  for (auto begin = there_.begin(); begin != there_.end();) {
    const auto end = std::upper_bound(begin, there_.end(), *begin, before);
    meetings.emplace_back(begin, end);
    begin = end;
  }
  std::sort(meetings.begin(), meetings.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  for (std::span<const Thread> there : meetings) {
    has_released = release_meeting(there, is_forced) || has_released;
    if (is_forced && has_released) break;
  }
  return has_released;
}

// Threads that are at one barrier or shuffle for the same time.
bool BlockRun::release_meeting(std::span<const Thread> there, bool is_forced) {
  const PlaceId id = runners_[there.front()].waits_at;
  const Barrier& own = together_at(id);
  const auto part = part_of(own, tree_.kernel().launch);
  if (!part) return release_barrier(id, own, there, is_forced);
  bool has_released = false;
  for_each_part(there, *part, [&](std::span<const Thread> threads) {
    has_released = release_barrier(id, own, threads, is_forced) || has_released;
  });
  return has_released;
}

bool BlockRun::release_barrier(PlaceId id, const Barrier& barrier, std::span<const Thread> there,
                               bool is_forced) {
  using Kind = RunFault::Kind;
  const auto& node = statement(id).node;
  const bool is_mma = std::holds_alternative<Mma>(node);
  const bool is_shuffle = std::holds_alternative<Shuffle>(node);
  const auto* arrive = std::get_if<Arrive>(&node);
  const auto* wait = std::get_if<Wait>(&node);
  const bool is_barrier = std::holds_alternative<Barrier>(node);
  const auto name = [&] {
    return is_barrier ? name_of(barrier) : std::string(name_of(statement(id)));
  };
  // A thread that is no member has been reported, and goes on together with the members.
  std::vector<Thread> members;
  std::copy_if(there.begin(), there.end(), std::back_inserter(members),
               [&](Thread t) { return barrier.has(t); });
  const auto part = part_of(barrier, tree_.kernel().launch);
  if (const auto wrong = wrong_meeting(barrier, members, threads_, part.value_or(kWarp))) {
    if (!is_forced) return false;
    stand(wrong->thread);
    actions_.diverge(id, {Kind::Missing, wrong->thread, wrong->missing, name()});
  }
  const auto last = Thread(threads_ / kWarp * kWarp);
  if (is_shuffle && there.back() >= last) {
    tell(id, there.front(), fmt::format("a shuffle of a warp of {} threads", threads_ - last));
  }
  const auto last_group = Thread(threads_ / kWarpgroup * kWarpgroup);
  if (is_mma && there.back() >= last_group) {
    tell(id, there.front(),
         fmt::format("a matrix multiplication of {} threads, which are no warpgroup",
                     threads_ - last_group));
  }
  if (barrier.scope == Barrier::Scope::Threads) {
    if (const auto taken = clock_.clocks().take(barrier, there)) {
      stand(taken->thread);
      actions_.diverge(id, {Kind::Taken, taken->thread, taken->user, name()});
    }
  }
  if (is_shuffle) {
    actions_.exchange(id, there);
  } else if (is_mma) {
    for_each_part(there, kWarp, [&](std::span<const Thread> warp) { actions_.exchange(id, warp); });
  } else if (arrive != nullptr) {
    for (Thread t : there) events_->close_group(t, arrive->queue);
  } else if (wait != nullptr) {
    for (Thread t : there) events_->wait_for_groups(t, *wait, clock_.clocks());
  } else {
    actions_.meet(id, there);
  }
  // At those of multiplications nobody learns what others have done.
  const bool is_of_mma = is_mma || arrive != nullptr || wait != nullptr;
  if (!is_of_mma) clock_.meet(barrier.scope, there);
  const auto n = std::int64_t(there.size());
  actions_.spend(clock_.is_clocked() ? n * clock_.clocks().size() / 2 : n);
  for (Thread t : there) runners_[t].waits_at = kTop;
  if (std::holds_alternative<LastBlock>(node) && actions_.is_last_block(id)) {
    clock_.see_all_blocks();
    for (Thread t : there) enter(runners_[t], id, tree_[id].body, 0, 1);
  }
  return true;
}

void BlockRun::tell_endless(Thread t, PlaceId id) {
  stand(t);
  const auto signal = waited_for(t, id);
  if (!signal) return;
  tell(id, t,
       fmt::format("a wait for phase {} that never ends: {}", signal->amount,
                   events_->state(signal->object)));
}

void BlockRun::tell_arrival_after_an_end() {
  const bool all_have_ended =
      std::ranges::all_of(runners_, [](const Runner& r) { return r.frames.empty(); });
  if (!all_have_ended) return;
  const auto thread = events_->arrival_after_an_end(clock_.clocks());
  if (!thread) return;
  tell(runners_[*thread].arrived_at, *thread,
       "an arrival at an object of another block of the cluster, which may have ended");
}

std::optional<BlockRun::Turn> BlockRun::turn_of(Thread t, std::span<const PlaceId> loops) const {
  for (const Frame& f : runners_[t].frames) {
    if (std::ranges::find(loops, f.owner) != loops.end()) return Turn{f.owner, f.next};
  }
  return std::nullopt;
}

void BlockRun::describe(RunState& state, std::span<const PlaceId> loops, std::int64_t from) const {
  state.number(lead_);
  for (const Runner& r : runners_) {
    state.number(r.waits_at);
    state.number(std::int64_t(r.frames.size()));
    for (const Frame& f : r.frames) {
      const bool is_counted = std::ranges::find(loops, f.owner) != loops.end();
      state.number(f.owner);
      state.number(f.owner != kTop && f.body == &tree_[f.owner].otherwise);
      state.number(std::int64_t(f.at));
      state.number(is_counted ? f.next - from : f.next);
      state.number(is_counted ? f.turn - from : f.turn);
      state.number(is_counted ? 0 : f.end);
    }
  }
}

}  // namespace selvage
