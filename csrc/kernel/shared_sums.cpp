#include <selvage/kernel/partial_sums.h>
#include <selvage/kernel/shared_sums.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace selvage {

namespace {

using Term = LinearSum::Term;

constexpr std::int64_t kMultiplication = 3;
constexpr int kDeepest = 6;          // loops that make a difference
constexpr std::size_t kWindow = 16;  // terms between the two of a pair
constexpr int kRounds = 8;

std::int64_t weight(int depth) { return std::int64_t{1} << (3 * std::min(depth, kDeepest)); }

// Atoms that both monomials have, as often as both have them; invalid: none.
Expr common_factor(ExprPool& pool, Expr a, Expr b) {
  auto rest = atoms_of(b);
  Expr common;
  for (Expr e : atoms_of(a)) {
    const auto at = std::find_if(rest.begin(), rest.end(), [&](Expr r) { return same(r, e); });
    if (at == rest.end()) continue;
    rest.erase(at);
    common = multiply_monomials(pool, common, e);
  }
  return common;
}

// Two terms as factor * part, the part's coefficients without a common divisor, the first of them
// positive. N*b + N*2 has the part b + 2. Nothing where neither of the two would be left.
struct Factored {
  LinearSum part;
  Term factor;
};
std::optional<Factored> factored(ExprPool& pool, const Term& a, const Term& b) {
  if (a.coefficient == INT64_MIN || b.coefficient == INT64_MIN) return std::nullopt;
  const Expr common = common_factor(pool, a.monomial, b.monomial);
  Factored f{{}, {common, std::gcd(a.coefficient, b.coefficient)}};
  for (const Term& t : {a, b}) {
    const Expr rest = *divide_monomial(pool, t.monomial, common);
    if (rest.valid()) {
      f.part.terms.push_back({rest, t.coefficient});
    } else {
      f.part.constant = t.coefficient;
    }
  }
  auto& terms = f.part.terms;
  if (terms.empty()) return std::nullopt;
  if (terms.size() == 2 && structurally_before(terms[1].monomial, terms[0].monomial)) {
    std::swap(terms[0], terms[1]);
  }
  if (terms[0].coefficient < 0) f.factor.coefficient = -f.factor.coefficient;
  for (Term& t : terms) t.coefficient /= f.factor.coefficient;
  f.part.constant /= f.factor.coefficient;
  return f;
}

// False where the sum has no such term any more.
bool remove(LinearSum& sum, const Term& term) {
  const auto at = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term& t) {
    return same(t.monomial, term.monomial) && t.coefficient == term.coefficient;
  });
  if (at == sum.terms.end()) return false;
  sum.terms.erase(at);
  return true;
}

}  // namespace

void SharedSums::add(LinearSum sum) {
  const bool any_order = any_order_fits(sum, ranges_);
  const bool positives_first = std::all_of(sum.terms.begin(), sum.terms.end(), [&](const Term& t) {
    return t.coefficient < 0 || ranges_.interval(t.monomial).lo >= 0;
  });
  const std::int64_t cost = this->cost(sum);
  sums_.push_back({std::move(sum), cost, any_order, positives_first});
}

const LinearSum* SharedSums::part(Expr e) const {
  const auto it = parts_.find(e.id());
  return it == parts_.end() ? nullptr : &it->second;
}

// The factors are multiplied loop by loop from the outside, the coefficient first.
std::int64_t SharedSums::cost(const Term& term) const {
  const bool scaled = term.coefficient != 1 && term.coefficient != -1;
  std::int64_t cost = 0;
  int outermost = INT32_MAX;
  for (Expr m = term.monomial; m.valid(); m = m.is(Op::Mul) ? m[0] : Expr()) {
    const int depth = depth_(m.is(Op::Mul) ? m[1] : m);
    cost += weight(depth);
    outermost = std::min(outermost, depth);
  }
  return (scaled ? cost : cost - weight(outermost)) * kMultiplication;
}

std::int64_t SharedSums::cost(const LinearSum& sum) const {
  if (sum.terms.empty()) return 0;
  std::int64_t cost = 0;
  int outermost = INT32_MAX, innermost = 0;
  for (const Term& t : sum.terms) {
    const int depth = depth_(t.monomial);
    cost += this->cost(t) + weight(depth);
    outermost = std::min(outermost, depth);
    innermost = std::max(innermost, depth);
  }
  cost -= weight(outermost);
  return sum.constant == 0 ? cost : cost + weight(innermost);
}

void SharedSums::share() {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Pair> pairs;
    std::map<Key, std::size_t> numbers;
    for (std::size_t i = 0; i < sums_.size(); ++i) find_pairs(i, pairs, numbers);
    std::erase_if(pairs, [&](Pair& p) { return !take_out(p, false); });
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.saved > b.saved; });
    bool changed = false;
    for (Pair& p : pairs) changed = take_out(p, true) || changed;
    if (!changed) return;
  }
}

void SharedSums::find_pairs(std::size_t i, std::vector<Pair>& pairs,
                            std::map<Key, std::size_t>& numbers) {
  const Sum& s = sums_[i];
  const auto& terms = s.sum.terms;
  for (std::size_t a = 0; a < terms.size(); ++a) {
    for (std::size_t b = a + 1; b < terms.size() && b - a <= kWindow; ++b) {
      const bool added = terms[a].coefficient > 0 && terms[b].coefficient > 0;
      if (!s.any_order && !(s.positives_first && added)) continue;
      const auto f = factored(ranges_.pool(), terms[a], terms[b]);
      if (!f) continue;
      const Term &m = f->part.terms.front(), &n = f->part.terms.back();
      const Key key = {m.monomial.id(), m.coefficient, n.monomial.id(), n.coefficient,
                       f->part.constant};
      const auto [it, fresh] = numbers.try_emplace(key, pairs.size());
      if (fresh) pairs.push_back({f->part, {}, 0});
      pairs[it->second].places.push_back({i, {terms[a], terms[b]}, f->factor});
    }
  }
}

// Whether writing the part once saves anything, at the places that still have its terms; and does
// so, if `really`.
bool SharedSums::take_out(Pair& pair, bool really) {
  if (pair.places.size() == 1 && !pair.places[0].factor.monomial.valid()) return false;
  const Expr part = to_expr(ranges_.pool(), pair.part);
  const bool is_new = !parts_.contains(part.id());
  std::map<std::size_t, LinearSum> changed;
  for (const Place& place : pair.places) {
    LinearSum& sum = changed.try_emplace(place.sum, sums_[place.sum].sum).first->second;
    LinearSum shorter = sum;
    if (!remove(shorter, place.terms[0]) || !remove(shorter, place.terms[1])) continue;
    const Expr monomial = multiply_monomials(ranges_.pool(), place.factor.monomial, part);
    const auto next = selvage::add(shorter, {{{monomial, place.factor.coefficient}}, 0});
    if (next) sum = *next;
  }
  pair.saved = is_new ? -cost(pair.part) : 0;
  for (const auto& [i, sum] : changed) pair.saved += sums_[i].cost - cost(sum);
  if (pair.saved <= 0 || !really) return pair.saved > 0;
  if (is_new) parts_.emplace(part.id(), pair.part);
  for (auto& [i, sum] : changed) {
    sums_[i].cost = cost(sum);
    sums_[i].sum = std::move(sum);
  }
  return true;
}

}  // namespace selvage
