#include <selvage/kernel/partial_sums.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kLargest = INT32_MAX;

}  // namespace

bool is_nonnegative(Expr e, Simplifier& ranges) {
  return ranges.interval(e).lo >= 0 || ranges.proves_nonnegative(e);
}

bool any_order_fits(const LinearSum& sum, Simplifier& ranges) {
  const bool nothing_negative =
      sum.constant >= 0 && std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
        return t.coefficient > 0 && ranges.interval(t.monomial).lo >= 0;
      });
  if (nothing_negative) return true;
  Interval total = Interval::point(0);
  const auto widen = [&](Interval term) { total = total + hull(term, Interval::point(0) - term); };
  widen(Interval::point(sum.constant));
  for (const auto& t : sum.terms) {
    widen(Interval::point(t.coefficient) * ranges.interval(t.monomial));
  }
  return total.within(-kLargest, kLargest);
}

}  // namespace selvage
