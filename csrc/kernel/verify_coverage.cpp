#include <selvage/expr/conjuncts.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_coverage.h>
#include <selvage/kernel/verify_order.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

constexpr std::int64_t kMostLifetimeWork = 1 << 22;

}  // namespace

std::vector<Expr> ReadCoverage::shared_symbols(std::size_t r, std::size_t loops) const {
  std::vector<Expr> symbols = map_.sizes();
  const auto add = [&](const std::array<Expr, 3>& index) {
    for (Expr e : index) {
      if (e.is(Op::Symbol)) symbols.push_back(e);
    }
  };
  add(map_.blocks());
  if (memory(r) == Memory::Local) add(map_.threads());
  if (in_common_.valid()) symbols.push_back(in_common_);
  const auto& all = map_.scope(map_.accesses()[r].scope).loops;
  for (std::size_t i = 0; i < loops; ++i) symbols.push_back(map_.places()[all[i]].variable);
  return symbols;
}
std::vector<Expr> ReadCoverage::parts_of(std::span<const Expr> conditions) {
  std::vector<Expr> parts;
  for (Expr c : conditions) {
    for (Expr part : conjuncts_of(c)) parts.push_back(part);
  }
  return parts;
}
// Conditions of a write that do not hold just because those of the read do, `given`.
std::vector<Expr> ReadCoverage::own_conditions(std::size_t w, std::span<const Expr> given,
                                               std::span<const Expr> shared) const {
  std::vector<Expr> own;
  for (Expr c : map_.scope(map_.accesses()[w].scope).conditions) {
    for (Expr part : conjuncts_of(c)) {
      if (!uses_only(part, shared) || !contains(given, part)) own.push_back(part);
    }
  }
  return own;
}

// An address less what it has in common with the read's, `base`.
std::optional<Expr> ReadCoverage::less(Expr address, const LinearSum& base) const {
  const auto sum = add(to_linear_or_atom(address), base, -1);
  if (!sum) return std::nullopt;
  const Expr e = to_expr(map_.pool(), *sum);
  return map_.mentions_size(e) ? std::nullopt : std::optional(e);
}

// Threads and loops that one access goes through on its own, but for a loop whose iteration is
// given.
std::optional<std::vector<PointAxis>> ReadCoverage::axes_of(std::size_t access, std::size_t loops,
                                                            bool must_run, Expr given) const {
  std::vector<PointAxis> axes;
  ExprPool& pool = map_.pool();
  const KernelAccess& a = map_.accesses()[access];
  if (memory(access) == Memory::Shared) {
    const auto extents = map_.block_extents();
    if (!extents) return std::nullopt;
    for (std::size_t k = 3; k-- > 0;) {
      if (!map_.threads()[k].is(Op::Symbol)) continue;
      if (in_common_.valid() && same(map_.threads()[k], in_common_)) continue;
      axes.push_back({map_.threads()[k], pool.constant(0), pool.constant((*extents)[k])});
    }
  }
  const auto& all = map_.scope(a.scope).loops;
  for (std::size_t i = loops; i < all.size(); ++i) {
    const StatementPlace& p = map_.places()[all[i]];
    if (given.valid() && same(p.variable, given)) continue;
    if (!map_.mentions_size(p.begin) && !map_.mentions_size(p.extent)) {
      axes.push_back({p.variable, p.begin, p.extent});
      continue;
    }
    if (must_run) return std::nullopt;
    const Interval range = map_.at(a.scope).interval(p.variable);
    if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return std::nullopt;
    axes.push_back({p.variable, pool.constant(range.lo), pool.constant(range.hi + 1)});
  }
  // A number from memory is any in its range.
  for (std::size_t n : map_.scope(a.scope).numbers) {
    const MemoryNumber& number = map_.numbers()[n];
    if (!mentions(a.address, number.symbol)) continue;
    const Interval range = map_.at(a.scope).interval(number.symbol);
    if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return std::nullopt;
    axes.push_back({number.symbol, pool.constant(range.lo), pool.constant(range.hi + 1)});
  }
  return axes;
}

// Of a read whose address memory tells: any element of its buffer.
std::optional<PointAxis> ReadCoverage::any_element(std::size_t r) const {
  const KernelAccess& a = map_.accesses()[r];
  const Expr elements = map_.kernel().buffers[a.buffer].elements;
  if (a.width > 1 || !map_.mentions_number(a.address) || !elements.is(Op::Const)) {
    return std::nullopt;
  }
  return PointAxis{map_.pool().symbol("any element"), map_.pool().constant(0), elements};
}

// A guard around one of the writes, and not around the read, whose condition says the same for
// all that reads and writes: one of blocks, as a rule.
std::optional<PlaceId> ReadCoverage::guard_of_blocks(const std::vector<std::size_t>& writes,
                                                     std::size_t r, std::span<const Expr> shared,
                                                     std::span<const Expr> assumed) const {
  for (std::size_t w : writes) {
    PlaceId id = map_.accesses()[w].place;
    for (id = map_.places()[id].parent; id != kTop; id = map_.places()[id].parent) {
      const StatementPlace& place = map_.places()[id];
      const bool is_guard = std::holds_alternative<Guard>(place.statement->node);
      if (is_guard && uses_only(place.condition, shared) && !side_of(r, id) &&
          !contains(assumed, place.condition) && !contains(assumed, !place.condition)) {
        return id;
      }
    }
  }
  return std::nullopt;
}
// Whether an access stands in the body of a guard or in its `otherwise`; nothing: beside it.
std::optional<bool> ReadCoverage::side_of(std::size_t access, PlaceId guard) const {
  PlaceId id = map_.accesses()[access].place;
  while (id != kTop && map_.places()[id].parent != guard) id = map_.places()[id].parent;
  return id == kTop ? std::nullopt : std::optional(!map_.places()[id].is_otherwise);
}
// Where the condition of a guard is one of blocks, by the writes of each of its bodies.
// `assumed`: conditions that hold at the writes.
bool ReadCoverage::cover(const std::vector<std::size_t>& writes, std::size_t r, std::size_t loops,
                         const Environment& shift, const std::vector<Expr>& assumed) const {
  constexpr std::size_t kMostAssumed = 64;
  const std::vector<Expr> shared = shared_symbols(r, loops);
  const std::optional<PlaceId> guard = guard_of_blocks(writes, r, shared, assumed);
  if (!guard || assumed.size() > kMostAssumed) {
    return cover_by(writes, r, loops, shift, assumed);
  }
  const Expr condition = map_.places()[*guard].condition;
  const std::vector<Expr> given = parts_of(map_.scope(map_.accesses()[r].scope).conditions);
  return std::ranges::all_of(std::array{true, false}, [&](bool holds) {
    const std::vector<Expr> parts = conjuncts_of(holds ? !condition : condition);
    const auto is_given = [&](Expr part) { return contains(given, part); };
    if (shift.empty() && std::ranges::all_of(parts, is_given)) return true;  // nothing is read
    std::vector<std::size_t> made;
    for (std::size_t w : writes) {
      if (side_of(w, *guard).value_or(holds) == holds) made.push_back(w);
    }
    std::vector<Expr> known = assumed;
    known.push_back(holds ? condition : !condition);
    for (Expr part : conjuncts_of(known.back())) known.push_back(part);
    return cover(made, r, loops, shift, known);
  });
}
// `shift`: at which iterations the read stands, seen from those of the writes.
bool ReadCoverage::cover_by(const std::vector<std::size_t>& writes, std::size_t r,
                            std::size_t loops, const Environment& shift,
                            const std::vector<Expr>& assumed) const {
  const std::size_t scope = map_.accesses()[r].scope;
  const std::vector<Expr> shared = shared_symbols(r, loops);
  Expr address = map_.address(r);
  if (!shift.empty()) address = map_.at(scope).normal_form(substitute(address, shift));
  LinearSum base = to_linear_or_atom(address);
  base.constant = 0;
  std::erase_if(base.terms, [&](const auto& t) { return !uses_only(t.monomial, shared); });
  auto rest = less(address, base);
  auto axes = axes_of(r, loops, false, shift.empty() ? Expr() : shift[0].first);
  const auto any = !rest || !axes ? any_element(r) : std::nullopt;
  if (any) {
    base = {};
    rest = any->symbol;
    axes = std::vector{*any};
  }
  if (!rest || !axes) return false;
  for (PointAxis& a : *axes) {
    a.begin = substitute(a.begin, shift);
    a.end = substitute(a.end, shift);
  }
  Side read{*axes, {}, *rest, map_.accesses()[r].width};
  std::vector<Expr> given = parts_of(map_.scope(scope).conditions);
  for (Expr& part : given) {
    part = substitute(part, shift);
    if (!any && !map_.mentions_size(part)) read.conditions.push_back(part);
  }
  std::vector<Side> sides;
  for (std::size_t w : writes) {
    const auto from = less(map_.address(w), base);
    const auto around = axes_of(w, loops, true);
    if (!from || !around) continue;
    Side side{*around, own_conditions(w, given, shared), *from, map_.accesses()[w].width};
    std::erase_if(side.conditions, [&](Expr e) { return contains(assumed, e); });
    if (std::any_of(side.conditions.begin(), side.conditions.end(),
                    [&](Expr e) { return map_.mentions_size(e); })) {
      continue;
    }
    sides.push_back(std::move(side));
  }
  if (sides.empty()) return false;
  // All of the read lies in what one write stores at once, by the first threads and iterations.
  const auto holds_all = [&](const Side& w) {
    if (w.width < read.width || (!shift.empty() && mentions(*rest, shift[0].first))) return false;
    Environment first;
    for (const PointAxis& a : w.axes) {
      const bool is_run = a.begin.is(Op::Const) && a.end.is(Op::Const);
      if (!is_run || a.begin.value() >= a.end.value()) return false;
      first.emplace_back(a.symbol, a.begin);
    }
    Simplifier& at_read = map_.at(scope);
    const Expr from = at_read.simplify(substitute(w.address, first));
    const auto holds = [&](Expr c) { return at_read.simplify(substitute(c, first)).is_true(); };
    return from.is(Op::Const) && std::ranges::all_of(w.conditions, holds) &&
           at_read.proves(from <= *rest) && at_read.proves(*rest + read.width <= from + w.width);
  };
  if (!any && std::ranges::any_of(sides, holds_all)) return true;
  drop_unneeded(read, sides, shared);
  return is_covered(read, sides, r, shared);
}

// Drops conditions of the read over symbols that matter nowhere else: they only cost time.
void ReadCoverage::drop_unneeded(Side& read, const std::vector<Side>& writes,
                                 std::span<const Expr> shared) {
  std::vector<Expr> roots = {read.address};
  for (const PointAxis& a : read.axes) roots.insert(roots.end(), {a.symbol, a.begin, a.end});
  for (const Side& w : writes) {
    roots.push_back(w.address);
    roots.insert(roots.end(), w.conditions.begin(), w.conditions.end());
    for (const PointAxis& a : w.axes) roots.insert(roots.end(), {a.symbol, a.begin, a.end});
  }
  const std::vector<Expr> needed = symbols_of(roots);
  std::erase_if(read.conditions, [&](Expr e) {
    for (Expr s : symbols_of(e)) {
      if (contains(shared, s) && !contains(needed, s)) return true;
    }
    return false;
  });
}

bool ReadCoverage::is_covered(const Side& read, const std::vector<Side>& writes, std::size_t r,
                              std::span<const Expr> shared) const {
  // Values of what is the same for both, as far as it counts.
  std::vector<Expr> roots = {read.address};
  const auto use = [&](const Side& side) {
    roots.push_back(side.address);
    roots.insert(roots.end(), side.conditions.begin(), side.conditions.end());
    for (const PointAxis& a : side.axes) roots.insert(roots.end(), {a.begin, a.end});
  };
  use(read);
  for (const Side& w : writes) use(w);
  std::vector<PointAxis> axes;
  Slots slots;
  ExprPool& pool = map_.pool();
  for (Expr s : symbols_of(roots)) {
    if (!contains(shared, s)) continue;
    Interval range = map_.at(map_.accesses()[r].scope).interval(s);
    const auto period = period_of(s, roots);
    if (period && (!range.has_lo() || !range.has_hi() || range.hi - range.lo >= *period)) {
      range = {0, *period - 1};
    }
    if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return false;
    axes.push_back({s, pool.constant(range.lo), pool.constant(range.hi + 1)});
    slots(s);
  }
  using End = PointWalk::End;
  PointWalk outer(axes, {}, {}, slots);
  const auto walk = [&](const Side& side) {
    return PointWalk(side.axes, side.conditions, std::span(&side.address, 1), slots);
  };
  PointWalk reads = walk(read);
  std::vector<PointWalk> stores;
  for (const Side& w : writes) stores.push_back(walk(w));
  std::int64_t work = kMostLifetimeWork;
  bool is_covered = true;
  std::unordered_set<std::int64_t> written;
  const End end = outer.run(work, [&] {
    written.clear();
    for (std::size_t i = 0; i < writes.size() && is_covered; ++i) {
      const End e = stores[i].run(work, [&] {
        for (std::int64_t u = 0; u < writes[i].width; ++u) {
          written.insert(stores[i].result(0) + u);
          work -= 10;
        }
        return true;
      });
      is_covered = e == End::Done;
    }
    const End e = reads.run(work, [&] {
      for (std::int64_t u = 0; u < read.width; ++u) {
        is_covered = is_covered && written.count(reads.result(0) + u) > 0;
      }
      work -= 10 * read.width;
      return is_covered;
    });
    is_covered = is_covered && e == End::Done;
    return is_covered;
  });
  return is_covered && end == End::Done;
}

}  // namespace selvage
