#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/index/hole_system.h>
#include <selvage/simplifier/congruence.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

namespace selvage {

namespace {

using Relation = HoleSystem::Relation;
using Kind = Relation::Kind;

constexpr std::size_t kRounds = 40;  // looks at each relation, on average, before giving up
constexpr std::size_t kResiduesAtMost =
    256;  // variables; on long chains residues climb step by step

}  // namespace

HoleSystem::HoleSystem(const DomainGraph& graph, const Path& path, std::size_t loops,
                       const std::function<std::int64_t(Expr)>& value)
    : loops_(loops) {
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (DomainId d : path.domains) {
    position[std::uint32_t(d)] = std::uint32_t(extents_.size());
    extents_.push_back(value(graph[d].extent));
  }
  const auto at = [&](DomainId d) { return position.at(std::uint32_t(d)); };
  for (const Step& step : path.steps) {
    const auto digits = [&](DomainId o, DomainId i, DomainId x) {
      return Relation{Kind::Digits, step.direction, {at(o), at(i), at(x), 0}, extents_[at(i)]};
    };
    relations_.push_back(std::visit(
        overloaded{[&](const Split& t) { return digits(t.outer, t.inner, t.in); },
                   [&](const Merge& t) { return digits(t.outer, t.inner, t.out); },
                   [&](const Resize& t) {
                     return Relation{
                         Kind::Shift, step.direction, {at(t.in), at(t.out), 0, 0}, value(t.left)};
                   },
                   [&](const Swizzle& t) {
                     const Kind kind = t.kind == SwizzleKind::Xor ? Kind::Xor : Kind::CyclicShift;
                     return Relation{kind,
                                     step.direction,
                                     {at(t.in_x), at(t.in_y), at(t.out_x), at(t.out_y)},
                                     extents_[at(t.in_y)]};
                   }},
        graph[step.transform]));
    // A split has its x as input, a merge as output: from here on, Forward means digits from x.
    if (std::holds_alternative<Merge>(graph[step.transform])) {
      relations_.back().direction =
          step.direction == Direction::Forward ? Direction::Backward : Direction::Forward;
    }
  }
  around_.resize(extents_.size());
  component_.resize(extents_.size());
  std::iota(component_.begin(), component_.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (component_[v] != v) v = component_[v] = component_[component_[v]];
    return v;
  };
  for (const Relation& r : relations_) {
    const int arity = r.kind == Kind::Digits ? 3 : r.kind == Kind::Shift ? 2 : 4;
    for (int k = 1; k < arity; ++k) component_[find(r.v[k])] = find(r.v[0]);
    for (int k = 0; k < arity; ++k) {
      around_[r.v[k]].push_back(std::uint32_t(&r - relations_.data()));
    }
  }
  for (std::uint32_t v = 0; v < component_.size(); ++v) component_[v] = find(v);
}

std::optional<std::vector<std::int64_t>> HoleSystem::at(
    std::span<const std::int64_t> loop_point) const {
  std::vector<std::int64_t> v(extents_.size());
  std::copy(loop_point.begin(), loop_point.end(), v.begin());
  for (const Relation& r : relations_) {
    const bool forward = r.direction == Direction::Forward;
    switch (r.kind) {
      case Kind::Digits:
        if (forward) {
          v[r.v[0]] = floor_div(v[r.v[2]], r.n);
          v[r.v[1]] = *euclid_mod(v[r.v[2]], r.n);
        } else {
          const auto product = checked_mul(v[r.v[0]], r.n);
          const auto x = product ? checked_add(*product, v[r.v[1]]) : std::nullopt;
          if (!x) return std::nullopt;
          v[r.v[2]] = *x;
        }
        break;
      case Kind::Shift: {
        const auto moved = forward ? checked_add(v[r.v[0]], r.n) : checked_sub(v[r.v[1]], r.n);
        if (!moved) return std::nullopt;
        v[forward ? r.v[1] : r.v[0]] = *moved;
        break;
      }
      case Kind::Xor:
        if (forward) {
          v[r.v[2]] = v[r.v[0]];
          v[r.v[3]] = v[r.v[0]] ^ v[r.v[1]];
        } else {
          v[r.v[0]] = v[r.v[2]];
          v[r.v[1]] = v[r.v[2]] ^ v[r.v[3]];
        }
        break;
      case Kind::CyclicShift: {
        const std::size_t to = forward ? 2 : 0, from = forward ? 0 : 2;
        v[r.v[to]] = v[r.v[from]];
        const std::int64_t y = v[r.v[from + 1]], x = v[r.v[from]];
        const auto sum = forward ? checked_sub(y, x) : checked_add(y, x);
        if (!sum) return std::nullopt;
        v[r.v[to + 1]] = *euclid_mod(*sum, r.n);
        break;
      }
    }
  }
  return v;
}

thread_local std::uint64_t Bounds::steps = 0;

Bounds::Bounds(const HoleSystem& system)
    : system_(&system),
      ranges_(system.size()),
      residues_(system.size()),
      queued_(system.relations().size(), 1) {
  queue_.resize(system.relations().size());
  std::iota(queue_.begin(), queue_.end(), 0u);
  for (std::size_t i = 0; i < system.loops(); ++i) ranges_[i] = {0, system.extent(i) - 1};
  propagate();
}

bool Bounds::set(std::size_t variable, std::int64_t lo, std::int64_t hi) {
  Interval& range = ranges_[variable];
  if (const Congruence& c = residues_[variable]; c.modulus > 1) {
    if (lo > range.lo) lo = tightened({lo, Interval::kInfinity}, c).lo;
    if (hi < range.hi) hi = tightened({Interval::kMinusInfinity, hi}, c).hi;
  }
  if (lo > range.lo || hi < range.hi) {
    range = {std::max(lo, range.lo), std::min(hi, range.hi)};
    touch(variable);
  }
  if (range.empty()) empty_ = true;
  return !empty_;
}

bool Bounds::known_congruent(std::uint32_t variable, std::int64_t modulus, std::int64_t residue) {
  if (modulus <= 1 || ranges_.size() > kResiduesAtMost) return true;
  Congruence& old = residues_[variable];
  Congruence both;
  if (!intersect(old, {modulus, *euclid_mod(residue, modulus)}, &both)) {
    empty_ = true;
    return false;
  }
  if (both.modulus == old.modulus) return true;
  old = both;
  touch(variable);
  const Interval range = tightened(ranges_[variable], old);
  return set(variable, range.lo, range.hi);
}

void Bounds::touch(std::size_t variable) {
  for (std::uint32_t r : system_->around(variable)) {
    if (queued_[r]) continue;
    queued_[r] = 1;
    queue_.push_back(r);
  }
}

bool Bounds::propagate() {
  const auto& relations = system_->relations();
  // Ranges may creep towards each other one by one: what is known by then is as true, if not all.
  const std::size_t most = kRounds * relations.size();
  std::size_t next = 0;
  for (; next < queue_.size() && next < most && !empty_; ++next) {
    const std::uint32_t r = queue_[next];
    queued_[r] = 0;
    apply(relations[r]);
  }
  for (; next < queue_.size(); ++next) queued_[queue_[next]] = 0;
  queue_.clear();
  return !empty_;
}

bool Bounds::assume(std::size_t variable, Half half) {
  return half == Half::Lo
             ? narrow(variable, 0, Interval::kInfinity)
             : narrow(variable, Interval::kMinusInfinity, system_->extent(variable) - 1);
}

bool Bounds::deny(std::size_t variable, Half half) {
  return half == Half::Lo ? narrow(variable, Interval::kMinusInfinity, -1)
                          : narrow(variable, system_->extent(variable), Interval::kInfinity);
}

bool Bounds::narrow(std::size_t variable, std::int64_t lo, std::int64_t hi) {
  return set(variable, lo, hi) && propagate();
}

bool Bounds::implies(std::size_t variable, Half half) const {
  if (empty_) return true;
  return half == Half::Lo ? ranges_[variable].lo >= 0
                          : ranges_[variable].hi < system_->extent(variable);
}

bool Bounds::apply(const Relation& r) {
  ++steps;
  switch (r.kind) {
    case Kind::Digits: return apply_digits(r);
    case Kind::Shift: {
      const Interval a = ranges_[r.v[0]], b = ranges_[r.v[1]];
      const Interval n = Interval::point(r.n);
      const Interval forward = a + n, backward = b - n;
      if (!set(r.v[1], forward.lo, forward.hi) || !set(r.v[0], backward.lo, backward.hi))
        return false;
      const Congruence ca = residues_[r.v[0]], cb = residues_[r.v[1]];
      return known_congruent(r.v[1], ca.modulus, ca.residue + r.n % ca.modulus) &&
             known_congruent(r.v[0], cb.modulus, cb.residue - r.n % cb.modulus);
    }
    case Kind::Xor:
    case Kind::CyclicShift: return apply_swizzle(r);
  }
  return true;
}

// x = o*n + i: each of the three from the other two; where the digits come from x, 0 <= i < n.
bool Bounds::apply_digits(const Relation& r) {
  const std::uint32_t o = r.v[0], i = r.v[1], x = r.v[2];
  const std::int64_t n = r.n;
  const auto times_n = [n](Interval v) {
    return Interval{saturating_mul(v.lo, n), saturating_mul(v.hi, n)};
  };
  if (r.direction == Direction::Forward && !set(i, 0, n - 1)) return false;
  const Interval up = times_n(ranges_[o]) + ranges_[i];
  if (!set(x, up.lo, up.hi)) return false;
  const Interval part = ranges_[x] - times_n(ranges_[o]);
  if (!set(i, part.lo, part.hi)) return false;
  const Interval high = ranges_[x] - ranges_[i];  // = o*n
  if (!set(o, high.has_lo() ? ceil_div(high.lo, n) : high.lo,
           high.has_hi() ? floor_div(high.hi, n) : high.hi)) {
    return false;
  }
  // Residues: modulo n, x is i; modulo g*n, x is o*n + i where o is known modulo g and i exactly.
  const Congruence ci = residues_[i], co = residues_[o], cx = residues_[x];
  const Interval ri = ranges_[i], ro = ranges_[o];
  if (ri.is_point()) {
    const auto wide = checked_mul(co.modulus, n);
    if (wide && *wide < (std::int64_t{1} << 31)) {
      if (!known_congruent(x, *wide, co.residue * n % *wide + ri.lo % *wide)) return false;
    } else if (!known_congruent(x, n, ri.lo % n)) {
      return false;
    }
    // x = o*n + i known modulo m: o is known modulo m/n where n divides m.
    if (cx.modulus % n == 0 && cx.modulus / n > 1) {
      const std::int64_t left = *euclid_mod(cx.residue - ri.lo % cx.modulus, cx.modulus);
      if (left % n == 0 && !known_congruent(o, cx.modulus / n, left / n)) return false;
    }
  } else {
    const Congruence high_part = co * Congruence::point(n);
    const Congruence sum = high_part + ci;
    if (!sum.is_point() && !known_congruent(x, sum.modulus, sum.residue)) return false;
    const Congruence high_known =
        ro.is_point() ? Congruence::point(saturating_mul(ro.lo, n)) : high_part;
    const Congruence low = cx - high_known;
    if (!low.is_point() && !known_congruent(i, low.modulus, low.residue)) return false;
  }
  return true;
}

bool Bounds::apply_swizzle(const Relation& r) {
  const std::uint32_t x = r.v[0], y = r.v[1], u = r.v[2], v = r.v[3];
  if (!set(u, ranges_[x].lo, ranges_[x].hi) || !set(x, ranges_[u].lo, ranges_[u].hi)) return false;
  if (r.kind == Kind::CyclicShift) {
    const bool backward = r.direction == Direction::Backward;
    const std::uint32_t computed = backward ? y : v, given = backward ? v : y;
    if (!set(computed, 0, r.n - 1)) return false;
    const Interval sum = backward ? ranges_[given] + ranges_[u] : ranges_[given] - ranges_[u];
    if (sum.has_lo() && sum.has_hi() && floor_div(sum.lo, r.n) == floor_div(sum.hi, r.n)) {
      const std::int64_t base = floor_div(sum.lo, r.n) * r.n;
      if (!set(computed, sum.lo - base, sum.hi - base)) return false;
      const Interval value = ranges_[computed] + Interval::point(base);
      const Interval back = backward ? value - ranges_[u] : value + ranges_[u];
      return set(given, back.lo, back.hi);
    }
    return true;
  }
  const Interval rows = ranges_[u];
  if (rows.is_point()) {
    const Interval in = ranges_[v], out = ranges_[y];
    if (in.is_point() && !set(y, rows.lo ^ in.lo, rows.lo ^ in.lo)) return false;
    if (out.is_point() && !set(v, rows.lo ^ out.lo, rows.lo ^ out.lo)) return false;
  }
  // ~u ^ v = ~(u ^ v): negative rows mirror the blocks.
  const bool mirrored = rows.hi < 0;
  const std::int64_t highest = mirrored ? (rows.has_lo() ? ~rows.lo : -1) : rows.hi;
  if ((rows.lo < 0 && !mirrored) || highest < 0 || highest >= Interval::kInfinity / 4) return true;
  // Only the low bits of y and v differ: both lie in the same blocks.
  const auto block = std::int64_t(std::bit_ceil(std::uint64_t(highest) + 1));
  const auto widen = [&](Interval w) {
    const auto last = [&] {
      return saturating_add(saturating_mul(floor_div(w.hi, block), block), block - 1);
    };
    const Interval wide{w.has_lo() ? floor_div(w.lo, block) * block : w.lo,
                        w.has_hi() ? last() : w.hi};
    return mirrored ? Interval::point(-1) - wide : wide;
  };
  const Interval wide_v = widen(ranges_[v]), wide_y = widen(ranges_[y]);
  if (!set(y, wide_v.lo, wide_v.hi) || !set(v, wide_y.lo, wide_y.hi)) return false;
  return true;
}

}  // namespace selvage
