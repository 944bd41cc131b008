#include <selvage/expr/symbols.h>
#include <selvage/kernel/collision_table.h>
#include <selvage/kernel/verify_collisions.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace selvage {

namespace {

constexpr std::int64_t kMostWork = 1 << 23;  // operations of one search
constexpr std::int64_t kWorkOfUnit = 20;     // to add what is accessed to a table, or look it up

class Search {
 public:
  Search(const CollisionSearch& request, const Point* sizes)
      : request_(request),
        map_(request.map),
        is_exact_(sizes != nullptr || map_.sizes().empty()),
        is_grid_(request.meeting.where == Meeting::Where::Grid),
        is_thread_(request.meeting.where == Meeting::Where::Thread),
        part_(map_.kernel().launch.part_threads()) {
    if (sizes == nullptr) return;
    for (const auto& [symbol, value] : *sizes) {
      sizes_.emplace_back(symbol, map_.pool().constant(value));
      point_.emplace_back(symbol, value);
    }
  }

  Collisions run() {
    Collisions found;
    for (std::size_t k = 0; k < 2; ++k) address_[k] = at_sizes(request_.address[k]);
    find_used();
    if (!lay_out()) return found;
    Slots slots;
    const PointWalk::End end = walk(slots, found);
    found.is_known = end == PointWalk::End::Done || is_complete(found);
    return found;
  }

 private:
  bool is_complete(const Collisions& found) const {
    return found.across && (found.within || is_grid_ || is_thread_ || request_.across_will_do);
  }
  Expr at_sizes(Expr e) const { return substitute(e, sizes_); }
  Expr in_second(Expr e) const { return substitute(e, request_.second_names); }
  const KernelAccess& access(std::size_t side) const {
    return map_.accesses()[side == 0 ? request_.meeting.first : request_.meeting.second];
  }
  bool is_used(Expr symbol) const { return contains(used_, symbol); }
  void use(Expr e) {
    for (Expr s : symbols_of(e)) {
      if (!is_used(s)) used_.push_back(s);
    }
  }

  bool is_rank_of_both(Expr symbol) const {
    return request_.is_in_one_rank && same(symbol, map_.threads()[2]);
  }
  // The second side's name of a symbol, or what stands for it.
  Expr named(Expr symbol, std::size_t side) const { return side == 0 ? symbol : in_second(symbol); }

  // Finds the symbols that decide which threads meet.
  void find_used() {
    for (Expr e : address_) use(e);
    for (std::size_t side = 0; side < 2; ++side) {
      for (Expr t : is_grid_ ? map_.blocks() : map_.threads()) {
        if (!is_rank_of_both(t)) use(named(t, side));
      }
      for (Expr c : map_.scope(access(side).scope).conditions) {
        const Expr own = at_sizes(side == 0 ? c : in_second(c));
        if (is_exact_) {
          use(own);
          conditions_[side].push_back(own);
        }
      }
    }
    for (bool grew = true; grew;) {
      const std::size_t before = used_.size();
      for (std::size_t side = 0; side < 2; ++side) {
        for (PlaceId id : map_.scope(access(side).scope).loops) {
          const StatementPlace& p = map_.places()[id];
          const Expr v = named(p.variable, side);
          const std::vector<Expr> own = symbols_of(v);
          // Whether a loop runs at all matters, too, unless it is presupposed.
          const bool counts =
              std::any_of(own.begin(), own.end(), [&](Expr s) { return is_used(s); });
          if (!is_exact_ && !counts) continue;
          for (Expr e : {p.begin, p.extent}) {
            const Expr end = at_sizes(side == 0 ? e : in_second(e));
            if (is_exact_ || !map_.mentions_size(end)) use(end);
          }
        }
      }
      grew = used_.size() > before;
    }
    if (is_exact_) return;
    for (std::size_t side = 0; side < 2; ++side) {
      for (Expr c : map_.scope(access(side).scope).conditions) {
        const Expr own = side == 0 ? c : in_second(c);
        if (!map_.mentions_size(own) && uses_only(own, used_)) {
          conditions_[side].push_back(own);
        }
      }
    }
  }

  // Axes that both share, then each side's own. False: some range is not known.
  bool lay_out() {
    using Relation = Meeting::Relation;
    ExprPool& pool = map_.pool();
    const Expr zero = pool.constant(0);
    const Launch& launch = map_.kernel().launch;
    if (!is_exact_) {
      for (Expr e : used_) {
        if (map_.is_size(e)) return false;
      }
    }
    const auto add_axes = [&](const std::array<Expr, 3>& symbols,
                              const std::array<Expr, 3>& extents, std::size_t side,
                              std::vector<PointAxis>& axes) {
      for (std::size_t k = 3; k-- > 0;) {
        if (!symbols[k].is(Op::Symbol) || is_rank_of_both(symbols[k])) continue;
        const Expr own = named(symbols[k], side);
        if (!is_exact_ && !is_used(own)) continue;
        const auto end = end_of(at_sizes(extents[k]), symbols[k], access(side).scope);
        if (!end) return false;
        axes.push_back({own, zero, *end, !is_used(own)});
      }
      return true;
    };
    if (!is_grid_ && !add_axes(map_.blocks(), launch.grid, 0, shared_)) return false;
    if (is_thread_ && !add_axes(map_.threads(), launch.block, 0, shared_)) return false;
    if (request_.is_in_one_rank) {
      const Expr rank = map_.threads()[2];
      shared_.push_back({rank, zero, launch.block[2], !is_used(rank)});
    }
    for (std::size_t side = 0; side < 2; ++side) {
      if (is_grid_ && !add_axes(map_.blocks(), launch.grid, side, own_[side])) return false;
      if (!is_thread_ && !add_axes(map_.threads(), launch.block, side, own_[side])) return false;
    }
    const Meeting& m = request_.meeting;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto& loops = map_.scope(access(side).scope).loops;
      for (std::size_t i = 0; i < loops.size(); ++i) {
        const StatementPlace& p = map_.places()[loops[i]];
        const bool is_related = i == m.equal && m.relation != Relation::Free;
        const bool is_shared = i < m.equal || is_related;
        if (is_shared && side == 1 && (i < m.equal || m.relation == Relation::Next)) continue;
        const Expr v = named(p.variable, side);
        if (!is_exact_ && !is_used(v)) continue;
        Expr begin = at_sizes(side == 0 ? p.begin : in_second(p.begin));
        Expr end = at_sizes(side == 0 ? p.extent : in_second(p.extent));
        if (is_shared && (mentions_thread(begin) || mentions_thread(end))) {
          // As wide as it may be; each side tests its own.
          const Interval range = map_.at(access(side).scope).interval(p.variable);
          if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return false;
          for (std::size_t other = 0; other < 2; ++other) {
            const Expr symbol = named(p.variable, other);
            const Expr from = at_sizes(other == 0 ? p.begin : in_second(p.begin));
            const Expr to = at_sizes(other == 0 ? p.extent : in_second(p.extent));
            conditions_[other].push_back(from <= symbol);
            conditions_[other].push_back(symbol < to);
          }
          begin = pool.constant(range.lo);
          end = pool.constant(range.hi + 1);
        } else if (const auto period = period_where_needed(begin, end, v)) {
          begin = zero;
          end = pool.constant(*period);
          (is_shared ? shared_ : own_[side]).push_back({v, begin, end});
          continue;
        } else if (!is_exact_ && (map_.mentions_size(begin) || map_.mentions_size(end))) {
          const Interval range = map_.at(access(side).scope).interval(p.variable);
          if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return false;
          begin = pool.constant(range.lo);
          end = pool.constant(range.hi + 1);
        }
        if (is_related && m.relation == Relation::Next && m.distance > 0) end = end - m.distance;
        if (is_related && m.relation == Relation::Next && m.distance < 0)
          begin = begin - m.distance;
        if (is_related && m.relation == Relation::Later && side == 1) begin = p.variable + 1;
        (is_shared ? shared_ : own_[side]).push_back({v, begin, end, !is_used(v)});
      }
    }
    return true;
  }
  bool mentions_thread(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::any_of(symbols.begin(), symbols.end(), [&](Expr s) {
      for (Expr t : map_.threads()) {
        if (same(s, t) || (t.is(Op::Symbol) && same(s, named(t, 1)))) return true;
      }
      return false;
    });
  }
  // For a loop with any number of iterations: its period, if its variable matters only modulo that.
  // Conditions on it that have none are then passed over.
  std::optional<std::int64_t> period_where_needed(Expr begin, Expr end, Expr variable) {
    if (is_exact_ || (!map_.mentions_size(begin) && !map_.mentions_size(end))) return std::nullopt;
    if (const auto period = period_without_change(variable)) return period;
    auto some = conditions_;
    for (auto& conditions : some) {
      std::erase_if(conditions, [&](Expr c) { return !period_of(variable, std::span(&c, 1)); });
    }
    std::swap(some, conditions_);
    const auto period = period_without_change(variable);
    if (!period) std::swap(some, conditions_);
    return period;
  }
  std::optional<std::int64_t> period_without_change(Expr variable) const {
    std::vector<Expr> roots(address_.begin(), address_.end());
    for (const auto& conditions : conditions_) {
      roots.insert(roots.end(), conditions.begin(), conditions.end());
    }
    for (const PointAxis& a : shared_) roots.insert(roots.end(), {a.begin, a.end});
    for (const StatementPlace& p : map_.places()) {
      if (!p.is_serial_loop()) continue;
      for (Expr e : {p.begin, p.extent}) roots.insert(roots.end(), {e, in_second(e)});
    }
    return period_of(variable, roots);
  }
  std::optional<Expr> end_of(Expr extent, Expr symbol, std::size_t scope) const {
    if (is_exact_ || !map_.mentions_size(extent)) return extent;
    const Interval range = map_.at(scope).interval(symbol);
    if (!range.has_hi() || range.hi == INT64_MAX) return std::nullopt;
    return map_.pool().constant(range.hi + 1);
  }

  // Its number in the block, x fastest; of two blocks, the block's, each a part of its own. Where
  // one thread makes both accesses, these count as those of two parts.
  Expr number(std::size_t side) const {
    if (is_thread_) return map_.pool().constant(std::int64_t(side) * part_.threads());
    const auto& index = is_grid_ ? map_.blocks() : map_.threads();
    const auto& extents = is_grid_ ? map_.kernel().launch.grid : map_.kernel().launch.block;
    Expr n = named(index[2], side);
    for (std::size_t k = 2; k-- > 0;) n = n * at_sizes(extents[k]) + named(index[k], side);
    return is_grid_ ? n * part_.threads() : n;
  }

  PointWalk::End walk(Slots& slots, Collisions& found) {
    for (const PointAxis& a : shared_) slots(a.symbol);
    PointWalk outer(shared_, {}, {}, slots);
    std::array<std::optional<PointWalk>, 2> sides;
    for (std::size_t side = 0; side < 2; ++side) {
      const Expr results[] = {address_[side], number(side)};
      sides[side].emplace(own_[side], conditions_[side], results, slots);
    }
    // Where no threads are asked for, the table is that of the side with fewer points.
    const std::array<double, 2> points = {points_of(own_[0]), points_of(own_[1])};
    const std::size_t listed = request_.across_will_do && points[1] < points[0] ? 1 : 0;
    const std::size_t other = 1 - listed;
    std::int64_t work = work_for(points);
    PointWalk::End inner = PointWalk::End::Done;
    CollisionTable table(part_);
    const std::vector<std::size_t> told_by = slots_of_table(listed, slots);
    std::optional<std::vector<std::int64_t>> built_for;
    const auto fill_table = [&] {
      std::vector<std::int64_t> now;
      for (std::size_t slot : told_by) now.push_back(slots[slot]);
      if (now == built_for) return true;
      built_for = now;
      table.clear();
      inner = sides[listed]->run(work, [&] {
        for (std::int64_t u = 0; u < request_.units[listed]; ++u) {
          table.add(sides[listed]->result(0) + u, sides[listed]->result(1));
          work -= kWorkOfUnit;
        }
        return true;
      });
      table.close();
      return inner == PointWalk::End::Done;
    };
    const PointWalk::End end = outer.run(work, [&] {
      if (!fill_table()) return false;
      if (table.is_empty()) return true;
      inner = sides[other]->run(work, [&] {
        const std::int64_t t = sides[other]->result(1);
        for (std::int64_t u = 0; u < request_.units[other]; ++u) {
          const std::int64_t address = sides[other]->result(0) + u;
          work -= kWorkOfUnit;
          if (!found.across) {
            if (const auto met = table.across(address, t)) {
              found.across = encounter(slots, *met, address);
            }
          }
          if (!found.within && !is_grid_) {
            if (const auto met = table.within(address, t)) {
              found.within = encounter(slots, *met, address);
            }
          }
        }
        return !is_complete(found);
      });
      return inner == PointWalk::End::Done;
    });
    return inner == PointWalk::End::Done ? end : inner;
  }

  // How many points axes have at most; infinitely many where that is not known.
  static double points_of(const std::vector<PointAxis>& axes) {
    double points = 1;
    for (const PointAxis& a : axes) {
      if (a.only_first) continue;
      if (!a.begin.is(Op::Const) || !a.end.is(Op::Const)) return INFINITY;
      points *= std::max(0.0, double(a.end.value()) - double(a.begin.value()));
    }
    return points;
  }
  // What a search may take. One that cannot come to its end is given up early where it would only
  // prove that nothing meets: threads that do meet are among the first.
  std::int64_t work_for(const std::array<double, 2>& points) const {
    double units = 0;
    for (std::size_t k = 0; k < 2; ++k) units += points[k] * double(request_.units[k]);
    const double work = points_of(shared_) * units * double(kWorkOfUnit);
    const bool is_hopeless = std::isfinite(work) && work > double(kMostWork);
    return request_.across_will_do && is_hopeless ? kMostWork / 16 : kMostWork;
  }
  // Of the symbols that both sides share, those on which a side's table depends.
  std::vector<std::size_t> slots_of_table(std::size_t side, Slots& slots) const {
    std::vector<Expr> roots = conditions_[side];
    roots.insert(roots.end(), {address_[side], number(side)});
    for (const PointAxis& a : own_[side]) roots.insert(roots.end(), {a.begin, a.end});
    const std::vector<Expr> symbols = symbols_of(roots);
    std::vector<std::size_t> all;
    for (const PointAxis& a : shared_) {
      if (contains(symbols, a.symbol)) all.push_back(slots(a.symbol));
    }
    return all;
  }

  // The second side stands in the slots; the first is looked for again.
  Encounter encounter(Slots& slots, std::int64_t first, std::int64_t address) {
    Encounter e;
    if (request_.across_will_do) return e;
    e.sizes = point_;
    e.address = address;
    e.second = thread_at(slots, 1);
    Slots own = slots;
    std::vector<Expr> conditions = conditions_[0];
    conditions.push_back(eq(number(0), map_.pool().constant(first)));
    PointWalk again(own_[0], conditions, std::span(address_.data(), 1), own);
    std::int64_t work = kMostWork;
    again.run(work, [&] {
      const std::int64_t from = again.result(0);
      if (address < from || address >= from + request_.units[0]) return true;
      e.first = thread_at(own, 0);
      return false;
    });
    return e;
  }
  ThreadAt thread_at(Slots& slots, std::size_t side) const {
    const auto value = [&](Expr symbol) { return evaluated(named(symbol, side), slots); };
    ThreadAt at;
    for (std::size_t k = 0; k < 3; ++k) {
      at.block[k] = value(map_.blocks()[k]);
      at.thread[k] = value(map_.threads()[k]);
    }
    for (PlaceId id : map_.scope(access(side).scope).loops) {
      const Expr v = map_.places()[id].variable;
      at.variables.emplace_back(v, value(v));
    }
    return at;
  }
  std::int64_t evaluated(Expr e, Slots& slots) const {
    SlotTape tape(std::span(&e, 1), slots);
    return tape.evaluate(slots, ignored_) ? tape.root(0) : 0;
  }

  const CollisionSearch& request_;
  const AccessMap& map_;
  bool is_exact_, is_grid_, is_thread_;
  PartOfBlock part_;
  Environment sizes_;
  Point point_;
  std::array<Expr, 2> address_;
  std::vector<Expr> used_;
  std::array<std::vector<Expr>, 2> conditions_;
  std::vector<PointAxis> shared_;
  std::array<std::vector<PointAxis>, 2> own_;
  mutable std::int64_t ignored_ = 0;
};

// The values that threads compute: one row for each thread, with its number last. After sort() the
// rows of one signature are consecutive, by number.
class SignatureRows {
 public:
  struct Class {
    std::span<const std::int64_t> signature;
    std::vector<std::int64_t> threads;  // ascending

    bool is_before(const Class& other) const {
      return std::ranges::lexicographical_compare(signature, other.signature);
    }
  };

  explicit SignatureRows(std::size_t width) : width_(width) {}

  void add(std::int64_t value) { values_.push_back(value); }
  void sort() {
    for (std::size_t i = 0; i < values_.size(); i += width_) {
      order_.push_back(std::span(values_).subspan(i, width_));
    }
    const auto before = [](auto a, auto b) { return std::ranges::lexicographical_compare(a, b); };
    if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
  }
  std::vector<Class> classes() const {
    std::vector<Class> all;
    for (std::span<const std::int64_t> row : order_) {
      const auto signature = row.first(width_ - 1);
      if (all.empty() || !std::ranges::equal(all.back().signature, signature)) {
        all.push_back({signature, {}});
      }
      all.back().threads.push_back(row.back());
    }
    return all;
  }

 private:
  std::size_t width_;
  std::vector<std::int64_t> values_;
  std::vector<std::span<const std::int64_t>> order_;
};

// Whether there are two threads of different parts, one of each list; below, two different threads
// of one part.
bool meet_across(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                 PartOfBlock part) {
  const std::int64_t own = part(a.front());
  const auto leaves = [&](std::int64_t t) { return part(t) != own; };
  return leaves(a.back()) || leaves(b.front()) || leaves(b.back());
}
bool meet_within(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                 PartOfBlock part) {
  auto from = a.begin();
  for (std::int64_t t : b) {
    while (from != a.end() && part(*from) < part(t)) ++from;
    if (from == a.end()) return false;
    if (part(*from) != part(t)) continue;
    if (*from != t || (from + 1 != a.end() && part(from[1]) == part(t))) return true;
  }
  return false;
}

}  // namespace

Collisions find_collisions(const CollisionSearch& search, const Point* sizes) {
  return Search(search, sizes).run();
}

Collisions collisions_of_signatures(const AccessMap& map,
                                    const std::array<std::int64_t, 3>& extents,
                                    std::span<const Expr> signature,
                                    std::span<const Expr> first_conditions,
                                    std::span<const Expr> second_conditions) {
  Slots slots;
  std::vector<PointAxis> axes;
  ExprPool& pool = map.pool();
  Expr number = map.threads()[2];
  for (std::size_t k = 3; k-- > 0;) {
    if (k < 2) number = number * pool.constant(extents[k]) + map.threads()[k];
    if (!map.threads()[k].is(Op::Symbol)) continue;
    axes.push_back({map.threads()[k], pool.constant(0), pool.constant(extents[k])});
  }
  std::vector<Expr> results(signature.begin(), signature.end());
  results.push_back(number);
  Collisions found;
  std::int64_t work = kMostWork;
  const std::array<std::span<const Expr>, 2> conditions = {first_conditions, second_conditions};
  std::array<SignatureRows, 2> rows = {SignatureRows(results.size()),
                                       SignatureRows(results.size())};
  for (std::size_t side = 0; side < 2; ++side) {
    PointWalk walk(axes, conditions[side], results, slots);
    const auto end = walk.run(work, [&] {
      for (std::size_t i = 0; i < results.size(); ++i) rows[side].add(walk.result(i));
      return true;
    });
    if (end != PointWalk::End::Done) return found;
    rows[side].sort();
  }
  const PartOfBlock part(map.kernel().launch.part_threads());
  const std::vector<SignatureRows::Class> first = rows[0].classes(), second = rows[1].classes();
  auto own = first.begin();
  for (const SignatureRows::Class& other : second) {
    while (own != first.end() && own->is_before(other)) ++own;
    if (own == first.end()) break;
    if (other.is_before(*own)) continue;
    if (meet_across(own->threads, other.threads, part)) found.across.emplace();
    if (meet_within(own->threads, other.threads, part)) found.within.emplace();
  }
  found.is_known = true;
  return found;
}

}  // namespace selvage
