#include <selvage/base/integer.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/verify_agreement.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace selvage {

namespace {

constexpr std::uint32_t kLargestExpression = 400;  // nodes of an expression that is looked into

bool is_truth(Op op) { return info(op).result == Result::Truth; }

}  // namespace

Agreement::Agreement(ExprPool& pool, Environment second, std::function<Interval(Expr)> range)
    : pool_(pool), second_(std::move(second)), range_(std::move(range)) {}

Interval Agreement::interval(Expr x) {
  std::unordered_map<std::uint32_t, Interval> made;
  for (Expr e : reachable(std::span(&x, 1), true)) {
    Interval out;
    if (e.is(Op::Const) || e.is(Op::Bool)) {
      out = Interval::point(e.value());
    } else if (e.is(Op::Symbol)) {
      out = range_(e);
    } else if (!e.is(Op::Load) && !e.is(Op::Call)) {
      Interval operands[3];
      for (std::size_t i = 0; i < e.args().size(); ++i) operands[i] = made.at(e[i].id());
      out = apply(e.op(), operands[0], operands[1], operands[2]);
    }
    made[e.id()] = out;
  }
  return made.at(x.id());
}

bool Agreement::agrees(Expr x) {
  std::unordered_map<std::uint32_t, bool> made;
  for (Expr e : reachable(std::span(&x, 1), true)) {
    bool agrees = known_.count(e.id()) > 0;
    if (!agrees && e.is(Op::Symbol)) agrees = same(e, in_second(e));
    if (!agrees && !e.is(Op::Symbol)) {
      agrees =
          std::all_of(e.args().begin(), e.args().end(), [&](Expr a) { return made.at(a.id()); });
    }
    made[e.id()] = agrees;
  }
  return made.at(x.id());
}

bool Agreement::equate(Expr a, Expr b) {
  equations_.push_back({to_linear_or_atom(a), to_linear_or_atom(b)});
  return settle();
}

void Agreement::learn(Expr x) {
  if (is_truth(x.op()) || known_.count(x.id()) > 0) return;
  known_.insert(x.id());
  found_.push_back(x);
}

// Solves equations and combines what agrees until nothing new is found. False: the equations never
// hold.
bool Agreement::settle() {
  for (bool grew = true; grew;) {
    const std::size_t before = found_.size(), equations = equations_.size();
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      Equation equation = equations_[i];
      if (equation.is_solved) continue;
      if (!solve(equation)) return false;
      equations_[i].is_solved = equation.is_solved;
    }
    // Any of them may go with one found later.
    const std::size_t end = found_.size();
    for (std::size_t i = 0; i < end; ++i) combine(found_[i]);
    for (; combined_ < end; ++combined_) {
      const Expr x = found_[combined_];
      if (x.size() > kLargestExpression || equations_.size() >= kMostEquations) continue;
      if (is_sum(x)) equations_.push_back({to_linear(x), to_linear(in_second(x))});
      if (x.is(Op::Mod) && x[1].is(Op::Const) && x[1].value() != 0) {
        // Their difference is a multiple.
        const Expr multiple = pool_.symbol("multiple " + std::to_string(free_symbols_++));
        const auto sum = add(to_linear(x[0]), LinearSum::of_atom(multiple), x[1].value());
        if (sum) equations_.push_back({*sum, to_linear(in_second(x[0]))});
      }
    }
    grew = found_.size() > before || equations_.size() > equations;
  }
  return true;
}

bool Agreement::solve(Equation& equation) {
  std::vector<Term> terms;
  LinearSum second = equation.second;
  const auto constant = checked_sub(equation.first.constant, second.constant);
  if (!constant) return true;
  for (const LinearSum::Term& t : equation.first.terms) {
    const Expr partner = in_second(t.monomial);
    const auto at = std::find_if(second.terms.begin(), second.terms.end(), [&](const auto& u) {
      return same(u.monomial, partner) && u.coefficient == t.coefficient;
    });
    if (at != second.terms.end()) {
      second.terms.erase(at);
      if (agrees(t.monomial)) continue;
      const Interval range = interval(t.monomial) - interval(partner);
      terms.push_back({t.monomial, t.coefficient, range, true});
      continue;
    }
    terms.push_back({t.monomial, t.coefficient, interval(t.monomial), false});
  }
  for (const LinearSum::Term& t : second.terms) {
    if (t.coefficient == INT64_MIN) return true;
    terms.push_back({t.monomial, -t.coefficient, interval(t.monomial), false});
  }
  // A monomial that both copies share, with different coefficients, is one unknown.
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = terms.size(); j-- > i + 1;) {
      if (terms[i].is_pair || terms[j].is_pair) continue;
      if (!same(terms[i].monomial, terms[j].monomial)) continue;
      const auto sum = checked_add(terms[i].coefficient, terms[j].coefficient);
      if (!sum) return true;
      terms[i].coefficient = *sum;
      terms.erase(terms.begin() + std::ptrdiff_t(j));
    }
  }
  std::erase_if(terms, [](const Term& t) { return t.coefficient == 0; });
  return solve(std::move(terms), *constant, equation.is_solved);
}

// sum of coefficient * term + constant = 0, from the smallest coefficients up: where all others are
// multiples of g, the sum so far is one, too; and where its range holds just one, it is that.
bool Agreement::solve(std::vector<Term> terms, std::int64_t constant, bool& is_solved) {
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return magnitude(a.coefficient) < magnitude(b.coefficient);
  });
  is_solved = true;
  std::vector<std::int64_t> rest(terms.size() + 1, 0);  // common divisors of what comes after
  for (std::size_t i = terms.size(); i-- > 0;) {
    rest[i] = common_divisor(rest[i + 1], terms[i].coefficient);
  }
  if (terms.empty()) return constant == 0;
  std::vector<const Term*> group;
  Interval range = Interval::point(constant);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    group.push_back(&terms[i]);
    range = range + Interval::point(terms[i].coefficient) * terms[i].range;
    const std::int64_t g = rest[i + 1];
    std::int64_t value = 0;  // that the sum so far must have
    if (g == 0) {
      if (!range.contains(0)) return false;
    } else {
      if (!range.has_lo() || !range.has_hi()) continue;
      const std::int64_t low = ceil_div(range.lo, g), high = floor_div(range.hi, g);
      if (low > high) return false;
      if (low < high) continue;
      value = low * g;
    }
    // Close the group: constant + its terms = value; the rest: value + others = 0.
    const auto wanted = checked_sub(value, constant);
    if (group.size() == 1 && wanted) {
      const Term& t = *group[0];
      const auto remainder = euclid_mod(*wanted, t.coefficient);
      if (remainder != 0) return false;
      if (t.is_pair && *wanted == 0) learn_factor(t.monomial);
    } else if (group.size() > 1) {
      const bool has_pair =
          std::any_of(group.begin(), group.end(), [](const Term* t) { return t->is_pair; });
      if (has_pair) is_solved = false;
    }
    group.clear();
    constant = value;
    range = Interval::point(constant);
  }
  return true;
}

// A product of one unknown with what both share and is not 0.
void Agreement::learn_factor(Expr monomial) {
  learn(monomial);
  const Atoms atoms = atoms_of(monomial);
  if (atoms.size() < 2) return;
  std::vector<Expr> unknown;
  for (Expr atom : atoms) {
    if (!agrees(atom)) {
      unknown.push_back(atom);
    } else if (interval(atom).contains(0)) {
      return;
    }
  }
  if (unknown.size() == 1) learn(unknown[0]);
}

// Learns what follows from x together with what agrees already.
void Agreement::combine(Expr x) {
  if (x.is(Op::Xor)) {
    if (agrees(x[0])) learn(x[1]);
    if (agrees(x[1])) learn(x[0]);
    return;
  }
  if (!x.is(Op::Mod)) return;
  // y = (y/n)*n + y%n
  const Expr y = x[0], n = x[1];
  if (agrees(n) && known_.count((y / n).id()) > 0) learn(y);
  if (!y.is(Op::Div) || !n.is(Op::Const) || !y[1].is(Op::Const)) return;
  const auto product = checked_mul(n.value(), y[1].value());
  if (product && *product > 0 && y[1].value() > 0 &&
      known_.count((y[0] / pool_.constant(*product)).id()) > 0) {
    learn(y);
  }
}

}  // namespace selvage
