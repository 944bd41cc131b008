#include <selvage/base/integer.h>
#include <selvage/base/work.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

using Term = LinearSum::Term;

constexpr std::size_t kMostMultipliedOut = 24;  // terms of a product of two sums

std::size_t degree(Expr monomial) {
  std::size_t n = 1;
  for (; monomial.is(Op::Mul); monomial = monomial[0]) ++n;
  return n;
}

// Adds coefficient * monomial to a sorted list. False on overflow.
bool insert(std::vector<Term, Recycling<Term>>& terms, Expr monomial, std::int64_t coefficient) {
  const auto at = std::lower_bound(terms.begin(), terms.end(), monomial, [](const Term& t, Expr m) {
    return structurally_before(t.monomial, m);
  });
  if (at == terms.end() || !same(at->monomial, monomial)) {
    if (coefficient != 0) terms.insert(at, {monomial, coefficient});
    return true;
  }
  const auto total = checked_add(at->coefficient, coefficient);
  if (!total) return false;
  if (*total == 0) {
    terms.erase(at);
  } else {
    at->coefficient = *total;
  }
  return true;
}

// The product of atoms in canonical order; an invalid Expr where there are none.
Expr product(ExprPool& pool, std::span<const Expr> atoms) {
  Expr e;
  for (Expr a : atoms) e = e.valid() ? pool.make(Op::Mul, e, a) : a;
  return e;
}

}  // namespace

bool LinearSum::equals(const LinearSum& other) const {
  if (constant != other.constant || terms.size() != other.terms.size()) return false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!same(terms[i].monomial, other.terms[i].monomial)) return false;
    if (terms[i].coefficient != other.terms[i].coefficient) return false;
  }
  return true;
}

std::size_t SumHash::operator()(const LinearSum& sum) const {
  std::uint64_t h = std::uint64_t(sum.constant);
  for (const Term& t : sum.terms) {
    h = (h ^ t.monomial.id()) * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32) ^ std::uint64_t(t.coefficient)) * 0xD6E8FEB86659FD93ull;
  }
  return std::size_t(h ^ (h >> 32));
}

Atoms atoms_of(Expr monomial) {
  Atoms atoms;
  if (!monomial.valid()) return atoms;
  count_work(degree(monomial));
  for (; monomial.is(Op::Mul); monomial = monomial[0]) atoms.push_back(monomial[1]);
  atoms.push_back(monomial);
  std::reverse(atoms.begin(), atoms.end());
  return atoms;
}

Expr multiply_monomials(ExprPool& pool, Expr a, Expr b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  Atoms atoms = atoms_of(a);
  for (Expr e : atoms_of(b)) atoms.push_back(e);
  std::sort(atoms.begin(), atoms.end(), structurally_before);
  return product(pool, atoms);
}

std::optional<Expr> divide_monomial(ExprPool& pool, Expr monomial, Expr divisor) {
  if (!divisor.valid()) return monomial;
  if (!monomial.valid()) return std::nullopt;
  if (same(monomial, divisor)) return Expr();
  if (!monomial.is(Op::Mul)) return std::nullopt;
  Atoms atoms = atoms_of(monomial);
  for (Expr d : atoms_of(divisor)) {
    const auto at = std::find_if(atoms.begin(), atoms.end(), [d](Expr a) { return same(a, d); });
    if (at == atoms.end()) return std::nullopt;
    atoms.erase(at);
  }
  return product(pool, atoms);
}

std::optional<LinearSum> scale(const LinearSum& a, std::int64_t k) {
  LinearSum result;
  if (k == 0) return result;
  result.terms.reserve(a.terms.size());
  for (const Term& t : a.terms) {
    const auto c = checked_mul(t.coefficient, k);
    if (!c) return std::nullopt;
    result.terms.push_back({t.monomial, *c});
  }
  const auto constant = checked_mul(a.constant, k);
  if (!constant) return std::nullopt;
  result.constant = *constant;
  return result;
}

std::optional<LinearSum> add(const LinearSum& a, const LinearSum& b, std::int64_t k) {
  const auto shift = checked_mul(b.constant, k);
  const auto constant = shift ? checked_add(a.constant, *shift) : std::nullopt;
  if (!constant) return std::nullopt;
  count_work(2 + a.terms.size() + b.terms.size());
  LinearSum result;
  result.constant = *constant;
  result.terms.reserve(a.terms.size() + b.terms.size());
  auto left = a.terms.begin();
  for (const Term& t : b.terms) {
    const auto c = checked_mul(t.coefficient, k);
    if (!c) return std::nullopt;
    while (left != a.terms.end() && structurally_before(left->monomial, t.monomial)) {
      result.terms.push_back(*left++);
    }
    if (left != a.terms.end() && same(left->monomial, t.monomial)) {
      const auto total = checked_add(left->coefficient, *c);
      if (!total) return std::nullopt;
      if (*total != 0) result.terms.push_back({t.monomial, *total});
      ++left;
    } else if (*c != 0) {
      result.terms.push_back({t.monomial, *c});
    }
  }
  result.terms.insert(result.terms.end(), left, a.terms.end());
  if (result.terms.size() > kMostTerms) return std::nullopt;
  return result;
}

std::optional<LinearSum> one_less(const std::optional<LinearSum>& sum) {
  return sum ? add(*sum, LinearSum::of_constant(1), -1) : std::nullopt;
}

std::optional<LinearSum> negation(const LinearSum& sum) { return one_less(scale(sum, -1)); }

std::optional<LinearSum> with_instead(const LinearSum& sum, const LinearSum& out,
                                      const LinearSum& in) {
  const auto less = add(sum, out, -1);
  return less ? add(*less, in) : std::nullopt;
}

LinearSum without_term(LinearSum sum, std::size_t i) {
  sum.terms.erase(sum.terms.begin() + std::ptrdiff_t(i));
  return sum;
}

std::optional<LinearSum> multiply(const LinearSum& a, const LinearSum& b) {
  if (a.is_constant()) return scale(b, a.constant);
  if (b.is_constant()) return scale(a, b.constant);
  const bool by_a_term =
      a.terms.size() + (a.constant != 0) == 1 || b.terms.size() + (b.constant != 0) == 1;
  const std::size_t most = by_a_term ? kMostTerms : kMostMultipliedOut;
  if ((a.terms.size() + 1) * (b.terms.size() + 1) > most) return std::nullopt;
  LinearSum result;
  const auto accumulate = [&](const LinearSum& part) {
    const auto sum = add(result, part);
    if (sum) result = *sum;
    return sum.has_value();
  };
  for (const Term& t : a.terms) {
    LinearSum row;
    for (const Term& u : b.terms) {
      const auto c = checked_mul(t.coefficient, u.coefficient);
      const Expr m = multiply_monomials(t.monomial.pool(), t.monomial, u.monomial);
      if (!c || !insert(row.terms, m, *c)) return std::nullopt;
    }
    const auto c = checked_mul(t.coefficient, b.constant);
    if (!c || !insert(row.terms, t.monomial, *c) || !accumulate(row)) return std::nullopt;
  }
  const auto rest = scale(b, a.constant);
  if (!rest || !accumulate(*rest)) return std::nullopt;
  return result;
}

LinearSum to_linear(Expr e) {
  std::optional<LinearSum> sum;
  switch (e.op()) {
    case Op::Const: return LinearSum::of_constant(e.value());
    case Op::Add: sum = add(to_linear(e[0]), to_linear(e[1])); break;
    case Op::Sub: sum = add(to_linear(e[0]), to_linear(e[1]), -1); break;
    case Op::Mul: sum = multiply(to_linear(e[0]), to_linear(e[1])); break;
    case Op::Bool:
    case Op::Symbol:
    case Op::Let:
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
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
  return sum ? *sum : LinearSum::of_atom(e);
}

LinearSum to_linear_or_atom(Expr e) {
  constexpr std::uint32_t kLarge = 2000;
  return e.size() > kLarge ? LinearSum::of_atom(e) : to_linear(e);
}

namespace {

// Whether to_expr() writes a before b; terms that compare equal stay in canonical order.
bool written_before(const Term& a, const Term& b) {
  if ((a.coefficient < 0) != (b.coefficient < 0)) return a.coefficient > 0;
  const std::size_t m = degree(a.monomial), n = degree(b.monomial);
  return m != n ? m > n : magnitude(a.coefficient) > magnitude(b.coefficient);
}

}  // namespace

Expr to_expr(ExprPool& pool, const LinearSum& sum) {
  std::vector<Term, Recycling<Term>> terms;
  terms.reserve(sum.terms.size());
  for (const Term& t : sum.terms) {
    terms.insert(std::upper_bound(terms.begin(), terms.end(), t, written_before), t);
  }
  Expr e;
  // A sum that starts with a negative term starts with its constant instead: `0 - i`.
  const bool constant_first =
      terms.empty() || (terms.front().coefficient < 0 &&
                        (sum.constant != 0 || terms.front().coefficient != INT64_MIN));
  if (constant_first) e = pool.constant(sum.constant);
  for (const Term& t : terms) {
    const bool subtract = e.valid() && t.coefficient < 0 && t.coefficient != INT64_MIN;
    const std::int64_t c = subtract ? -t.coefficient : t.coefficient;
    const Expr term = c == 1 ? t.monomial : pool.make(Op::Mul, t.monomial, pool.constant(c));
    e = !e.valid() ? term : pool.make(subtract ? Op::Sub : Op::Add, e, term);
  }
  if (!constant_first && sum.constant != 0) {
    const bool subtract = sum.constant < 0 && sum.constant != INT64_MIN;
    e = pool.make(subtract ? Op::Sub : Op::Add, e,
                  pool.constant(subtract ? -sum.constant : sum.constant));
  }
  return e;
}

namespace {

// Whether c / d is an integer of 64 bits; INT64_MIN / -1 is not.
bool divides(std::int64_t d, std::int64_t c) { return d != -1 ? c % d == 0 : c != INT64_MIN; }

// `parts(c)` are the quotient and the rest of a coefficient c. Both constants are 0.
template <class Parts>
Division divide_each(const LinearSum& sum, Parts parts) {
  Division result;
  for (const Term& t : sum.terms) {
    const std::pair<std::int64_t, std::int64_t> qr = parts(t.coefficient);
    if (qr.first != 0) result.quotient.terms.push_back({t.monomial, qr.first});
    if (qr.second != 0) result.rest.terms.push_back({t.monomial, qr.second});
  }
  return result;
}

// Adds the constant of the sum, divided as Euclid does.
Division with_constant(Division division, std::int64_t constant, std::int64_t d) {
  division.quotient.constant = floor_div(constant, d);
  division.rest.constant = *euclid_mod(constant, d);
  return division;
}

Division divide_by_constant(const LinearSum& sum, std::int64_t d) {
  const auto parts = [d](std::int64_t c) { return std::pair(c / d, c % d); };
  return with_constant(divide_each(sum, parts), sum.constant, d);
}

}  // namespace

Division divisible_terms(const LinearSum& sum, std::int64_t d) {
  return divide_each(sum, [d](std::int64_t c) {
    return c % d == 0 ? std::pair(c / d, std::int64_t{0}) : std::pair(std::int64_t{0}, c);
  });
}

std::optional<Division> divide_down(const LinearSum& sum, std::int64_t d) {
  const auto parts = [d](std::int64_t c) { return std::pair(floor_div(c, d), *euclid_mod(c, d)); };
  return with_constant(divide_each(sum, parts), sum.constant, d);
}

std::optional<Division> divide_terms(ExprPool& pool, const LinearSum& sum,
                                     const LinearSum& divisor) {
  if (divisor.is_constant()) {
    if (divisor.constant < 1) return std::nullopt;
    return divide_by_constant(sum, divisor.constant);
  }
  // One step of polynomial division by the leading term: the one of the highest degree.
  const Term lead = *std::max_element(
      divisor.terms.begin(), divisor.terms.end(),
      [](const Term& a, const Term& b) { return degree(a.monomial) < degree(b.monomial); });
  Division result;
  for (const Term& t : sum.terms) {
    if (!divides(lead.coefficient, t.coefficient)) continue;
    const auto m = divide_monomial(pool, t.monomial, lead.monomial);
    if (!m) continue;
    const std::int64_t c = t.coefficient / lead.coefficient;
    if (!m->valid()) {
      const auto total = checked_add(result.quotient.constant, c);
      if (!total) return std::nullopt;
      result.quotient.constant = *total;
    } else if (!insert(result.quotient.terms, *m, c)) {
      return std::nullopt;
    }
  }
  if (result.quotient.is_zero()) {
    result.rest = sum;
    return result;
  }
  const auto multiple = multiply(result.quotient, divisor);
  const auto rest = multiple ? add(sum, *multiple, -1) : std::nullopt;
  if (!rest ||
      rest->terms.size() + (rest->constant != 0) >= sum.terms.size() + (sum.constant != 0)) {
    result.quotient = {};
    result.rest = sum;
    return result;
  }
  result.rest = *rest;
  return result;
}

const LinearSum::Term* find_term(const LinearSum& sum, Expr monomial) {
  for (const auto& t : sum.terms) {
    if (same(t.monomial, monomial)) return &t;
  }
  return nullptr;
}

std::int64_t multiple_within(const LinearSum& sum, const LinearSum& x) {
  std::int64_t k = 0;
  for (const auto& t : x.terms) {
    const LinearSum::Term* own = find_term(sum, t.monomial);
    if (own == nullptr || own->coefficient == INT64_MIN || t.coefficient == INT64_MIN) return 0;
    if (own->coefficient % t.coefficient != 0) return 0;
    const std::int64_t ratio = own->coefficient / t.coefficient;
    if (k != 0 && ratio != k) return 0;
    k = ratio;
  }
  return k;
}

std::size_t divisions(const LinearSum& sum) {
  std::size_t n = 0;
  for (const auto& t : sum.terms) {
    for (Expr m = t.monomial;; m = m[0]) {
      const Expr atom = m.is(Op::Mul) ? m[1] : m;
      n += atom.is(Op::Div) || atom.is(Op::Mod);
      if (!m.is(Op::Mul)) break;
    }
  }
  return n;
}

std::int64_t content(const LinearSum& sum) {
  std::int64_t g = 0;
  for (const Term& t : sum.terms) {
    if (t.coefficient == INT64_MIN) return 1;
    g = common_divisor(g, t.coefficient);
  }
  return g;
}

}  // namespace selvage
