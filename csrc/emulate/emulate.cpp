#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/shuffle.h>
#include <selvage/emulate/compiled.h>
#include <selvage/emulate/compiled_value.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/emulate_faults.h>
#include <selvage/emulate/emulate_meeting.h>
#include <selvage/emulate/memory_checked.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace selvage {

namespace {

using Kind = CompiledStatement::Kind;

class Machine : private BlockActions {
 public:
  Machine(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
          std::span<Array* const> buffers, std::uint64_t seed)
      : kernel_(kernel),
        compiled_(compile_kernel(kernel)),
        random_(seed),
        is_random_(seed != 0),
        log_(kernel, compiled_.names, out_),
        slots_(compiled_.names.size()) {
    for (Expr size : kernel.sizes) {
      const auto it = sizes.find(std::string(size.name()));
      SELVAGE_CHECK(it != sizes.end());
      slots_[compiled_.slots.at(size.id())] = it->second;
    }
    log_.geometry = {extents(kernel.launch.grid), extents(kernel.launch.block)};
    threads_ = log_.geometry.threads();
    std::vector<std::int64_t> elements;
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
      const Expr all = kernel.buffers[b].elements;
      elements.push_back(is_known(all) ? number(all) : buffers[b]->size());
    }
    meets_ =
        compiled_.has_own_pace || std::any_of(compiled_.body.begin(), compiled_.body.end(),
                                              [](const CompiledStatement& s) { return s.meets; });
    if (compiled_.has_own_pace) prepare_events(elements);
    const std::int64_t agents =
        events_ ? BlockEvents::agents(threads_, objects_->arrivals().size()) : 0;
    clock_ = BarrierClock(threads_, compiled_.has_partial_barriers || events_, agents);
    if (compiled_.has_leaves) left_.resize(std::size_t(threads_));
    memory_.emplace(kernel, buffers, elements, meets_ ? threads_ : 1, clock_, log_);
    if (meets_) give_each_thread_its_own();
  }

  Emulation run() {
    std::vector<std::int64_t> order;
    const std::int64_t blocks = threads_ > 0 ? log_.geometry.blocks() : 0;
    if (is_random_) {
      order.resize(std::size_t(blocks));
      std::iota(order.begin(), order.end(), 0);
      selvage::shuffle(order, random_);
    }
    all_.resize(std::size_t(threads_));
    std::iota(all_.begin(), all_.end(), 0U);
    for (std::uint32_t t : all_) indices_.push_back(LaunchGeometry::at(t, log_.geometry.block));
    for (std::int64_t k = 0; k < blocks; ++k) run_block(is_random_ ? order[std::size_t(k)] : k);
    out_.visits = memory_->visits();
    return std::move(out_);
  }

 private:
  bool is_known(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return compiled_.slots.contains(s.id()); });
  }
  std::int64_t number(Expr e) {
    Indices indices({e}, compiled_.slots);
    SELVAGE_CHECK(indices.evaluate(slots_.data()));
    return indices[0];
  }
  Index3 extents(const std::array<Expr, 3>& of) {
    return {number(of[0]), number(of[1]), number(of[2])};
  }
  void give_each_thread_its_own() {
    const std::vector<std::int64_t> one = slots_;
    slots_.clear();
    for (std::int64_t t = 0; t < threads_; ++t) slots_.insert(slots_.end(), one.begin(), one.end());
  }
  void run_block(std::int64_t number) {
    first_ = number * threads_;
    block_ = LaunchGeometry::at(number, log_.geometry.grid);
    clock_.start_block(number);
    memory_->start_block();
    if (meets_ && !events_) return run_together(compiled_.body, all_);
    if (is_random_) selvage::shuffle(all_, random_);
    if (events_) {
      events_->start_block();
      return BlockRun(kernel_.body, threads_, clock_.clocks(), *events_, *this).run(all_);
    }
    for (std::uint32_t t : all_) {
      select(t);
      memory_->forget_local();
      run(compiled_.body);
    }
  }

  // From here on this thread runs.
  void select(std::uint32_t t) {
    thread_ = indices_[t];
    log_.thread = first_ + t;
    clock_.run(t);
    if (meets_) memory_->use_local(t);
    own_ = slots_.data() + (meets_ ? t * compiled_.names.size() : 0);
    log_.slots = own_;
  }
  std::vector<std::uint32_t>& scope() { return log_.scope; }
  bool evaluate(CompiledStatement& s) {
    if (s.indices.evaluate(own_)) return true;
    report_index(s);
    return false;
  }

  // What one thread does alone.
  void run(std::span<CompiledStatement> body) {
    const std::size_t outer = scope().size();
    for (CompiledStatement& s : body) {
      if (s.kind != Kind::Bound && !evaluate(s)) continue;
      switch (s.kind) {
        case Kind::Run: {
          const std::int64_t extent = s.indices[0];
          scope().push_back(s.slot);
          for (std::int64_t i = s.indices[1]; i < extent; ++i) {
            own_[s.slot] = i;
            run(s.body);
            if (leaving_.slot == kStays) continue;
            if (leaving_.slot != s.slot) break;
            leaving_.slot = kStays;
            if (!leaving_.is_next) break;
          }
          scope().pop_back();
          break;
        }
        case Kind::Bound:
          bind(s);
          scope().push_back(s.slot);
          run(s.body);
          scope().pop_back();
          break;
        case Kind::Define:
          own_[s.slot] = s.indices[0];
          scope().push_back(s.slot);
          break;
        case Kind::Guard: run(s.indices[0] != 0 ? s.body : s.otherwise); break;
        case Kind::Store: store(s); break;
        case Kind::Transfer: transfer(s, s.transfer->width); break;
        case Kind::Leave: leaving_ = {s.slot, s.is_next}; break;
        case Kind::Barrier:
        case Kind::Shuffle:
        case Kind::OwnPace: SELVAGE_CHECK(!"a statement that threads run one after the other");
      }
      if (leaving_.slot != kStays) break;
    }
    scope().resize(outer);
  }
  void bind(const CompiledStatement& s) {
    const auto k = std::size_t(axis(s.parallel));
    own_[s.slot] = is_block(s.parallel) ? block_[k] : thread_[k];
  }

  // What these threads do up to the same place, however they get there: each what it can do alone,
  // and all of them together what others wait for.
  void run_together(CompiledBody& body, Threads& threads) {
    const std::size_t outer = scope().size();
    for (std::size_t at = 0; at < body.size() && !threads.empty();) {
      if (body[at].meets) {
        meet(body[at++], threads);
        drop_those_who_leave(threads);
        continue;
      }
      std::size_t end = at;
      while (end < body.size() && !body[end].meets) ++end;
      if (is_random_) selvage::shuffle(threads, random_);
      for (std::uint32_t t : threads) {
        select(t);
        run(std::span(body).subspan(at, end - at));
        if (leaving_.slot != kStays) left_[t] = std::exchange(leaving_, {});
      }
      drop_those_who_leave(threads);
      for (; at < end; ++at) {
        if (body[at].kind == Kind::Define) scope().push_back(body[at].slot);
      }
    }
    scope().resize(outer);
  }
  // Until they are out of the loop that they leave.
  void drop_those_who_leave(Threads& threads) {
    if (left_.empty()) return;
    std::erase_if(threads, [&](std::uint32_t t) { return left_[t].slot != kStays; });
  }
  void meet(CompiledStatement& s, Threads& threads) {
    switch (s.kind) {
      case Kind::Run: return meet_in_loop(s, threads);
      case Kind::Bound: {
        for (std::uint32_t t : threads) {
          select(t);
          bind(s);
        }
        scope().push_back(s.slot);
        run_together(s.body, threads);
        scope().pop_back();
        return;
      }
      case Kind::Guard: {
        Threads holds, otherwise;
        for (std::uint32_t t : threads) {
          select(t);
          if (evaluate(s)) (s.indices[0] != 0 ? holds : otherwise).push_back(t);
        }
        run_together(s.body, holds);
        return run_together(s.otherwise, otherwise);
      }
      case Kind::Barrier:
        if (clock_.is_clocked()) return meet_clocked(*s.barrier, threads);
        if (s.barrier->scope == Barrier::Scope::Block) {
          check_block(threads);
          return clock_.meet_block();
        }
        check_warps(threads, "waits at a barrier of its warp");
        for (std::int64_t begin : warps_of(threads)) clock_.meet_warp(begin / kWarp);
        return;
      case Kind::Shuffle: return shuffle_values(s, threads);
      case Kind::Define:
      case Kind::Store:
      case Kind::Transfer:
      case Kind::OwnPace:
      case Kind::Leave: break;
    }
    SELVAGE_CHECK(!"a statement at which threads meet");
  }
  // Where some barrier is of a part of the block, or of a warp.
  void meet_clocked(const Barrier& barrier, const Threads& threads) {
    Threads there = threads;
    std::sort(there.begin(), there.end());
    const std::string name = name_of(barrier);
    if (const auto wrong = wrong_meeting(barrier, there, threads_)) {
      select(wrong->thread);
      const std::string who = log_.name(log_.thread);
      if (wrong->missing) {
        const std::int64_t other = first_ + std::int64_t(*wrong->missing);
        log_.report(FaultKind::DivergentBarrier,
                    who + " waits at " + name + " that " + log_.name(other) + " does not reach",
                    other);
      } else {
        log_.report(FaultKind::DivergentBarrier,
                    who + " gets to " + name + ", in which it takes no part");
      }
    }
    if (barrier.scope == Barrier::Scope::Threads) {
      if (const auto taken = clock_.clocks().take(barrier, there)) {
        select(taken->thread);
        const std::int64_t other = first_ + std::int64_t(taken->user);
        log_.report(FaultKind::DivergentBarrier,
                    log_.name(log_.thread) + " gets to " + name + " where " + log_.name(other) +
                        " may still wait for others",
                    other);
      }
    }
    clock_.clocks().meet(barrier.scope, there);
  }
  // The k-th time round of one is the k-th of all.
  void meet_in_loop(CompiledStatement& s, const Threads& threads) {
    struct Range {
      std::int64_t next = 0, end = 0;
    };
    std::vector<Range> ranges(all_.size());
    Threads going;
    for (std::uint32_t t : threads) {
      select(t);
      if (!evaluate(s)) continue;
      ranges[t] = {s.indices[1], s.indices[0]};
      going.push_back(t);
    }
    scope().push_back(s.slot);
    const auto is_through = [&](std::uint32_t t) { return ranges[t].next >= ranges[t].end; };
    while (std::erase_if(going, is_through), !going.empty()) {
      for (std::uint32_t t : going) slots_[t * compiled_.names.size() + s.slot] = ranges[t].next++;
      if (left_.empty()) {
        run_together(s.body, going);
        continue;
      }
      Threads stay = going;
      run_together(s.body, stay);
      for (std::uint32_t t : going) {
        if (left_[t].slot != s.slot) continue;
        if (!left_[t].is_next) ranges[t].next = ranges[t].end;
        left_[t] = {};
      }
      drop_those_who_leave(going);
    }
    scope().pop_back();
  }

  // Is everybody there who must be? The first who waits is told, and the first who is missing.
  void check_block(const Threads& threads) {
    if (std::int64_t(threads.size()) != threads_) {
      check_all(threads, 0, threads_, "waits at a barrier of the block");
    }
  }
  void check_warps(const Threads& threads, const char* what) {
    if (std::int64_t(threads.size()) == threads_) return;
    for (std::int64_t begin : warps_of(threads)) {
      check_all(threads, begin, std::min(begin + kWarp, threads_), what);
    }
  }
  void check_all(const Threads& threads, std::int64_t begin, std::int64_t end, const char* what) {
    const auto apart = absence(threads, begin, end);
    if (!apart) return;
    select(apart->waits);
    log_.report(FaultKind::DivergentBarrier,
                log_.name(log_.thread) + " " + what + " that " +
                    log_.name(first_ + apart->missing) + " does not reach",
                first_ + apart->missing);
  }

  // What BlockRun asks for.
  void prepare_events(const std::vector<std::int64_t>& elements) {
    find_statements(compiled_.body);
    objects_.emplace(kernel_, elements);
    events_.emplace(threads_, objects_->arrivals());
  }
  void find_statements(CompiledBody& body) {
    for (CompiledStatement& s : body) {
      compiled_of_[s.statement] = &s;
      find_statements(s.body);
      find_statements(s.otherwise);
    }
  }
  CompiledStatement& compiled(const Statement& s) { return *compiled_of_.at(&s); }
  void stand_at(Thread t, std::span<const Statement* const> variables) override {
    select(t);
    scope().clear();
    for (const Statement* s : variables) scope().push_back(compiled(*s).slot);
  }
  std::optional<std::pair<std::int64_t, std::int64_t>> range(const Statement& loop) override {
    CompiledStatement& s = compiled(loop);
    if (!evaluate(s)) return std::nullopt;
    return std::pair(s.indices[1], s.indices[0]);
  }
  void set(const Statement& loop, std::int64_t value) override {
    own_[compiled(loop).slot] = value;
  }
  void name(const Statement& statement) override {
    CompiledStatement& s = compiled(statement);
    if (s.kind == Kind::Bound) return bind(s);
    if (!evaluate(s)) return;
    own_[s.slot] = s.indices[0];
    if (s.operations.empty()) return;
    const std::int64_t value = values_.value(s, *memory_).integer;
    const std::int64_t least = s.indices[0], most = s.indices[1];
    own_[s.slot] = std::clamp(value, std::min(least, most), most);
    if (value == own_[s.slot]) return;
    log_.report(FaultKind::Unkept, fmt::format("{} is {}, and is said to be {} to {}",
                                               compiled_.names[s.slot], value, least, most));
  }
  std::optional<bool> holds(const Statement& statement) override {
    CompiledStatement& s = compiled(statement);
    if (!evaluate(s)) return std::nullopt;
    return (s.operations.empty() ? s.indices[0] : values_.value(s, *memory_).integer) != 0;
  }
  void access(const Statement& statement) override {
    CompiledStatement& s = compiled(statement);
    if (!evaluate(s)) return;
    if (s.kind == Kind::Store) return store(s);
    transfer(s, s.transfer->width);
  }
  void copy(const Statement& statement, CopyAgent agent) override {
    CompiledStatement& s = compiled(statement);
    if (!evaluate(s)) return;
    clock_.copy(agent);
    transfer(s, std::get<AsyncCopy>(statement.node).alignment);
    clock_.copy(std::nullopt);
  }
  std::optional<Signal> signal(const Statement& statement) override {
    CompiledStatement& s = compiled(statement);
    if (!evaluate(s)) return std::nullopt;
    const StatementParts parts = parts_of(statement);
    const BufferId b = parts.accesses[parts.accesses.size() - 1].buffer;
    const bool is_copy = s.transfer != nullptr;
    const std::int64_t address = s.indices[is_copy ? 2 : 0];
    const std::optional<std::size_t> object = objects_->at(b, address);
    if (!object) {
      log_.report(FaultKind::OutOfBounds, b, address,
                  fmt::format("is out of bounds: there are {} elements",
                              number(kernel_.buffers[b].elements)));
      return std::nullopt;
    }
    if (is_copy) {
      return Signal{*object, s.transfer->width * size_of(kernel_.buffers[s.transfer->to].type)};
    }
    return Signal{*object, parts.expressions.size() > 1 ? s.indices[1] : 0};
  }
  void shuffle(const Statement& s, std::span<const Thread> threads) override {
    exchange(compiled(s), {threads.begin(), threads.end()});
  }
  void diverge(const Statement&, Thread, std::optional<Thread> other,
               const std::string& what) override {
    const std::int64_t missing = other ? first_ + std::int64_t(*other) : FaultLog::kNoThread;
    log_.report(
        FaultKind::DivergentBarrier,
        log_.name(log_.thread) + " is at " + what + (other ? ": " + log_.name(missing) : ""),
        missing);
  }
  bool goes_on() const override { return true; }
  void spend(std::int64_t) override {}

  // Every thread reads before any writes; who is missing gives 0.
  void shuffle_values(CompiledStatement& s, const Threads& threads) {
    check_warps(threads, "gives a value in a shuffle");
    const std::int64_t last = threads_ % kWarp;
    if (last != 0 && *std::max_element(threads.begin(), threads.end()) >= threads_ - last) {
      select(std::uint32_t(threads_ - last));
      log_.report(FaultKind::DivergentBarrier,
                  fmt::format("{} gives a value in a shuffle of a warp of {} threads",
                              log_.name(log_.thread), last));
    }
    exchange(s, threads);
  }
  void exchange(CompiledStatement& s, const Threads& threads) {
    const Shuffle& shuffle = *s.shuffle;
    const DataType type = compute_type(kernel_.buffers[shuffle.from].type);
    std::vector<Scalar> given(std::size_t(threads_ + kWarp), Scalar::of(type, 0));
    for (std::uint32_t t : threads) {
      select(t);
      if (evaluate(s)) given[t] = memory_->read(shuffle.from, s.indices[1]);
    }
    for (std::uint32_t t : threads) {
      select(t);
      if (!s.indices.evaluate(own_)) continue;
      memory_->write(shuffle.to, s.indices[0], given[t ^ std::uint32_t(shuffle.mask)], false);
    }
  }

  void store(CompiledStatement& s) {
    ++out_.stores;
    const BufferId b = s.store->buffer;
    const std::int64_t address = s.indices[0];
    check_valid(s, s.store->valid, b, address);
    const Scalar value = convert(values_.value(s, *memory_), kernel_.buffers[b].type);
    if (s.store->atomic) return memory_->store_atomically(b, address, *s.store->atomic, value);
    memory_->write(b, address, value, s.store->duplicates_allowed);
  }

  void transfer(CompiledStatement& s, std::int64_t alignment) {
    const Transfer& t = *s.transfer;
    const std::int64_t to = s.indices[0], from = s.indices[1];
    for (const auto& [buffer, address] : {std::pair(t.to, to), std::pair(t.from, from)}) {
      if (*euclid_mod(address, alignment) == 0) continue;
      log_.report(FaultKind::Misaligned, buffer, address,
                  fmt::format("begins an access of {} elements and is no multiple of {}", t.width,
                              alignment));
    }
    scope().push_back(s.slot);
    for (std::int64_t lane = 0; lane < t.width; ++lane) {
      own_[s.slot] = lane;
      if (kernel_.buffers[t.to].memory == Memory::Global) ++out_.stores;
      check_valid(s, t.valid, t.to, to + lane);
      memory_->write(t.to, to + lane, memory_->read(t.from, from + lane), t.duplicates_allowed);
    }
    scope().pop_back();
  }

  void check_valid(CompiledStatement& s, const std::vector<Expr>& valid, BufferId b,
                   std::int64_t address) {
    if (valid.empty()) return;
    const bool defined = s.valid.evaluate(own_);
    for (std::size_t i = 0; i < valid.size(); ++i) {
      if (defined && s.valid[i] != 0) continue;
      return log_.report(
          FaultKind::Hole, b, address,
          "is stored at a hole: " + to_string(defined ? valid[i] : s.valid.stopped_at()) +
              (defined ? " is false" : " is undefined"));
    }
  }

  void report_index(const CompiledStatement& s) {
    const int bits = kernel_.index_type == IndexType::Int32 ? 32 : 64;
    log_.report(FaultKind::Overflow, fmt::format("{} is undefined or leaves {} bits",
                                                 to_string(s.indices.stopped_at()), bits));
  }

  const Kernel& kernel_;
  CompiledKernel compiled_;
  SplitMix64 random_;
  bool is_random_;
  bool meets_ = false;  // are there barriers or shuffles?
  Emulation out_;
  FaultLog log_;
  BarrierClock clock_{0};
  std::optional<CheckedMemory> memory_;
  // Where threads go at their own pace.
  std::optional<BlockEvents> events_;
  std::optional<BarrierObjects> objects_;
  std::unordered_map<const Statement*, CompiledStatement*> compiled_of_;
  ValueMachine values_;
  std::vector<std::int64_t> slots_;  // of one thread after the other; if none meet, of the one
  std::int64_t* own_ = nullptr;      // slots of the thread that runs
  std::vector<Index3> indices_;      // of the threads of a block
  Index3 block_{}, thread_{};
  std::int64_t threads_ = 0;  // of a block
  std::int64_t first_ = 0;    // of the running block, in the launch
  Threads all_;
  // The loop that a thread is about to leave, by its variable's slot, or to go on with.
  static constexpr std::uint32_t kStays = UINT32_MAX;
  struct Leaving {
    std::uint32_t slot = kStays;
    bool is_next = false;
  };
  Leaving leaving_;            // the thread that runs
  std::vector<Leaving> left_;  // of each, where they run together; empty: there is no Leave
};

}  // namespace

Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers, std::uint64_t seed) {
  return Machine(kernel, sizes, buffers, seed).run();
}

}  // namespace selvage
