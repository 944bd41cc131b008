#include <selvage/base/check.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

// Where threads shuffle.
const Barrier kWarpBarrier{.scope = Barrier::Scope::Warp};

}  // namespace

void BlockRun::run(std::span<const std::uint32_t> order) {
  runners_.assign(std::size_t(threads_), {});
  for (Runner& r : runners_) r.frames.push_back({&body_});
  while (actions_.goes_on()) {
    for (Thread t : order) {
      if (runners_[t].waits_at == nullptr) run(t);
    }
    if (!release(false) && !release(true)) break;
  }
}

void BlockRun::run(Thread t) {
  Runner& r = runners_[t];
  while (r.waits_at == nullptr && !r.frames.empty() && actions_.goes_on()) {
    Frame& f = r.frames.back();
    if (f.at == f.body->size()) {
      end_body(t);
    } else {
      step(t, (*f.body)[f.at++]);
    }
  }
}

void BlockRun::enter(Thread t, const Statement& owner, const Body& body, std::int64_t next,
                     std::int64_t end) {
  Runner& r = runners_[t];
  r.frames.push_back({&body, &owner, next, end, 0, r.variables.size()});
  if (parts_of(owner).variable.valid()) r.variables.push_back(&owner);
}

// The next iteration, or what stands behind.
void BlockRun::end_body(Thread t) {
  Runner& r = runners_[t];
  Frame& f = r.frames.back();
  r.variables.resize(f.variables);
  const bool is_while = f.owner != nullptr && std::holds_alternative<While>(f.owner->node);
  if (is_while && f.next + 1 < kMostTurns) {
    r.variables.push_back(f.owner);
    f.at = 0;
    ++f.next;
    ++f.turn;
    return turn(t, *f.owner);
  }
  if (is_while) tell(*f.owner, t, "a loop that goes on and on");
  if (f.next + 1 >= f.end) {
    r.frames.pop_back();
    return;
  }
  r.variables.push_back(f.owner);
  f.at = 0;
  ++f.turn;
  stand(t);
  actions_.set(*f.owner, ++f.next);
}

// Whether a While runs once more is asked before each iteration.
void BlockRun::turn(Thread t, const Statement& loop) {
  Runner& r = runners_[t];
  stand(t);
  actions_.set(loop, r.frames.back().next);
  if (actions_.holds(loop).value_or(false)) return;
  r.variables.resize(r.frames.back().variables);
  r.frames.pop_back();
}

void BlockRun::leave(Thread t, const Leave& leave) {
  Runner& r = runners_[t];
  const auto is_left = [&](const Frame& f) {
    return f.owner != nullptr && same(parts_of(*f.owner).variable, leave.loop);
  };
  while (!is_left(r.frames.back())) r.frames.pop_back();
  Frame& f = r.frames.back();
  f.at = f.body->size();
  if (leave.is_next) return;
  r.variables.resize(f.variables);
  r.frames.pop_back();
}

void BlockRun::tell(const Statement& s, Thread t, const std::string& what) {
  if (what.empty()) return;
  stand(t);
  actions_.diverge(s, t, std::nullopt, what);
}

void BlockRun::step(Thread t, const Statement& s) {
  stand(t);
  Runner& r = runners_[t];
  std::visit(
      overloaded{[&](const Loop& loop) {
                   if (is_index(loop.parallel)) {
                     enter(t, s, loop.body, 0, 1);
                     return actions_.name(s);
                   }
                   const auto range = actions_.range(s);
                   if (!range || range->first >= range->second) return;
                   enter(t, s, loop.body, range->first, range->second);
                   actions_.set(s, range->first);
                 },
                 [&](const Define&) {
                   actions_.name(s);
                   r.variables.push_back(&s);
                 },
                 [&](const Guard& guard) {
                   const auto holds = actions_.holds(s);
                   if (holds) enter(t, s, *holds ? guard.body : guard.otherwise, 0, 1);
                 },
                 [&](const Region& region) {
                   const Barrier all{.scope = Barrier::Scope::Threads, .members = region.members};
                   if (all.has(t)) enter(t, s, region.body, 0, 1);
                 },
                 [&](const While& loop) {
                   enter(t, s, loop.body, 0, 0);
                   turn(t, s);
                 },
                 [&](const Leave& l) { leave(t, l); }, [&](const Store&) { actions_.access(s); },
                 [&](const Transfer&) { actions_.access(s); },
                 [&](const AsyncCopy& copy) {
                   if (!copy.object) return actions_.copy(s, events_.copy(t));
                   const auto signal = actions_.signal(s);
                   if (!signal) return;
                   actions_.spend(clocks_.size());
                   // It reads and writes, and then the object knows of it.
                   actions_.copy(s, events_.copy_for(signal->object));
                   tell(s, t, events_.bring(t, signal->object, signal->amount, clocks_));
                 },
                 [&](const Arrive& arrive) {
                   if (!arrive.object) return events_.close_group(t);
                   actions_.spend(clocks_.size());
                   const auto signal = actions_.signal(s);
                   if (signal)
                     tell(s, t, events_.arrive(t, signal->object, signal->amount, clocks_));
                 },
                 [&](const Wait& wait) {
                   if (!wait.object) return events_.wait_for_groups(t, wait.pending, clocks_);
                   const auto signal = actions_.signal(s);
                   if (!signal) return;
                   tell(s, t, events_.begin_wait(t, signal->object, signal->amount, clocks_));
                   r.waits_at = &s;
                   pass_wait(t, s);
                 },
                 [&](const Barrier& barrier) { arrive_at(t, s, barrier); },
                 [&](const Shuffle&) { arrive_at(t, s, kWarpBarrier); }},
      s.node);
}

void BlockRun::arrive_at(Thread t, const Statement& s, const Barrier& barrier) {
  if (!barrier.has(t)) {
    return tell(s, t, name_of(barrier) + " that a thread reaches which takes no part in it");
  }
  runners_[t].waits_at = &s;
}

// Where the phase has ended.
bool BlockRun::pass_wait(Thread t, const Statement& s) {
  stand(t);
  const auto signal = actions_.signal(s);
  std::string wrong;
  if (!signal || !events_.end_wait(t, signal->object, signal->amount, clocks_, wrong)) return false;
  actions_.spend(clocks_.size());
  runners_[t].waits_at = nullptr;
  tell(s, t, wrong);
  return true;
}

bool BlockRun::release(bool is_forced) {
  using Meeting = std::pair<const Statement*, std::vector<std::int64_t>>;  // and turns of loops
  std::vector<Meeting> meetings;  // in the order of the first who waits
  std::map<Meeting, std::vector<Thread>> there;
  std::set<const Statement*> endless;
  bool has_released = false;
  for (Thread t = 0; t < threads_; ++t) {
    const Statement* s = runners_[t].waits_at;
    if (s == nullptr) continue;
    if (std::holds_alternative<Wait>(s->node)) {
      if (pass_wait(t, *s)) {
        has_released = true;
      } else if (is_forced && endless.insert(s).second) {
        tell_endless(t, *s);
      }
      continue;
    }
    Meeting meeting{s, {}};
    for (const Frame& f : runners_[t].frames) meeting.second.push_back(f.turn);
    if (there[meeting].empty()) meetings.push_back(meeting);
    there[meeting].push_back(t);
  }
  if (!endless.empty()) return false;
  for (const Meeting& meeting : meetings) {
    const Statement* s = meeting.first;
    const auto* barrier = std::get_if<Barrier>(&s->node);
    const auto& own = barrier == nullptr ? kWarpBarrier : *barrier;
    const std::vector<Thread>& all = there[meeting];
    if (own.scope != Barrier::Scope::Warp) {
      has_released = release_barrier(*s, own, all, is_forced) || has_released;
      continue;
    }
    for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
      while (end < all.size() && all[end] / kWarp == all[i] / kWarp) ++end;
      has_released =
          release_barrier(*s, own, std::span(all).subspan(i, end - i), is_forced) || has_released;
    }
    if (is_forced && has_released) break;
  }
  return has_released;
}

bool BlockRun::release_barrier(const Statement& s, const Barrier& barrier,
                               std::span<const Thread> there, bool is_forced) {
  const bool is_shuffle = std::holds_alternative<Shuffle>(s.node);
  const std::string name = is_shuffle ? "a shuffle" : name_of(barrier);
  if (const auto wrong = wrong_meeting(barrier, there, threads_)) {
    if (!is_forced) return false;
    stand(wrong->thread);
    actions_.diverge(s, wrong->thread, wrong->missing,
                     name + " that one thread reaches and another does not");
  }
  const auto last = Thread(threads_ / kWarp * kWarp);
  if (is_shuffle && there.back() >= last) {
    tell(s, there.back(), "a shuffle in a warp of fewer than 32 threads");
  }
  if (barrier.scope == Barrier::Scope::Threads) {
    if (const auto taken = clocks_.take(barrier, there)) {
      stand(taken->thread);
      actions_.diverge(s, taken->thread, taken->user,
                       name + " that one thread reaches where another may still wait");
    }
  }
  if (is_shuffle) actions_.shuffle(s, there);
  clocks_.meet(barrier.scope, there);
  actions_.spend(std::int64_t(there.size()) * clocks_.size() / 2);
  for (Thread t : there) runners_[t].waits_at = nullptr;
  return true;
}

void BlockRun::tell_endless(Thread t, const Statement& s) {
  stand(t);
  const auto signal = actions_.signal(s);
  if (!signal) return;
  tell(s, t,
       fmt::format("a wait for phase {} that never ends: {}", signal->amount,
                   events_.state(signal->object)));
}

}  // namespace selvage
