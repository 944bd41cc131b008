#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/index/hilbert.h>
#include <selvage/index/hole_system.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace selvage {

namespace {

using Relation = HoleSystem::Relation;
using Kind = Relation::Kind;

Kind kind_of(SwizzleKind kind) {
  switch (kind) {
    case SwizzleKind::Xor: return Kind::Xor;
    case SwizzleKind::CyclicShift: return Kind::CyclicShift;
    case SwizzleKind::Hilbert: return Kind::Hilbert;
  }
  return {};
}

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
                   [&](const Merge& t) {
                     Relation r = digits(t.outer, t.inner, t.out);
                     if (graph.rows_of(t) != nullptr) r.kind = Kind::Rows;
                     return r;
                   },
                   [&](const Resize& t) {
                     return Relation{
                         Kind::Shift, step.direction, {at(t.in), at(t.out), 0, 0}, value(t.left)};
                   },
                   [&](const Swizzle& t) {
                     return Relation{kind_of(t.kind),
                                     step.direction,
                                     {at(t.in_x), at(t.in_y), at(t.out_x), at(t.out_y)},
                                     extents_[at(t.in_y)]};
                   },
                   [&](const Skew& t) {
                     const std::int64_t n = std::max<std::int64_t>(value(t.modulo), 1);
                     return Relation{Kind::Skew,
                                     step.direction,
                                     {at(t.in), at(t.out), at(t.along), 0},
                                     n,
                                     *euclid_mod(value(t.by), n)};
                   }},
        graph[step.transform]));
    // A split has its x as input, a merge as output: from here on, Forward means digits from x.
    if (std::holds_alternative<Merge>(graph[step.transform])) {
      relations_.back().direction =
          step.direction == Direction::Forward ? Direction::Backward : Direction::Forward;
    }
  }
  component_.resize(extents_.size());
  std::iota(component_.begin(), component_.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (component_[v] != v) v = component_[v] = component_[component_[v]];
    return v;
  };
  for (const Relation& r : relations_) {
    const bool is_of_three = r.kind == Kind::Digits || r.kind == Kind::Skew || r.kind == Kind::Rows;
    const int arity = is_of_three ? 3 : r.kind == Kind::Shift ? 2 : 4;
    for (int k = 1; k < arity; ++k) component_[find(r.v[k])] = find(r.v[0]);
  }
  for (std::uint32_t v = 0; v < component_.size(); ++v) component_[v] = find(v);
  for (std::size_t v = 0; v < extents_.size(); ++v) {
    equations_.add_variable(v < loops_ ? Interval{0, extents_[v] - 1} : Interval{});
  }
  for (const Relation& r : relations_) add_equations(r);
}

// Digits: x = o*n + i, and 0 <= i < n if they are computed from x.
// Swizzles (x, y) to (u, v): x = u, and for xor y = u ^ v; for a cyclic shift v = (y - u) % n if it
// is computed forward, y = (v + u) % n backward. Hilbert's curve: x / n = u / n, and what is
// computed beside them is a remainder.
// Skew: b = a + offset, offset = by*x % n.
void HoleSystem::add_equations(const Relation& r) {
  const bool forward = r.direction == Direction::Forward;
  const std::uint32_t* v = r.v;
  const auto sum_is = [&](std::initializer_list<Relations::Part> parts, std::int64_t value) {
    equations_.add_sum({parts.begin(), parts.size()}, 0, Interval::point(value));
  };
  switch (r.kind) {
    case Kind::Digits:
      if (forward) equations_.narrow(v[1], {0, r.n - 1});
      return sum_is({{v[2], 1}, {v[1], -1}, {v[0], -r.n}}, 0);
    case Kind::Shift: return sum_is({{v[1], 1}, {v[0], -1}}, r.n);
    case Kind::Xor: sum_is({{v[0], 1}, {v[2], -1}}, 0); return equations_.add_xor(v[1], v[2], v[3]);
    case Kind::CyclicShift: {
      sum_is({{v[0], 1}, {v[2], -1}}, 0);
      const Relations::Part moved[] = {{v[forward ? 1 : 3], 1}, {v[2], forward ? -1 : 1}};
      return equations_.add_remainder(v[forward ? 3 : 1], moved, 0, r.n);
    }
    case Kind::Hilbert: {
      const auto square = equations_.add_variable({});
      for (const std::uint32_t row : {v[0], v[2]}) {
        const auto rest = equations_.add_variable({0, r.n - 1});
        sum_is({{row, 1}, {rest, -1}, {square, -r.n}}, 0);
      }
      equations_.narrow(v[forward ? 3 : 1], {0, r.n - 1});
      return;
    }
    case Kind::Skew: {
      const auto offset = equations_.add_variable({0, r.n - 1});
      const Relations::Part moved[] = {{v[2], r.by}};
      equations_.add_remainder(offset, moved, 0, r.n);
      return sum_is({{v[1], 1}, {v[0], -1}, {offset, -1}}, 0);
    }
    case Kind::Rows: return;
  }
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
      case Kind::Hilbert: {
        const auto made = forward ? hilbert_number(v[r.v[0]], v[r.v[1]], r.n)
                                  : hilbert_point(v[r.v[2]], v[r.v[3]], r.n);
        v[r.v[forward ? 2 : 0]] = made[0];
        v[r.v[forward ? 3 : 1]] = made[1];
        break;
      }
      case Kind::Skew: {
        const std::int64_t row = *euclid_mod(v[r.v[2]], r.n);
        const auto product = checked_mul(row, r.by);
        if (!product) return std::nullopt;
        const std::int64_t offset = *product % r.n;
        const std::int64_t from = v[r.v[forward ? 0 : 1]];
        const auto moved = forward ? checked_add(from, offset) : checked_sub(from, offset);
        if (!moved) return std::nullopt;
        v[r.v[forward ? 1 : 0]] = *moved;
        break;
      }
      case Kind::Rows: return std::nullopt;
    }
  }
  return v;
}

Bounds::Bounds(const HoleSystem& system) : IntervalBox(system.equations()), system_(&system) {
  propagate();
}

bool Bounds::set_half(std::size_t variable, Half half) {
  return half == Half::Lo ? set(Relations::Variable(variable), 0, Interval::kInfinity)
                          : set(Relations::Variable(variable), Interval::kMinusInfinity,
                                system_->extent(variable) - 1);
}

bool Bounds::assume(std::size_t variable, Half half) {
  return set_half(variable, half) && propagate();
}

bool Bounds::deny(std::size_t variable, Half half) {
  const auto v = Relations::Variable(variable);
  return half == Half::Lo ? narrow(v, Interval::kMinusInfinity, -1)
                          : narrow(v, system_->extent(variable), Interval::kInfinity);
}

bool Bounds::implies(std::size_t variable, Half half) const {
  if (empty()) return true;
  const Interval range = (*this)[Relations::Variable(variable)];
  return half == Half::Lo ? range.lo >= 0 : range.hi < system_->extent(variable);
}

}  // namespace selvage
