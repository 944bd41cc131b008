#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

Simplifier::Simplifier(Facts facts) : facts_(std::move(facts)), hits_(all_rules().size(), 0) {
  // Inequalities become sums that are at least 0; the rest is matched as it stands. Each assumption
  // is brought into canonical form before it counts, so none is used to prove itself away.
  std::vector<LinearSum> sums;
  std::vector<Expr> truths;
  for (Expr e : facts_.assumptions()) {
    const Expr s = simplify(e);
    truths.push_back(s);
    if (s.is(Op::Lt) || s.is(Op::Le) || s.is(Op::Eq)) {
      const LinearSum a = linear(s[0]), b = linear(s[1]);
      if (auto d = add(b, a, -1)) {
        if (s.is(Op::Lt)) d->constant -= 1;
        sums.push_back(*d);
      }
      if (s.is(Op::Eq)) {
        if (const auto d = add(a, b, -1)) sums.push_back(*d);
      }
    }
  }
  known_nonnegative_ = std::move(sums);
  known_true_ = std::move(truths);
  if (!facts_.assumptions().empty()) {
    simplified_.clear();
    linear_.clear();
  }
}

Expr Simplifier::simplify(Expr e) {
  Expr& memo = simplified_[e];
  if (memo.valid()) return memo;
  memo = e;  // a question that comes back to e while e is being simplified finds e as it is
  Expr result = rewrite(e);
  for (Expr known : known_true_) {
    if (same(known, result)) result = pool().truth(true);
    if (known.is(Op::Not) && same(known[0], result)) result = pool().truth(false);
  }
  memo = result;
  simplified_[result] = result;
  return result;
}

const LinearSum& Simplifier::linear(Expr e) {
  std::unique_ptr<LinearSum>& memo = linear_[e];
  if (memo == nullptr) {
    LinearSum sum = compute_linear(e);
    memo = std::make_unique<LinearSum>(std::move(sum));
  }
  return *memo;
}

const LinearSum& Simplifier::sum_of(Expr e) {
  std::unique_ptr<LinearSum>& memo = sums_[e];
  if (memo == nullptr) memo = std::make_unique<LinearSum>(to_linear(e));
  return *memo;
}

LinearSum Simplifier::compute_linear(Expr e) {
  std::optional<LinearSum> sum;
  if (e.is(Op::Add)) sum = add(linear(e[0]), linear(e[1]));
  if (e.is(Op::Sub)) sum = add(linear(e[0]), linear(e[1]), -1);
  if (e.is(Op::Mul)) sum = multiply(linear(e[0]), linear(e[1]));
  if (sum) return *sum;
  if (e.is(Op::Add) || e.is(Op::Sub) || e.is(Op::Mul)) {
    // Written out it would overflow or grow past all bounds: it stays one atom.
    return LinearSum::of_atom(pool().make(e.op(), simplify(e[0]), simplify(e[1])));
  }
  return sum_of(simplify(e));
}

Expr Simplifier::finish(const LinearSum& sum) {
  LinearSum s = sum;
  while (recompose(s)) {}
  return to_expr(pool(), s);
}

Expr Simplifier::rewrite(Expr e) {
  switch (e.op()) {
    case Op::Const:
    case Op::Bool: return e;
    case Op::Symbol:
    case Op::Let: {
      const Interval i = interval(e);
      return i.is_point() ? pool().constant(i.lo) : e;
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul: return finish(linear(e));
    case Op::Lt: return rewrite_order(e[0], e[1], true);
    case Op::Le: return rewrite_order(e[0], e[1], false);
    case Op::Eq: return rewrite_equal(e[0], e[1]);
    case Op::Load:
    case Op::Call: {
      std::vector<Expr> args;
      for (Expr a : e.args()) args.push_back(simplify(a));
      return e.is(Op::Load) ? pool().load(e.name(), args) : pool().call(e.name(), args);
    }
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Xor:
    case Op::Select:
    case Op::Not:
    case Op::And:
    case Op::Or: break;
  }
  std::vector<Expr> args;
  bool constant = true;
  for (Expr a : e.args()) {
    args.push_back(simplify(a));
    constant = constant && (args.back().is(Op::Const) || args.back().is(Op::Bool));
  }
  const Expr s = pool().make(e.op(), args);
  if (constant && info(e.op()).result == Result::Int && !e.is(Op::Select)) {
    const std::int64_t a = args[0].value(), b = args[1].value();
    std::optional<std::int64_t> v;
    if (e.is(Op::Div)) v = euclid_div(a, b);
    if (e.is(Op::Mod)) v = euclid_mod(a, b);
    if (e.is(Op::Min)) v = std::min(a, b);
    if (e.is(Op::Max)) v = std::max(a, b);
    if (e.is(Op::Xor)) v = a ^ b;
    return v ? pool().constant(*v) : s;
  }
  if (e.is(Op::Not) && args[0].is(Op::Bool)) return pool().truth(!args[0].value());
  return apply_rules(s);
}

}  // namespace selvage
