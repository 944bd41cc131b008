// The cheapest way to write what is simplified. Normal forms serve proofs: a sum is written out,
// its digits kept apart, multiples drawn out of divisions. Here products are drawn out of sums,
// digits are joined, multiples go back into divisions, wherever that makes the text cheaper.

#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kMostDrawnOut = 16;  // terms among which common factors are looked for

// The sum has this monomial, or a digit of the number that it is a digit of.
bool belongs(Expr monomial, const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
    if (same(t.monomial, monomial)) return true;
    const bool digits = (monomial.is(Op::Div) && t.monomial.is(Op::Mod)) ||
                        (monomial.is(Op::Mod) && t.monomial.is(Op::Div));
    return digits && same(t.monomial[0], monomial[0]) && same(t.monomial[1], monomial[1]);
  });
}

}  // namespace

// As normalize_parts().
void Simplifier::write_parts(Expr e) {
  const auto is_known = [this](Expr part) {
    return part.is(Op::Let) || known_[part].written.valid();
  };
  if (e.depth() <= kDeep || is_known(e)) return;
  for (Expr part : unknown_below(e, is_known)) {
    if (!is_sum(part) || (part.depth() > kDeep && is_whole(part))) write(part);
  }
}

// A sum that is not taken apart: it is its own one term.
bool Simplifier::is_whole(Expr e) {
  const LinearSum& sum = sum_of(e);
  return !e.is(Op::Mul) && sum.terms.size() == 1 && same(sum.terms[0].monomial, e);
}

Expr Simplifier::write(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return e;
  if (const Expr known = known_[e].written; known.valid()) return known;
  if (!spend()) return e;
  const Expr result = is_sum(e) && !is_whole(e) ? write_sum(sum_of(e))
                      : e.is(Op::Div)           ? write_quotient(sum_of(e[0]), e[1])
                      : e.is(Op::Mod)           ? write_remainder(sum_of(e[0]), e[1])
                                                : write_operands(e);
  return known_[e].written = result;
}

Expr Simplifier::write_operands(Expr e) {
  std::vector<Expr> operands;
  for (Expr a : e.args()) operands.push_back(write(a));
  return with_operands(e, operands);
}

Expr Simplifier::write_sum(const LinearSum& normal) {
  if (normal.terms.size() == 1 && normal.constant == 0 && normal.terms[0].coefficient == 1 &&
      !normal.terms[0].monomial.is(Op::Mul)) {
    return write(normal.terms[0].monomial);
  }
  Text text{normal, {}};
  if (normal.terms.size() > 1 && divisions(normal) > 0) {
    while (join_digits(text.sum)) {}
    for (std::size_t i = 0; i < text.sum.terms.size(); ++i) {
      const Expr atom = text.sum.terms[i].monomial;
      if (text.has(atom)) continue;
      const auto other = atom.is(Op::Div)   ? move_into_quotient(text, i)
                         : atom.is(Op::Mod) ? move_into_remainder(text, i)
                                            : std::nullopt;
      if (!other || cost(write_terms(*other)) >= cost(write_terms(text))) continue;
      text = *other;
      i = std::size_t(-1);
    }
  }
  return write_terms(text);
}

bool Simplifier::Text::has(Expr atom) const {
  return std::any_of(written.begin(), written.end(), [&](Expr w) { return same(w, atom); });
}

// The sum with its atoms as they are written.
Expr Simplifier::write_terms(const Text& text) {
  const LinearSum& sum = text.sum;
  LinearSum out = LinearSum::of_constant(sum.constant);
  for (const auto& [monomial, coefficient] : sum.terms) {
    Expr m;
    for (Expr atom : atoms_of(monomial)) {
      // A product that holds sums or numbers would overflow, multiplied out: it stays as it is.
      if (is_sum(atom) || atom.is(Op::Const)) return to_expr(pool(), sum);
      m = multiply_monomials(pool(), m, text.has(atom) ? atom : write(atom));
    }
    const auto grown = add(out, {{{m, coefficient}}, 0});
    if (!grown) return to_expr(pool(), sum);
    out = *grown;
  }
  return draw_out(with_constant_inside(std::move(out)));
}

// k*x + c is k*(x + c/k) + c%k, where k*x alone needs a wider integer: c + 67108864*(x - 32).
LinearSum Simplifier::with_constant_inside(LinearSum sum) {
  if (sum.constant == 0 || width(sum) == Width::Int32) return sum;
  for (const auto& [monomial, k] : sum.terms) {
    if (k == 1 || k == -1 || k == INT64_MIN) continue;
    const std::int64_t inside = *euclid_div(sum.constant, k);
    const Expr shifted = to_expr(pool(), {{{monomial, 1}}, inside});
    LinearSum rest = sum;
    std::erase_if(rest.terms, [&, m = monomial](const auto& t) { return same(t.monomial, m); });
    rest.constant = *euclid_mod(sum.constant, k);
    const Expr product = pool().make(Op::Mul, shifted, pool().constant(k));
    const auto result = add(rest, LinearSum::of_atom(product));
    if (inside != 0 && result && width(*result) < width(sum)) return *result;
  }
  return sum;
}

// k*(x % a) + m*(x / a) is k*x + (m - k*a)*(x / a).
bool Simplifier::join_digits(LinearSum& sum) {
  for (const auto& [atom, k] : sum.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto result = join(sum, atom, k);
    if (!result || cost(*result) >= cost(sum) || width(*result) > width(sum)) continue;
    sum = *result;
    return true;
  }
  return false;
}

// k*(y / d) + k*t is k*((y + d*t) / d): for the terms t that y has already, or another digit of.
std::optional<Simplifier::Text> Simplifier::move_into_quotient(const Text& text, std::size_t i) {
  const LinearSum& sum = text.sum;
  const auto [atom, k] = sum.terms[i];
  if (!atom[1].is(Op::Const) || atom[1].value() < 1 || k == -1) return std::nullopt;
  LinearSum dividend = sum_of(atom[0]), rest;
  rest.constant = sum.constant;
  for (const auto& t : sum.terms) {
    if (same(t.monomial, atom)) continue;
    const auto moved =
        t.coefficient % k == 0 ? checked_mul(t.coefficient / k, atom[1].value()) : std::nullopt;
    const auto grown = moved && belongs(t.monomial, dividend)
                           ? add(dividend, {{{t.monomial, *moved}}, 0})
                           : std::nullopt;
    if (grown) {
      dividend = *grown;
    } else {
      rest.terms.push_back(t);
    }
  }
  if (rest.terms.size() + 1 == sum.terms.size()) return std::nullopt;
  if (width(dividend) > std::max(width(sum), width(sum_of(atom[0])))) return std::nullopt;
  return with_text(text, rest, write_quotient(dividend, atom[1]), k);
}

// k*(y % m) + r is (k*y + r) % (k*m), for 0 <= r < k: where r has another digit of what y has.
std::optional<Simplifier::Text> Simplifier::move_into_remainder(const Text& text, std::size_t i) {
  const LinearSum& sum = text.sum;
  const auto [atom, k] = sum.terms[i];
  if (!atom[1].is(Op::Const) || atom[1].value() < 1 || k < 2) return std::nullopt;
  const auto modulus = checked_mul(atom[1].value(), k);
  auto dividend = scale(sum_of(atom[0]), k);
  if (!dividend || !modulus) return std::nullopt;
  LinearSum low, rest;
  bool any = false;
  for (const auto& t : sum.terms) {
    if (same(t.monomial, atom)) continue;
    const bool inside = t.coefficient % k != 0;
    (inside ? low : rest).terms.push_back(t);
    any = any || (inside && belongs(t.monomial, sum_of(atom[0])));
  }
  low.constant = *euclid_mod(sum.constant, k);
  const auto high = checked_sub(sum.constant, low.constant);
  if (!high) return std::nullopt;
  rest.constant = *high;
  if (!any || !interval(low).within(0, k - 1)) return std::nullopt;
  dividend = add(*dividend, low);
  if (!dividend || width(*dividend) > width(sum)) return std::nullopt;
  return with_text(text, rest, write_remainder(*dividend, pool().constant(*modulus)), 1);
}

// rest + k*atom, where the atom stands as it is written.
std::optional<Simplifier::Text> Simplifier::with_text(const Text& text, const LinearSum& rest,
                                                      Expr atom, std::int64_t k) {
  const auto sum = add(rest, {{{atom, k}}, 0});
  if (!sum) return std::nullopt;
  Text result{*sum, text.written};
  result.written.push_back(atom);
  return result;
}

Expr Simplifier::write_quotient(const LinearSum& dividend, Expr divisor) {
  const Expr x = write_sum(dividend);
  if (!divisor.is(Op::Const)) return pool().make(Op::Div, x, write(divisor));
  if (x.is(Op::Div) && x[1].is(Op::Const)) {
    const auto both = checked_mul(x[1].value(), divisor.value());
    if (both && x[1].value() > 0) return pool().make(Op::Div, x[0], pool().constant(*both));
  }
  Expr best = pool().make(Op::Div, x, divisor);
  // (x / a + y) / b is (x + a*y) / (a*b).
  for (const auto& [atom, k] : dividend.terms) {
    if (k != 1 || !atom.is(Op::Div) || !atom[1].is(Op::Const) || atom[1].value() < 1) continue;
    const std::int64_t a = atom[1].value();
    const auto both = checked_mul(a, divisor.value());
    const auto rest = add(dividend, LinearSum::of_atom(atom), -1);
    const auto scaled = rest ? scale(*rest, a) : std::nullopt;
    const auto whole = scaled ? add(*scaled, sum_of(atom[0])) : std::nullopt;
    if (!whole || !both || width(*whole) > width(dividend)) continue;
    const Expr other = pool().make(Op::Div, write_sum(*whole), pool().constant(*both));
    if (cost(other) < cost(best)) best = other;
  }
  return best;
}

Expr Simplifier::write_remainder(const LinearSum& dividend, Expr divisor) {
  const Expr plain = pool().make(Op::Mod, write_sum(dividend), write(divisor));
  if (!divisor.is(Op::Const) || divisor.value() < 1 || divisions(dividend) < 2) return plain;
  // With digits joined some multiples of the divisor may go.
  LinearSum joined = dividend;
  for (const auto& [atom, k] : dividend.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto other = join(joined, atom, k);
    const auto division = other ? divide_terms(pool(), *other, sum_of(divisor)) : std::nullopt;
    if (!division || cost(division->rest) >= cost(joined)) continue;
    if (interval(division->rest).lo >= 0 && width(division->rest) <= width(dividend)) {
      joined = division->rest;
    }
  }
  const Expr other = pool().make(Op::Mod, write_terms({joined, {}}), write(divisor));
  return cost(other) < cost(plain) ? other : plain;
}

// The sum with what several terms share drawn out of them: i*M*N + j*N is (i*M + j)*N.
Expr Simplifier::draw_out(const LinearSum& sum) {
  Expr factor;
  std::int64_t coefficient = 0;
  int most = 0;
  if (sum.terms.size() > 1 && sum.terms.size() <= kMostDrawnOut && spend()) {
    for (std::size_t i = 0; i < sum.terms.size(); ++i) {
      const auto& t = sum.terms[i];
      if (t.coefficient != 1 && t.coefficient != -1 && t.coefficient != INT64_MIN) {
        int n = 0;
        for (std::size_t j = i + 1; j < sum.terms.size(); ++j) {
          n += sum.terms[j].coefficient == t.coefficient ||
               sum.terms[j].coefficient == -t.coefficient;
        }
        if (3 * n > most) {
          most = 3 * n;
          coefficient = magnitude(t.coefficient);
          factor = {};
        }
      }
      for (Expr m = t.monomial;; m = m[0]) {
        const Expr atom = m.is(Op::Mul) ? m[1] : m;
        int n = 0;
        for (std::size_t j = i + 1; j < sum.terms.size(); ++j) {
          n += divide_monomial(pool(), sum.terms[j].monomial, atom).has_value();
        }
        const int saved = n * (3 + cost(atom));
        if (saved > most) {
          most = saved;
          factor = atom;
        }
        if (!m.is(Op::Mul)) break;
      }
    }
  }
  if (most == 0) return to_expr(pool(), sum);
  LinearSum inner, outer = LinearSum::of_constant(sum.constant);
  for (const auto& t : sum.terms) {
    const auto others = factor.valid() ? divide_monomial(pool(), t.monomial, factor) : std::nullopt;
    if (others && !others->valid()) {
      inner.constant = t.coefficient;
    } else if (others) {
      const auto grown = add(inner, {{{*others, t.coefficient}}, 0});
      if (grown) inner = *grown;
    } else if (!factor.valid() && magnitude(t.coefficient) == coefficient) {
      inner.terms.push_back({t.monomial, t.coefficient / coefficient});
    } else {
      outer.terms.push_back(t);
    }
  }
  const Expr shared = factor.valid() ? factor : pool().constant(coefficient);
  const Expr product = pool().make(Op::Mul, draw_out(inner), shared);
  const auto result = add(outer, {{{product, 1}}, 0});
  return result ? draw_out(*result) : to_expr(pool(), sum);
}

}  // namespace selvage
