#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/conjuncts.h>
#include <selvage/expr/fresh.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/asked_reads.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/index_values.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_access.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

namespace {

constexpr std::array<const char*, 3> kThreadNames = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
constexpr std::array<const char*, 3> kBlockNames = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};

}  // namespace

class AccessCollector {
 public:
  explicit AccessCollector(AccessMap& map) : map_(map), kernel_(map.kernel_) {}

  void run() {
    map_.scopes_.emplace_back();
    map_.has_own_pace_ = has_own_pace(kernel_);
    visit(kernel_.body, kTop, false, 0);
    for (MemoryNumber& n : map_.numbers_) n.is_free = is_free(n);
    for (KernelAccess& a : map_.accesses_) look_at_memory(a);
  }

 private:
  Expr written(Expr e) const { return written_out(e, environment_); }

  // MemoryNumber::is_free: the number is an element of an input, and every number read from that
  // buffer may be `most` at the same time.
  bool is_free(const MemoryNumber& n) const {
    const ValueNode& node = kernel_.values[n.value];
    if (node.kind != ValueNode::Kind::Read || map_.written_[node.source]) return false;
    // One number for all threads and iterations, which the element's type has.
    for (Expr s : symbols_of(n.most)) {
      const bool is_loop = std::any_of(
          map_.places_.begin(), map_.places_.end(),
          [&](const StatementPlace& p) { return p.is_serial_loop() && same(p.variable, s); });
      if (is_loop || map_.is_thread(s) || map_.is_block(s) || map_.mentions_number(s)) return false;
    }
    const bool is_large = n.most.is(Op::Const) && n.most.value() > INT32_MAX;
    if (size_of(kernel_.buffers[node.source].type) < (is_large ? 8 : 4)) return false;
    return std::all_of(map_.numbers_.begin(), map_.numbers_.end(), [&](const MemoryNumber& other) {
      const ValueNode& read = kernel_.values[other.value];
      return read.kind != ValueNode::Kind::Read || read.source != node.source ||
             (same(other.most, n.most) && same(other.least, n.least));
    });
  }
  void look_at_memory(KernelAccess& a) const {
    std::size_t mentioned = 0;
    if (!map_.numbers_.empty()) {
      std::vector<Expr> own = map_.scopes_[a.scope].conditions;
      own.push_back(a.address);
      const std::vector<Expr> symbols = symbols_of(own);
      for (const MemoryNumber& n : map_.numbers_) {
        if (!contains(symbols, n.symbol)) continue;
        ++mentioned;
        a.is_hidden = a.is_hidden || !n.is_free;
      }
    }
    a.mentions_memory = mentioned > 0;
    for (PlaceId loop : map_.scopes_[a.scope].loops) {
      const StatementPlace& p = map_.places_[loop];
      a.may_be_left_out = a.may_be_left_out || p.is_left;
      if (!p.may_run_less) continue;
      // All loops run as often as they may if all elements of memory are `most`. If an address or a
      // condition mentions a number as well, that may be the same element.
      a.is_hidden =
          a.is_hidden || mentioned > 0 || !p.counted_by || !map_.numbers_[*p.counted_by].is_free;
    }
    a.is_hidden = a.is_hidden || mentioned > 1;
  }

  void visit(const Body& body, PlaceId parent, bool is_otherwise, std::size_t scope) {
    const Environment outer = environment_;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto id = PlaceId(map_.places_.size());
      map_.places_.push_back({.statement = &body[i],
                              .parent = parent,
                              .is_otherwise = is_otherwise,
                              .index = i,
                              .scope = scope,
                              .variable = {},
                              .begin = {},
                              .extent = {},
                              .condition = {}});
      const StatementParts parts = parts_of(body[i]);
      if (parts.value) add_reads(*parts.value, id, scope);
      for (const StatementAccess& a : parts.accesses) {
        if (is_of_interest(a.buffer)) add(a, id, scope_of(a, body[i], scope)).lane = parts.lane;
      }
      std::visit([&](const auto& s) { visit(s, id, scope); }, body[i].node);
    }
    environment_ = outer;
  }
  std::size_t scope_with(std::size_t scope, Expr condition) {
    AccessScope inner = map_.scopes_[scope];
    inner.conditions.push_back(condition);
    map_.scopes_.push_back(std::move(inner));
    return map_.scopes_.size() - 1;
  }
  // Of a multicast one rank reads, and to all of them something comes.
  std::size_t scope_of(const StatementAccess& a, const Statement& s, std::size_t scope) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    if (copy == nullptr || !copy->by_rank.valid() || a.kind != AccessKind::Read) return scope;
    return scope_with(scope, eq(map_.threads_[2], written(copy->by_rank)));
  }
  // A name that is defined anew loses its old meaning.
  void bind(Expr variable, Expr value) {
    std::erase_if(environment_, [&](const auto& e) { return same(e.first, variable); });
    environment_.emplace_back(variable, value);
  }
  Expr fresh(Expr variable) {
    taken_.push_back(fresh_symbol(map_.pool(), variable.name(), taken_));
    return taken_.back();
  }

  void visit(const Loop& loop, PlaceId id, std::size_t scope) {
    const Environment outer = environment_;
    if (is_block(loop.parallel)) {
      SELVAGE_CHECK(!map_.scopes_[scope].last_block);
      bind(loop.variable, map_.blocks_[std::size_t(axis(loop.parallel))]);
    } else if (is_thread(loop.parallel)) {
      bind(loop.variable, map_.threads_[std::size_t(axis(loop.parallel))]);
    } else if (runs_once(loop)) {
      bind(loop.variable, map_.pool().constant(0));
    } else {
      StatementPlace& place = map_.places_[id];
      place.begin = loop.begin.valid() ? written(loop.begin) : map_.pool().constant(0);
      SELVAGE_CHECK(!map_.mentions_number(place.begin));
      place.extent = written(loop.extent);
      if (map_.mentions_number(place.extent)) limit(place, scope);
      return run(loop.variable, loop.body, id, scope);
    }
    visit(loop.body, id, false, scope);
    environment_ = outer;
  }
  void visit(const While& loop, PlaceId id, std::size_t scope) {
    StatementPlace& place = map_.places_[id];
    place.begin = map_.pool().constant(0);
    place.extent = map_.pool().constant(INT64_MAX);
    place.may_run_less = true;
    run(loop.variable, loop.body, id, scope);
  }
  // A serial loop whose ends are known.
  void run(Expr variable, const Body& body, PlaceId id, std::size_t scope) {
    const Environment outer = environment_;
    map_.places_[id].variable = fresh(variable);
    bind(variable, map_.places_[id].variable);
    AccessScope entered = map_.scopes_[scope];
    entered.loops.push_back(id);
    map_.scopes_.push_back(std::move(entered));
    open_.emplace_back(variable, id);
    visit(body, id, false, map_.scopes_.size() - 1);
    open_.pop_back();
    environment_ = outer;
  }
  // Sets the extent of a loop that memory counts to the most that it may run.
  void limit(StatementPlace& place, std::size_t scope) const {
    place.may_run_less = true;
    place.counted = place.extent;
    for (std::size_t n : map_.scopes_[scope].numbers) {
      if (!same(map_.numbers_[n].symbol, place.extent)) continue;
      place.counted_by = n;
      place.extent = map_.numbers_[n].most;
      return;
    }
    place.extent = map_.pool().constant(Simplifier(map_.facts(scope)).interval(place.extent).hi);
  }
  // A number from memory is known behind it, in this body.
  void visit(const Define& define, PlaceId id, std::size_t& scope) {
    if (!define.read) return bind(define.variable, written(define.value));
    AccessScope behind = map_.scopes_[scope];
    behind.numbers.push_back(map_.numbers_.size());
    map_.numbers_.push_back({.symbol = fresh(define.variable),
                             .least = written(define.least),
                             .most = written(define.most),
                             .place = id,
                             .value = *define.read,
                             .is_promised = define.is_promised,
                             .names = environment_});
    map_.scopes_.push_back(std::move(behind));
    scope = map_.scopes_.size() - 1;
    bind(define.variable, map_.numbers_.back().symbol);
  }
  void visit(const Region& region, PlaceId id, std::size_t scope) {
    const Expr condition = is_member(region, map_.threads_, kernel_.launch.block);
    map_.places_[id].condition = condition;
    visit(region.body, id, false, scope_with(scope, condition));
  }
  void visit(const LastBlock& last, PlaceId id, std::size_t scope) {
    const StatementPlace& place = map_.places_[id];
    SELVAGE_CHECK(place.parent == kTop && place.index + 1 == kernel_.body.size());
    AccessScope inner = map_.scopes_[scope];
    inner.last_block = id;
    map_.scopes_.push_back(std::move(inner));
    visit(last.body, id, false, map_.scopes_.size() - 1);
  }
  void visit(const Arrive& arrive, PlaceId id, std::size_t) {
    if (arrive.bytes.valid()) map_.places_[id].amount = written(arrive.bytes);
  }
  void visit(const Wait& wait, PlaceId id, std::size_t) {
    if (wait.object) map_.places_[id].amount = written(wait.phase);
  }
  void visit(const AsyncCopy& copy, PlaceId id, std::size_t) {
    if (copy.by_rank.valid()) map_.places_[id].amount = written(copy.by_rank);
    if (!copy.box) return;
    for (Expr c : copy.box->corner) map_.places_[id].corner.push_back(written(c));
  }
  void visit(const Guard& guard, PlaceId id, std::size_t scope) {
    const Expr condition = written(guard.condition);
    map_.places_[id].condition = condition;
    visit(guard.body, id, false, scope_with(scope, condition));
    if (!guard.otherwise.empty()) {
      visit(guard.otherwise, id, true, scope_with(scope, !condition));
    }
  }
  void visit(const Barrier& barrier, PlaceId, std::size_t) {
    map_.has_partial_barrier_ = map_.has_partial_barrier_ || barrier.is_partial();
  }
  void visit(const Leave& leave, PlaceId id, std::size_t) {
    const auto loop = std::find_if(open_.rbegin(), open_.rend(),
                                   [&](const auto& l) { return same(l.first, leave.loop); });
    SELVAGE_CHECK(loop != open_.rend());  // a serial loop around it
    map_.places_[id].leaves = loop->second;
    map_.places_[loop->second].is_left = true;
    map_.leaves_.push_back(id);
  }
  // All other kinds matter only by their accesses.
  template <class Other>
  void visit(const Other&, PlaceId id, std::size_t) {
    SELVAGE_CHECK(bodies(*map_.places_[id].statement).size() == 0);
  }

  bool is_of_interest(BufferId b) const {
    return map_.of_ == AccessMap::Of::All || kernel_.buffers[b].memory != Memory::Local;
  }
  KernelAccess& add(const StatementAccess& a, PlaceId id, std::size_t scope) {
    if (writes(a.kind)) map_.written_[a.buffer] = true;
    SELVAGE_CHECK(!a.is_async || kernel_.buffers[a.buffer].memory != Memory::Local);
    map_.accesses_.push_back({.place = id,
                              .buffer = a.buffer,
                              .kind = a.kind,
                              .address = written(a.address),
                              .width = a.width,
                              .scope = scope,
                              .function = a.atomic.value_or(Function::Add),
                              .duplicates_allowed = a.duplicates_allowed,
                              .alignment = a.alignment,
                              .is_async = a.is_async});
    KernelAccess& access = map_.accesses_.back();
    access.item = kernel_.items.find(a.buffer, a.address);
    if (access.item != nullptr) {
      for (Expr index : access.item->indices) {
        access.indices.push_back(written(index));
        access.named_indices.push_back(substitute(index, environment_));
      }
      if (const auto& row = access.item->of_row) {
        const auto known = [&](Expr e) { return e.valid() ? written(e) : e; };
        access.of_row = {known(row->row), known(row->begin), known(row->end),   known(row->item),
                         known(row->at),  known(row->told),  known(row->height)};
      }
    }
    return access;
  }

  void add_reads(ValueId value, PlaceId id, std::size_t scope) {
    const auto is_read = [this](BufferId b) { return is_of_interest(b); };
    for (const auto& [v, a] : asked_reads(kernel_, value, is_read)) {
      const ValueNode& node = kernel_.values[v];
      std::size_t own = a.condition.valid() ? scope_with(scope, written(a.condition)) : scope;
      if (node.kind == ValueNode::Kind::Search) {
        // All that is read lies between these two.
        const Expr first = node.subscripts[0], last = node.subscripts[1];
        own = scope_with(own, written(first < last));
        for (Expr end : {first + 1, last}) {
          const StatementAccess read{.buffer = node.source, .address = end};
          add(read, id, own).depends_on_data = true;
        }
        continue;
      }
      const StatementAccess read{.buffer = node.source, .address = node.subscripts[0]};
      add(read, id, own).depends_on_data = a.depends_on_data;
    }
  }
  AccessMap& map_;
  const Kernel& kernel_;
  Environment environment_;
  std::vector<std::pair<Expr, PlaceId>> open_;  // serial loops around, by their own variables
  std::vector<Expr> taken_;                     // by loops and numbers from memory
};

AccessMap::AccessMap(const Kernel& kernel, Of of, std::shared_ptr<SimplifiersByFacts> simplifiers)
    : kernel_(kernel),
      of_(of),
      tree_(kernel),
      size_facts_(*kernel.pool),
      written_(kernel.buffers.size(), false),
      simplifiers_(simplifiers ? std::move(simplifiers) : std::make_shared<SimplifiersByFacts>()) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto index = [&](Expr extent, const char* name) {
      return extent.is_const(1) ? pool().constant(0) : pool().symbol(name);
    };
    threads_[k] = index(kernel.launch.block[k], kThreadNames[k]);
    blocks_[k] = index(kernel.launch.grid[k], kBlockNames[k]);
  }
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    written_[b] = kernel.buffers[b].is_written;
  }
  note_replacements();
  AccessCollector(*this).run();
  find_sizes();
  at_.resize(scopes_.size());
  addresses_.resize(accesses_.size());
}

// Free symbols of the kernel, and those that its facts relate them to.
void AccessMap::find_sizes() {
  std::unordered_set<std::uint32_t> defined;
  std::vector<Expr> roots = kernel_.sizes;
  for (const StatementPlace& p : places_) {
    if (p.is_serial_loop()) {
      defined.insert(p.variable.id());
      roots.push_back(p.begin);
      roots.push_back(p.extent);
    }
    if (p.condition.valid()) roots.push_back(p.condition);
  }
  // Variables as the facts name them, which are not looked at.
  for (const StatementPlace& p : places_) {
    const StatementParts parts = parts_of(*p.statement);
    if (parts.variable.valid()) defined.insert(parts.variable.id());
    if (parts.lane.valid()) defined.insert(parts.lane.id());
    if (p.amount.valid()) roots.push_back(p.amount);
  }
  for (const MemoryNumber& n : numbers_) {
    defined.insert(n.symbol.id());
    roots.insert(roots.end(), {n.least, n.most});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (Expr e : {threads_[k], blocks_[k]}) defined.insert(e.id());
    roots.push_back(kernel_.launch.block[k]);
    roots.push_back(kernel_.launch.grid[k]);
  }
  for (const AccessScope& s : scopes_) {
    roots.insert(roots.end(), s.conditions.begin(), s.conditions.end());
  }
  for (const KernelAccess& a : accesses_) roots.push_back(a.address);
  for (const Buffer& b : kernel_.buffers) {
    roots.push_back(b.elements);
    for (const Buffer::Axis& axis : b.axes) roots.insert(roots.end(), {axis.stride, axis.extent});
  }
  const Expr premise = kernel_.premise.valid() ? kernel_.premise : kernel_.condition;
  if (premise.valid()) roots.push_back(premise);
  const auto is_free = [&](Expr e) {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::none_of(symbols.begin(), symbols.end(),
                        [&](Expr s) { return defined.count(s.id()) > 0; });
  };
  sizes_ = symbols_of(roots);
  std::erase_if(sizes_, [&](Expr e) { return defined.count(e.id()) > 0; });
  std::vector<std::vector<Expr>> related;  // sizes of which something is said together
  for (Expr e : relations(kernel_.facts)) {
    if (is_free(e)) related.push_back(symbols_of(e));
  }
  for (std::size_t before = 0; before < sizes_.size();) {
    before = sizes_.size();
    for (const std::vector<Expr>& symbols : related) {
      const auto is_known = [&](Expr s) { return contains(sizes_, s); };
      if (std::ranges::none_of(symbols, is_known)) continue;
      std::ranges::remove_copy_if(symbols, std::back_inserter(sizes_), is_known);
    }
  }
  std::ranges::sort(sizes_, structurally_before);
  std::stable_sort(sizes_.begin(), sizes_.end(), [&](Expr a, Expr b) {
    return kernel_.facts.position(a) < kernel_.facts.position(b);
  });
  for (Expr e : sizes_) {
    const Facts::Symbol* s = kernel_.facts.find(e);
    if (s == nullptr) continue;
    const auto end = [&](Expr e_) { return e_.valid() && is_free(e_) ? e_ : Expr(); };
    size_facts_.bound(e, end(s->lo), end(s->hi));
    if (s->range.has_lo()) size_facts_.bound(e, pool().constant(s->range.lo), {});
    if (s->range.has_hi()) size_facts_.bound(e, {}, pool().constant(s->range.hi));
    if (s->congruence.modulus > 1) {
      size_facts_.congruent(e, s->congruence.modulus, s->congruence.residue);
    } else if (s->congruence.is_point()) {
      const Expr value = pool().constant(s->congruence.residue);
      size_facts_.bound(e, value, value);
    }
  }
  for (Expr e : kernel_.facts.assumptions()) {
    if (is_free(e)) size_facts_.assume(e);
  }
  if (premise.valid() && is_free(premise) && !premise.is_true()) {
    size_facts_.assume(premise);
  }
}

bool AccessMap::mentions_number(Expr e) const {
  return std::ranges::any_of(numbers_, [&](const auto& n) { return mentions(e, n.symbol); });
}
bool AccessMap::mentions_thread(Expr e) const { return mentions(e, threads_); }
bool AccessMap::mentions_size(Expr e) const { return mentions(e, sizes_); }
bool AccessMap::has_barrier_objects() const {
  return std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                     [](const Buffer& b) { return b.arrivals.has_value(); });
}
bool AccessMap::is_thread(Expr symbol) const { return contains(threads_, symbol); }
bool AccessMap::is_block(Expr symbol) const { return contains(blocks_, symbol); }
bool AccessMap::is_size(Expr symbol) const { return contains(sizes_, symbol); }

std::optional<std::array<std::int64_t, 3>> AccessMap::block_extents() const {
  std::array<std::int64_t, 3> extents{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Expr e = kernel_.launch.block[k];
    if (!e.is(Op::Const) || e.value() < 1 || e.value() > 1024) return std::nullopt;
    extents[k] = e.value();
  }
  if (extents[0] * extents[1] * extents[2] > 4096) return std::nullopt;
  return extents;
}

Facts AccessMap::facts(std::size_t scope) const {
  Facts facts = size_facts_;
  for (std::size_t k = 0; k < 3; ++k) {
    if (blocks_[k].is(Op::Symbol)) facts.loop(blocks_[k], kernel_.launch.grid[k]);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (threads_[k].is(Op::Symbol)) facts.loop(threads_[k], kernel_.launch.block[k]);
  }
  // Loops and numbers in their order, as the ends of each may depend on those before it.
  const std::vector<std::size_t>& numbers = scopes_[scope].numbers;
  auto number = numbers.begin();
  const auto add_numbers = [&](PlaceId before) {
    for (; number != numbers.end() && numbers_[*number].place < before; ++number) {
      facts.bound(numbers_[*number].symbol, numbers_[*number].least, numbers_[*number].most);
    }
  };
  for (PlaceId id : scopes_[scope].loops) {
    add_numbers(id);
    const StatementPlace& p = places_[id];
    const Expr last = p.extent.is(Op::Const) && p.extent.value() > INT64_MIN
                          ? pool().constant(p.extent.value() - 1)
                          : p.extent - 1;
    facts.bound(p.variable, p.begin, last);
    if (p.counted.valid()) facts.bound(p.variable, {}, p.counted - 1);
  }
  add_numbers(PlaceId(places_.size()));
  for (Expr e : scopes_[scope].conditions) facts.assume(e);
  return facts;
}

Simplifier& AccessMap::at(std::size_t scope) const {
  if (at_[scope] == nullptr) at_[scope] = &with(facts(scope));
  return *at_[scope];
}

bool AccessMap::is_of_own_rank(BufferId b) const {
  if (!kernel_.launch.is_cluster) return true;
  const auto [known, is_new] = of_own_rank_.try_emplace(b, true);
  for (std::size_t i = 0; is_new && i < accesses_.size(); ++i) {
    if (accesses_[i].buffer == b && !in_own_piece(*this, i)) known->second = false;
  }
  return known->second;
}

Expr AccessMap::address(std::size_t access) const {
  if (!addresses_[access].valid()) {
    addresses_[access] = address_in_pieces(*this, access);
  }
  return addresses_[access];
}

}  // namespace selvage
