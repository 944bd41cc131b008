#include <selvage/expr/tape.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/memory_axiom.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

namespace {

constexpr std::int64_t kLargest = INT32_MAX;

// of(e): an expression over sizes that |e| never exceeds.
class Magnitude {
 public:
  explicit Magnitude(const IndexWidthRequest& request)
      : ranges_(request.ranges), of_sizes_(request.sizes.ranges()) {
    for (Expr s : request.sizes.symbols()) sizes_.insert(s.id());
    for (const auto& [variable, value] : request.definitions) values_[variable.id()] = value;
  }

  Expr of(Expr e) {
    if (const auto it = memo_.find(e.id()); it != memo_.end()) return it->second;
    const Expr m = bounded(e);
    memo_.emplace(e.id(), m);
    return m;
  }

 private:
  // A number where no size is involved. Otherwise the sizes stay symbolic even if they have bounds:
  // the 32-bit kernel can then be chosen for those sizes that are small enough.
  Expr bounded(Expr e) {
    const Expr m = of_sizes_.simplify(compute(e));
    const Interval range = ranges_.interval(e);
    if (!m.is(Op::Const) || !range.has_lo() || !range.has_hi()) return m;
    const std::int64_t most = std::max(std::abs(range.lo), std::abs(range.hi));
    return ranges_.pool().constant(std::min(most, m.value()));
  }

  Expr compute(Expr e) {
    const Interval range = ranges_.interval(e);
    if (range.lo >= 0 && is_over_sizes(e)) return e;
    switch (e.op()) {
      case Op::Symbol: {
        if (const auto it = values_.find(e.id()); it != values_.end()) return of(it->second);
        const Facts::Symbol* s = ranges_.facts().find(e);
        return s != nullptr && s->hi.valid() && range.lo >= 0 ? of(s->hi) : e;
      }
      case Op::Let: return of(e[0]);
      case Op::Add: return of(e[0]) + of(e[1]);
      case Op::Sub: return difference(e);
      case Op::Mul: return product(e);
      case Op::Div: return quotient(e);
      case Op::Mod: return remainder(e);
      case Op::Min:
      case Op::Max: return max(of(e[0]), of(e[1]));
      case Op::Xor: return sum(e) * 2;
      case Op::Select: return max(of(e[1]), of(e[2]));
      case Op::Const:
        return e.pool().constant(e.value() == INT64_MIN ? INT64_MAX : std::abs(e.value()));
      case Op::Bool:
      case Op::Load:
      case Op::Call:
      case Op::Lt:
      case Op::Le:
      case Op::Eq:
      case Op::Not:
      case Op::And:
      case Op::Or: break;
    }
    return e;
  }

  Expr sum(Expr e) { return of(e[0]) + of(e[1]); }
  Expr difference(Expr e) {
    const Expr a = of(e[0]), b = of(e[1]);
    const bool is_smaller = is_nonnegative(e[0]) && is_nonnegative(e[1]);
    if (is_smaller && of_sizes_.proves(b <= a)) return a;
    return is_smaller && of_sizes_.proves(a <= b) ? b : a + b;
  }
  // x/c * c is no larger than x.
  Expr product(Expr e) {
    const bool is_multiple = e[0].is(Op::Div) && same(e[0][1], e[1]) && is_nonnegative(e[0][0]);
    return is_multiple ? of(e[0][0]) : of(e[0]) * of(e[1]);
  }
  Expr quotient(Expr e) {
    const bool shrinks = is_over_sizes(e[1]) && of_sizes_.proves(0 < e[1]) && is_nonnegative(e[0]);
    return shrinks ? of(e[0]) / e[1] : of(e[0]);
  }
  Expr remainder(Expr e) {
    const Expr dividend = of(e[0]), last = of(e[1]) - 1;
    return is_nonnegative(e[0]) && of_sizes_.proves(dividend <= last) ? dividend : last;
  }

  bool is_nonnegative(Expr e) { return ranges_.interval(e).lo >= 0; }
  bool is_over_sizes(Expr e) {
    if (e.args().empty()) return !e.is(Op::Symbol) || sizes_.contains(e.id());
    if (const auto it = over_sizes_.find(e.id()); it != over_sizes_.end()) return it->second;
    return over_sizes_[e.id()] =
               std::ranges::all_of(e.args(), [this](Expr a) { return is_over_sizes(a); });
  }

  Simplifier& ranges_;
  Simplifier& of_sizes_;
  std::unordered_set<std::uint32_t> sizes_;
  std::unordered_map<std::uint32_t, Expr> values_;  // of variables that are defined
  std::unordered_map<std::uint32_t, Expr> memo_;
  std::unordered_map<std::uint32_t, bool> over_sizes_;
};

// The ids of values that need not be checked, as the absolute value of another one is no smaller:
//   a, b  <=  a + b         where neither is negative
//   b     <=  a * b         where 1 <= a, and likewise the other way round
//   a / b <=  a             where 1 <= b
//   a % b <=  a             where 0 <= a and 1 <= b
// No values spare each other in a circle: a quotient or remainder may be spared by its dividend,
// any value by a sum or product of it, and sums and products by larger ones only.
std::unordered_set<std::uint32_t> spared(std::span<const Expr> values, Simplifier& ranges) {
  std::unordered_set<std::uint32_t> ids, all;
  for (Expr e : values) all.insert(e.id());
  const auto is_at_least = [&](std::int64_t least, Expr e) {
    return ranges.interval(e).lo >= least;
  };
  for (Expr e : values) {
    if (e.is(Op::Add) && is_at_least(0, e[0]) && is_at_least(0, e[1])) {
      ids.insert({e[0].id(), e[1].id()});
    } else if (e.is(Op::Mul)) {
      if (is_at_least(1, e[0])) ids.insert(e[1].id());
      if (is_at_least(1, e[1])) ids.insert(e[0].id());
    } else if ((e.is(Op::Div) || e.is(Op::Mod)) && all.contains(e[0].id()) &&
               is_at_least(1, e[1])) {
      if (e.is(Op::Div) || is_at_least(0, e[0])) ids.insert(e.id());
    }
  }
  return ids;
}

// The magnitudes without those that the facts prove to be at most another one.
std::vector<Expr> largest_of(const std::vector<Expr>& magnitudes, KnownSizes& sizes) {
  std::vector<Expr> kept;
  for (Expr m : magnitudes) {
    const auto covers_it = [&](Expr k) { return sizes.covers(k, m); };
    if (std::any_of(kept.begin(), kept.end(), covers_it)) continue;
    std::erase_if(kept, [&](Expr k) { return sizes.covers(m, k); });
    kept.push_back(m);
  }
  return kept;
}

}  // namespace

KnownSizes::KnownSizes(std::vector<Expr> symbols, const Facts& facts)
    : symbols_(std::move(symbols)), ranges_(facts) {
  constexpr std::int64_t kFirst = 1'009, kStep = 510;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    sizes_.push_back(kFirst + kStep * std::int64_t(i % 64));
  }
}

std::optional<std::int64_t> KnownSizes::sample(Expr e) {
  const auto [it, fresh] = samples_.try_emplace(e.id());
  if (fresh) it->second = evaluate(e, symbols_, sizes_);
  return it->second;
}

bool KnownSizes::covers(Expr a, Expr b) {
  const auto [it, fresh] = covers_.try_emplace({a.id(), b.id()}, false);
  if (!fresh) return it->second;
  const std::optional<std::int64_t> most = sample(a), own = sample(b);
  if (most && own && *most < *own) return false;
  return it->second = ranges_.proves(b <= a);
}

IndexWidth index_width(const IndexWidthRequest& request) {
  Simplifier& ranges = request.sizes.ranges();
  ExprPool& pool = ranges.pool();
  Magnitude magnitude(request);
  std::vector<Expr> magnitudes;
  const std::unordered_set<std::uint32_t> smaller = spared(request.values, request.ranges);
  for (Expr e : request.values) {
    if (info(e.op()).result == Result::Truth || e.is(Op::Let) || smaller.contains(e.id())) continue;
    if (request.ranges.interval(e).within(-kLargest, kLargest)) continue;
    const Expr m = magnitude.of(e);
    const auto is_known = [&](Expr k) { return same(k, m); };
    if (std::none_of(magnitudes.begin(), magnitudes.end(), is_known)) magnitudes.push_back(m);
  }
  IndexWidth width{magnitudes.empty(), false, pool.truth(true), pool.truth(true)};
  const bool symbolic =
      std::any_of(magnitudes.begin(), magnitudes.end(), [](Expr m) { return !m.is(Op::Const); });
  const auto demand = [](Expr& condition, Expr clause) {
    condition = condition.is_true() ? clause : condition && clause;
  };
  for (Expr m : largest_of(magnitudes, request.sizes)) {
    demand(width.condition_32, ranges.simplify(m <= kLargest));
    const bool fits_64 = ranges.interval(m).has_hi() || fits_by_memory(m, request.elements, ranges);
    // Not simplified to true, though no 64-bit integer exceeds INT64_MAX: computing m may overflow.
    if (!fits_64) demand(width.condition_64, m <= INT64_MAX);
  }
  width.condition_32 = ranges.simplify(width.condition_32);
  width.never_fits = width.condition_32.is_false() || (!width.fits_32 && !symbolic);
  if (width.condition_32.is_true()) width.fits_32 = true;
  return width;
}

}  // namespace selvage
