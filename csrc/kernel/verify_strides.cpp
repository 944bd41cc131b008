#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_strides.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kMostStrideCuts = 6;

// Whether the sum is proved to be at most 0. From inner to outer, variables are replaced by the end
// of their range at which the sum is greatest, and each time the proof is tried again; variables in
// quotients, remainders or products with other variables are not replaced.
bool is_at_most_0(const AccessMap& map, std::size_t scope, Expr e) {
  Simplifier& known = map.at(scope);
  const std::vector<Facts::Symbol>& symbols = known.facts().symbols();
  LinearSum sum = to_linear_or_atom(e);
  for (std::size_t i = symbols.size(); i-- > 0;) {
    const Facts::Symbol& s = symbols[i];
    if (map.is_size(s.symbol)) continue;
    LinearSum slope;
    bool is_linear = true;
    for (const LinearSum::Term& t : sum.terms) {
      const std::vector<Expr> inside = symbols_of(t.monomial);
      if (!contains(inside, s.symbol)) continue;
      const auto factor = divide_monomial(map.pool(), t.monomial, s.symbol);
      const bool is_plain = factor && (!factor->valid() || uses_only(*factor, map.sizes()));
      if (!is_plain) {
        is_linear = false;
        break;
      }
      const LinearSum one =
          factor->valid() ? LinearSum::of_atom(*factor) : LinearSum::of_constant(1);
      const auto more = add(slope, one, t.coefficient);
      if (!more) return false;
      slope = *more;
    }
    if (!is_linear || slope.is_zero()) continue;
    const Expr k = to_expr(map.pool(), slope);
    const Expr end = known.proves_nonnegative(k)       ? s.hi
                     : known.proves_nonnegative(0 - k) ? s.lo
                                                       : Expr();
    if (!end.valid()) continue;
    const Expr at_end = substitute(to_expr(map.pool(), sum), {{s.symbol, end}});
    if (known.proves(at_end <= 0)) return true;
    sum = to_linear_or_atom(at_end);
  }
  return false;
}

// All that multiplies a variable, where that is a sum of sizes, or of sizes and a number.
std::vector<Expr> sums_of_strides(const AccessMap& map, const LinearSum& sum) {
  std::vector<std::pair<Expr, LinearSum>> slopes;
  for (const LinearSum::Term& t : sum.terms) {
    Expr variable, sizes;
    bool is_product = false;
    for (Expr atom : atoms_of(t.monomial)) {
      if (uses_only(atom, map.sizes())) {
        sizes = multiply_monomials(map.pool(), sizes, atom);
      } else {
        is_product = is_product || variable.valid();
        variable = atom;
      }
    }
    if (!variable.valid() || is_product) continue;
    auto at = std::find_if(slopes.begin(), slopes.end(),
                           [&](const auto& s) { return same(s.first, variable); });
    if (at == slopes.end()) at = slopes.insert(at, {variable, LinearSum{}});
    const LinearSum one = sizes.valid() ? LinearSum::of_atom(sizes) : LinearSum::of_constant(1);
    const auto more = add(at->second, one, t.coefficient);
    if (!more) return {};
    at->second = *more;
  }
  std::vector<Expr> out;
  for (const auto& [variable, slope] : slopes) {
    if (slope.terms.size() + (slope.constant != 0) < 2) continue;
    const Expr stride = to_expr(map.pool(), slope);
    if (!contains(out, stride)) out.push_back(stride);
  }
  return out;
}

}  // namespace

std::vector<Expr> strides_of(const AccessMap& map, const LinearSum& sum, bool with_numbers) {
  std::vector<std::pair<std::size_t, Expr>> list;
  std::vector<std::int64_t> numbers;
  for (const LinearSum::Term& t : sum.terms) {
    Expr stride;
    std::size_t factors = 0, others = 0;
    for (Expr atom : atoms_of(t.monomial)) {
      if (uses_only(atom, map.sizes())) {
        stride = multiply_monomials(map.pool(), stride, atom);
        ++factors;
      } else {
        ++others;
      }
    }
    if (others == 0) continue;
    if (magnitude(t.coefficient) > 1) numbers.push_back(magnitude(t.coefficient));
    const bool is_new = std::none_of(list.begin(), list.end(),
                                     [&](const auto& s) { return same(s.second, stride); });
    if (factors > 0 && is_new) list.emplace_back(factors, stride);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<Expr> out;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (with_numbers) {
    for (std::int64_t n : numbers) out.push_back(map.pool().constant(n));
  }
  for (const auto& [factors, stride] : list) out.push_back(stride);
  for (Expr stride : sums_of_strides(map, sum)) out.push_back(stride);
  return out;
}

std::optional<Division> cut(ExprPool& pool, const LinearSum& sum, Expr stride) {
  auto parts = stride.is(Op::Const) ? divide_down(sum, stride.value())
                                    : divide_terms(pool, sum, to_linear_or_atom(stride));
  if (!parts || parts->quotient.is_zero()) return std::nullopt;
  return parts;
}

bool fits(const AccessMap& map, std::size_t scope, const LinearSum& rest, std::int64_t units,
          Expr stride) {
  Simplifier& known = map.at(scope);
  const Expr q = to_expr(map.pool(), rest);
  if (!known.proves(0 <= q) && !is_at_most_0(map, scope, 0 - q)) return false;
  if (known.proves(q + units <= stride)) return true;
  return is_at_most_0(map, scope, q + units - stride);
}

bool is_inside(const AccessMap& map, std::size_t scope, const LinearSum& address,
               std::int64_t units, const LinearSum& elements) {
  LinearSum a = address, n = elements;
  for (int cuts = 0; cuts < kMostStrideCuts; ++cuts) {
    if (fits(map, scope, a, units, to_expr(map.pool(), n))) return true;
    bool was_cut = false;
    for (Expr stride : strides_of(map, a, false)) {
      const auto x = cut(map.pool(), a, stride), y = cut(map.pool(), n, stride);
      if (!x || !y || !y->rest.is_zero() || !fits(map, scope, x->rest, units, stride)) continue;
      a = x->quotient;
      n = y->quotient;
      units = 1;
      was_cut = true;
      break;
    }
    if (!was_cut) return false;
  }
  return false;
}

}  // namespace selvage
