#include <selvage/base/integer.h>
#include <selvage/expr/apply.h>
#include <selvage/simplifier/parts.h>

#include <algorithm>
#include <utility>

namespace selvage {

Normalizer::Normalizer(SimplifierParts& parts)
    : SimplifierPart(parts),
      rules_(parts.rules),
      recomposition_(parts.recomposition),
      comparisons_(parts.comparisons),
      conjunctions_(parts.conjunctions) {}

Expr Normalizer::normal_form(Expr e) {
  normalize_parts(e);
  return normalize(e);
}

void Normalizer::normalize_parts(Expr e) {
  const auto is_known = [this](Expr part) {
    return part.is(Op::Let) || known_[part].normal.valid() || known_[part].linear;
  };
  if (e.depth() <= kDeep || is_known(e)) return;
  for (Expr part : unknown_below(e, is_known)) {
    if (part.is(Op::And)) continue;  // a conjunction is a set, not pairs: only its conjuncts matter
    if (is_sum(part)) {
      linear(part);
    } else {
      normalize(part);
    }
  }
}

Expr Normalizer::normalize(Expr e) {
  Known& memo = known_[e];
  if (memo.open > 0) lean_on(memo.open);
  if (memo.normal.valid()) return memo.normal;
  if (!budget_.spend()) return e;
  memo.normal = e;
  memo.open = ++open_;  // a question that comes back to e meanwhile finds e as it is
  Expr result = rewrite(e);
  if (result.is(Op::Div) || result.is(Op::Mod)) {
    if (const Interval i = interval(result); i.is_point()) result = pool_.constant(i.lo);
  }
  for (Expr known : known_true_) {
    if (same(known, result)) result = pool_.truth(true);
    if (known.is(Op::Not) && same(known[0], result)) result = pool_.truth(false);
  }
  memo.normal = result;
  memo.open = 0;
  Known& own = known_[result];
  if (!own.normal.valid() && !structure_.has_kept_product(result)) {
    own.normal = result;
    if (lean_on_ < open_) leaning_.push_back(result);
  }
  if (lean_on_ < open_) leaning_.push_back(e);
  if (lean_on_ == open_) forget_leaning();
  --open_;
  return result;
}

// Forgets answers that lean on a question that was open: they may be incomplete.
void Normalizer::forget_leaning() {
  for (Expr e : leaning_) {
    Known& k = known_[e];
    if (k.open == 0) k.normal = {};
    k.linear.reset();
  }
  leaning_.clear();
  lean_on_ = kNone;
}

void Normalizer::forget() {
  known_.each([](Known& k) {
    k.normal = {};
    k.linear.reset();
  });
}

const LinearSum& Normalizer::linear(Expr e) {
  std::optional<LinearSum>& memo = known_[e].linear;
  if (!memo && !budget_.has_work_left()) return not_asked_ = LinearSum::of_atom(e);
  if (!memo) {
    memo = compute_linear(e);
    if (lean_on_ <= open_) leaning_.push_back(e);
  }
  return *memo;
}

std::optional<LinearSum> Normalizer::difference(Expr greater, Expr lesser) {
  const LinearSum less = linear(lesser);
  return add(linear(greater), less, -1);
}

LinearSum Normalizer::compute_linear(Expr e) {
  if (!is_sum(e)) return sum_of(normalize(e));
  const auto apply = [&](const LinearSum& a, const LinearSum& b) {
    return e.is(Op::Mul) ? multiply(a, b) : add(a, b, e.is(Op::Add) ? 1 : -1);
  };
  {
    const LinearSum right = linear(e[1]);
    linear(e[0]);
    if (has_kept_) {
      // Numbers that do not fit in a part may fit in the whole.
      const auto wide = wide_sum(e);
      if (auto sum = wide ? wide->narrowed() : std::nullopt) return *sum;
    }
    if (auto sum = apply(linear(e[0]), right)) return *sum;
  }
  const Expr a = normalize(e[0]), b = normalize(e[1]);
  if (auto sum = apply(sum_of(a), sum_of(b))) return *sum;
  // Multiplied out it would overflow or have too many terms: it stays one atom.
  const auto wide = wide_sum(e);
  has_kept_ = has_kept_ || (wide && wide->terms.size() <= kMostTerms);
  return LinearSum::of_atom(pool_.make(e.op(), a, b));
}

// e as a sum with numbers of 128 bits. Nothing if e is no sum or no work is left.
std::optional<WideSum> Normalizer::wide_sum(Expr e) {
  if (!is_sum(e) || !budget_.has_work_left()) return std::nullopt;
  return selvage::wide_sum(e, [this](Expr atom) { return LinearSum(linear(atom)); });
}

// x / d or x % d, where the numbers in x need more than 64 bits and those of the result do not.
std::optional<Expr> Normalizer::divide_wide(Expr e, Expr divisor) {
  if (!has_kept_ || !divisor.is(Op::Const) || divisor.value() < 1) return std::nullopt;
  const auto x = wide_sum(e[0]);
  if (!x || x->narrowed()) return std::nullopt;
  const WideDivision division = divide(*x, divisor.value());
  const auto rest = division.rest.narrowed();
  if (!rest) return std::nullopt;
  const Expr low = pool_.make(e.op(), to_expr(pool_, *rest), divisor);
  if (e.is(Op::Mod)) {
    rules_.count("mod/merge-inner");
    return low;
  }
  const auto quotient = division.quotient.narrowed();
  if (!quotient) return std::nullopt;
  rules_.count("div/merge-outer");
  return to_expr(pool_, *quotient) + low;
}

Expr Normalizer::finish(const LinearSum& sum) {
  LinearSum s = sum;
  recomposition_.recompose_all(s);
  const Expr e = to_expr(pool_, s);
  structure_.remember(e, std::move(s));
  return e;
}

Expr Normalizer::rewrite(Expr e) {
  switch (e.op()) {
    case Op::Const:
    case Op::Bool: return e;
    case Op::Symbol:
    case Op::Let: {
      const Interval i = interval(e);
      return i.is_point() ? pool_.constant(i.lo) : e;
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul: return finish(linear(e));
    case Op::Lt: return comparisons_.rewrite_order(e[0], e[1], true);
    case Op::Le: return comparisons_.rewrite_order(e[0], e[1], false);
    case Op::Eq: return comparisons_.rewrite_equal(e[0], e[1]);
    case Op::And: return conjunctions_.rewrite(e);
    case Op::Load:
    case Op::Call: {
      std::vector<Expr> operands;
      for (Expr a : e.args()) operands.push_back(normalize(a));
      return with_operands(e, operands);
    }
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Xor:
    case Op::Select:
    case Op::Not:
    case Op::Or: break;
  }
  Expr args[3];
  bool constant = true;
  for (std::size_t i = 0; i < e.args().size(); ++i) {
    args[i] = normalize(e[i]);
    constant = constant && (args[i].is(Op::Const) || args[i].is(Op::Bool));
  }
  const Expr s = pool_.make(e.op(), std::span(args, e.args().size()));
  if (constant && info(e.op()).result == Result::Int && !e.is(Op::Select)) {
    const Checked v = selvage::apply(e.op(), Checked(args[0].value()), Checked(args[1].value()));
    return v.is_defined ? pool_.constant(v.value) : s;
  }
  if (e.is(Op::Div) || e.is(Op::Mod)) {
    if (const auto divided = divide_wide(e, args[1])) return normalize(*divided);
  }
  if (e.is(Op::Not) && args[0].is(Op::Bool)) return pool_.truth(!args[0].value());
  return rules_.apply_to(s);
}

}  // namespace selvage
