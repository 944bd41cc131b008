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

// The largest of some magnitudes, as far as the facts can compare them.
std::vector<Expr> largest_of(const std::vector<Expr>& magnitudes, Simplifier& ranges) {
  std::vector<Expr> kept;
  for (Expr m : magnitudes) {
    const auto covers = [&](Expr k) { return ranges.proves(m <= k); };
    if (std::any_of(kept.begin(), kept.end(), covers)) continue;
    std::erase_if(kept, [&](Expr k) { return ranges.proves(k <= m); });
    kept.push_back(m);
  }
  return kept;
}

}  // namespace

IndexWidth index_width(std::span<const Expr> expressions, Simplifier& ranges) {
  IndexWidth width;
  ExprPool& pool = ranges.pool();
  width.condition = pool.truth(true);
  Magnitude magnitude(ranges);
  std::vector<Expr> magnitudes;
  width.fits_32 = true;
  for (Expr e : reachable(expressions, true)) {
    if (info(e.op()).result == Result::Truth || e.is(Op::Let)) continue;
    if (ranges.interval(e).within(-kLargest, kLargest)) continue;
    width.fits_32 = false;
    const Expr m = magnitude.of(e);
    const auto is_known = [&](Expr k) { return same(k, m); };
    if (std::none_of(magnitudes.begin(), magnitudes.end(), is_known)) magnitudes.push_back(m);
  }
  const bool symbolic =
      std::any_of(magnitudes.begin(), magnitudes.end(), [](Expr m) { return !m.is(Op::Const); });
  for (Expr m : largest_of(magnitudes, ranges)) {
    const Expr condition = ranges.simplify(m <= kLargest);
    width.condition = width.condition.is_true() ? condition : width.condition && condition;
  }
  width.condition = ranges.simplify(width.condition);
  width.never_fits = width.condition.is_false() || (!width.fits_32 && !symbolic);
  if (width.condition.is_true()) width.fits_32 = true;
  return width;
}

}  // namespace selvage
