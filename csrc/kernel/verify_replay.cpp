#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/thread_clocks.h>
#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_memory.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace selvage {

namespace {

constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostClocked = 1024;  // threads of a block with partial barriers

using Index3 = std::array<std::int64_t, 3>;
using Active = std::vector<std::int32_t>;

// All threads of a block go through the statements together, those that are elsewhere waiting.
class Player : private BlockActions, private ReplayMemory::Log {
 public:
  Player(const AccessMap& map, const Point& sizes, std::int64_t work)
      : map_(map), sizes_(sizes), work_(work) {
    out_.is_complete = true;
    by_place_.resize(map.places().size());
    for (std::size_t i = 0; i < map.accesses().size(); ++i) {
      // What depends on data may or may not happen: only the rest is looked at.
      if (map.accesses()[i].depends_on_data) {
        out_.is_complete = false;
      } else {
        by_place_[map.accesses()[i].place].push_back(i);
      }
    }
  }

  // `stop_at`: the step and thread whose variables are asked for.
  struct Wanted {
    std::int32_t step, thread;
  };
  std::optional<ThreadAt> variables_at(const Wanted& wanted) {
    wanted_ = wanted;
    run();
    return found_;
  }

  std::int64_t work_left() const { return work_; }
  Replay run() {
    for (const auto& [symbol, value] : sizes_) slots_[slots_(symbol)] = value;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto g = number(map_.kernel().launch.grid[k]),
                 b = number(map_.kernel().launch.block[k]);
      if (!g || !b) return incomplete();
      grid_[k] = *g;
      block_extents_[k] = *b;
    }
    const auto& [x, y, z] = block_extents_;
    if (x < 1 || y < 1 || z < 1 || x > kMostThreads || y > kMostThreads || z > kMostThreads ||
        x * y * z > kMostThreads) {
      return x < 1 || y < 1 || z < 1 ? std::move(out_) : incomplete();
    }
    threads_ = std::int32_t(x * y * z);
    if (map_.has_partial_barrier() || map_.has_own_pace()) {
      if (threads_ > kMostClocked) return incomplete();
      const std::vector<std::int64_t>& arrivals = number_objects();
      clocks_.emplace(threads_,
                      map_.has_own_pace() ? BlockEvents::agents(threads_, arrivals.size()) : 0);
      if (map_.has_own_pace()) events_.emplace(threads_, arrivals);
    }
    left_.assign(std::size_t(threads_), kTop);
    compile();
    if (!prepare_memory()) return incomplete();
    Active all(static_cast<std::size_t>(threads_));
    std::iota(all.begin(), all.end(), 0);
    for (block_[2] = 0; block_[2] < grid_[2]; ++block_[2]) {
      for (block_[1] = 0; block_[1] < grid_[1]; ++block_[1]) {
        for (block_[0] = 0; block_[0] < grid_[0]; ++block_[0]) {
          begin_block();
          if (map_.has_own_pace()) {
            BlockRun(map_.kernel().body, threads_, *clocks_, *events_, *this)
                .run(std::vector<Thread>(all.begin(), all.end()));
          } else {
            run(map_.body(), all);
          }
          if (is_over_ || work_ < 0) return incomplete();
        }
      }
    }
    return std::move(out_);
  }

 private:
  struct Compiled {
    std::optional<SlotTape> tape;         // a Loop's begin and end, a Guard's condition
    std::vector<SlotTape> accesses;       // conditions of its own, then the address
    std::vector<std::size_t> conditions;  // how many of those each has
  };

  Replay incomplete() {
    out_.is_complete = false;
    return std::move(out_);
  }
  std::optional<std::int64_t> number(Expr e) {
    if (!slots_.has_all(e)) return std::nullopt;
    SlotTape tape(std::span(&e, 1), slots_);
    if (!tape.evaluate(slots_, work_)) return std::nullopt;
    return tape.root(0);
  }

  void compile() {
    for (std::size_t k = 0; k < 3; ++k) {
      for (Expr e : {map_.threads()[k], map_.blocks()[k]}) {
        if (e.is(Op::Symbol)) slots_(e);
      }
    }
    for (const StatementPlace& p : map_.places()) {
      if (p.is_serial_loop()) slots_(p.variable);
    }
    for (const MemoryNumber& n : map_.numbers()) {
      slots_(n.symbol);
      number_at_[n.place] = &n;
      loop_values_.try_emplace(n.place, std::vector<std::int64_t>(std::size_t(threads_)));
    }
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const StatementPlace& p = map_.places()[id];
      Compiled& c = compiled_.emplace_back();
      if (p.is_serial_loop()) {
        const Expr ends[] = {p.begin, p.extent};
        c.tape.emplace(ends, slots_);
        loop_values_.try_emplace(id, std::vector<std::int64_t>(std::size_t(threads_)));
      } else if (p.condition.valid()) {
        c.tape.emplace(std::span(&p.condition, 1), slots_);
      } else if (p.amount.valid()) {
        c.tape.emplace(std::span(&p.amount, 1), slots_);
      } else if (number_at_.contains(id)) {
        c.tape.emplace(std::span(&number_at_[id]->most, 1), slots_);
      }
      place_of_[p.statement] = id;
      for (std::size_t i : by_place_[id]) {
        const KernelAccess& a = map_.accesses()[i];
        // Beyond those of the statement.
        const auto& all = map_.scope(a.scope).conditions;
        const std::size_t outer = map_.scope(p.scope).conditions.size();
        std::vector<Expr> roots(all.begin() + std::ptrdiff_t(outer), all.end());
        c.conditions.push_back(roots.size());
        roots.push_back(a.address);
        c.accesses.emplace_back(roots, slots_);
      }
    }
  }

  bool prepare_memory() {
    auto layout = replay_layout(
        map_, [this](Expr e) { return number(e); }, std::int64_t(threads_));
    if (!layout) return false;
    memory_.emplace(map_, std::move(*layout), threads_, clocks_ ? &*clocks_ : nullptr,
                    static_cast<ReplayMemory::Log&>(*this));
    return true;
  }

  void begin_block() {
    ++block_number_;
    for (std::size_t k = 0; k < 3; ++k) {
      if (map_.blocks()[k].is(Op::Symbol)) slots_[slots_(map_.blocks()[k])] = block_[k];
    }
    memory_->start_block(block_number_);
    ++block_epoch_;
    warp_epochs_.assign(std::size_t(threads_ + 31) / 32, 0);
    if (events_) events_->start_block();
    if (clocks_) {
      clocks_->start_block();
      work_ -= std::int64_t(threads_) * threads_ / 8;
    }
    work_ -= (memory_->layout().local + 1) * threads_ / 8 + 64;
  }

  void stand_at(std::int32_t t) {
    std::int64_t rest = t;
    for (std::size_t k = 0; k < 3; ++k) {
      thread_[k] = rest % block_extents_[k];
      rest /= block_extents_[k];
      if (map_.threads()[k].is(Op::Symbol)) slots_[slots_(map_.threads()[k])] = thread_[k];
    }
    for (PlaceId id : open_loops_) {
      slots_[slots_(variable_at(id))] = loop_values_.at(id)[std::size_t(t)];
    }
    work_ -= 8;
  }
  // Of a loop, of a number from memory.
  Expr variable_at(PlaceId id) const {
    const auto number = number_at_.find(id);
    return number == number_at_.end() ? map_.places()[id].variable : number->second->symbol;
  }
  bool evaluate(SlotTape& tape) {
    if (tape.evaluate(slots_, work_)) return true;
    out_.is_complete = false;
    return false;
  }

  void run(const std::vector<PlaceId>& body, const Active& active) {
    const Active* here = &active;
    Active rest;  // those that have left no loop
    for (PlaceId id : body) {
      if (is_over_ || (is_over_ = work_ < 0)) return;
      if (here->empty()) return;
      run(id, *here);
      if (count_left_ == 0) continue;
      if (here == &active) rest = active;
      here = &rest;
      std::erase_if(rest, [&](std::int32_t t) { return has_left(t); });
    }
  }
  bool has_left(std::int32_t t) const { return left_[std::size_t(t)] != kTop; }
  void run(PlaceId id, const Active& active) {
    const StatementPlace& p = map_.places()[id];
    std::visit(overloaded{[&](const Loop&) {
                            if (p.is_serial_loop()) return loop(id, active);
                            run(p.body, active);  // the index of a block or thread
                          },
                          [&](const Guard&) { guard(id, active); },
                          [&](const Barrier& barrier) { meet(id, barrier, active); },
                          [&](const Leave&) {
                            for (std::int32_t t : active) left_[std::size_t(t)] = id;
                            count_left_ += active.size();
                          },
                          [&](const Shuffle&) {
                            check_shuffle(id, active);
                            access(id, active);
                          },
                          [](const Define&) {},  // is written out
                          [&](const Store&) { access(id, active); },
                          [&](const Transfer&) { access(id, active); },
                          // Where any of these is, BlockRun says who runs what.
                          [](const AsyncCopy&) {}, [](const Arrive&) {}, [](const Wait&) {},
                          [](const Region&) {}, [](const While&) {}},
               p.statement->node);
  }

  const std::vector<std::int64_t>& number_objects() {
    std::vector<std::int64_t> elements;
    for (const Buffer& b : map_.kernel().buffers) {
      elements.push_back(b.arrivals ? number(b.elements).value_or(0) : 0);
    }
    return objects_.emplace(map_.kernel(), elements).arrivals();
  }

  // What BlockRun asks for.
  void stand_at(Thread t, std::span<const Statement* const> variables) override {
    open_loops_.clear();
    for (const Statement* s : variables) {
      const PlaceId id = place_of_.at(s);
      if (loop_values_.contains(id)) open_loops_.push_back(id);
    }
    one_ = {std::int32_t(t)};
    stand_at(std::int32_t(t));
  }
  std::optional<std::int64_t> value_at(const Statement& s, std::size_t root = 0) {
    SlotTape& tape = *compiled_[place_of_.at(&s)].tape;
    return evaluate(tape) ? std::optional(tape.root(root)) : std::nullopt;
  }
  std::optional<std::pair<std::int64_t, std::int64_t>> range(const Statement& loop) override {
    if (!map_.places()[place_of_.at(&loop)].is_serial_loop()) return std::pair(0, 1);
    const auto begin = value_at(loop, 0), end = value_at(loop, 1);
    return begin ? std::optional(std::pair(*begin, *end)) : std::nullopt;
  }
  void set(const Statement& loop, std::int64_t value) override {
    const auto it = loop_values_.find(place_of_.at(&loop));
    if (it == loop_values_.end()) return;
    it->second[std::size_t(one_[0])] = value;
    slots_[slots_(variable_at(it->first))] = value;
  }
  // Of all that memory may hold, the most; the rest is for nobody to see.
  void name(const Statement& s) override {
    const PlaceId id = place_of_.at(&s);
    const auto number = number_at_.find(id);
    if (number == number_at_.end()) return;
    access(id, one_);
    const auto most = value_at(s);
    out_.is_complete = false;
    if (!most || !number->second->is_free) {
      is_over_ = true;
    } else {
      set(s, *most);
    }
  }
  std::optional<bool> holds(const Statement& s) override {
    if (std::holds_alternative<While>(s.node)) {
      access(place_of_.at(&s), one_);
      is_over_ = true;
      return std::nullopt;
    }
    const auto holds = value_at(s);
    return holds ? std::optional(*holds != 0) : std::nullopt;
  }
  void access(const Statement& s) override { access(place_of_.at(&s), one_); }
  void copy(const Statement& s, CopyAgent agent) override {
    agent_ = agent;
    access(place_of_.at(&s), one_);
    agent_ = std::nullopt;
  }
  std::optional<Signal> signal(const Statement& s) override {
    const PlaceId id = place_of_.at(&s);
    const std::vector<std::size_t>& all = by_place_[id];
    const KernelAccess& a = map_.accesses()[all.back()];
    SlotTape& address = compiled_[id].accesses.back();
    if (!evaluate(address)) return std::nullopt;
    const std::optional<std::size_t> object = objects_->at(a.buffer, address.root(0));
    if (!std::holds_alternative<AsyncCopy>(s.node)) access(id, one_);
    if (!object) return std::nullopt;
    Signal signal{*object, 0};
    if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) {
      signal.amount = copy->copy.width * size_of(map_.kernel().buffers[copy->copy.to].type);
    } else if (compiled_[id].tape) {
      const auto amount = value_at(s);
      if (!amount) return std::nullopt;
      signal.amount = *amount;
    }
    return signal;
  }
  void shuffle(const Statement& s, std::span<const Thread> threads) override {
    for (Thread t : threads) access(place_of_.at(&s), {std::int32_t(t)});
  }
  void diverge(const Statement& s, Thread thread, std::optional<Thread> other,
               const std::string& what) override {
    diverge(place_of_.at(&s), std::int32_t(thread),
            other ? std::optional(std::int32_t(*other)) : std::nullopt, what);
  }
  bool goes_on() const override { return !is_over_ && work_ >= 0; }
  void spend(std::int64_t operations) override { work_ -= operations; }

  void guard(PlaceId id, const Active& active) {
    Active inside, outside;
    for (std::int32_t t : active) {
      stand_at(t);
      if (!evaluate(*compiled_[id].tape)) continue;
      (compiled_[id].tape->root(0) != 0 ? inside : outside).push_back(t);
    }
    run(map_.places()[id].body, inside);
    run(map_.places()[id].otherwise, outside);
  }

  void loop(PlaceId id, const Active& active) {
    std::vector<std::int64_t> end(static_cast<std::size_t>(threads_));
    std::vector<std::int64_t>& value = loop_values_.at(id);
    Active inside;
    for (std::int32_t t : active) {
      stand_at(t);
      if (!evaluate(*compiled_[id].tape)) continue;
      value[std::size_t(t)] = compiled_[id].tape->root(0);
      end[std::size_t(t)] = compiled_[id].tape->root(1);
      inside.push_back(t);
    }
    open_loops_.push_back(id);
    while (!is_over_) {
      std::erase_if(inside,
                    [&](std::int32_t t) { return value[std::size_t(t)] >= end[std::size_t(t)]; });
      if (inside.empty()) break;
      run(map_.places()[id].body, inside);
      for (std::int32_t t : inside) ++value[std::size_t(t)];
      if (count_left_ > 0) std::erase_if(inside, [&](std::int32_t t) { return is_gone(id, t); });
      work_ -= std::int64_t(inside.size());
      if (work_ < 0) is_over_ = true;
    }
    open_loops_.pop_back();
  }

  // At the end of an iteration of a loop: does the thread go on with no other one?
  bool is_gone(PlaceId loop, std::int32_t t) {
    PlaceId& left = left_[std::size_t(t)];
    if (left == kTop) return false;
    const StatementPlace& leave = map_.places()[left];
    if (leave.leaves != loop) return true;
    left = kTop;
    --count_left_;
    return !std::get<Leave>(leave.statement->node).is_next;
  }

  void meet(PlaceId id, const Barrier& barrier, const Active& active) {
    const bool is_of_warp = barrier.scope == Barrier::Scope::Warp;
    check(id, barrier, active);
    if (clocks_) return meet_clocked(id, barrier, active);
    if (!is_of_warp) ++block_epoch_;
    for (std::int32_t last = -1; std::int32_t t : active) {
      if (is_of_warp && t / 32 != last) ++warp_epochs_[std::size_t(last = t / 32)];
    }
  }
  // Where some barrier is of a part of the block, or of a warp.
  void meet_clocked(PlaceId id, const Barrier& barrier, const Active& active) {
    const std::vector<std::uint32_t> there(active.begin(), active.end());
    if (barrier.scope == Barrier::Scope::Threads) {
      if (const auto taken = clocks_->take(barrier, there)) {
        diverge(id, std::int32_t(taken->thread), std::int32_t(taken->user),
                name_of(barrier) + " that one thread reaches where another may still wait");
      }
      work_ -= std::int64_t(there.size() * there.size()) / 4;
    }
    work_ -= std::int64_t(there.size()) * threads_ / 2;
    clocks_->meet(barrier.scope, there);
  }

  void check_shuffle(PlaceId id, const Active& active) {
    const std::int32_t whole = threads_ / 32 * 32;
    const auto odd = std::find_if(active.begin(), active.end(), [&](auto t) { return t >= whole; });
    if (odd != active.end()) {
      return diverge(id, *odd, std::nullopt, "a shuffle in a warp of fewer than 32 threads");
    }
    check(id, Barrier{Barrier::Scope::Warp}, active, "a shuffle");
  }
  void check(PlaceId id, const Barrier& barrier, const Active& active, std::string what = {}) {
    if (active.size() == std::size_t(threads_) && !barrier.is_partial()) return;
    const std::vector<std::uint32_t> there(active.begin(), active.end());
    const auto wrong = wrong_meeting(barrier, there, threads_);
    if (!wrong) return;
    if (what.empty()) what = name_of(barrier);
    what += wrong->missing ? " that one thread reaches and another does not"
                           : " that a thread reaches which takes no part in it";
    diverge(id, std::int32_t(wrong->thread), wrong->missing, std::move(what));
  }

  ThreadAt here(std::int32_t t) {
    stand_at(t);
    ThreadAt at{block_, thread_, {}};
    for (PlaceId id : open_loops_) {
      at.variables.emplace_back(variable_at(id), loop_values_.at(id)[std::size_t(t)]);
    }
    return at;
  }
  bool is_new(Hazard hazard, PlaceId id, std::int64_t other) {
    if (wanted_) return false;
    if (!said_.insert({hazard, id, other}).second) return false;
    return counts_[std::size_t(hazard)]++ < Replay::kMostFaults;
  }
  void diverge(PlaceId id, std::int32_t t, std::optional<std::int32_t> other, std::string what) {
    if (!is_new(Hazard::Divergence, id, 0)) return;
    ReplayFault fault{.hazard = Hazard::Divergence, .place = id, .sizes = sizes_, .first = here(t)};
    if (other) fault.second = here(*other);
    fault.what = std::move(what);
    out_.faults.push_back(std::move(fault));
  }

  void access(PlaceId id, const Active& active) {
    if (by_place_[id].empty()) return;
    ++step_;
    Compiled& c = compiled_[id];
    for (std::int32_t t : active) {
      stand_at(t);
      if (wanted_ && wanted_->step == step_ && wanted_->thread == t) {
        found_ = here(t);
        is_over_ = true;
        return;
      }
      for (std::size_t k = 0; k < c.accesses.size(); ++k) {
        SlotTape& tape = c.accesses[k];
        if (!evaluate(tape)) continue;
        bool happens = true;
        for (std::size_t i = 0; i < c.conditions[k]; ++i) happens = happens && tape.root(i) != 0;
        if (!happens) continue;
        const KernelAccess& a = map_.accesses()[by_place_[id][k]];
        memory_->access(a, comer(a, t), tape.root(c.conditions[k]), work_);
        is_over_ = is_over_ || memory_->is_full();
      }
    }
  }

  Comer comer(const KernelAccess& a, std::int32_t t) const {
    return {t,     warp_epochs_[std::size_t(t / 32)], block_epoch_, step_, access_class(map_, a),
            agent_};
  }
  void alone(Hazard hazard, const KernelAccess& a, std::int32_t t, std::int64_t address,
             std::string what) override {
    if (!is_new(hazard, a.place, a.buffer)) return;
    out_.faults.push_back({.hazard = hazard,
                           .place = a.place,
                           .buffer = a.buffer,
                           .address = address,
                           .sizes = sizes_,
                           .first = here(t),
                           .second = {},
                           .what = std::move(what)});
  }

  Index3 thread_of(std::int32_t t) const {
    return {t % block_extents_[0], t / block_extents_[0] % block_extents_[1],
            t / (block_extents_[0] * block_extents_[1])};
  }
  void race(const KernelAccess& a, std::int32_t t, std::int64_t address,
            const EpochComers::Seen& other) override {
    if (!is_new(Hazard::Race, a.place, a.buffer)) return;
    // Where the other one stood is found by going there once more.
    Player again(map_, sizes_, INT64_MAX / 2);
    const auto first = again.variables_at({other.step, other.thread});
    add_race(a, t, address, first.value_or(ThreadAt{block_, thread_of(other.thread), {}}), "",
             other.is_copy);
  }
  void race_of_blocks(const KernelAccess& a, std::int32_t t, std::int64_t address,
                      const GlobalShadow::Other& other) override {
    if (!is_new(Hazard::Race, a.place, -2)) return;
    const Index3 block = {other.block % grid_[0], other.block / grid_[0] % grid_[1],
                          other.block / (grid_[0] * grid_[1])};
    add_race(a, t, address, {block, thread_of(other.seen.thread), {}}, " of another block");
  }
  void add_race(const KernelAccess& a, std::int32_t t, std::int64_t address, ThreadAt first,
                const std::string& whose, bool is_copied = false) {
    const bool is_read = a.kind == KernelAccess::Kind::Read;
    out_.faults.push_back({.hazard = Hazard::Race,
                           .place = a.place,
                           .buffer = a.buffer,
                           .address = address,
                           .sizes = sizes_,
                           .first = std::move(first),
                           .second = here(t),
                           .what = std::string(is_read ? "is read" : "is written") +
                                   (is_copied ? " where a copy that accesses it may not have ended"
                                              : " by one thread and accessed by another" + whose +
                                                    " with no barrier between")});
  }

  const AccessMap& map_;
  Point sizes_;
  std::int64_t work_;
  Replay out_;
  std::vector<std::vector<std::size_t>> by_place_;
  std::vector<Compiled> compiled_;
  Slots slots_;
  Index3 grid_{}, block_extents_{}, block_{}, thread_{};
  std::int32_t threads_ = 0;
  std::unordered_map<PlaceId, std::vector<std::int64_t>> loop_values_;  // by thread
  std::vector<PlaceId> open_loops_;
  std::optional<ReplayMemory> memory_;
  std::int32_t block_epoch_ = 0, block_number_ = -1;
  std::vector<std::int32_t> warp_epochs_;
  std::optional<ThreadClocks> clocks_;  // where epochs do not tell
  std::vector<PlaceId> left_;           // by thread: the Leave by which it is on its way out
  std::size_t count_left_ = 0;
  std::int32_t step_ = 0;
  bool is_over_ = false;
  // Where threads go at their own pace.
  std::optional<BlockEvents> events_;
  std::optional<BarrierObjects> objects_;
  std::unordered_map<const Statement*, PlaceId> place_of_;
  std::unordered_map<PlaceId, const MemoryNumber*> number_at_;
  Active one_;                      // the thread that stands there
  std::optional<CopyAgent> agent_;  // who accesses memory for it
  std::set<std::tuple<Hazard, PlaceId, std::int64_t>> said_;
  std::array<std::size_t, kHazards> counts_{};
  std::optional<Wanted> wanted_;
  std::optional<ThreadAt> found_;
};

}  // namespace

Replay replay(const AccessMap& map, const Point& sizes, std::int64_t work) {
  Player player(map, sizes, work);
  Replay out = player.run();
  out.work_left = player.work_left();
  return out;
}

}  // namespace selvage
