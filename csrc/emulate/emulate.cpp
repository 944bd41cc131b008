#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/shuffle.h>
#include <selvage/emulate/box_items.h>
#include <selvage/emulate/compiled.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/emulate_faults.h>
#include <selvage/emulate/memory_checked.h>
#include <selvage/emulate/mma_tiles.h>
#include <selvage/emulate/request_log.h>
#include <selvage/emulate/value_machine.h>
#include <selvage/emulate/watch.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/block_run.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

namespace selvage {

namespace {

// The actions of BlockRun's threads, with values.
class Machine : private BlockActions, private RunView {
 public:
  using Thread = BlockActions::Thread;

  Machine(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
          std::span<Array* const> buffers, const EmulationOptions& options)
      : kernel_(kernel),
        tree_(kernel),
        compiled_(compile_kernel(kernel, tree_)),
        order_(options.order.kind),
        random_(options.order.seed),
        watcher_(options.watcher),
        log_(kernel, compiled_, out_),
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
    const bool has_mma = selvage::has_mma(kernel);
    waits_ = compiled_.meets || compiled_.has_own_pace;
    if (compiled_.has_own_pace) {
      objects_.emplace(kernel_, elements);
      events_.emplace(threads_, *objects_, has_mma);
    }
    const std::int64_t agents =
        events_ ? BlockEvents::agents(threads_, objects_->arrivals().size(), has_mma) : 0;
    clock_ = BarrierClock(threads_, compiled_.has_partial_barriers || events_, agents,
                          kernel.launch.part_threads(), has_mma);
    memory_.emplace(kernel, buffers, elements, waits_ ? threads_ : 1, clock_, log_);
    if (options.requests != nullptr) requests_.emplace(kernel, tree_.size(), elements);
    values_ = ValueMachine(requests_ ? &*requests_ : nullptr,
                           [this](std::uint32_t check, std::int64_t point, std::int64_t shown) {
                             log_.report(FaultKind::Failed, failure(check, point, shown));
                           });
    if (waits_) give_each_thread_its_own();
    log_.watcher = watcher_;
    log_.view = this;
    log_.scope = &no_scope_;
    log_.slots = slots_.data();
  }

  Emulation run(KernelRequests* requests) {
    using Kind = RunOrder::Kind;
    const std::int64_t blocks = threads_ > 0 ? log_.geometry.blocks() : 0;
    std::vector<std::int64_t> order;
    if (order_ == Kind::Drawn) {
      order.resize(std::size_t(blocks));
      std::iota(order.begin(), order.end(), 0);
      selvage::shuffle(order, random_);
    }
    std::vector<Thread> all(static_cast<std::size_t>(threads_));
    std::iota(all.begin(), all.end(), 0U);
    for (Thread t : all) indices_.push_back(LaunchGeometry::at(t, log_.geometry.block));
    if (order_ == Kind::Backwards) std::reverse(all.begin(), all.end());
    BlockRun block(tree_, threads_, clock_, events_ ? &*events_ : nullptr, *this);
    block_run_ = &block;
    own_ = slots_.data();
    if (watcher_ != nullptr) watcher_->begin_kernel(*this);
    for (std::int64_t k = 0; k < blocks; ++k) {
      start_block(order_ == Kind::Drawn       ? order[std::size_t(k)]
                  : order_ == Kind::Backwards ? blocks - 1 - k
                                              : k);
      block.run(all, order_ == Kind::Drawn ? &random_ : nullptr);
      memory_->end_block();
      if (requests_) requests_->end_block();
    }
    if (watcher_ != nullptr) watcher_->end_kernel(*this);
    out_.visits = memory_->visits();
    if (requests_) {
      *requests = requests_->take();
      requests->blocks = blocks;
      requests->threads = threads_;
    }
    return std::move(out_);
  }

 private:
  bool is_known(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](Expr s) { return compiled_.slots.contains(s.id()); });
  }
  std::string failure(std::uint32_t number, std::int64_t point, std::int64_t shown) {
    const ValueCheck& check = (*kernel_.checks)[number];
    const auto extents = check_extents(
        check, [&](Expr e) { return is_known(e) ? std::optional(this->number(e)) : std::nullopt; });
    return failure_text(check, point, shown, extents);
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
  void start_block(std::int64_t number) {
    first_ = number * threads_;
    block_ = LaunchGeometry::at(number, log_.geometry.grid);
    clock_.start_block(number);
    memory_->start_block();
    if (events_) events_->start_block();
    log_.thread = first_;
    log_.scope = &no_scope_;
    at_ = kTop;
    if (watcher_ != nullptr) watcher_->begin_block(*this);
  }

  // ---- for the watcher ----

  const Kernel& kernel() const override { return kernel_; }
  const StatementTree& tree() const override { return tree_; }
  const LaunchGeometry& geometry() const override { return log_.geometry; }
  Thread thread() const override { return Thread(log_.thread - first_); }
  std::int64_t block() const override { return threads_ > 0 ? first_ / threads_ : 0; }
  PlaceId at() const override { return at_; }
  const std::vector<PlaceId>& scope() const override { return *log_.scope; }
  std::optional<std::int64_t> variable(Expr symbol) const override {
    const auto slot = compiled_.slots.find(symbol.id());
    if (slot == compiled_.slots.end()) return std::nullopt;
    return own_[slot->second];
  }
  std::optional<Scalar> element(BufferId b, std::int64_t address) const override {
    return memory_->look_at(b, address);
  }
  std::int64_t elements(BufferId b) const override { return memory_->elements(b); }
  bool has_ended(Thread t) const override { return block_run_->has_ended(t); }
  std::optional<PlaceId> waits_at(Thread t) const override { return block_run_->waits_at(t); }

  void come_to(PlaceId id) override {
    at_ = id;
    if (watcher_ != nullptr) watcher_->come_to(*this);
  }

  // ---- the actions of threads ----

  // The selected thread runs a statement whose requests are counted.
  void begin_requests(PlaceId id) {
    if (!requests_) return;
    std::vector<std::int64_t> iterations;
    for (PlaceId p = tree_[id].parent; p != kTop; p = tree_[p].parent) {
      const bool is_loop = parts_of(*tree_[p].statement).bodies.size() > 0 &&
                           tree_[p].variable.valid() && !is_index(compiled(p).parallel);
      if (is_loop) iterations.push_back(own_[compiled(p).slot]);
    }
    requests_->begin(id, std::uint32_t(log_.thread - first_), std::move(iterations));
  }
  void note(std::uint32_t number, AccessKind kind, BufferId b, std::int64_t address,
            std::int64_t width) {
    if (requests_) requests_->access(number, kind, b, address, width);
  }

  CompiledStatement& compiled(PlaceId id) { return compiled_.statements[id]; }
  bool evaluate(CompiledStatement& s) {
    if (s.indices.evaluate(own_)) return true;
    const int bits = kernel_.index_type == IndexType::Int32 ? 32 : 64;
    log_.report(FaultKind::Overflow, fmt::format("{} is undefined or leaves {} bits",
                                                 to_string(s.indices.stopped_at()), bits));
    return false;
  }

  void select(Thread t) {
    thread_ = indices_[t];
    log_.thread = first_ + t;
    clock_.run(t);
    // Where none waits for others each runs from entry to exit before the next one begins.
    if (waits_) {
      memory_->use_local(t);
    } else {
      memory_->forget_local();
    }
    own_ = slots_.data() + (waits_ ? t * compiled_.names.size() : 0);
    log_.slots = own_;
  }
  void stand_at(Thread t, const std::vector<PlaceId>& variables) override {
    select(t);
    log_.scope = &variables;
  }
  std::optional<std::pair<std::int64_t, std::int64_t>> range(PlaceId loop) override {
    CompiledStatement& s = compiled(loop);
    if (!evaluate(s)) return std::nullopt;
    return std::pair(s.indices[0], s.indices[1]);
  }
  void set(PlaceId loop, std::int64_t value) override { own_[compiled(loop).slot] = value; }
  void name(PlaceId id) override {
    CompiledStatement& s = compiled(id);
    if (is_index(s.parallel)) {
      const auto k = std::size_t(axis(s.parallel));
      own_[s.slot] = is_block(s.parallel) ? block_[k] : thread_[k];
      return;
    }
    if (!evaluate(s)) return;
    own_[s.slot] = s.indices[0];
    if (s.operations.empty()) return;
    begin_requests(id);
    const std::int64_t value = values_.value(s, *memory_).integer;
    const std::int64_t least = s.indices[0], most = s.indices[1];
    own_[s.slot] = std::clamp(value, std::min(least, most), most);
    if (value == own_[s.slot]) return;
    log_.report(FaultKind::Unkept, fmt::format("{} is {}, and is said to be {} to {}",
                                               compiled_.names[s.slot], value, least, most));
  }
  std::optional<bool> holds(PlaceId id) override {
    CompiledStatement& s = compiled(id);
    if (!evaluate(s)) return std::nullopt;
    if (!s.operations.empty()) begin_requests(id);
    return (s.operations.empty() ? s.indices[0] : values_.value(s, *memory_).integer) != 0;
  }
  void access(PlaceId id) override {
    CompiledStatement& s = compiled(id);
    if (!evaluate(s)) return;
    begin_requests(id);
    if (s.store != nullptr) return store(s);
    transfer(s, s.transfer->width);
  }
  void copy(PlaceId id, CopyAgent agent, std::int64_t ranks_on) override {
    CompiledStatement& s = compiled(id);
    if (!evaluate(s)) return;
    clock_.copy(agent);
    begin_requests(id);
    const auto& copy = std::get<AsyncCopy>(tree_[id].statement->node);
    const std::int64_t on = ranks_on == 0 ? 0 : ranks_on * piece(copy.copy.to);
    copy.box ? copy_box(s, copy, on) : transfer(s, copy.alignment, on, copy.atomic);
    clock_.copy(std::nullopt);
  }
  std::int64_t piece(BufferId b) const { return kernel_.buffers[b].piece(kernel_.launch.ranks()); }
  std::optional<Signal> signal(PlaceId id) override {
    CompiledStatement& s = compiled(id);
    if (!evaluate(s)) return std::nullopt;
    const StatementParts parts = parts_of(*tree_[id].statement);
    const BufferId b = parts.accesses[parts.accesses.size() - 1].buffer;
    const bool is_copy = s.transfer != nullptr;
    const auto* copy = std::get_if<AsyncCopy>(&tree_[id].statement->node);
    const bool is_multicast = copy != nullptr && copy->by_rank.valid();
    const std::size_t last = parts.expressions.size() - 1;
    const std::int64_t address = s.indices[!is_copy ? 0 : is_multicast ? last - 1 : last];
    const std::optional<std::size_t> object = objects_->at(b, address);
    if (!object) {
      log_.report(FaultKind::OutOfBounds, b, address,
                  fmt::format("is out of bounds: there are {} elements",
                              number(kernel_.buffers[b].elements)));
      return std::nullopt;
    }
    if (is_copy) {
      Signal signal{*object, s.transfer->width * size_of(kernel_.buffers[s.transfer->to].type)};
      if (is_multicast) signal.multicast = objects_->multicast(b, thread_[2], s.indices[last]);
      return signal;
    }
    return Signal{*object, parts.expressions.size() > 1 ? s.indices[1] : 0};
  }
  // Every thread reads before any writes; a missing thread gives 0.
  void exchange(PlaceId id, std::span<const Thread> threads) override {
    if (std::holds_alternative<Mma>(tree_[id].statement->node)) return multiply(id, threads);
    CompiledStatement& s = compiled(id);
    const Shuffle& shuffle = *s.shuffle;
    const DataType type = compute_type(kernel_.buffers[shuffle.from].type);
    const Thread first = threads.front() / kWarp * kWarp;
    std::array<Scalar, kWarp> given;
    given.fill(Scalar::of(type, 0));
    for (Thread t : threads) {
      select(t);
      begin_requests(id);
      if (evaluate(s)) given[t - first] = memory_->read(shuffle.from, s.indices[1]);
    }
    for (Thread t : threads) {
      select(t);
      if (!s.indices.evaluate(own_)) continue;
      const Scalar value = given[(t - first) ^ std::uint32_t(shuffle.mask)];
      memory_->write(shuffle.to, s.indices[0], value, false);
    }
  }
  // What threads of the warp that are missing have is 0.
  void multiply(PlaceId id, std::span<const Thread> warp) {
    CompiledStatement& s = compiled(id);
    const auto& mma = std::get<Mma>(tree_[id].statement->node);
    const StatementParts parts = parts_of(*tree_[id].statement);
    MmaTiles tiles(mma);
    const auto read = [&](BufferId from, std::int64_t address) {
      return memory_->read(from, address).single;
    };
    const auto begin = [&](Thread t) {
      select(t);
      clock_.copy(events_->begin(t, ThreadQueue::Products));
      return evaluate(s);
    };
    for (Thread t : clock_.least_knowing(warp)) {
      if (!begin(t)) continue;
      if (mma.is_a_shared) check_alignment(parts.accesses[0], s.indices[1]);
      check_alignment(parts.accesses[1], s.indices[2]);
      tiles.read_shared(s.indices[1], s.indices[2], read);
    }
    for (Thread t : warp) {
      if (begin(t)) tiles.read_own(t % kWarpgroup, s.indices[1], read);
    }
    for (Thread t : warp) {
      if (!begin(t)) continue;
      for (std::int64_t v = 0; v < mma.sums_of_a_thread(); ++v) {
        const std::int64_t at = s.indices[0] + v;
        const float sum = tiles.added(t % kWarpgroup, v, read(mma.sums, at));
        memory_->write(mma.sums, at, Scalar::of(sum), false);
      }
    }
    clock_.copy(std::nullopt);
  }
  bool is_last_block(PlaceId id) override { return ++arrived_[id] == log_.geometry.blocks(); }
  void meet(PlaceId id, std::span<const Thread> threads) override {
    if (watcher_ != nullptr) watcher_->met(*this, id, threads);
    if (!requests_) return;
    for (Thread t : threads) {
      select(t);
      begin_requests(id);
    }
  }
  void diverge(PlaceId id, const RunFault& d) override {
    at_ = id;
    const std::int64_t other = d.other ? first_ + std::int64_t(*d.other) : FaultLog::kNoThread;
    const bool gives_a_value = compiled(id).shuffle != nullptr;
    log_.report(FaultKind::DivergentBarrier, log_.parting(d, other, gives_a_value), other);
  }
  bool goes_on() const override { return true; }
  void spend(std::int64_t) override {}

  void store(CompiledStatement& s) {
    ++out_.stores;
    const BufferId b = s.store->buffer;
    const std::int64_t address = s.indices[0];
    check_valid(s, s.store->valid, b, address);
    const Scalar value = convert(values_.value(s, *memory_), kernel_.buffers[b].type);
    note(UINT32_MAX, s.store->atomic ? AccessKind::Atomic : AccessKind::Write, b, address, 1);
    if (s.store->atomic) return memory_->store_atomically(b, address, *s.store->atomic, value);
    memory_->write(b, address, value, s.store->duplicates_allowed);
  }

  void check_alignment(const StatementAccess& a, std::int64_t address) {
    if (*euclid_mod(address, a.alignment) == 0) return;
    log_.report(FaultKind::Misaligned, a.buffer, address,
                fmt::format("begins an access of {} elements and is no multiple of {}", a.width,
                            a.alignment));
  }

  // Each element of a box where the tensor map puts it: the item, or 0 for what is outside. Of a
  // store, each item from there.
  void copy_box(CompiledStatement& s, const AsyncCopy& copy, std::int64_t on) {
    const Transfer& t = copy.copy;
    const BoxMap& map = kernel_.maps[copy.box->map];
    const bool is_store = copy.is_store;
    const BufferId tile = is_store ? t.from : t.to;
    const std::int64_t at = s.indices[0] + on, bytes = size_of(kernel_.buffers[tile].type);
    check_alignment({.buffer = tile, .width = t.width, .alignment = copy.alignment}, at);
    if (is_store) {
      note(0, AccessKind::Read, tile, at, t.width);
    } else {
      note(UINT32_MAX, AccessKind::Write, tile, at, t.width);
    }
    BoxItems items(map);
    for (std::size_t d = 0; d < map.dims.size(); ++d) {
      items.dims.push_back(
          {s.indices[1 + d], number(map.dims[d].size), number(map.dims[d].stride)});
    }
    log_.lane = s.slot;
    for (std::int64_t k = 0; k < t.width; ++k) {
      own_[s.slot] = k;
      const std::optional<std::int64_t> item = items.at(k);
      const std::int64_t own = at + map.place(k, bytes);
      if (is_store) {
        if (!item) continue;
        ++out_.stores;
        const Scalar value = memory_->read(tile, own);
        if (copy.atomic) {
          memory_->store_atomically(t.to, *item, *copy.atomic, value);
        } else {
          memory_->write(t.to, *item, value, t.duplicates_allowed);
        }
        continue;
      }
      const Scalar value = item ? memory_->read(t.from, *item)
                                : Scalar::of(compute_type(kernel_.buffers[tile].type), 0);
      memory_->write(tile, own, value, t.duplicates_allowed);
    }
    log_.lane.reset();
  }

  // `on`: so many elements further on.
  void transfer(CompiledStatement& s, std::int64_t alignment, std::int64_t on = 0,
                std::optional<Function> atomic = {}) {
    const Transfer& t = *s.transfer;
    const std::int64_t to = s.indices[0] + on, from = s.indices[1];
    check_alignment({.buffer = t.to, .width = t.width, .alignment = alignment}, to);
    check_alignment({.buffer = t.from, .width = t.width, .alignment = alignment}, from);
    // To further ranks goes what has been read already.
    if (on == 0) note(0, AccessKind::Read, t.from, from, t.width);
    note(UINT32_MAX, atomic ? AccessKind::Atomic : AccessKind::Write, t.to, to, t.width);
    log_.lane = s.slot;
    for (std::int64_t lane = 0; lane < t.width; ++lane) {
      own_[s.slot] = lane;
      if (kernel_.buffers[t.to].memory == Memory::Global) ++out_.stores;
      check_valid(s, t.valid, t.to, to + lane);
      const Scalar value = memory_->read(t.from, from + lane);
      if (atomic) {
        memory_->store_atomically(t.to, to + lane, *atomic, value);
      } else {
        memory_->write(t.to, to + lane, value, t.duplicates_allowed);
      }
    }
    log_.lane.reset();
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

  const Kernel& kernel_;
  StatementTree tree_;
  CompiledKernel compiled_;
  RunOrder::Kind order_;
  SplitMix64 random_;
  RunWatcher* watcher_;
  bool waits_ = false;  // do threads wait for others, or for what has begun?
  Emulation out_;
  FaultLog log_;
  BarrierClock clock_{0};
  std::optional<CheckedMemory> memory_;
  // Where there are any.
  std::optional<BlockEvents> events_;
  std::optional<BarrierObjects> objects_;
  std::optional<RequestLog> requests_;  // where they are counted
  ValueMachine values_{nullptr};
  std::vector<std::int64_t> slots_;  // of one thread after the other; if none waits, of the one
  std::int64_t* own_ = nullptr;      // slots of the thread that runs
  std::vector<Index3> indices_;      // of the threads of a block
  std::unordered_map<PlaceId, std::int64_t> arrived_;  // blocks at each LastBlock
  Index3 block_{}, thread_{};
  const BlockRun* block_run_ = nullptr;
  PlaceId at_ = kTop;
  const std::vector<PlaceId> no_scope_;  // before any thread has run
  std::int64_t threads_ = 0;             // of a block
  std::int64_t first_ = 0;               // of the running block, in the launch
};

}  // namespace

Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers, const EmulationOptions& options) {
  return Machine(kernel, sizes, buffers, options).run(options.requests);
}

}  // namespace selvage
