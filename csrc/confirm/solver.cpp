#include <selvage/base/check.h>
#include <selvage/confirm/hints.h>
#include <selvage/confirm/multiples.h>
#include <selvage/confirm/solver.h>
#include <selvage/confirm/walk.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#if SELVAGE_HAVE_Z3
#include <z3++.h>
#endif

namespace selvage {

#if SELVAGE_HAVE_Z3

bool has_z3() { return true; }

namespace {

// The sort of numbers in a query to Z3.
//   Integer  integers; `/` and `%` are Z3's own
//   Real     real numbers; products, quotients and remainders are unknowns. A claim that holds for
//            all of these holds for integers. Fast, as it is linear arithmetic.
//   Word     words of 64 bits
enum class Number { Integer, Real, Word };

// Expressions as terms of Z3.
class Terms {
 public:
  Terms(z3::context& context, Number kind, std::span<const Expr> roots)
      : context_(context), kind_(kind) {
    for (Expr e : operands_first(roots)) {
      if (info(e.op()).result == Result::Int) {
        numbers_.emplace(e.id(), make_number(e));
      } else {
        truths_.emplace(e.id(), make_truth(e));
      }
    }
  }

  z3::expr number(Expr e) const {
    if (info(e.op()).result == Result::Int) return numbers_.at(e.id());
    return z3::ite(truths_.at(e.id()).holds, constant(1), constant(0));
  }
  // Both over comparisons only, each as sharp as can be: among the reals a < b is a + 1 <= b.
  z3::expr holds(Expr e) const { return truth(e).holds; }
  z3::expr fails(Expr e) const { return truth(e).fails; }

 private:
  struct Truth {
    z3::expr holds, fails;
  };

  z3::expr constant(std::int64_t v) const {
    switch (kind_) {
      case Number::Integer: return context_.int_val(v);
      case Number::Real: return context_.real_val(v);
      case Number::Word: break;
    }
    return context_.bv_val(v, 64);
  }
  z3::sort sort() const {
    switch (kind_) {
      case Number::Integer: return context_.int_sort();
      case Number::Real: return context_.real_sort();
      case Number::Word: break;
    }
    return context_.bv_sort(64);
  }

  // An uninterpreted function, identified by its name and number of operands.
  z3::expr opaque(const std::string& name, Expr e) const {
    z3::expr_vector operands(context_);
    z3::sort_vector sorts(context_);
    for (Expr a : e.args()) {
      operands.push_back(number(a));
      sorts.push_back(sort());
    }
    const std::string unique = name + "/" + std::to_string(e.args().size());
    return context_.function(unique.c_str(), sorts, sort())(operands);
  }

  z3::expr make_number(Expr e) const {
    const auto operand = [&](std::size_t i) { return number(e[i]); };
    switch (e.op()) {
      case Op::Const: return constant(e.value());
      case Op::Symbol: return context_.constant(std::string(e.name()).c_str(), sort());
      case Op::Let: return operand(0);
      case Op::Add: return operand(0) + operand(1);
      case Op::Sub: return operand(0) - operand(1);
      case Op::Mul: return operand(0) * operand(1);
      case Op::Div:
        return kind_ == Number::Integer ? operand(0) / operand(1) : opaque("quotient", e);
      case Op::Mod:
        if (kind_ == Number::Integer) return z3::mod(operand(0), operand(1));
        return operand(0) - operand(1) * opaque("quotient", e);
      case Op::Min: return z3::ite(operand(0) <= operand(1), operand(0), operand(1));
      case Op::Max: return z3::ite(operand(0) <= operand(1), operand(1), operand(0));
      case Op::Xor: return kind_ == Number::Word ? operand(0) ^ operand(1) : opaque("xor", e);
      case Op::Select: return z3::ite(holds(e[0]), operand(1), operand(2));
      case Op::Load:
      case Op::Call: return opaque((e.is(Op::Load) ? "load " : "call ") + std::string(e.name()), e);
      case Op::Bool:
      case Op::Lt:
      case Op::Le:
      case Op::Eq:
      case Op::Not:
      case Op::And:
      case Op::Or: break;
    }
    SELVAGE_CHECK(!"a number");
    return constant(0);
  }

  Truth make_truth(Expr e) const {
    switch (e.op()) {
      case Op::Bool: return {context_.bool_val(e.value() != 0), context_.bool_val(e.value() == 0)};
      case Op::Lt: return {less(e[0], e[1]), number(e[1]) <= number(e[0])};
      case Op::Le: return {number(e[0]) <= number(e[1]), less(e[1], e[0])};
      case Op::Eq: return {number(e[0]) == number(e[1]), less(e[0], e[1]) || less(e[1], e[0])};
      case Op::Not: return {fails(e[0]), holds(e[0])};
      case Op::And: return {holds(e[0]) && holds(e[1]), fails(e[0]) || fails(e[1])};
      case Op::Or: return {holds(e[0]) || holds(e[1]), fails(e[0]) && fails(e[1])};
      case Op::Const:
      case Op::Symbol:
      case Op::Let:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Mod:
      case Op::Min:
      case Op::Max:
      case Op::Xor:
      case Op::Select:
      case Op::Load:
      case Op::Call: break;
    }
    SELVAGE_CHECK(!"a truth");
    return {context_.bool_val(false), context_.bool_val(false)};
  }

  z3::expr less(Expr a, Expr b) const {
    return kind_ == Number::Real ? number(a) + 1 <= number(b) : number(a) < number(b);
  }

  // A number stands for a truth where it is not 0.
  Truth truth(Expr e) const {
    if (info(e.op()).result == Result::Truth) return truths_.at(e.id());
    const z3::expr n = number(e), zero = constant(0), one = constant(1);
    return {n <= -one || one <= n, n == zero};
  }

  z3::context& context_;
  Number kind_;
  std::unordered_map<std::uint32_t, z3::expr> numbers_;
  std::unordered_map<std::uint32_t, Truth> truths_;
};

std::vector<Expr> joined(std::initializer_list<std::vector<Expr>> lists) {
  std::vector<Expr> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Whether no arithmetic but Xor occurs, and it does.
bool is_bitwise(std::span<const Expr> roots) {
  bool has_xor = false, has_sum = false;
  for (Expr e : operands_first(roots)) {
    has_xor = has_xor || e.is(Op::Xor);
    const bool is_plain = info(e.op()).result == Result::Truth || e.is(Op::Xor) ||
                          e.is(Op::Const) || e.is(Op::Symbol) || e.is(Op::Let) || e.is(Op::Min) ||
                          e.is(Op::Max) || e.is(Op::Select);
    has_sum = has_sum || !is_plain;
  }
  return has_xor && !has_sum;
}

// One question to Z3: whether there is a point at which the assumptions hold and the claim fails.
class Question {
 public:
  // With `replace`, symbols that are multiples are written as such.
  Question(const std::vector<Expr>& assumptions, Expr claim, bool replace, unsigned steps)
      : told_(joined({{claim}, assumptions})),
        symbols_(symbols_of(told_)),
        multiples_(replace ? assumptions : std::vector<Expr>{}),
        claim_(multiples_.replaced(claim)),
        steps_(steps) {
    for (Expr e : assumptions) {
      if (!multiples_.says(e)) assumptions_.push_back(multiples_.replaced(e));
    }
  }

  bool replaces() const { return !multiples_.empty(); }
  Expr claim() const { return claim_; }
  // The claim, then the assumptions, as Z3 is asked.
  std::vector<Expr> roots() const { return joined({{claim_}, assumptions_}); }

  z3::check_result ask(Number kind, const std::vector<Expr>& hints) {
    const std::vector<Expr> inputs = multiples_.replaced(symbols_);
    const Terms terms(context_, kind, joined({roots(), hints, inputs}));
    z3::solver solver =
        kind == Number::Real ? z3::solver(context_, z3::solver::simple()) : z3::solver(context_);
    z3::params settings(context_), expand(context_);
    settings.set("rlimit", steps_);
    if (kind == Number::Real) {
      // A product is the same unknown wherever it stands only once sums are multiplied out.
      expand.set("som", true);
      settings.set("arith.nl", false);
      settings.set("arith.solver", 2u);
    }
    solver.set(settings);
    const auto add = [&](const z3::expr& e) {
      solver.add(kind == Number::Real ? e.simplify(expand) : e);
    };
    for (Expr e : joined({assumptions_, hints})) add(terms.holds(e));
    add(terms.fails(claim_));
    const z3::check_result result = solver.check();
    if (result == z3::sat && kind != Number::Real) {
      const z3::model model = solver.get_model();
      std::vector<std::int64_t> values;
      for (Expr e : inputs) {
        const auto value = number(model.eval(terms.number(e), true));
        if (!value) return result;
        values.push_back(*value);
      }
      try_point(values);
    }
    return result;
  }

  bool is_refuted() const { return refuted_.has_value(); }
  Verdict counterexample() const {
    if (refuted_) return *refuted_;
    return Unknown{told_.front()};
  }

 private:
  // Takes the point that Z3 has found for a counterexample if evaluation agrees.
  void try_point(const std::vector<std::int64_t>& values) {
    Tape tape(told_, symbols_);
    if (!tape.evaluate(values) || tape.root(0) != 0) return;
    for (std::size_t i = 1; i < told_.size(); ++i) {
      if (tape.root(i) == 0) return;
    }
    refuted_.emplace();
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      refuted_->point.emplace_back(symbols_[i], values[i]);
    }
  }

  // A numeral of 64 bits, if it is one.
  static std::optional<std::int64_t> number(const z3::expr& value) {
    std::int64_t v = 0;
    std::uint64_t word = 0;
    if (value.is_bv())
      return value.is_numeral_u64(word) ? std::optional(std::int64_t(word)) : std::nullopt;
    return value.is_numeral_i64(v) ? std::optional(v) : std::nullopt;
  }

  std::vector<Expr> told_;  // the claim, then the assumptions
  std::vector<Expr> symbols_;
  Multiples multiples_;
  Expr claim_;
  std::vector<Expr> assumptions_;
  unsigned steps_;
  z3::context context_;
  std::optional<Refuted> refuted_;
};

// The number of tries with small numbers for the factors; refutations are found there if anywhere.
constexpr std::size_t kTries = 6;
std::vector<Expr> small_factors(const std::vector<Expr>& roots, std::size_t attempt) {
  static constexpr std::int64_t kSmall[kTries][4] = {{2, 3, 4, 5}, {3, 2, 5, 4}, {1, 2, 1, 2},
                                                     {4, 4, 8, 8}, {7, 5, 3, 2}, {-3, -2, 3, 2}};
  std::vector<Expr> conditions;
  for (Expr s : factors(roots)) {
    conditions.push_back(eq(s, kSmall[attempt][conditions.size() % 4]));
  }
  return conditions;
}

// Linear arithmetic over products, with all hints. Those on the claim alone often do, and are few.
bool is_proved_by_products(Question& question) {
  const std::vector<Expr> roots = question.roots();
  const std::vector<Expr> bits = xor_hints(roots), all = joined({roots, bits});
  for (const std::vector<Expr>& about : {std::vector<Expr>{question.claim()}, all}) {
    const std::vector<Expr> products = joined({quotient_hints(about), product_hints(about)});
    const std::vector<Expr> divisions = euclid_hints(joined({all, products}));
    if (question.ask(Number::Real, joined({defined(all), bits, divisions, products})) ==
        z3::unsat) {
      return true;
    }
  }
  return false;
}

Verdict answer(const std::vector<Expr>& assumptions, Expr claim, unsigned steps) {
  const Verdict proved = Proved{{"Z3"}};
  Question question(assumptions, claim, false, steps);
  const std::vector<Expr> roots = question.roots();
  if (is_bitwise(roots)) {
    return question.ask(Number::Word, {}) == z3::unsat ? proved : question.counterexample();
  }
  if (is_proved_by_products(question)) return proved;
  const std::vector<Expr> bits = xor_hints(roots), all = joined({roots, bits});
  const std::vector<Expr> exact = joined({defined(all), bits, euclid_hints(all)});
  if (factors(roots).empty()) {
    return question.ask(Number::Integer, exact) == z3::unsat ? proved : question.counterexample();
  }
  for (std::size_t i = 0; i < kTries; ++i) {
    question.ask(Number::Integer, joined({exact, small_factors(roots, i)}));
    if (question.is_refuted()) return question.counterexample();
  }
  Question replaced(assumptions, claim, true, steps);
  if (replaced.replaces() && is_proved_by_products(replaced)) return proved;
  return question.ask(Number::Integer, exact) == z3::unsat ? proved : question.counterexample();
}

}  // namespace

Verdict Solver::confirm(Expr claim) const {
  if (claim.is(Op::And)) {
    // One after the other, at points at which both are defined.
    const Solver both(joined({assumptions_, defined(std::span(&claim, 1))}), steps_);
    const Verdict first = both.confirm(claim[0]);
    return is_proved(first) ? both.confirm(claim[1]) : first;
  }
  try {
    return answer(assumptions_, claim, steps_);
  } catch (const z3::exception&) {
    return Unknown{claim};  // past a limit of Z3's
  }
}

#else

bool has_z3() { return false; }

Verdict Solver::confirm(Expr claim) const { return Unknown{claim}; }

#endif

}  // namespace selvage
