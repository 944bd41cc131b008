#include <selvage/confirm/hints.h>
#include <selvage/confirm/quotients.h>
#include <selvage/confirm/walk.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

namespace selvage {

namespace {

constexpr std::size_t kMostQuotients = 12;
constexpr std::size_t kMostTriples = 5;

bool divides(Expr d, Expr m) {
  return d.is(Op::Const) && m.is(Op::Const) && d.value() > 0 && m.value() % d.value() == 0;
}

// Terms that quotients may be equal to, found by dividing polynomials. They are guesses for hints,
// and need not be equal.
class Candidates {
 public:
  explicit Candidates(std::span<const Expr> expressions) : all_(quotients_of(expressions)) {
    keep_first(all_, kMostQuotients);
    for (const Quotient& q : all_) add(q);
  }

  const std::vector<Quotient>& quotients() const { return all_; }
  const std::vector<Expr>& of(std::size_t quotient) const { return lists_[quotient]; }

 private:
  void add(const Quotient& q) {
    ExprPool& pool = q.divisor.pool();
    const LinearSum dividend = written_out(q.dividend), nothing;
    std::vector<Expr>& list = lists_.emplace_back();
    list = {pool.constant(0), pool.constant(-1)};
    if (const auto divided = divide(dividend, nothing, q.divisor)) {
      list.push_back(to_expr(pool, divided->quotient));
    }
    std::vector<Expr> same_divisor;
    for (const Quotient& other : all_) {
      list.push_back(other.quotient());
      if (is_negation(other.divisor, q.divisor)) list.push_back(0 - other.quotient());
      if (same(other.dividend, q.dividend) && divides(q.divisor, other.divisor)) {
        list.push_back(other.quotient() * (other.divisor.value() / q.divisor.value()));
      }
      if (!same(other.divisor, q.divisor) || same(other.dividend, q.dividend)) continue;
      const auto apart = divide(dividend, written_out(other.dividend), q.divisor);
      if (apart) list.push_back(other.quotient() + to_expr(pool, apart->quotient));
      if (apart && apart->rest.is_zero()) learn(q, other, apart->quotient);
      for (Expr earlier : same_divisor) list.push_back(earlier + other.quotient());
      same_divisor.push_back(other.quotient());
    }
  }

  // (a - b) / d, as much of it as divides term by term.
  std::optional<Division> divide(const LinearSum& a, const LinearSum& b, Expr d) {
    const auto difference = selvage::add(a, b, -1);
    return difference ? divide_terms(d.pool(), *difference, written_out(d)) : std::nullopt;
  }

  bool is_negation(Expr d, Expr e) {
    const auto sum = selvage::add(written_out(d), written_out(e));
    return sum && sum->is_zero();
  }

  // q is exactly as far from an earlier quotient: from here on it is written by that one.
  void learn(const Quotient& q, const Quotient& earlier, const LinearSum& apart) {
    const bool is_earlier = &earlier < &all_[lists_.size() - 1];
    const auto sum = selvage::add(LinearSum::of_atom(earlier.quotient()), apart);
    if (is_earlier && sum) known_.try_emplace(q.quotient().id(), *sum);
  }

  // e as a polynomial, with e - d*(e/d) in place of e%d; large expressions stay as they are.
  LinearSum written_out(Expr e) {
    std::optional<LinearSum> sum;
    if (e.size() > kLargestInHints) return LinearSum::of_atom(e);
    if (e.is(Op::Add)) sum = selvage::add(written_out(e[0]), written_out(e[1]));
    if (e.is(Op::Sub)) sum = selvage::add(written_out(e[0]), written_out(e[1]), -1);
    if (e.is(Op::Mul)) sum = multiply(written_out(e[0]), written_out(e[1]));
    if (e.is(Op::Div)) {
      if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    }
    if (e.is(Op::Mod)) {
      const auto whole = multiply(written_out(e[1]), written_out(e[0] / e[1]));
      if (whole) sum = selvage::add(written_out(e[0]), *whole, -1);
    }
    return sum ? *sum : to_linear(e);
  }

  std::vector<Quotient> all_;
  std::vector<std::vector<Expr>> lists_;                // by quotient
  std::unordered_map<std::uint32_t, LinearSum> known_;  // by quotient
};

// By how much the sides of equations between numbers may differ.
std::vector<Expr> inequalities(std::span<const Expr> expressions) {
  std::vector<Expr> list;
  for (Expr e : operands_first(expressions)) {
    if (e.is(Op::Eq) && e.size() <= kLargestInHints) list.push_back(e[0] - e[1]);
  }
  return list;
}

// As k is 0, positive or negative, so is d*k, for d > 0; and where it is 0, so is n*d*k.
Expr sign_hint(Expr d, Expr k, const std::vector<Expr>& ns) {
  Expr zero = eq(k, 0) && eq(d * k, 0);
  for (std::size_t i = 0; i < std::min(ns.size(), kMostTriples); ++i) {
    zero = zero && eq(ns[i] * (d * k), 0);
  }
  return implies(positive(d), zero || (1 <= k && d <= d * k) || (k <= -1 && d * k <= 0 - d));
}

}  // namespace

std::vector<Expr> quotient_hints(std::span<const Expr> expressions) {
  const Candidates candidates(expressions);
  std::vector<Expr> apart = inequalities(expressions), ns = multipliers(expressions), hints;
  keep_first(apart, kMostQuotients);
  keep_first(ns, kMostFactors);
  for (std::size_t i = 0; i < candidates.quotients().size(); ++i) {
    const Quotient& q = candidates.quotients()[i];
    std::vector<Expr> ks = apart;
    for (Expr candidate : candidates.of(i)) ks.push_back(q.quotient() - candidate);
    for (Expr n : ns) ks.push_back(q.quotient() - n);
    std::set<std::uint32_t> said;
    for (Expr k : ks) {
      if (said.insert(k.id()).second) hints.push_back(sign_hint(q.divisor, k, ns));
    }
  }
  return hints;
}

}  // namespace selvage
