#include <selvage/base/integer.h>
#include <selvage/lower/memory_axiom.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostTimes = std::int64_t{1} << 14;
constexpr std::int64_t kMostMore = std::int64_t{1} << 61;
static_assert(kMostTimes * kMostElements <= INT64_MAX - kMostMore);

using Term = LinearSum::Term;

// of(e): an upper bound of e, a sum of products of sizes in which no term is negative; nothing
// where none is found.
class UpperBound {
 public:
  explicit UpperBound(Simplifier& ranges) : ranges_(ranges) {}

  std::optional<LinearSum> of(Expr e) {
    const Interval range = ranges_.interval(e);
    if (range.has_hi()) return LinearSum::of_constant(std::max<std::int64_t>(range.hi, 0));
    switch (e.op()) {
      case Op::Const: return LinearSum::of_constant(std::max<std::int64_t>(e.value(), 0));
      case Op::Symbol:
        if (range.lo >= 0) return LinearSum::of_atom(e);
        return std::nullopt;
      case Op::Let: return of(e[0]);
      case Op::Add: return both(e, [](const auto& a, const auto& b) { return add(a, b); });
      case Op::Max: return both(e, [](const auto& a, const auto& b) { return add(a, b); });
      case Op::Sub:
        if (ranges_.interval(e[1]).lo < 0) return std::nullopt;
        return of(e[0]);
      case Op::Mul:
        if (ranges_.interval(e[0]).lo < 0 && ranges_.interval(e[1]).lo < 0) return std::nullopt;
        return both(e, [](const auto& a, const auto& b) { return multiply(a, b); });
      case Op::Div: return of_quotient(e);
      case Op::Mod:
        if (ranges_.interval(e[1]).lo < 1) return std::nullopt;
        return of(e[1]);
      case Op::Bool:
      case Op::Min:
      case Op::Xor:
      case Op::Select:
      case Op::Load:
      case Op::Call:
      case Op::Lt:
      case Op::Le:
      case Op::Eq:
      case Op::Not:
      case Op::And:
      case Op::Or: break;
    }
    return std::nullopt;
  }

 private:
  std::optional<LinearSum> both(Expr e, const auto& combine) {
    const auto a = of(e[0]), b = of(e[1]);
    return a && b ? combine(*a, *b) : std::nullopt;
  }

  // (x + d - 1) / d <= x, where x >= 1.
  std::optional<LinearSum> of_quotient(Expr e) {
    if (ranges_.interval(e[1]).lo < 1) return std::nullopt;
    auto x = add(to_linear(e[0]), to_linear(e[1]), -1);
    if (x && x->constant < INT64_MAX) {
      x->constant += 1;
      const Expr rounded_up = to_expr(ranges_.pool(), *x);
      if (ranges_.interval(rounded_up).lo >= 1) return of(rounded_up);
    }
    return of(e[0]);
  }

  Simplifier& ranges_;
};

}  // namespace

bool fits_by_memory(Expr e, std::span<const Expr> elements, Simplifier& ranges) {
  const auto bound = UpperBound(ranges).of(e);
  if (!bound || bound->constant > kMostMore) return false;
  std::vector<LinearSum> buffers;
  for (Expr n : elements) buffers.push_back(to_linear(n));
  const auto divides = [&](Expr part, const Term& whole) {
    const auto rest = divide_monomial(ranges.pool(), whole.monomial, part);
    return rest && whole.coefficient > 0 && (!rest->valid() || ranges.interval(*rest).lo >= 1);
  };
  // A number of elements is no less than each of its terms, where none of them is negative.
  const auto is_counted = [&](Expr product) {
    return std::any_of(buffers.begin(), buffers.end(), [&](const LinearSum& n) {
      const auto is_added = [](const Term& t) { return t.coefficient > 0; };
      return n.constant >= 0 && std::all_of(n.terms.begin(), n.terms.end(), is_added) &&
             std::any_of(n.terms.begin(), n.terms.end(),
                         [&](const Term& t) { return divides(product, t); });
    });
  };
  std::int64_t times = 0;
  for (const Term& t : bound->terms) {
    const auto sum = checked_add(times, t.coefficient);
    if (!sum || *sum > kMostTimes || !is_counted(t.monomial)) return false;
    times = *sum;
  }
  return true;
}

}  // namespace selvage
