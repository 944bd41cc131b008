#include <selvage/expr/tape.h>
#include <selvage/lower/index_type.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

constexpr std::int64_t kLargest = INT32_MAX;

// An expression over sizes that no absolute value of e exceeds: sums and products of the largest
// absolute values, quotients and remainders by their dividends.
class Magnitude {
 public:
  explicit Magnitude(Simplifier& ranges) : ranges_(ranges) {}

  Expr of(Expr e) {
    if (const auto it = memo_.find(e.id()); it != memo_.end()) return it->second;
    const Expr m = ranges_.simplify(compute(e));
    memo_.emplace(e.id(), m);
    return m;
  }

 private:
  Expr compute(Expr e) {
    ExprPool& pool = ranges_.pool();
    const Interval range = ranges_.interval(e);
    if (range.has_lo() && range.has_hi() && range.lo != INT64_MIN) {
      return pool.constant(std::max(std::abs(range.lo), std::abs(range.hi)));
    }
    if (range.lo >= 0 && !depends_on_loops(e)) return e;
    switch (e.op()) {
      case Op::Symbol: {
        const Facts::Symbol* s = ranges_.facts().find(e);
        return s != nullptr && s->hi.valid() && range.lo >= 0 ? of(s->hi) : e;
      }
      case Op::Let: return of(e[0]);
      case Op::Add:
      case Op::Sub: return of(e[0]) + of(e[1]);
      case Op::Mul: return of(e[0]) * of(e[1]);
      case Op::Div: return of(e[0]);
      case Op::Mod: return ranges_.interval(e[0]).lo >= 0 ? of(e[0]) : of(e[0]) + of(e[1]);
      case Op::Min:
      case Op::Max: return max(of(e[0]), of(e[1]));
      case Op::Xor: return (of(e[0]) + of(e[1])) * 2;
      case Op::Select: return max(of(e[1]), of(e[2]));
      case Op::Const:
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

  // A symbol with a symbolic bound is a loop; one without is a size.
  bool depends_on_loops(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
    return std::any_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
      const Facts::Symbol* s = ranges_.facts().find(symbol);
      return s != nullptr && s->hi.valid() && !s->hi.is(Op::Const);
    });
  }

  Simplifier& ranges_;
  std::unordered_map<std::uint32_t, Expr> memo_;
};

// The conjunction, without what follows from the rest of it.
Expr conjunction(std::vector<Expr> conditions, Simplifier& ranges) {
  for (std::size_t i = 0; i < conditions.size();) {
    Facts others = ranges.facts();
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      if (k != i) others.assume(conditions[k]);
    }
    if (Simplifier(std::move(others)).proves(conditions[i])) {
      conditions.erase(conditions.begin() + std::ptrdiff_t(i));
    } else {
      ++i;
    }
  }
  Expr all = ranges.pool().truth(true);
  for (Expr c : conditions) all = all.is_true() ? c : all && c;
  return all;
}

}  // namespace

IndexWidth index_width(std::span<const Expr> expressions, Simplifier& ranges) {
  IndexWidth width;
  ExprPool& pool = ranges.pool();
  width.condition = pool.truth(true);
  Magnitude magnitude(ranges);
  std::vector<Expr> conditions;
  width.fits_32 = true;
  bool symbolic = false;
  for (Expr e : reachable(expressions, true)) {
    if (info(e.op()).result == Result::Truth || e.is(Op::Let)) continue;
    const Interval range = ranges.interval(e);
    if (range.within(-kLargest, kLargest)) continue;
    width.fits_32 = false;
    if (!e.is(Op::Const) && !symbols_of(std::span(&e, 1)).empty()) {
      const Expr largest = magnitude.of(e);
      symbolic = symbolic || !largest.is(Op::Const);
      const Expr condition = ranges.simplify(largest <= kLargest);
      bool fresh = true;
      for (Expr c : conditions) fresh = fresh && !same(c, condition);
      if (fresh) conditions.push_back(condition);
    } else {
      conditions.push_back(pool.truth(false));
    }
  }
  width.condition = conjunction(std::move(conditions), ranges);
  width.never_fits = width.condition.is_false() || (!width.fits_32 && !symbolic);
  if (width.condition.is_true()) width.fits_32 = true;
  return width;
}

}  // namespace selvage
