#include <selvage/index/symbolic_bounds.h>

#include <algorithm>

namespace selvage {

namespace {

using Relation = HoleSystem::Relation;
using Kind = Relation::Kind;

constexpr std::size_t kEnds = 2;
constexpr int kRewrites = 6;
constexpr std::uint32_t kLargestEnd = 40;  // nodes: a bound that is longer proves nothing any more

}  // namespace

SymbolicBounds::SymbolicBounds(const PredicateRequest& request, std::uint64_t& budget)
    : request_(&request),
      budget_(&budget),
      structure_(request.graph, request.path, request.loops.size(), [](Expr) { return 1; }),
      ranges_(request.path.domains.size()) {
  const DomainGraph& graph = request.graph;
  for (DomainId d : request.path.domains) extents_.push_back(graph[d].extent);
  for (std::size_t i = 0; i < request.path.steps.size(); ++i) {
    const Transform& transform = graph[request.path.steps[i].transform];
    const auto* resize = std::get_if<Resize>(&transform);
    const auto* skew = std::get_if<Skew>(&transform);
    sides_.push_back(resize ? resize->left
                     : skew ? skew->modulo
                            : extents_[structure_.relations()[i].v[1]]);
  }
  for (std::size_t v = 0; v < request.loops.size(); ++v) {
    assume(v, Half::Lo);
    assume(v, Half::Hi);
  }
  propagate();
}

void SymbolicBounds::assume(std::size_t variable, Half half) {
  if (half == Half::Lo) {
    set_lo(variable, request_->simplifier.pool().constant(0));
  } else {
    set_hi(variable, extents_[variable] - 1);
  }
}

void SymbolicBounds::deny(std::size_t variable, Half half) {
  if (half == Half::Lo) {
    set_hi(variable, request_->simplifier.pool().constant(-1));
  } else {
    set_lo(variable, extents_[variable]);
  }
}

void SymbolicBounds::insert(Ends& ends, Expr e, bool is_lo) {
  if (*budget_ == 0) return;
  --*budget_;
  Simplifier& simplifier = request_->simplifier;
  e = simplifier.simplify(e);
  if (e.size() > kLargestEnd) return;
  for (Expr old : ends) {
    if (same(old, e) || simplifier.proves(is_lo ? e <= old : old <= e)) return;
  }
  std::erase_if(ends, [&](Expr old) { return simplifier.proves(is_lo ? old <= e : e <= old); });
  if (ends.size() == kEnds) return;
  ends.push_back(e);
  changed_ = true;
}

void SymbolicBounds::set_lo(std::size_t variable, Expr e) { insert(ranges_[variable].lo, e, true); }
void SymbolicBounds::set_hi(std::size_t variable, Expr e) {
  insert(ranges_[variable].hi, e, false);
}

bool SymbolicBounds::implies(std::size_t variable, Half half) {
  const auto holds = [&](Expr end) {
    return request_->simplifier.proves(half == Half::Lo ? 0 <= end : end < extents_[variable]);
  };
  const Range& range = ranges_[variable];
  const Ends& ends = half == Half::Lo ? range.lo : range.hi;
  return std::any_of(ends.begin(), ends.end(), holds);
}

bool SymbolicBounds::contradicts(std::size_t variable) {
  for (Expr lo : ranges_[variable].lo) {
    for (Expr hi : ranges_[variable].hi) {
      if (request_->simplifier.proves(hi < lo)) return true;
    }
  }
  return false;
}

bool SymbolicBounds::propagate() {
  const std::size_t n = structure_.relations().size();
  for (int round = 0; round < kRewrites; ++round) {
    changed_ = false;
    for (std::size_t i = 0; i < n; ++i) apply(round % 2 == 0 ? i : n - 1 - i);
    if (!changed_ || *budget_ == 0) break;
  }
  for (std::size_t v = 0; v < ranges_.size(); ++v) {
    if (contradicts(v)) return false;
  }
  return true;
}

// to = from + shift
void SymbolicBounds::copy(std::size_t from, std::size_t to, Expr shift) {
  const Range range = ranges_[from];
  for (Expr e : range.lo) set_lo(to, e + shift);
  for (Expr e : range.hi) set_hi(to, e + shift);
}

void SymbolicBounds::apply(std::size_t i) {
  const Relation& r = structure_.relations()[i];
  const Expr n = sides_[i], zero = n.pool().constant(0);
  const bool forward = r.direction == Direction::Forward;
  switch (r.kind) {
    case Kind::Digits: return apply_digits(r, n);
    case Kind::Shift:
      copy(r.v[0], r.v[1], n);
      copy(r.v[1], r.v[0], zero - n);
      return;
    case Kind::Skew: {
      const Range in = ranges_[r.v[0]], out = ranges_[r.v[1]];
      for (Expr e : in.lo) set_lo(r.v[1], e);
      for (Expr e : in.hi) set_hi(r.v[1], e + n - 1);
      for (Expr e : out.lo) set_lo(r.v[0], e - n + 1);
      for (Expr e : out.hi) set_hi(r.v[0], e);
      return;
    }
    case Kind::Rows: return;  // laws say all of it
    case Kind::Hilbert:
      set_lo(r.v[forward ? 3 : 1], zero);
      set_hi(r.v[forward ? 3 : 1], n - 1);
      // Whole squares: a bound of one row is a bound of the other.
      for (const auto& [a, b] : {std::pair{r.v[0], r.v[2]}, std::pair{r.v[2], r.v[0]}}) {
        if (implies(a, Half::Lo)) assume(b, Half::Lo);
        if (implies(a, Half::Hi)) assume(b, Half::Hi);
      }
      return;
    case Kind::CyclicShift:
      set_lo(r.v[forward ? 3 : 1], zero);
      set_hi(r.v[forward ? 3 : 1], n - 1);
      [[fallthrough]];
    case Kind::Xor:
      copy(r.v[0], r.v[2], zero);
      copy(r.v[2], r.v[0], zero);
      if (r.kind == Kind::Xor && implies(r.v[0], Half::Lo) && implies(r.v[0], Half::Hi)) {
        // Xor permutes whole blocks of y and v, so a bound of one of them is a bound of the other.
        for (const auto& [a, b] : {std::pair{r.v[1], r.v[3]}, std::pair{r.v[3], r.v[1]}}) {
          if (implies(a, Half::Lo)) assume(b, Half::Lo);
          if (implies(a, Half::Hi)) assume(b, Half::Hi);
        }
      }
      return;
  }
}

// x = o*n + i, as in Bounds; n >= 1.
void SymbolicBounds::apply_digits(const Relation& r, Expr n) {
  const std::uint32_t o = r.v[0], i = r.v[1], x = r.v[2];
  if (r.direction == Direction::Forward) {
    assume(i, Half::Lo);
    assume(i, Half::Hi);
    const Range number = ranges_[x];
    for (Expr e : number.lo) set_lo(o, e / n);
    for (Expr e : number.hi) set_hi(o, e / n);
  }
  const Range ro = ranges_[o], ri = ranges_[i];
  for (Expr high : ro.lo) {
    for (Expr low : ri.lo) set_lo(x, high * n + low);
  }
  for (Expr high : ro.hi) {
    for (Expr low : ri.hi) set_hi(x, high * n + low);
  }
  const Range rx = ranges_[x];
  for (Expr number : rx.lo) {
    for (Expr low : ri.hi) set_lo(o, (number - low + n - 1) / n);
    for (Expr high : ro.hi) set_lo(i, number - high * n);
  }
  for (Expr number : rx.hi) {
    for (Expr low : ri.lo) set_hi(o, (number - low) / n);
    for (Expr high : ro.lo) set_hi(i, number - high * n);
  }
}

}  // namespace selvage
