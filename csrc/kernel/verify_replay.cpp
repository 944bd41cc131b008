#include <selvage/base/integer.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/thread_clocks.h>
#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_layout.h>
#include <selvage/kernel/verify_shadow.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace selvage {

namespace {

constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostClocked = 1024;  // threads of a block with partial barriers
constexpr std::size_t kMostCells = 1 << 18;  // elements of global memory that are accessed

using Index3 = std::array<std::int64_t, 3>;
using Active = std::vector<std::int32_t>;

// All threads of a block go through the statements together, those that are elsewhere waiting.
class Player {
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
    if (map_.has_partial_barrier()) {
      if (threads_ > kMostClocked) return incomplete();
      clocks_.emplace(threads_);
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
          run(map_.body(), all);
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
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const StatementPlace& p = map_.places()[id];
      Compiled& c = compiled_.emplace_back();
      if (p.is_serial_loop()) {
        const Expr ends[] = {p.begin, p.extent};
        c.tape.emplace(ends, slots_);
        loop_values_.try_emplace(id, std::vector<std::int64_t>(std::size_t(threads_)));
      } else if (p.condition.valid()) {
        c.tape.emplace(std::span(&p.condition, 1), slots_);
      }
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
    layout_ = std::move(*layout);
    local_written_.assign(std::size_t(layout_.local * threads_), 0);
    shared_ = std::vector<SharedCell>(std::size_t(layout_.shared));
    return true;
  }

  void begin_block() {
    ++block_number_;
    for (std::size_t k = 0; k < 3; ++k) {
      if (map_.blocks()[k].is(Op::Symbol)) slots_[slots_(map_.blocks()[k])] = block_[k];
    }
    std::fill(local_written_.begin(), local_written_.end(), 0);
    ++block_epoch_;
    warp_epochs_.assign(std::size_t(threads_ + 31) / 32, 0);
    if (clocks_) {
      clocks_->start_block();
      clocked_.clear();
      work_ -= std::int64_t(threads_) * threads_ / 8;
    }
    work_ -= (layout_.local + 1) * threads_ / 8 + 64;
  }

  void stand_at(std::int32_t t) {
    std::int64_t rest = t;
    for (std::size_t k = 0; k < 3; ++k) {
      thread_[k] = rest % block_extents_[k];
      rest /= block_extents_[k];
      if (map_.threads()[k].is(Op::Symbol)) slots_[slots_(map_.threads()[k])] = thread_[k];
    }
    for (PlaceId id : open_loops_) {
      slots_[slots_(map_.places()[id].variable)] = loop_values_.at(id)[std::size_t(t)];
    }
    work_ -= 8;
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
                          [&](const Transfer&) { access(id, active); }},
               p.statement->node);
  }

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
      at.variables.emplace_back(map_.places()[id].variable, loop_values_.at(id)[std::size_t(t)]);
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
        if (happens) access(map_.accesses()[by_place_[id][k]], t, tape.root(c.conditions[k]));
      }
    }
  }

  void access(const KernelAccess& a, std::int32_t t, std::int64_t address) {
    const Buffer& buffer = map_.kernel().buffers[a.buffer];
    const std::int64_t n = layout_.elements[a.buffer];
    if (a.width > 1 && euclid_mod(address, a.width) != 0) {
      alone(Hazard::Bounds, a, t, address,
            "begins an access of " + std::to_string(a.width) + " elements and is no multiple of " +
                std::to_string(a.width));
    }
    if (address < 0 || address > n - a.width) {
      alone(Hazard::Bounds, a, t, address,
            "is out of bounds: there are " + std::to_string(n) + " elements");
    }
    for (std::int64_t i = 0; i < a.width; ++i) {
      work_ -= 10;
      const auto at = checked_add(address, i);
      if (!at || *at < 0 || *at >= n) continue;
      switch (buffer.memory) {
        case Memory::Local: local(a, t, *at); break;
        case Memory::Shared: shared(a, t, *at); break;
        case Memory::Global:
          if (map_.is_written(a.buffer)) global(a, t, *at);
          break;
      }
    }
  }
  void alone(Hazard hazard, const KernelAccess& a, std::int32_t t, std::int64_t address,
             std::string what) {
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

  void local(const KernelAccess& a, std::int32_t t, std::int64_t address) {
    char& written =
        local_written_[std::size_t(t * layout_.local + layout_.begin[a.buffer] + address)];
    if (a.kind != KernelAccess::Kind::Write && !written) {
      alone(Hazard::Lifetime, a, t, address, "is read before anything is written there");
    }
    if (a.kind != KernelAccess::Kind::Read) written = 1;
  }

  Comer comer(const KernelAccess& a, std::int32_t t) const {
    return {t, warp_epochs_[std::size_t(t / 32)], block_epoch_, step_, access_class(map_, a)};
  }
  void shared(const KernelAccess& a, std::int32_t t, std::int64_t address) {
    const std::int64_t units = size_of(map_.kernel().buffers[a.buffer].type) / layout_.unit;
    const std::int64_t from = layout_.begin[a.buffer] + address * units;
    bool is_initialised = true, is_lost = false;
    const Comer now = comer(a, t);
    const auto own = std::int32_t(a.buffer) + 1;
    for (std::int64_t u = from; u < from + units; ++u) {
      SharedCell& cell = shared_[std::size_t(u)];
      if (const auto* other = clocks_ ? clocked(kSharedKey, u, now) : cell.meets(now)) {
        race(a, t, address, *other);
      }
      const std::int32_t owner = cell.owner(block_number_);
      is_initialised = is_initialised && owner == own;
      is_lost = is_lost || (owner != 0 && owner != own);
      if (a.kind != KernelAccess::Kind::Read) cell.own(std::int32_t(a.buffer), block_number_);
    }
    if (a.kind == KernelAccess::Kind::Write || is_initialised) return;
    alone(Hazard::Lifetime, a, t, address,
          is_lost ? "is read after a store to a buffer that overlaps it"
                  : "is read before anything is written there");
  }
  static constexpr std::int64_t kSharedKey = (std::int64_t{1} << 15) - 1;  // no buffer's
  const EpochComers::Seen* clocked(std::int64_t memory, std::int64_t place, const Comer& now) {
    ClockedCell& cell = clocked_[(memory << 48) ^ place];
    work_ -= std::int64_t(cell.size()) + 4;
    return cell.meets(now, *clocks_);
  }
  void global(const KernelAccess& a, std::int32_t t, std::int64_t address) {
    const Comer now = comer(a, t);
    const auto other = clocks_ ? global_.meets_other_block(a.buffer, address, now, block_number_)
                               : global_.meets(a.buffer, address, now, block_number_);
    if (global_.size() > kMostCells) is_over_ = true;
    if (clocks_) {
      const auto* own = clocked(a.buffer, address, now);
      if (own != nullptr && !other) return race(a, t, address, *own);
    }
    if (!other) return;
    if (other->block == block_number_) return race(a, t, address, other->seen);
    if (!is_new(Hazard::Race, a.place, -2)) return;
    const Index3 block = {other->block % grid_[0], other->block / grid_[0] % grid_[1],
                          other->block / (grid_[0] * grid_[1])};
    add_race(a, t, address, {block, thread_of(other->seen.thread), {}}, " of another block");
  }
  Index3 thread_of(std::int32_t t) const {
    return {t % block_extents_[0], t / block_extents_[0] % block_extents_[1],
            t / (block_extents_[0] * block_extents_[1])};
  }
  void race(const KernelAccess& a, std::int32_t t, std::int64_t address,
            const EpochComers::Seen& other) {
    if (!is_new(Hazard::Race, a.place, a.buffer)) return;
    // Where the other one stood is found by going there once more.
    Player again(map_, sizes_, INT64_MAX / 2);
    const auto first = again.variables_at({other.step, other.thread});
    add_race(a, t, address, first.value_or(ThreadAt{block_, thread_of(other.thread), {}}), "");
  }
  void add_race(const KernelAccess& a, std::int32_t t, std::int64_t address, ThreadAt first,
                const std::string& whose) {
    const bool is_read = a.kind == KernelAccess::Kind::Read;
    out_.faults.push_back({.hazard = Hazard::Race,
                           .place = a.place,
                           .buffer = a.buffer,
                           .address = address,
                           .sizes = sizes_,
                           .first = std::move(first),
                           .second = here(t),
                           .what = std::string(is_read ? "is read" : "is written") +
                                   " by one thread and accessed by another" + whose +
                                   " with no barrier between"});
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
  ReplayLayout layout_;
  std::vector<char> local_written_;
  std::vector<SharedCell> shared_;
  GlobalShadow global_;
  std::int32_t block_epoch_ = 0, block_number_ = -1;
  std::vector<std::int32_t> warp_epochs_;
  std::optional<ThreadClocks> clocks_;  // where epochs do not tell
  std::unordered_map<std::int64_t, ClockedCell> clocked_;
  std::vector<PlaceId> left_;  // by thread: the Leave by which it is on its way out
  std::size_t count_left_ = 0;
  std::int32_t step_ = 0;
  bool is_over_ = false;
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
