#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/partial_sums.h>
#include <selvage/kernel/shared_divisions.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace selvage {

namespace {

constexpr std::size_t kComparedQuotients = 8;  // of one class
constexpr int kSteps = 300'000;                // for following dependencies
constexpr int kDivision = 10;                  // in additions
constexpr int kMostOperators = 5;              // of a quotient that costs less than a division

bool is_division(Expr e) { return e.is(Op::Div) || e.is(Op::Mod); }
bool is_shift_or_mask(Expr e) {
  return e[1].is(Op::Const) && std::has_single_bit(std::uint64_t(e[1].value()));
}
bool may_be_shared(Expr e) {
  const bool by_a_size = is_division(e) && (!e[1].is(Op::Const) || e[1].value() > 0);
  return by_a_size && !is_shift_or_mask(e);
}

// The cost of the operators of e. Divisions are shared and cost nothing.
int operators(Expr e) {
  int cost = e.is(Op::Mul) ? 3 : e.args().empty() || is_division(e) ? 0 : 1;
  if (is_division(e)) return cost;
  for (Expr a : e.args()) cost += operators(a);
  return cost;
}

}  // namespace

SharedDivisions::SharedDivisions(std::span<const Expr> roots, Simplifier& ranges)
    : ranges_(ranges), steps_(kSteps) {
  collect(roots);
  const std::vector<Class> all = classes();
  for (const Class& c : all) share(c, all);
}

const SharedDivisions::Form* SharedDivisions::find(Expr e) const {
  const auto it = forms_.find(e.id());
  return it == forms_.end() ? nullptr : &it->second;
}

void SharedDivisions::collect(std::span<const Expr> roots) {
  std::unordered_set<std::uint32_t> seen;
  const auto visit = [&](const auto& self, Expr e) -> void {
    ++users_[e.id()];
    if (!seen.insert(e.id()).second) return;
    for (Expr a : e.args()) self(self, a);
    if (may_be_shared(e)) {
      divisions_.push_back(e);
      needed_.insert(e.id());
      any_quotient_ = any_quotient_ || e.is(Op::Div);
    }
  };
  for (Expr root : roots) visit(visit, root);
}

bool SharedDivisions::is_positive(Expr e) {
  return ranges_.interval(e).lo > 0 || (!e.is(Op::Const) && ranges_.proves(0 < e));
}

// A dividend as a sum, in which y%d * k is written out as (y - y/d * d) * k as far as d*k is a
// multiple of the divisor, so that it shows what is congruent to y*k.
const LinearSum& SharedDivisions::dividend(Expr x, Expr divisor) {
  const auto [it, fresh] = dividends_.try_emplace({x.id(), divisor.id()});
  if (!fresh) return it->second;
  LinearSum sum = to_linear(x);
  for (std::size_t i = 0; i < sum.terms.size();) {
    const auto t = sum.terms[i++];
    if (!t.monomial.is(Op::Mod)) continue;
    const Expr y = t.monomial[0], d = t.monomial[1];
    const std::int64_t k = divisible_part(t.coefficient, d, divisor);
    auto whole = k != 0 ? multiply(LinearSum::of_atom(y / d), to_linear(d)) : std::nullopt;
    if (whole) whole = add(to_linear(y), *whole, -1);
    if (whole) whole = add(*whole, LinearSum::of_atom(t.monomial), -1);
    const auto longer = whole ? add(sum, *whole, k) : std::nullopt;
    if (!longer) continue;
    sum = *longer;
    i = 0;
  }
  return dividends_[{x.id(), divisor.id()}] = sum;
}

// As much of k as makes d times it a multiple of the divisor.
std::int64_t SharedDivisions::divisible_part(std::int64_t k, Expr d, Expr divisor) {
  if (d.is(Op::Const) && divisor.is(Op::Const)) {
    if (d.value() < 1) return 0;
    const std::int64_t unit = divisor.value() / std::gcd(d.value(), divisor.value());
    return k - *euclid_mod(k, unit);
  }
  const auto product = scale(to_linear(d), k);
  const auto parts =
      product ? divide_terms(ranges_.pool(), *product, to_linear(divisor)) : std::nullopt;
  return parts && parts->rest.is_zero() ? k : 0;
}

// The residue of a dividend: equal for two that differ by a multiple of the divisor.
Expr SharedDivisions::residue(Expr x, Expr divisor) {
  const LinearSum& sum = dividend(x, divisor);
  if (!divisor.is(Op::Const)) {
    const auto parts = divide_terms(ranges_.pool(), sum, to_linear(divisor));
    return to_expr(ranges_.pool(), parts ? parts->rest : sum);
  }
  LinearSum rest;
  const auto reduced = [&](std::int64_t c) { return *euclid_mod(c, divisor.value()); };
  for (const auto& t : sum.terms) {
    if (const std::int64_t c = reduced(t.coefficient); c != 0) {
      rest.terms.push_back({t.monomial, c});
    }
  }
  rest.constant = reduced(sum.constant);
  return to_expr(ranges_.pool(), rest);
}

std::vector<SharedDivisions::Class> SharedDivisions::classes() {
  std::vector<Class> all;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers;
  for (Expr e : divisions_) {
    const auto key = std::pair(e[1].id(), residue(e[0], e[1]).id());
    const auto [it, fresh] = numbers.try_emplace(key, all.size());
    if (fresh) all.push_back({e[1], {}, {}});
    Class& c = all[it->second];
    (e.is(Op::Div) ? c.quotients : c.remainders).push_back(e);
    if (e.is(Op::Mod) && e[0].is(Op::Div) && is_positive(e[1]) && is_positive(e[0][1])) {
      const auto product = multiply(to_linear(e[0][1]), to_linear(e[1]));
      if (product) digits_[{to_expr(ranges_.pool(), *product).id(), e[0][0].id()}] = e;
    }
  }
  return all;
}

void SharedDivisions::share(const Class& c, std::span<const Class> all) {
  if (c.quotients.empty()) return share_remainders(c, all);
  const Expr chosen = choose_quotient(c);
  share_quotients(c, chosen);
  if (!multiple_fits(chosen[0], c.divisor)) return;
  for (Expr r : c.remainders) use(r, {chosen[0], chosen, c.divisor});
}

// x/c * c lies between x - |c| + 1 and x; where x is not negative, between 0 and x.
bool SharedDivisions::multiple_fits(Expr x, Expr c) {
  if (is_nonnegative(x, ranges_)) return true;
  const Interval divisor = ranges_.interval(c);
  return (ranges_.interval(x) - hull(divisor, Interval::point(0) - divisor)).lo >= -INT32_MAX;
}

// The quotient from which the others follow most cheaply.
Expr SharedDivisions::choose_quotient(const Class& c) {
  if (c.quotients.size() == 1 || c.quotients.size() > kComparedQuotients) return c.quotients[0];
  Expr best;
  std::int64_t least = 0;
  for (Expr q : c.quotients) {
    std::int64_t cost = 0;
    for (Expr other : c.quotients) {
      const auto k = shift(q, other);
      cost += k ? to_expr(ranges_.pool(), *k).size() : kDivision;
    }
    const auto divided = [&](Expr e) { return same(e[0], q[0]); };
    const auto here = 1 + std::count_if(c.remainders.begin(), c.remainders.end(), divided);
    // Its dividend is computed anyway where someone else needs it.
    if (users_[q[0].id()] <= here) cost += q[0].size();
    if (!best.valid() || cost < least) {
      best = q;
      least = cost;
    }
  }
  return best;
}

// k where to = from + k for two quotients of one class.
std::optional<LinearSum> SharedDivisions::shift(Expr from, Expr to) {
  const Expr divisor = from[1];
  const auto difference = add(dividend(to[0], divisor), dividend(from[0], divisor), -1);
  if (!difference) return std::nullopt;
  const auto parts = divide_terms(ranges_.pool(), *difference, to_linear(divisor));
  if (!parts || !parts->rest.is_zero()) return std::nullopt;
  return is_free(to_expr(ranges_.pool(), parts->quotient)) ? std::optional(parts->quotient)
                                                           : std::nullopt;
}

// Whether e needs only divisions that are needed anyway.
bool SharedDivisions::is_free(Expr e) const {
  if (is_division(e) && !is_shift_or_mask(e)) return needed_.count(e.id()) > 0;
  return std::all_of(e.args().begin(), e.args().end(), [&](Expr a) { return is_free(a); });
}

void SharedDivisions::share_quotients(const Class& c, Expr chosen) {
  for (Expr q : c.quotients) {
    const auto k = same(q, chosen) ? std::nullopt : shift(chosen, q);
    const auto less = k ? scale(*k, -1) : std::nullopt;
    if (!less) continue;
    LinearSum whole = *k;
    whole.terms.push_back({chosen, 1});
    // A quotient that is not negative is left, so what is subtracted is no larger than `chosen`.
    const bool subtracts =
        any_order_fits(*less, ranges_) && is_nonnegative(q[0], ranges_) && is_positive(c.divisor);
    if (any_order_fits(whole, ranges_)) {
      use(q, {.base = chosen, .more = to_expr(ranges_.pool(), *k)});
    } else if (subtracts) {
      use(q, {.base = chosen, .less = to_expr(ranges_.pool(), *less)});
    }
  }
}

void SharedDivisions::share_remainders(const Class& c, std::span<const Class> all) {
  Expr chosen = c.remainders[0];
  for (Expr r : c.remainders) {
    if (from_digits(r, c) || from_simplified_quotient(r) || from_near_quotient(r, all)) {
      chosen = r;
      break;
    }
    if (r[0].size() < chosen[0].size()) chosen = r;
  }
  for (Expr r : c.remainders) {
    if (!same(r, chosen)) use(r, {.base = chosen});
  }
}

bool SharedDivisions::from_digits(Expr remainder, const Class& c) {
  const Expr x = remainder[0];
  const auto it = digits_.find({c.divisor.id(), x.id()});
  if (it == digits_.end() || !is_nonnegative(x, ranges_)) return false;
  const Expr digit = it->second, quotient = digit[0];
  return use(remainder, {x, quotient - digit, quotient[1]});
}

// Rewritten, the quotient may consist of divisions that are needed anyway: x/4 % 3, where it is
// x/12.
bool SharedDivisions::from_simplified_quotient(Expr remainder) {
  if (!any_quotient_) return false;
  const Expr quotient = ranges_.simplify(remainder[0] / remainder[1]);
  if (!is_free(quotient) || operators(quotient) > kMostOperators) return false;
  if (!multiple_fits(remainder[0], remainder[1])) return false;
  if (!any_order_fits(to_linear(quotient), ranges_)) return false;
  return use(remainder, {remainder[0], quotient, remainder[1]});
}

bool SharedDivisions::from_near_quotient(Expr remainder, std::span<const Class> all) {
  const Expr divisor = remainder[1];
  const std::vector<Expr> own = symbols_of(std::span(&remainder, 1));
  for (const Class& c : all) {
    if (!same(c.divisor, divisor) || c.quotients.empty()) continue;
    const Expr quotient = choose_quotient(c), x = quotient[0];
    // Another one may stand where these variables have no value.
    const std::vector<Expr> others = symbols_of(std::span(&x, 1));
    if (!std::ranges::all_of(others, [&](Expr s) { return contains(own, s); })) continue;
    const auto difference = add(dividend(remainder[0], divisor), dividend(x, divisor), -1);
    if (!difference || !is_nonnegative(x, ranges_)) continue;
    const Expr more = to_expr(ranges_.pool(), *difference);
    const bool is_near = is_free(more) && is_positive(divisor) && ranges_.proves(more <= divisor) &&
                         ranges_.proves(0 <= more + divisor);
    if (is_near && use(remainder, {x, quotient, divisor, more, {}, true})) return true;
  }
  return false;
}

// Whether the form was taken: not where it would depend on e itself.
bool SharedDivisions::use(Expr e, const Form& form) {
  if (reaches(form, e)) return false;
  forms_.insert_or_assign(e.id(), form);
  return true;
}

bool SharedDivisions::reaches(const Form& form, Expr target) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<Expr> open;
  const auto follow = [&](const Form& f) {
    for (Expr e : {f.base, f.quotient, f.divisor, f.more, f.less}) {
      if (e.valid() && seen.insert(e.id()).second) open.push_back(e);
    }
  };
  follow(form);
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (same(e, target) || --steps_ < 0) return true;
    if (const Form* f = find(e)) {
      follow(*f);
      continue;
    }
    for (Expr a : e.args()) {
      if (seen.insert(a.id()).second) open.push_back(a);
    }
  }
  return false;
}

LinearSum SharedDivisions::written_out(const LinearSum& sum) {
  std::optional<LinearSum> result = sum;
  for (const auto& t : sum.terms) {
    const Form* form = find(t.monomial);
    const bool is_plain = form != nullptr && form->quotient.valid() && !form->is_reduced;
    if (!is_plain || users_[t.monomial.id()] > 1) continue;
    const auto multiple = multiply(to_linear(form->quotient), to_linear(form->divisor));
    auto whole = multiple ? selvage::add(to_linear(form->base), *multiple, -1) : std::nullopt;
    if (whole) whole = selvage::add(*whole, LinearSum::of_atom(t.monomial), -1);
    if (whole) result = selvage::add(*result, *whole, t.coefficient);
    if (!whole || !result) return sum;
  }
  const bool is_better =
      result->terms.size() <= sum.terms.size() && any_order_fits(*result, ranges_);
  return is_better ? *result : sum;
}

}  // namespace selvage
