#include <selvage/expr/symbols.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_memory.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace selvage {

namespace {

constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostClocked = 1024;  // threads of a block with partial barriers

using Index3 = std::array<std::int64_t, 3>;

// The actions of BlockRun's threads, without values.
class Player : private BlockActions, private ReplayMemory::Log {
 public:
  Player(const AccessMap& map, const Point& sizes, std::int64_t work, bool is_of_one_block = false,
         ReplayWatch* watch = nullptr)
      : map_(map),
        sizes_(sizes),
        work_(work),
        is_of_one_block_(is_of_one_block),
        watch_(watch),
        has_mma_(has_mma(map.kernel())),
        loop_values_(map.places().size()) {
    out_.is_complete = true;
    for (BufferId b = 0; b < map.kernel().buffers.size(); ++b) {
      // What is stored over a barrier object destroys it, which a run does not see.
      if (map.kernel().buffers[b].arrivals && !map.lies_alone(b)) out_.is_complete = false;
    }
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

  Replay run() {
    play();
    out_.work_left = work_;
    return std::move(out_);
  }
  // What was accessed at that step of the run, and where the thread stood.
  struct Found {
    const KernelAccess* access;
    std::int64_t address;
    ThreadAt thread;
  };
  std::optional<Found> at_step(std::uint32_t step) {
    wanted_ = step;
    play();
    return found_;
  }

 private:
  struct Compiled {
    std::optional<SlotTape> tape;         // a Loop's begin and end, a Guard's condition
    std::vector<SlotTape> accesses;       // conditions of its own, then the address
    std::vector<std::size_t> conditions;  // how many of those each has
  };

  void play() {
    for (const auto& [symbol, value] : sizes_) slots_[slots_(symbol)] = value;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto g = number(map_.kernel().launch.grid[k]),
                 b = number(map_.kernel().launch.block[k]);
      if (!g || !b) return give_up();
      grid_[k] = is_of_one_block_ ? std::min<std::int64_t>(*g, 1) : *g;
      block_extents_[k] = *b;
    }
    const auto& [x, y, z] = block_extents_;
    if (x < 1 || y < 1 || z < 1) return;
    if (x > kMostThreads || y > kMostThreads || z > kMostThreads || x * y * z > kMostThreads) {
      return give_up();
    }
    threads_ = x * y * z;
    const bool is_clocked = map_.has_partial_barrier() || map_.has_own_pace();
    if (is_clocked && threads_ > kMostClocked) return give_up();
    std::int64_t agents = 0;
    if (map_.has_own_pace()) {
      events_.emplace(threads_, number_objects(), has_mma_);
      agents = BlockEvents::agents(threads_, objects_->arrivals().size(), has_mma_);
    }
    clock_ =
        BarrierClock(threads_, is_clocked, agents, map_.kernel().launch.part_threads(), has_mma_);
    compile();
    if (!prepare_memory()) return give_up();
    std::vector<Thread> all(static_cast<std::size_t>(threads_));
    std::iota(all.begin(), all.end(), 0U);
    BlockRun block(map_.tree(), threads_, clock_, events_ ? &*events_ : nullptr, *this);
    if (watch_ != nullptr) block.keep_pace(watch_->loops());
    for (block_[2] = 0; block_[2] < grid_[2]; ++block_[2]) {
      for (block_[1] = 0; block_[1] < grid_[1]; ++block_[1]) {
        for (block_[0] = 0; block_[0] < grid_[0]; ++block_[0]) {
          begin_block();
          block.run(all);
          if (!goes_on()) return give_up();
        }
      }
    }
  }
  void give_up() { out_.is_complete = false; }
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
    }
    for (PlaceId id = 0; id < map_.places().size(); ++id) {
      const StatementPlace& p = map_.places()[id];
      Compiled& c = compiled_.emplace_back();
      if (p.is_serial_loop()) {
        const Expr ends[] = {p.begin, p.extent};
        c.tape.emplace(ends, slots_);
      } else if (p.condition.valid()) {
        c.tape.emplace(std::span(&p.condition, 1), slots_);
      } else if (p.amount.valid()) {
        c.tape.emplace(std::span(&p.amount, 1), slots_);
      } else if (number_at_.contains(id)) {
        c.tape.emplace(std::span(&number_at_[id]->most, 1), slots_);
      }
      if (variable_at(id).valid()) loop_values_[id].resize(std::size_t(threads_));
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
        map_, [this](Expr e) { return number(e); }, threads_);
    if (!layout) return false;
    memory_.emplace(map_, std::move(*layout), threads_, clock_,
                    static_cast<ReplayMemory::Log&>(*this));
    return true;
  }

  void begin_block() {
    for (std::size_t k = 0; k < 3; ++k) {
      if (map_.blocks()[k].is(Op::Symbol)) slots_[slots_(map_.blocks()[k])] = block_[k];
    }
    clock_.start_block(++block_number_);
    memory_->start_block();
    if (events_) events_->start_block();
    if (clock_.is_clocked()) work_ -= threads_ * threads_ / 8;
    work_ -= memory_->cost_of_a_block() + threads_ / 8 + 64;
  }

  // The variable of a loop, or the symbol of a number from memory; else invalid.
  Expr variable_at(PlaceId id) const {
    const auto number = number_at_.find(id);
    return number == number_at_.end() ? map_.places()[id].variable : number->second->symbol;
  }
  bool evaluate(SlotTape& tape) {
    if (tape.evaluate(slots_, work_)) return true;
    out_.is_complete = false;
    return false;
  }

  const BarrierObjects& number_objects() {
    std::vector<std::int64_t> elements;
    for (const Buffer& b : map_.kernel().buffers) {
      elements.push_back(b.arrivals ? number(b.elements).value_or(0) : 0);
    }
    return objects_.emplace(map_.kernel(), elements);
  }

  // BlockActions.
  void stand_at(Thread t, const std::vector<PlaceId>& variables) override {
    running_ = t;
    variables_ = &variables;
    clock_.run(t);
    const Index3 thread = thread_of(t);
    for (std::size_t k = 0; k < 3; ++k) {
      if (map_.threads()[k].is(Op::Symbol)) slots_[slots_(map_.threads()[k])] = thread[k];
    }
    for (PlaceId id : variables) {
      if (!loop_values_[id].empty()) slots_[slots_(variable_at(id))] = loop_values_[id][t];
    }
    work_ -= 8;
  }
  std::optional<std::int64_t> value_at(PlaceId id, std::size_t root = 0) {
    SlotTape& tape = *compiled_[id].tape;
    return evaluate(tape) ? std::optional(tape.root(root)) : std::nullopt;
  }
  std::optional<std::pair<std::int64_t, std::int64_t>> range(PlaceId loop) override {
    if (!map_.places()[loop].is_serial_loop()) return std::pair(0, 1);  // runs once: written out
    const auto begin = value_at(loop, 0), end = value_at(loop, 1);
    return begin ? std::optional(std::pair(*begin, *end)) : std::nullopt;
  }
  void set(PlaceId id, std::int64_t value) override {
    if (loop_values_[id].empty()) return;
    if (watch_ != nullptr) watch_->turn(running_, id);
    work_ -= 1;
    loop_values_[id][running_] = value;
    slots_[slots_(variable_at(id))] = value;
  }
  // A number from memory is taken to be the greatest possible, if memory may hold it; else the run
  // ends. Other Defines, and loops that are block or thread indices, are replaced by their values
  // already.
  void name(PlaceId id) override {
    const auto number = number_at_.find(id);
    if (number == number_at_.end()) return;
    access(id);
    const auto most = value_at(id);
    out_.is_complete = false;
    if (!most || !number->second->is_free) {
      is_over_ = true;
    } else {
      set(id, *most);
    }
  }
  std::optional<bool> holds(PlaceId id) override {
    if (std::holds_alternative<While>(map_.tree()[id].statement->node)) {
      access(id);
      is_over_ = true;
      return std::nullopt;
    }
    const auto holds = value_at(id);
    return holds ? std::optional(*holds != 0) : std::nullopt;
  }
  void copy(PlaceId id, CopyAgent agent, std::int64_t ranks_on) override {
    clock_.copy(agent);
    access(id, ranks_on);
    clock_.copy(std::nullopt);
  }
  std::optional<Signal> signal(PlaceId id) override {
    const Statement& s = *map_.tree()[id].statement;
    const KernelAccess& a = map_.accesses()[by_place_[id].back()];
    SlotTape& address = compiled_[id].accesses.back();
    if (!evaluate(address)) return std::nullopt;
    const std::optional<std::size_t> object = objects_->at(a.buffer, address.root(0));
    if (!std::holds_alternative<AsyncCopy>(s.node)) access(id);
    if (!object) return std::nullopt;
    Signal signal{*object, 0};
    if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) {
      signal.amount = copy->copy.width * size_of(map_.kernel().buffers[copy->copy.to].type);
      if (copy->by_rank.valid()) {
        const auto by_rank = value_at(id);
        if (!by_rank) return std::nullopt;
        signal.multicast = objects_->multicast(a.buffer, thread_of(running_)[2], *by_rank);
      }
    } else if (compiled_[id].tape) {
      const auto amount = value_at(id);
      if (!amount) return std::nullopt;
      signal.amount = *amount;
    }
    return signal;
  }
  void begin_round(const BlockRun& run) override {
    if (watch_ == nullptr) return;
    const auto describe = [&](RunState& state) {
      clock_.clocks().describe(state);
      events_->describe(state);
      memory_->describe(state);
    };
    watch_->round(run, describe, work_);
  }
  bool is_last_block(PlaceId id) override {
    return ++arrived_[id] == grid_[0] * grid_[1] * grid_[2];
  }
  void exchange(PlaceId id, std::span<const Thread> threads) override {
    const std::vector<PlaceId>& variables = *variables_;
    const bool is_mma = std::holds_alternative<Mma>(map_.tree()[id].statement->node);
    const auto reading = is_mma ? clock_.least_knowing(threads) : threads;
    for (Thread t : threads) {
      stand_at(t, variables);
      if (is_mma) clock_.copy(events_->begin(t, ThreadQueue::Products));
      const bool reads_all = std::ranges::find(reading, t) != reading.end();
      access(id, 0, reads_all ? std::nullopt : std::optional(Memory::Local));
      clock_.copy(std::nullopt);
    }
  }
  void diverge(PlaceId id, const RunFault& d) override {
    if (!is_new(Hazard::Divergence, id, 0)) return;
    ReplayFault fault{.hazard = Hazard::Divergence, .place = id, .sizes = sizes_, .first = here()};
    // The other thread is missing at these values of the loops.
    if (d.other) fault.second = ThreadAt{block_, thread_of(*d.other), fault.first.variables};
    fault.what = d.what;
    switch (d.kind) {
      case RunFault::Kind::Missing:
        fault.what += " that one thread reaches and another does not";
        break;
      case RunFault::Kind::Stranger:
        fault.what += " that a thread reaches which takes no part in it";
        break;
      case RunFault::Kind::Taken:
        fault.what += " that one thread reaches where another may still wait";
        break;
      case RunFault::Kind::Event: break;
    }
    out_.faults.push_back(std::move(fault));
  }
  bool goes_on() const override { return !is_over_ && work_ >= 0; }
  void spend(std::int64_t operations) override { work_ -= operations; }
  void access(PlaceId id) override { access(id, 0); }
  // In the pieces of so many ranks further on. `only`: what is of that memory.
  void access(PlaceId id, std::int64_t ranks_on, std::optional<Memory> only = {}) {
    Compiled& c = compiled_[id];
    for (std::size_t k = 0; k < c.accesses.size(); ++k) {
      const BufferId accessed = map_.accesses()[by_place_[id][k]].buffer;
      if (only && map_.kernel().buffers[accessed].memory != *only) continue;
      SlotTape& tape = c.accesses[k];
      if (!evaluate(tape)) continue;
      bool happens = true;
      for (std::size_t i = 0; i < c.conditions[k]; ++i) happens = happens && tape.root(i) != 0;
      if (!happens) continue;
      const KernelAccess& a = map_.accesses()[by_place_[id][k]];
      const Buffer& buffer = map_.kernel().buffers[a.buffer];
      const bool is_moved = ranks_on != 0 && buffer.memory == Memory::Shared;
      const std::int64_t on = is_moved ? ranks_on * buffer.piece(map_.kernel().launch.ranks()) : 0;
      const std::int64_t address = tape.root(c.conditions[k]) + on;
      work_ -= 8;
      place_at_.push_back(id);
      clock_.count_step();
      if (wanted_ == clock_.step()) {
        found_ = {&a, address, here()};
        is_over_ = true;
        return;
      }
      memory_->access(a, running_, address, work_);
      is_over_ = is_over_ || memory_->is_full();
    }
  }

  ThreadAt here() const {
    ThreadAt at{block_, thread_of(running_), {}};
    for (PlaceId id : *variables_) {
      if (loop_values_[id].empty()) continue;
      at.variables.emplace_back(variable_at(id), loop_values_[id][running_]);
    }
    return at;
  }
  bool is_new(Hazard hazard, PlaceId id, std::int64_t other) {
    if (wanted_) return false;
    if (!said_.insert({hazard, id, other}).second) return false;
    return counts_[std::size_t(hazard)]++ < Replay::kMostFaults;
  }
  void alone(Hazard hazard, const KernelAccess& a, std::int64_t address,
             std::string what) override {
    if (!is_new(hazard, a.place, a.buffer)) return;
    out_.faults.push_back({.hazard = hazard,
                           .place = a.place,
                           .buffer = a.buffer,
                           .address = address,
                           .sizes = sizes_,
                           .first = here(),
                           .second = {},
                           .what = std::move(what)});
  }

  Index3 thread_of(std::int64_t t) const { return at(t, block_extents_); }
  static Index3 at(std::int64_t number, const Index3& extents) {
    return {number % extents[0], number / extents[0] % extents[1],
            number / (extents[0] * extents[1])};
  }
  // Whether x comes before y in program order: in an earlier iteration of the outermost common loop
  // whose iterations differ or, if none do, in the text.
  bool stands_before(const Found& x, const Found& y) const {
    const auto& a = map_.scope(x.access->scope).loops;
    const auto& b = map_.scope(y.access->scope).loops;
    for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
      const Expr variable = map_.places()[a[i]].variable;
      const auto m = value_of(variable, x.thread.variables);
      const auto n = value_of(variable, y.thread.variables);
      if (m != n) return m < n;
    }
    return x.access->place < y.access->place;
  }
  // Threads run one after the other, so the race may be found at either of the two accesses. The
  // later one in program order is reported, since a barrier before it would mend the race.
  void race(const KernelAccess& a, std::int64_t address, const Moment& other) override {
    const bool is_here = clock_.is_here(other);
    if (wanted_) return;
    Found now{&a, address, here()};
    Found before{
        nullptr, 0, {at(other.thread / threads_, grid_), thread_of(other.thread % threads_), {}}};
    if (is_here) {
      const PlaceId there = place_at_[other.step - 1];
      const auto pair = std::minmax(a.place, there);
      if (!raced_.insert(pair).second) return;
      // A second run up to that step finds the place of the other access.
      const auto found = Player(map_, sizes_, INT64_MAX / 2).at_step(other.step);
      if (found) {
        before = *found;
        const std::int64_t last = found->address + found->access->width - 1;
        before.address = std::clamp(memory_->same_place(found->access->buffer, a.buffer, address),
                                    found->address, last);
      }
      if (found && stands_before(now, before)) std::swap(now, before);
    }
    const KernelAccess& told = *now.access;
    if (!is_new(Hazard::Race, told.place, is_here ? std::int64_t(told.buffer) : -2)) return;
    out_.faults.push_back({.hazard = Hazard::Race,
                           .place = told.place,
                           .buffer = told.buffer,
                           .address = now.address,
                           .sizes = sizes_,
                           .first = std::move(before.thread),
                           .second = std::move(now.thread),
                           .what = clock_.unordered_text(other, told.kind == AccessKind::Read)});
  }

  const AccessMap& map_;
  Point sizes_;
  std::int64_t work_;
  bool is_of_one_block_;
  ReplayWatch* watch_;  // of a kernel with events; or null
  bool has_mma_;
  Replay out_;
  std::vector<std::vector<std::size_t>> by_place_;
  std::vector<Compiled> compiled_;
  Slots slots_;
  Index3 grid_{}, block_extents_{}, block_{};
  std::int64_t threads_ = 0, block_number_ = -1;
  std::vector<std::vector<std::int64_t>> loop_values_;  // by place, then thread; empty: no variable
  BarrierClock clock_{0};
  std::optional<ReplayMemory> memory_;
  bool is_over_ = false;
  // Where there are any.
  std::optional<BlockEvents> events_;
  std::optional<BarrierObjects> objects_;
  std::unordered_map<PlaceId, const MemoryNumber*> number_at_;
  std::unordered_map<PlaceId, std::int64_t> arrived_;  // blocks at each LastBlock
  Thread running_ = 0;
  const std::vector<PlaceId>* variables_ = nullptr;  // of the thread that runs
  std::set<std::tuple<Hazard, PlaceId, std::int64_t>> said_;
  std::array<std::size_t, kHazards> counts_{};
  std::optional<std::uint32_t> wanted_;  // the step that is looked for
  std::optional<Found> found_;
  std::vector<PlaceId> place_at_;                // of each step
  std::set<std::pair<PlaceId, PlaceId>> raced_;  // places in one block whose race is told
};

}  // namespace

Replay replay(const AccessMap& map, const Point& sizes, std::int64_t work) {
  return Player(map, sizes, work).run();
}

Replay replay_first_block(const AccessMap& map, const Point& sizes, std::int64_t work,
                          ReplayWatch* watch) {
  return Player(map, sizes, work, true, watch).run();
}

bool are_blocks_alike(const AccessMap& map) {
  std::vector<Expr> blocks;
  for (Expr b : map.blocks()) {
    if (b.is(Op::Symbol)) blocks.push_back(b);
  }
  const auto differs = [&](Expr e) { return e.valid() && mentions(e, blocks); };
  const bool places_differ = std::ranges::any_of(map.places(), [&](const StatementPlace& p) {
    return std::holds_alternative<LastBlock>(p.statement->node) || differs(p.begin) ||
           differs(p.extent) || differs(p.condition) || differs(p.amount);
  });
  const bool accesses_differ = std::ranges::any_of(map.accesses(), [&](const KernelAccess& a) {
    if (map.kernel().buffers[a.buffer].memory == Memory::Global) return false;
    return differs(a.address) || std::ranges::any_of(map.scope(a.scope).conditions, differs);
  });
  return map.numbers().empty() && !places_differ && !accesses_differ;
}

}  // namespace selvage
