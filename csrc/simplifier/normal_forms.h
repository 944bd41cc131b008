#pragma once

#include <selvage/simplifier/part.h>
#include <selvage/simplifier/wide_sum.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// Brings expressions into normal form, operands first. Knows the normal form and the sum of what
// was asked before, which conditions are assumed, and which questions are still open: a rule asks
// for proofs, a proof for normal forms, so a question may come back to itself. It then finds the
// expression as it is, which is right, but what was answered on the way is not remembered. Asks the
// rules for each kind of operator to do the rest.
class Normalizer : SimplifierPart {
 public:
  explicit Normalizer(SimplifierParts& parts);

  // normalize_parts(), then normalize().
  Expr normal_form(Expr e);
  // Of a deep expression the parts first, so that no question about the whole goes down the stack.
  void normalize_parts(Expr e);
  Expr normalize(Expr e);
  // The canonical sum of any expression; good until another is asked for.
  const LinearSum& linear(Expr e);
  std::optional<LinearSum> difference(Expr greater, Expr lesser);
  // Is there a sum that stays one atom, for it would overflow, multiplied out?
  bool has_kept() const { return has_kept_; }

  // Conditions in normal form that are true.
  void assume(std::vector<Expr> truths) { known_true_ = std::move(truths); }
  void forget();

  // The outermost open question that was met again, if any was, is what answers lean on. What
  // stop_leaning() gives is for lean_on() after what is looked at by itself.
  int stop_leaning() { return std::exchange(lean_on_, kNone); }
  bool is_leaning() const { return lean_on_ != kNone; }
  void lean_on(int question) { lean_on_ = std::min(lean_on_, question); }

 private:
  struct Known {
    Expr normal;   // the expression itself while the question is open
    int open = 0;  // depth of an open question; 0: answered, or not asked
    std::optional<LinearSum> linear;
  };
  static constexpr int kNone = std::numeric_limits<int>::max();

  Expr rewrite(Expr e);
  void forget_leaning();
  LinearSum compute_linear(Expr e);
  Expr finish(const LinearSum& sum);
  std::optional<WideSum> wide_sum(Expr e);
  std::optional<Expr> divide_wide(Expr e, Expr divisor);

  RuleApplication& rules_;
  Recomposition& recomposition_;
  Comparisons& comparisons_;
  Conjunctions& conjunctions_;

  Memo<Known> known_;
  std::vector<Expr> known_true_;
  LinearSum not_asked_;  // what linear() says past the budget
  bool has_kept_ = false;
  int open_ = 0;               // questions open
  int lean_on_ = kNone;        // the outermost open question that was met again
  std::vector<Expr> leaning_;  // answered since
};

// Takes numbers in a sum apart into their digits, x = a*(x / a) + x % a for a >= 1, and puts them
// together again. Asks for the sums that the digits are, and keeps nothing. Which of the two is
// better is for others to say; the sums are equal.
class Digits : SimplifierPart {
 public:
  explicit Digits(SimplifierParts& parts);

  // The sum with k*a*(x / a) + k*(x % a) in place of its k*x, for a digit x / a or x % a; nothing
  // where it has no k*x.
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr digit);
  // The sum with one number in digits of which it has a digit already: the smallest digit first.
  std::optional<LinearSum> with_a_number_in_digits(const LinearSum& sum);
  // The sum with k*x - k*a*(x / a) in place of its k*(x % a); a is a constant.
  std::optional<LinearSum> join(const LinearSum& sum, Expr remainder, std::int64_t k);

 private:
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr number, std::int64_t a);

  Normalizer& normalizer_;
};

// Puts terms of a sum together that belong together, as x/4*4 + x%4, by the rules of the table
// that see a whole sum (Propose::Sum). Knows where in a sum each of them may apply, and keeps
// nothing. Asks for the sums of the quotients and remainders that it makes. In the end no sum holds
// x beside a digit of x of the other sign: digits vary freely and x with them does not, and bounds
// are taken term by term. Each step is an equation between sums, true for divisors of at least 1.
class Recomposition : SimplifierPart {
 public:
  explicit Recomposition(SimplifierParts& parts);

  void recompose_all(LinearSum& sum);

 private:
  struct Quotient {
    Expr x, a;
  };

  bool recompose(LinearSum& sum);
  bool recompose_remainder(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_digits(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_quotient(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient);
  bool recompose_outer(LinearSum& sum, std::size_t i, Expr quotient, std::int64_t b);
  bool recompose_pair(LinearSum& sum, std::size_t low, std::size_t high);
  bool split_digits(LinearSum& sum, std::size_t i);
  bool move_in(LinearSum& sum, std::size_t i, Expr atom);
  std::vector<Quotient> as_quotients(Expr y, std::int64_t factor);
  // Each says whether it took the result for the sum, by the rule of this name.
  bool replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                     std::string_view name);
  bool take_cheaper(LinearSum& sum, std::optional<LinearSum> result, std::string_view name);
  bool take(LinearSum& sum, std::optional<LinearSum> result, std::string_view name);

  Normalizer& normalizer_;
  RuleApplication& rules_;
  Digits& digits_;
};

// Brings comparisons to a difference that is compared with 0, and makes that small by the rules of
// the table that see it whole (Propose::Order). Keeps nothing. Asks for the sums of both sides, and
// for proofs that the difference is always, or never, at least 0. Each step leaves a difference
// that is at least 0 just where the one before is.
class Comparisons : SimplifierPart {
 public:
  explicit Comparisons(SimplifierParts& parts);

  // lesser < greater where strict, else lesser <= greater; a == b.
  Expr rewrite_order(Expr lesser, Expr greater, bool strict);
  Expr rewrite_equal(Expr a, Expr b);
  // What is at least 0 just where a simplified comparison holds, and back.
  std::optional<LinearSum> difference_of(Expr comparison);
  Expr write_order(const LinearSum& difference);
  // 0 <= a*x + y is 0 <= x, where 0 <= y < a.
  bool drop_common_factor(LinearSum& difference);

 private:
  std::optional<LinearSum> order_difference(Expr lesser, Expr greater, bool strict);
  bool drop_common_symbol(LinearSum& difference);
  bool drop_division(LinearSum& difference);

  Prover& prover_;
  Normalizer& normalizer_;
  RuleApplication& rules_;
  Recomposition& recomposition_;
};

// Keeps of conditions that hold together what does not follow from the rest, by the rules of the
// table that see all of them (Propose::Conjunction). Knows whether it stands under the conjuncts of
// another already, and then goes no deeper. Asks the prover with the others supposed, and for what
// resists has each conjunct simplified by a simplifier of its own whose facts the others are. What
// is dropped follows from what stays; of two that would follow from each other one goes.
class Conjunctions : SimplifierPart {
 public:
  // `level`: 1 where one conjunct is simplified under the others.
  Conjunctions(SimplifierParts& parts, int level);

  Expr rewrite(Expr e);

 private:
  struct Conjunct {
    Expr condition;
    std::optional<LinearSum> difference;  // at least 0 just where it holds
  };

  bool collect(Expr e, std::vector<Conjunct>& conjuncts);
  void drop_implied(std::vector<Conjunct>& conjuncts);
  bool follows(const LinearSum& goal, const std::vector<const LinearSum*>& from);
  void bound_quotients(const LinearSum& sum, std::vector<LinearSum>& out);
  bool simplify_under_others(const std::vector<Conjunct>& conjuncts, Conjunct& c);
  bool divisors_are_positive(Expr e);
  bool merge_steps(std::vector<Conjunct>& conjuncts);

  Prover& prover_;
  Normalizer& normalizer_;
  RuleApplication& rules_;
  Digits& digits_;
  Comparisons& comparisons_;

  int level_;
};

}  // namespace selvage
