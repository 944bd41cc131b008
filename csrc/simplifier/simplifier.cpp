#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/apply.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <utility>

namespace selvage {

Simplifier::Simplifier(Facts facts, int level, std::uint64_t last_work)
    : facts_(std::move(facts)), hits_(all_rules().size(), 0), level_(level), last_work_(last_work) {
  const Question question(*this, pool().truth(true));
  // Inequalities become sums that are at least 0; the rest is matched as it stands. Each assumption
  // is brought into canonical form before it counts, so none is used to prove itself away.
  std::vector<LinearSum> sums;
  std::vector<Expr> truths;
  for (Expr e : facts_.assumptions()) {
    if (e.depth() > kDeepest) continue;
    normalize_parts(e);
    const Expr s = normalize(e);
    truths.push_back(s);
    if (s.is(Op::Lt) || s.is(Op::Le) || s.is(Op::Eq)) add_consequences(s, sums);
  }
  known_true_ = std::move(truths);
  learn(std::move(sums));
  if (known_nonnegative_.size() < 2) return;
  // Both sides of a comparison may be simpler under the others: what it says then, it says too.
  std::vector<LinearSum> more;
  for (Expr s : known_true_) {
    if (s.is(Op::Lt) || s.is(Op::Le)) add_consequences(s, more);
  }
  std::erase_if(more, [&](const LinearSum& sum) {
    return interval(sum).lo >= 0 ||
           std::any_of(known_nonnegative_.begin(), known_nonnegative_.end(),
                       [&](const LinearSum& known) { return known.equals(sum); });
  });
  if (!more.empty()) learn(std::move(more));
}

// What a comparison that holds says of sums: which ones are at least 0.
void Simplifier::add_consequences(Expr comparison, std::vector<LinearSum>& sums) {
  const LinearSum a = linear(comparison[0]), b = linear(comparison[1]);
  if (auto d = add(b, a, -1)) {
    if (comparison.is(Op::Lt)) d = add(*d, LinearSum::of_constant(1), -1);
    if (d) sums.push_back(*d);
  }
  if (comparison.is(Op::Eq)) {
    if (const auto d = add(a, b, -1)) sums.push_back(*d);
  }
}

// These are at least 0.
void Simplifier::learn(std::vector<LinearSum> sums) {
  for (LinearSum& sum : sums) {
    known_symbols_ |= symbol_mask(sum);
    known_nonnegative_.push_back(std::move(sum));
  }
  if (known_true_.empty()) return;
  tried_.clear();
  narrow();
  forget_answers();
}

Simplifier::Question::Question(Simplifier& s, Expr e) : simplifier_(s) {
  constexpr std::uint64_t kLeast = 1'500'000, kPerNode = 100, kMost = 2'000'000;
  if (s.questions_++ > 0) return;
  s.work_end_ = std::min(s.last_work_, work_done + std::min(kMost, kLeast + kPerNode * e.size()));
  s.grant_steps(e);
}

// What was remembered when something ran out is not all that can be said.
Simplifier::Question::~Question() {
  if (--simplifier_.questions_ == 0 && simplifier_.has_run_out()) simplifier_.forget_answers();
}

void Simplifier::grant_steps(Expr e) {
  constexpr std::int64_t kLeast = 2000, kPerNode = 4, kMost = 60'000, kProofs = 1200;
  steps_ = std::min(kMost, kLeast + kPerNode * std::int64_t{e.size()});
  proof_steps_ = kProofs + std::min(kMost, std::int64_t{e.size()});
  share_ran_out_ = false;
}

// What was remembered after the steps ran out is not all that can be said: forgets it, and goes on
// as a new simplifier would.
void Simplifier::start_again(Expr e) {
  forget_answers();
  grant_steps(e);
}

void Simplifier::forget_answers() {
  known_.each([](Known& k) {
    k.normal = k.written = k.text = k.rebuilt = {};
    k.linear.reset();
  });
  tried_.clear();
}

void Simplifier::forget_texts() {
  known_.each([](Known& k) { k.written = k.text = k.rebuilt = {}; });
  any_replaced_ = false;
}

Expr Simplifier::normal_form(Expr e) {
  if (e.depth() > kDeepest) return e;
  const Question question(*this, e);
  normalize_parts(e);
  return normalize(e);
}

// Of a deep expression the parts first, so that no question about the whole goes down the stack.
void Simplifier::normalize_parts(Expr e) {
  const auto is_known = [this](Expr part) {
    return part.is(Op::Let) || known_[part].normal.valid() || known_[part].linear;
  };
  if (e.depth() <= kDeep || is_known(e)) return;
  for (Expr part : unknown_below(e, is_known)) {
    if (part.is(Op::And)) continue;  // a set: no part of it is one
    if (is_sum(part)) {
      linear(part);
    } else {
      normalize(part);
    }
  }
}

Expr Simplifier::normalize(Expr e) {
  Known& memo = known_[e];
  if (memo.open > 0) lean_on_ = std::min(lean_on_, memo.open);
  if (memo.normal.valid()) return memo.normal;
  if (!spend()) return e;
  memo.normal = e;
  memo.open = ++open_;  // a question that comes back to e meanwhile finds e as it is
  Expr result = rewrite(e);
  if (result.is(Op::Div) || result.is(Op::Mod)) {
    if (const Interval i = interval(result); i.is_point()) result = pool().constant(i.lo);
  }
  for (Expr known : known_true_) {
    if (same(known, result)) result = pool().truth(true);
    if (known.is(Op::Not) && same(known[0], result)) result = pool().truth(false);
  }
  memo.normal = result;
  memo.open = 0;
  Known& own = known_[result];
  if (!own.normal.valid() && !has_kept_product(result)) {
    own.normal = result;
    if (lean_on_ < open_) leaning_.push_back(result);
  }
  if (lean_on_ < open_) leaning_.push_back(e);
  if (lean_on_ == open_) forget_leaning();
  --open_;
  return result;
}

// What was found of expressions on the way to a question that was still open is not the last word.
void Simplifier::forget_leaning() {
  for (Expr e : leaning_) {
    Known& k = known_[e];
    if (k.open == 0) k.normal = {};
    k.linear.reset();
  }
  leaning_.clear();
  lean_on_ = kNone;
}

const LinearSum& Simplifier::linear(Expr e) {
  std::optional<LinearSum>& memo = known_[e].linear;
  if (!memo && !has_work_left()) return not_asked_ = LinearSum::of_atom(e);
  if (!memo) {
    memo = compute_linear(e);
    if (lean_on_ <= open_) leaning_.push_back(e);
  }
  return *memo;
}

std::optional<LinearSum> Simplifier::difference(Expr greater, Expr lesser) {
  const LinearSum less = linear(lesser);
  return add(linear(greater), less, -1);
}

const LinearSum& Simplifier::sum_of(Expr e) {
  std::optional<LinearSum>& memo = known_[e].sum;
  if (!memo) memo = to_linear_or_atom(e);
  return *memo;
}

LinearSum Simplifier::compute_linear(Expr e) {
  if (!is_sum(e)) return sum_of(normalize(e));
  const auto apply = [&](const LinearSum& a, const LinearSum& b) {
    return e.is(Op::Mul) ? multiply(a, b) : add(a, b, e.is(Op::Add) ? 1 : -1);
  };
  {
    const LinearSum right = linear(e[1]);
    linear(e[0]);
    if (has_kept_) {
      // Numbers that were too large for a part may not be so for the whole.
      const auto wide = wide_sum(e);
      if (auto sum = wide ? wide->narrowed() : std::nullopt) return *sum;
    }
    if (auto sum = apply(linear(e[0]), right)) return *sum;
  }
  const Expr a = normalize(e[0]), b = normalize(e[1]);
  if (auto sum = apply(sum_of(a), sum_of(b))) return *sum;
  // Written out it would overflow or grow past all bounds: it stays one atom.
  const auto wide = wide_sum(e);
  has_kept_ = has_kept_ || (wide && wide->terms.size() <= kMostTerms);
  return LinearSum::of_atom(pool().make(e.op(), a, b));
}

// Nothing where e is no sum, or 64 bits suffice.
std::optional<WideSum> Simplifier::wide_sum(Expr e) {
  if (!is_sum(e) || !has_work_left()) return std::nullopt;
  return selvage::wide_sum(e, [this](Expr atom) { return LinearSum(linear(atom)); });
}

// x / d or x % d, where the numbers in x need more than 64 bits and those of the result do not.
std::optional<Expr> Simplifier::divide_wide(Expr e, Expr divisor) {
  if (!has_kept_ || !divisor.is(Op::Const) || divisor.value() < 1) return std::nullopt;
  const auto x = wide_sum(e[0]);
  if (!x || x->narrowed()) return std::nullopt;
  const WideDivision division = divide(*x, divisor.value());
  const auto rest = division.rest.narrowed();
  if (!rest) return std::nullopt;
  const Expr low = pool().make(e.op(), to_expr(pool(), *rest), divisor);
  if (e.is(Op::Mod)) {
    count(rule("mod/merge-inner"));
    return low;
  }
  const auto quotient = division.quotient.narrowed();
  if (!quotient) return std::nullopt;
  count(rule("div/merge-outer"));
  return to_expr(pool(), *quotient) + low;
}

// Of a normal form: is there a product in it that would overflow, multiplied out? What is read from
// it may be put in other groups than it was made from.
bool Simplifier::has_kept_product(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return false;
  std::optional<bool>& memo = known_[e].has_kept_product;
  if (memo) return *memo;
  const auto is_number_or_sum = [](Expr a) {
    return a.is(Op::Const) || a.is(Op::Add) || a.is(Op::Sub);
  };
  // `x*3` is how a term is written.
  const bool kept =
      e.is(Op::Mul) && (is_number_or_sum(e[0]) || (!e[1].is(Op::Const) && is_number_or_sum(e[1])) ||
                        (e[0].is(Op::Mul) && e[0][1].is(Op::Const)));
  memo = kept || std::any_of(e.args().begin(), e.args().end(),
                             [this](Expr a) { return has_kept_product(a); });
  return *memo;
}

Expr Simplifier::finish(const LinearSum& sum) {
  LinearSum s = sum;
  recompose_all(s);
  const Expr e = to_expr(pool(), s);
  // What is there already may be in use.
  if (!known_[e].sum && !has_kept_product(e)) known_[e].sum = std::move(s);
  return e;
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
    case Op::And: return rewrite_and(e);
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
  const Expr s = pool().make(e.op(), std::span(args, e.args().size()));
  if (constant && info(e.op()).result == Result::Int && !e.is(Op::Select)) {
    const Checked v = selvage::apply(e.op(), Checked(args[0].value()), Checked(args[1].value()));
    return v.is_defined ? pool().constant(v.value) : s;
  }
  if (e.is(Op::Div) || e.is(Op::Mod)) {
    if (const auto divided = divide_wide(e, args[1])) return normalize(*divided);
  }
  if (e.is(Op::Not) && args[0].is(Op::Bool)) return pool().truth(!args[0].value());
  return apply_rules(s);
}

}  // namespace selvage
