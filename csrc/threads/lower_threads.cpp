// Thread programs to kernels: one pass over the program, in its order.
#include <selvage/base/words.h>
#include <selvage/expr/cost.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/verify_access.h>
#include <selvage/lower/barriers.h>
#include <selvage/lower/body.h>
#include <selvage/lower/kernels.h>
#include <selvage/lower/shared_memory.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/checks.h>
#include <selvage/threads/event_slots.h>
#include <selvage/threads/helps.h>
#include <selvage/threads/joins.h>
#include <selvage/threads/launch_levels.h>
#include <selvage/threads/lower_threads.h>
#include <selvage/threads/mma_checks.h>
#include <selvage/threads/refuse_at.h>
#include <selvage/threads/region_book.h>
#include <selvage/threads/steps.h>
#include <selvage/threads/thread_barriers.h>
#include <selvage/threads/thread_memory.h>
#include <selvage/threads/thread_place.h>
#include <selvage/threads/verify_threads.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

class ThreadLowering {
 public:
  // `out` has the levels. `writes_joins`: as barriers, all of them, to see what races.
  ThreadLowering(const ThreadProgram& program, const ThreadLowerOptions& options,
                 LoweredThreads out, bool writes_joins = false)
      : program_(program),
        options_(options),
        writes_joins_(writes_joins),
        pool_(*program.pool),
        out_(std::move(out)),
        levels_(launch_levels(program, out_.tree)),
        book_(levels_.facts, out_.regions, out_.groups, out_.diagnostics),
        barriers_(book_, out_, writes_joins),
        kernel_{.name = "kernel_" + program.name,
                .pool = program.pool,
                .buffers = {},
                .sizes = program.symbols,
                .launch = levels_.launch,
                .index_type = IndexType::Int32,
                .condition = pool_.truth(true),
                .values = {},
                .body = {},
                .facts = levels_.facts},
        memory_(program, kernel_) {
    kernel_.sizes.insert(kernel_.sizes.end(), levels_.devices.begin(), levels_.devices.end());
    if (!options.counts) return;
    counts_ = BufferId(kernel_.buffers.size());
    kernel_.buffers.push_back({.name = "executed",
                               .type = DataType::Int32,
                               .elements = pool_.constant(0),
                               .is_written = true,
                               .is_updated = true});
  }

  LoweredThreads lower() {
    try {
      ThreadPlace everywhere;
      everywhere.condition = pool_.truth(true);
      Body body =
          lower(program_.outermost.body, place_in(program_.outermost, out_.tree, everywhere));
      book_.close_group();
      for (const Diagnostic& wrong : barriers_.check_sharing()) out_.diagnostics.push_back(wrong);
      finish(std::move(body));
    } catch (const Error& refusal) {
      add(refusal, place_of_levels());
      out_.kernel.reset();
    }
    return std::move(out_);
  }

 private:
  // ---- places ----

  Place place_of_levels() const {
    const std::vector<ParallelLevel>& levels = out_.tree.chains.front().levels;
    return levels.empty() ? Place{} : levels.front().place;
  }

  std::uint32_t origin(const Place& place, const ThreadPlace& at, std::string what = {}) {
    origins_.push_back({place, at.region, std::move(what), joins_});
    return std::uint32_t(origins_.size());
  }
  template <class Node>
  void put(Body& out, Node node, std::uint32_t origin) {
    out.push_back({std::move(node), origin});
  }

  // ---- bodies ----

  Body lower(std::span<const ThreadItem> body, const ThreadPlace& at) {
    Body out;
    for (std::size_t k = 0; k < body.size(); ++k) {
      try {
        // Statements one behind the other beside an inner level are run by the same threads.
        std::size_t end = k;
        while (at.is_implicit() && end < body.size() &&
               std::holds_alternative<Assign>(body[end].node)) {
          ++end;
        }
        if (end == k && is_together_for_one(body[k], at)) ++end;
        if (end > k) {
          beside(body.subspan(k, end - k), body[k].place, at, out);
          k = end - 1;
        } else {
          const bool holds_levels = holds_inner(body[k]);
          if (holds_levels) join(body[k].place, at, out);
          std::visit([&](const auto& node) { add(node, body[k].place, at, out); }, body[k].node);
          if (holds_levels) join(body[k].place, at, out);
        }
      } catch (const Error& refusal) {
        add(refusal, body[k].place);
      }
    }
    return out;
  }

  void join(const Place& place, const ThreadPlace& at, Body& out) {
    ++joins_;
    if (!writes_joins_) return;
    put(out, Barrier{}, origin(place, at));
    join_origins_.insert(out.back().origin);
  }

  // A refusal that has no place yet gets that of the item.
  void add(const Error& refusal, const Place& place) {
    Diagnostic diagnostic = refusal.diagnostic();
    if (diagnostic.place.line == 0) diagnostic.place = place;
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  // Lowers code beside an inner level, which holds no level itself: it runs once for each outer
  // instance.
  void beside(std::span<const ThreadItem> items, const Place& place, const ThreadPlace& at,
              Body& out) {
    const Expr alone = elected(at.inner, pool_);
    ThreadPlace inside = at;
    inside.region =
        book_.add({.when = to_string(alone), .is_implicit = true, .place = place}, at, alone);
    inside.inner.clear();
    inside.condition = both(at.condition, alone);
    Body body = lower(items, inside);
    guard(alone, std::move(body), inside, at, place, out);
  }

  void add(const DoTogether& together, const Place&, const ThreadPlace& at, Body& out) {
    append(out, lower(together.body, at));
  }

  void add(const Assign& assign, const Place& place, const ThreadPlace& at, Body& out) {
    Simplifier known(book_.facts_at(at, true));
    check_elements(assign, program_, book_, at, known);
    put(out, memory_.store(assign, known), origin(place, at));
  }

  void add(const CopyLater& copies, const Place& place, const ThreadPlace& at, Body& out) {
    const Expr condition = copies.condition.valid() ? copies.condition : pool_.truth(true);
    ThreadPlace inside = at;
    Simplifier outside(book_.facts_at(at, true));
    check_defined(condition, "if: the condition", outside);
    inside.condition = both(at.condition, condition);
    Simplifier known(book_.facts_at(inside, true));
    Body body;
    for (const ThreadItem& item : copies.body) {
      const Assign& assign = check_copy(item, program_);
      check_elements(assign, program_, book_, inside, known);
      put(body, memory_.copy(assign, known), origin(item.place, inside));
    }
    append(out, tested(condition, std::move(body), at, place));
    if (!copies.at) return put(out, Arrive{}, origin(place, at));
    arrive(*copies.at, true, place, at, out);
  }
  void add(const ArriveAt& arrival, const Place& place, const ThreadPlace& at, Body& out) {
    arrive(arrival.at, false, place, at, out);
  }
  void arrive(const EventSlot& event, bool of_copies, const Place& place, const ThreadPlace& at,
              Body& out) {
    Simplifier known(book_.facts_at(at, true));
    put(out, Arrive{.object = object_at(program_, event, known), .of_copies = of_copies},
        origin(place, at, "arrive: " + to_string(program_, event)));
  }
  void add(const WaitFor& wait, const Place& place, const ThreadPlace& at, Body& out) {
    Simplifier known(book_.facts_at(at, true));
    put(out, wait_at(program_, wait, known),
        origin(place, at, "wait: " + to_string(program_, wait.at)));
  }
  void add(const AwaitGroups& await, const Place& place, const ThreadPlace& at, Body& out) {
    Wait wait;
    wait.pending = await.pending;
    if (await.of_mma) wait.queue = ThreadQueue::Products;
    put(out, wait, origin(place, at));
  }
  void add(const FenceShared&, const Place& place, const ThreadPlace& at, Body& out) {
    put(out, ProxyFence{}, origin(place, at));
  }
  void add(const MultiplyTiles& multiply, const Place& place, const ThreadPlace& at, Body& out) {
    const Mma shape = checked_mma(multiply, program_, place);
    Simplifier known(book_.facts_at(at, true));
    for (const TileRef* tile : {&multiply.sums, &multiply.a, &multiply.b}) {
      check_tile(*tile, program_, book_, at, known);
    }
    put(out, memory_.mma(multiply, shape, known), origin(place, at, "mma"));
    put(out, Arrive{.queue = ThreadQueue::Products}, origin(place, at));
  }

  void add(const InThreads& in, const Place& place, const ThreadPlace& at, Body& out) {
    check_inthreads(in, place, at);
    const bool is_elected = is_for_one(in.body, at);
    const Expr alone = is_elected ? elected(at.inner, pool_) : pool_.truth(true);
    const Expr when = both(alone, in.when);
    ThreadPlace inside = at;
    inside.region = book_.add(
        {.when = in.text, .is_async = in.is_async, .role = in.role, .place = place}, at, when);
    inside.is_in_inthreads = true;
    inside.condition = both(at.condition, when);
    if (is_elected) inside.inner.clear();
    std::optional<Region> role;
    if (!in.role.empty()) role = region_of_role(in, place, out_.regions[*inside.region]);
    if (in.is_async) book_.note_async(*inside.region);
    Body body = lower(in.body, inside);
    if (in.registers > 0) {
      role->body = std::exchange(body, {});
      put(body, *std::move(role), origin(place, inside));
    }
    guard(when, std::move(body), inside, at, place, out);
    if (in.is_async || in.body.empty()) return;
    // An inner level in there is run by all of its instances, and they all wait.
    ThreadPlace around = at;
    if (!is_elected) around.inner.clear();
    meet(place, around, kEndOfInThreads, out);
  }

  void add(const SerialFor& loop, const Place& place, const ThreadPlace& at, Body& out) {
    ThreadPlace inside = at;
    Simplifier outside(book_.facts_at(at, true));
    check_defined(loop.extent, "in: the extent", outside);
    inside.loops.push_back(&loop);
    inside.may_be_left = at.may_be_left || leaves_outside(loop.body);
    const Expr truth = pool_.truth(true);
    const Expr condition = loop.condition.valid() ? loop.condition : truth;
    Simplifier known(book_.facts_at(inside, true));
    check_defined(condition, "if: the condition", known);
    const bool is_region = loop.condition.valid() && !at.levels.empty();
    if (is_region) {
      inside.region =
          book_.add({.when = loop.text, .is_iteration = true, .place = place}, inside, condition);
    }
    inside.condition = both(at.condition, condition);
    book_.enter_loop();
    Body body = lower(loop.body, inside);
    if (options_.counts && is_region) {
      body.insert(body.begin(), count(*inside.region));
    }
    const bool always_runs = condition.is_true() && outside.proves(loop.extent >= 1);
    book_.leave_loop(!always_runs, has_leave(loop.body));
    const Expr extent = outside.simplify(loop.extent);
    const bool never_runs = extent.is(Op::Const) && extent.value() < 1;
    if (body.empty() || never_runs) return;
    const bool is_invariant = !mentions(condition, loop.index);
    ThreadPlace in_loop = inside;
    in_loop.condition = at.condition;
    in_loop.region = at.region;
    if (!is_invariant) {
      body = tested(condition, std::move(body), in_loop, place);
      mark(body, inside);
    }
    kernel_.facts.loop(loop.index, loop.extent);
    Body whole;
    put(whole, Loop{.variable = loop.index, .extent = loop.extent, .body = std::move(body)},
        origin(place, at, loop.label));
    origins_.back().holds_joins = first_inner(loop.body) != nullptr;
    if (is_invariant) {
      whole = tested(condition, std::move(whole), at, place);
      mark(whole, inside);
    }
    append(out, std::move(whole));
  }

  void add(const LeaveFor& leave, const Place& place, const ThreadPlace& at, Body& out) {
    put(out, Leave{loop_to_leave(leave, place, at).index, leave.is_next}, origin(place, at));
  }

  void add(const Synchronize& sync, const Place& place, const ThreadPlace& at, Body& out) {
    using Among = Synchronize::Among;
    if (sync.among == Among::Region) return meet(place, at, "sync: region", out);
    const bool is_block = sync.among == Among::Shared;
    const std::string name = is_block ? "sync: shared" : "sync: warp";
    if (at.region) {
      std::string why;
      const auto some = barriers_.members(at.condition, at, why);
      if (!some || !(is_block ? some->is_whole_block() : some->has_whole_warps())) {
        refuse_at(place, "E814",
                  name + " is a barrier that part of its threads cannot reach: it stands where " +
                      out_.regions[*at.region].when +
                      (some ? " holds, " + counted(some->active, "thread") + " of a block of " +
                                  std::to_string(some->threads)
                            : ", and " + why),
                  std::string(some ? "write sync: region, or " : "") + "move it behind the region");
      }
    }
    put(out, Barrier{.scope = is_block ? Barrier::Scope::Block : Barrier::Scope::Warp},
        origin(place, at, name));
    if (is_block) block_has_joined(at);
  }

  void add(const InnerParallel& inner, const Place&, const ThreadPlace& at, Body& out) {
    append(out, lower(inner.body, place_in(inner, out_.tree, at)));
  }

  // ---- guards and barriers ----

  // A condition at a place as it is tested: true, false, or the cheaper of two texts.
  Expr tested(Expr condition, const ThreadPlace& at) const {
    Simplifier known(book_.facts_at(at, true));
    const Expr simple = known.simplify(condition);
    const bool is_better =
        simple.is_true() || simple.is_false() || cost_of(simple).total < cost_of(condition).total;
    return is_better ? simple : condition;
  }
  Body tested(Expr condition, Body body, const ThreadPlace& at, const Place& place) {
    const Expr simple = tested(condition, at);
    if (simple.is_true()) return body;
    if (simple.is_false()) return {};
    Body out;
    put(out, Guard{simple, std::move(body)}, origin(place, at));
    ThreadPlace& inside = guards_[out[0].origin] = at;
    inside.condition = both(at.condition, condition);
    return out;
  }

  // The body of a region, under its condition.
  void guard(Expr when, Body body, const ThreadPlace& inside, const ThreadPlace& at,
             const Place& place, Body& out) {
    const std::optional<ThreadMask>& mask = out_.regions[*inside.region].who.mask;
    if (mask && mask->is_none()) return;
    // The threads that run a region are counted even if its body is empty.
    if (options_.counts) body.insert(body.begin(), count(*inside.region));
    if (body.empty()) return;
    Body whole = tested(when, std::move(body), at, place);
    Guard* guard = mark(whole, inside);
    const bool joins = guard != nullptr && is_like_last(out, *inside.region);
    if (!joins || !join_last(out, *guard)) append(out, std::move(whole));
  }
  // If a body is the guard of a region, marks it with that region and returns it.
  Guard* mark(Body& whole, const ThreadPlace& inside) {
    auto* guard = whole.size() == 1 ? std::get_if<Guard>(&whole[0].node) : nullptr;
    if (guard == nullptr || whole[0].origin == 0 || !inside.region) return nullptr;
    guard->remark = who_runs(out_.regions[*inside.region]);
    origins_[whole[0].origin - 1].region = inside.region;
    return guard;
  }
  // Whether the last statement is of a region that may share a guard with this one: both are
  // asynchronous or neither is, and no join stands between them.
  bool is_like_last(const Body& out, std::size_t region) const {
    const std::uint32_t last = out.empty() ? 0 : out.back().origin;
    if (last == 0 || !origins_[last - 1].region) return false;
    if (origins_[last - 1].joins != joins_) return false;
    return out_.regions[*origins_[last - 1].region].is_async == out_.regions[region].is_async;
  }
  // Regions of the same threads, one after the other with nothing between, share one guard.
  static bool join_last(Body& out, Guard& next) {
    auto* last = out.empty() ? nullptr : std::get_if<Guard>(&out.back().node);
    if (last == nullptr || last->remark.empty() || !same(last->condition, next.condition)) {
      return false;
    }
    append(last->body, std::move(next.body));
    return true;
  }

  Statement count(std::size_t region) {
    const Expr address = number_at(region);
    const ValueId before = kernel_.values.read(DataType::Int32, counts_, {address});
    const ValueId one = kernel_.values.constant(DataType::Int32, std::int64_t{1}, false);
    return {Store{.buffer = counts_,
                  .address = address,
                  .value = kernel_.values.apply(Function::Add, {before, one}),
                  .valid = {}}};
  }
  Expr number_at(std::size_t region) const {
    return levels_.number + std::int64_t(region) * levels_.threads;
  }

  void meet(const Place& place, const ThreadPlace& at, const std::string& what, Body& out) {
    const ThreadBarriers::Waiting waiting = barriers_.at_place(place, at, what);
    if (!waiting.barrier) return;
    Body body;
    put(body, *waiting.barrier, origin(place, at, what));
    if (waiting.is_of_elected) {
      body = tested(elected(at.inner, pool_), std::move(body), at, place);
    } else if (waiting.barrier->scope == Barrier::Scope::Block) {
      block_has_joined(at);
    }
    append(out, std::move(body));
  }
  void block_has_joined(const ThreadPlace& at) {
    if (at.is_in_inthreads) return;
    book_.close_group();
    // Joins that are written down have numbers of their own, as many as there are.
    if (at.loops.empty() && !writes_joins_) barriers_.block_has_joined();
  }

  // ---- the kernel ----

  void finish(Body body) {
    if (!out_.is_legal()) return;
    if (!writes_joins_) drop_repeated_barriers(body);
    kernel_.body = levels_.around(std::move(body));
    if (options_.counts) {
      kernel_.buffers[counts_].elements =
          pool_.constant(std::int64_t(out_.regions.size()) * levels_.threads);
    }
    const Within within = [&](const Statement& guard) { return barriers_within(guard); };
    const std::size_t asked_for = barriers_in(kernel_.body);
    if (writes_joins_) {
      const auto is_join = [&](const Statement& s) { return join_origins_.contains(s.origin); };
      kernel_.body = with_joins(std::move(kernel_.body), is_join, within);
    } else {
      const auto are_to_be_ordered = [&](const AccessMap& map, std::size_t a, std::size_t b,
                                         std::optional<PlaceId> loop) {
        return are_joined(origins_, map, a, b, loop);
      };
      add_barriers(kernel_, are_to_be_ordered, within);
    }
    ask_at_launch(kernel_);
    const bool has_added = barriers_in(kernel_.body) > asked_for;
    const std::vector<Expr> all = computed_expressions(kernel_).all;
    KnownSizes sizes(program_.symbols, levels_.facts);
    kernel_ = std::move(for_both_widths(sizes, std::move(kernel_), all, {}).back());
    if (writes_joins_) return verify_order(origins_, kernel_, out_);
    if (options_.verifies) {
      verify_threads(origins_, kernel_, out_);
      if (has_added) check_order();
    }
    if (!out_.is_legal()) return;
    out_.kernel = std::move(kernel_);
    for (const ThreadOrigin& origin : origins_) out_.places.push_back(origin.place);
    out_.steps = steps_of(*out_.kernel, origins_, out_);
  }

  // Verifies again with barriers at joins only. A barrier stands as late as it can, not at its
  // join, so it may hide races that no join orders; it is gone without what it is for.
  void check_order() {
    const auto is_race = [](const Diagnostic& d) { return d.code == "E817" || d.code == "E818"; };
    if (std::any_of(out_.diagnostics.begin(), out_.diagnostics.end(), is_race)) return;
    const ThreadLowerOptions options;
    LoweredThreads levels;
    levels.tree = out_.tree;
    LoweredThreads joined = ThreadLowering(program_, options, std::move(levels), true).lower();
    std::copy_if(joined.diagnostics.begin(), joined.diagnostics.end(),
                 std::back_inserter(out_.diagnostics), is_race);
  }

  GuardBarriers barriers_within(const Statement& guard) {
    const auto it = guards_.find(guard.origin);
    if (it == guards_.end()) return {};
    const ThreadOrigin& from = origins_[guard.origin - 1];
    return barriers_.within(it->second, from.region, from.place);
  }

  const ThreadProgram& program_;
  const ThreadLowerOptions& options_;
  const bool writes_joins_;
  ExprPool& pool_;
  LoweredThreads out_;
  LaunchLevels levels_;
  RegionBook book_;
  ThreadBarriers barriers_;
  Kernel kernel_;
  ThreadMemory memory_;
  BufferId counts_ = 0;
  std::vector<ThreadOrigin> origins_;
  std::size_t joins_ = 0;                        // so far
  std::set<std::uint32_t> join_origins_;         // where these are written
  std::map<std::uint32_t, ThreadPlace> guards_;  // by origin: where those are who pass
};

}  // namespace

LoweredThreads lower_threads(const ThreadProgram& program, const ThreadLowerOptions& options) {
  LoweredThreads out;
  out.tree = level_tree(program, out.diagnostics);
  check_memory(program, out.diagnostics);
  check_events(program, out.diagnostics);
  if (out.is_legal()) out = ThreadLowering(program, options, std::move(out)).lower();
  if (!out.diagnostics.empty() && options.checks_helps) check_helps(program, out);
  // In the order of the file.
  const auto before = [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  };
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(), before);
  return out;
}

}  // namespace selvage
