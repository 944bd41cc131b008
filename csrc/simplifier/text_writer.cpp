#include <selvage/base/integer.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kMostDrawnOut = 16;  // terms of a sum in which common factors are looked for

// Whether the sum has this monomial or, for x / a or x % a, the other digit of x by a.
bool belongs(Expr monomial, const LinearSum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) {
    if (same(t.monomial, monomial)) return true;
    const bool digits = (monomial.is(Op::Div) && t.monomial.is(Op::Mod)) ||
                        (monomial.is(Op::Mod) && t.monomial.is(Op::Div));
    return digits && same(t.monomial[0], monomial[0]) && same(t.monomial[1], monomial[1]);
  });
}

// A factor that terms of a sum share: an atom or, if that is invalid, a coefficient up to its sign.
struct CommonFactor {
  Expr atom;
  std::int64_t coefficient = 0;
  int saved = 0;  // cost saved by drawing it out; 0: none is shared
};

CommonFactor common_factor(const LinearSum& sum, ExprPool& pool, Structure& structure) {
  CommonFactor best;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& t = sum.terms[i];
    if (t.coefficient != 1 && t.coefficient != -1 && t.coefficient != INT64_MIN) {
      int n = 0;
      for (std::size_t j = i + 1; j < sum.terms.size(); ++j) {
        n +=
            sum.terms[j].coefficient == t.coefficient || sum.terms[j].coefficient == -t.coefficient;
      }
      if (3 * n > best.saved) best = {{}, magnitude(t.coefficient), 3 * n};
    }
    for (Expr m = t.monomial;; m = m[0]) {
      const Expr atom = m.is(Op::Mul) ? m[1] : m;
      int n = 0;
      for (std::size_t j = i + 1; j < sum.terms.size(); ++j) {
        n += divide_monomial(pool, sum.terms[j].monomial, atom).has_value();
      }
      const int saved = n * (3 + structure.cost(atom));
      if (saved > best.saved) best = {atom, 0, saved};
      if (!m.is(Op::Mul)) break;
    }
  }
  return best;
}

// The sum with shared factors drawn out, the best one first: i*M*N + j*N is (i*M + j)*N.
Expr draw_out(const LinearSum& sum, ExprPool& pool, Budget& budget, Structure& structure) {
  CommonFactor factor;
  if (sum.terms.size() > 1 && sum.terms.size() <= kMostDrawnOut && budget.spend()) {
    factor = common_factor(sum, pool, structure);
  }
  if (factor.saved == 0) return to_expr(pool, sum);
  LinearSum inner, outer = LinearSum::of_constant(sum.constant);
  for (const auto& t : sum.terms) {
    const auto others =
        factor.atom.valid() ? divide_monomial(pool, t.monomial, factor.atom) : std::nullopt;
    if (others && !others->valid()) {
      inner.constant = t.coefficient;
    } else if (others) {
      const auto grown = add(inner, LinearSum::of_term(t.coefficient, *others));
      if (grown) inner = *grown;
    } else if (!factor.atom.valid() && magnitude(t.coefficient) == factor.coefficient) {
      inner.terms.push_back({t.monomial, t.coefficient / factor.coefficient});
    } else {
      outer.terms.push_back(t);
    }
  }
  const Expr shared = factor.atom.valid() ? factor.atom : pool.constant(factor.coefficient);
  const Expr product = pool.make(Op::Mul, draw_out(inner, pool, budget, structure), shared);
  const auto result = add(outer, LinearSum::of_atom(product));
  return result ? draw_out(*result, pool, budget, structure) : to_expr(pool, sum);
}

}  // namespace

TextWriter::TextWriter(SimplifierParts& parts) : SimplifierPart(parts), digits_(parts.digits) {}

void TextWriter::write_parts(Expr e) {
  const auto is_known = [this](Expr part) { return part.is(Op::Let) || known_[part].valid(); };
  if (e.depth() <= kDeep || is_known(e)) return;
  for (Expr part : unknown_below(e, is_known)) {
    if (!is_sum(part) || (part.depth() > kDeep && is_whole(part))) write(part);
  }
}

// Whether the sum e is its own only term.
bool TextWriter::is_whole(Expr e) {
  const LinearSum& sum = sum_of(e);
  return !e.is(Op::Mul) && sum.terms.size() == 1 && same(sum.terms[0].monomial, e);
}

Expr TextWriter::write(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return e;
  if (const Expr known = known_[e]; known.valid()) return known;
  if (!budget_.spend()) return e;
  const Expr result = is_sum(e) && !is_whole(e) ? write_sum(sum_of(e))
                      : e.is(Op::Div)           ? write_quotient(sum_of(e[0]), e[1])
                      : e.is(Op::Mod)           ? write_remainder(sum_of(e[0]), e[1])
                                                : write_operands(e);
  return known_[e] = result;
}

Expr TextWriter::write_operands(Expr e) {
  std::vector<Expr> operands;
  for (Expr a : e.args()) operands.push_back(write(a));
  return with_operands(e, operands);
}

Expr TextWriter::write_sum(const LinearSum& normal) {
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

bool TextWriter::Text::has(Expr atom) const {
  return std::any_of(written.begin(), written.end(), [&](Expr w) { return same(w, atom); });
}

// The sum with its atoms replaced by their texts, and shared factors drawn out.
Expr TextWriter::write_terms(const Text& text) {
  const LinearSum& sum = text.sum;
  LinearSum out = LinearSum::of_constant(sum.constant);
  for (const auto& [monomial, coefficient] : sum.terms) {
    Expr m;
    for (Expr atom : atoms_of(monomial)) {
      // A product with sums or numbers was kept because it would overflow when multiplied out.
      if (is_sum(atom) || atom.is(Op::Const)) return to_expr(pool_, sum);
      m = multiply_monomials(pool_, m, text.has(atom) ? atom : write(atom));
    }
    const auto grown = add(out, {{{m, coefficient}}, 0});
    if (!grown) return to_expr(pool_, sum);
    out = *grown;
  }
  return draw_out(with_constant_inside(std::move(out)), pool_, budget_, structure_);
}

// k*x + c is k*(x + c/k) + c%k, where k*x alone needs a wider integer: c + 67108864*(x - 32).
LinearSum TextWriter::with_constant_inside(LinearSum sum) {
  if (sum.constant == 0 || bounds_.width(sum) == Width::Int32) return sum;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto& [monomial, k] = sum.terms[i];
    if (k == 1 || k == -1 || k == INT64_MIN) continue;
    const std::int64_t inside = *euclid_div(sum.constant, k);
    const Expr shifted = to_expr(pool_, {{{monomial, 1}}, inside});
    LinearSum rest = without_term(sum, i);
    rest.constant = *euclid_mod(sum.constant, k);
    const Expr product = pool_.make(Op::Mul, shifted, pool_.constant(k));
    const auto result = add(rest, LinearSum::of_atom(product));
    if (inside != 0 && result && bounds_.width(*result) < bounds_.width(sum)) return *result;
  }
  return sum;
}

// k*(x % a) + m*(x / a) is k*x + (m - k*a)*(x / a).
bool TextWriter::join_digits(LinearSum& sum) {
  for (const auto& [atom, k] : sum.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto result = digits_.join(sum, atom, k);
    if (!result || cost(*result) >= cost(sum) || bounds_.width(*result) > bounds_.width(sum))
      continue;
    sum = *result;
    return true;
  }
  return false;
}

// k*(y / d) + k*t is k*((y + d*t) / d). Done for terms t that y has, or has the other digit of.
std::optional<TextWriter::Text> TextWriter::move_into_quotient(const Text& text, std::size_t i) {
  const LinearSum& sum = text.sum;
  const auto [atom, k] = sum.terms[i];
  if (!atom[1].is(Op::Const) || atom[1].value() < 1) return std::nullopt;
  LinearSum dividend = sum_of(atom[0]), rest;
  rest.constant = sum.constant;
  for (const auto& t : sum.terms) {
    if (same(t.monomial, atom)) continue;
    const auto part =
        *euclid_mod(t.coefficient, k) == 0 ? euclid_div(t.coefficient, k) : std::nullopt;
    const auto moved = part ? checked_mul(*part, atom[1].value()) : std::nullopt;
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
  if (!bounds_.fits(dividend, sum, sum_of(atom[0]))) return std::nullopt;
  return with_text(text, rest, write_quotient(dividend, atom[1]), k);
}

// k*(y % m) + r is (k*y + r) % (k*m), for 0 <= r < k. Done where a term of r is one that y also
// has, or has the other digit of.
std::optional<TextWriter::Text> TextWriter::move_into_remainder(const Text& text, std::size_t i) {
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
  if (!dividend || bounds_.width(*dividend) > bounds_.width(sum)) return std::nullopt;
  return with_text(text, rest, write_remainder(*dividend, pool_.constant(*modulus)), 1);
}

// rest + k*atom, where the atom is written already.
std::optional<TextWriter::Text> TextWriter::with_text(const Text& text, const LinearSum& rest,
                                                      Expr atom, std::int64_t k) {
  const auto sum = add(rest, {{{atom, k}}, 0});
  if (!sum) return std::nullopt;
  Text result{*sum, text.written};
  result.written.push_back(atom);
  return result;
}

Expr TextWriter::write_quotient(const LinearSum& dividend, Expr divisor) {
  const Expr x = write_sum(dividend);
  if (!divisor.is(Op::Const)) return pool_.make(Op::Div, x, write(divisor));
  if (x.is(Op::Div) && x[1].is(Op::Const)) {
    const auto both = checked_mul(x[1].value(), divisor.value());
    if (both && x[1].value() > 0) return pool_.make(Op::Div, x[0], pool_.constant(*both));
  }
  Expr best = pool_.make(Op::Div, x, divisor);
  // (x / a + y) / b is (x + a*y) / (a*b).
  for (const auto& [atom, k] : dividend.terms) {
    if (k != 1 || !atom.is(Op::Div) || !atom[1].is(Op::Const) || atom[1].value() < 1) continue;
    const std::int64_t a = atom[1].value();
    const auto both = checked_mul(a, divisor.value());
    const auto rest = add(dividend, LinearSum::of_atom(atom), -1);
    const auto scaled = rest ? scale(*rest, a) : std::nullopt;
    const auto whole = scaled ? add(*scaled, sum_of(atom[0])) : std::nullopt;
    if (!whole || !both || bounds_.width(*whole) > bounds_.width(dividend)) continue;
    const Expr other = pool_.make(Op::Div, write_sum(*whole), pool_.constant(*both));
    if (cost(other) < cost(best)) best = other;
  }
  return best;
}

Expr TextWriter::write_remainder(const LinearSum& dividend, Expr divisor) {
  const Expr plain = pool_.make(Op::Mod, write_sum(dividend), write(divisor));
  if (!divisor.is(Op::Const) || divisor.value() < 1 || divisions(dividend) < 2) return plain;
  // When digits are joined, some multiples of the divisor may go.
  LinearSum joined = dividend;
  for (const auto& [atom, k] : dividend.terms) {
    if (!atom.is(Op::Mod) || !atom[1].is(Op::Const)) continue;
    const auto other = digits_.join(joined, atom, k);
    const auto division = other ? divide_terms(pool_, *other, sum_of(divisor)) : std::nullopt;
    if (!division || cost(division->rest) >= cost(joined)) continue;
    if (interval(division->rest).lo >= 0 &&
        bounds_.width(division->rest) <= bounds_.width(dividend)) {
      joined = division->rest;
    }
  }
  const Expr other = pool_.make(Op::Mod, write_terms({joined, {}}), write(divisor));
  return cost(other) < cost(plain) ? other : plain;
}

}  // namespace selvage
