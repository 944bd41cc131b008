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

// Brings expressions into normal form, operands first; rules for each kind of operator do the rest.
// Remembers normal forms and sums, the conditions assumed, and which questions are open. A rule
// asks for proofs and a proof for normal forms, so a question may meet itself while it is open. It
// then gets the expression unchanged, which is right; answers found on the way are not remembered.
class Normalizer : SimplifierPart {
 public:
  explicit Normalizer(SimplifierParts& parts);

  // normalize_parts(), then normalize().
  Expr normal_form(Expr e);
  // Normalizes parts of a deep e bottom-up, so that no question about e recurses deeply.
  void normalize_parts(Expr e);
  Expr normalize(Expr e);
  // The canonical sum of any expression. The reference is valid until the next call.
  const LinearSum& linear(Expr e);
  std::optional<LinearSum> difference(Expr greater, Expr lesser);
  // Whether some sum so far stays one atom, since it would overflow when multiplied out.
  bool has_kept() const { return has_kept_; }

  // Takes these conditions, which are in normal form, as true.
  void assume(std::vector<Expr> truths) { known_true_ = std::move(truths); }
  void forget();

  // Answers lean on the outermost open question that was met again, if any was. To see whether one
  // computation leans, call stop_leaning() before it and is_leaning() after it; then pass the
  // result of stop_leaning() to lean_on().
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
  LinearSum not_asked_;  // result of linear() past the budget
  bool has_kept_ = false;
  int open_ = 0;               // the number of open questions
  int lean_on_ = kNone;        // the outermost open question that was met again
  std::vector<Expr> leaning_;  // expressions answered since then
};

// Replaces a number x in a sum by its digits, x = a*(x / a) + x % a for a >= 1, or digits by x. The
// sums are equal; callers decide which is better. Asks for sums of digits, and keeps nothing.
class Digits : SimplifierPart {
 public:
  explicit Digits(SimplifierParts& parts);

  // The sum with k*a*(x / a) + k*(x % a) in place of its k*x, for a digit x / a or x % a; nothing
  // where it has no k*x.
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr digit);
  // The sum with a number in digits, of which it has a digit already; the smallest a that works.
  std::optional<LinearSum> with_a_number_in_digits(const LinearSum& sum);
  // The sum with k*x - k*a*(x / a) in place of its k*(x % a); a is a constant.
  std::optional<LinearSum> join(const LinearSum& sum, Expr remainder, std::int64_t k);

 private:
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr number, std::int64_t a);

  Normalizer& normalizer_;
};

// Joins terms of a sum that belong together, as x/4*4 + x%4, by the rules of the table for whole
// sums (Propose::Sum). Finds where each rule may apply and keeps nothing; asks for the sums of the
// quotients and remainders that it makes. Right because each step is an equation between sums, true
// for divisors of at least 1. In the end no sum holds x beside a digit of x with the opposite sign:
// bounds are taken term by term, as if x and its digit were independent.
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
  // Each replaces the sum, counts the rule of this name and returns true, or returns false:
  // replace_terms() by sum - out + in if cheaper, take_cheaper() by a cheaper sum, take() by any.
  bool replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                     std::string_view name);
  bool take_cheaper(LinearSum& sum, std::optional<LinearSum> result, std::string_view name);
  bool take(LinearSum& sum, std::optional<LinearSum> result, std::string_view name);

  Normalizer& normalizer_;
  RuleApplication& rules_;
  Digits& digits_;
};

// Rewrites a comparison as 0 <= difference, and makes the difference small by the rules of the
// table for whole comparisons (Propose::Order). Asks for the sums of both sides, and for proofs
// that the difference is always, or never, at least 0; keeps nothing. Right because each step
// leaves a difference that is at least 0 exactly where the one before is.
class Comparisons : SimplifierPart {
 public:
  explicit Comparisons(SimplifierParts& parts);

  // Rewrite lesser < greater if strict, else lesser <= greater; and a == b.
  Expr rewrite_order(Expr lesser, Expr greater, bool strict);
  Expr rewrite_equal(Expr a, Expr b);
  // The sum that is at least 0 exactly where a simplified comparison holds, nothing for other
  // conditions; and the comparison for such a sum.
  std::optional<LinearSum> difference_of(Expr comparison);
  Expr write_order(const LinearSum& difference);
  // Replaces a*x + y by x if 0 <= y < a: 0 <= a*x + y holds exactly where 0 <= x does.
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

// Simplifies a conjunction by the rules of the table for whole conjunctions (Propose::Conjunction):
// conjuncts that follow from the others are dropped. The prover is asked first, supposing the
// others. A conjunct that keeps divisions is then simplified by a simplifier of its own, which has
// the others as facts and starts no further ones. Right because what is dropped follows from what
// stays; of two conjuncts that follow from each other one stays.
class Conjunctions : SimplifierPart {
 public:
  // `level`: 1 in the simplifier of one conjunct under the others, else 0.
  Conjunctions(SimplifierParts& parts, int level);

  Expr rewrite(Expr e);

 private:
  struct Conjunct {
    Expr condition;
    std::optional<LinearSum> difference;  // at least 0 exactly where it holds
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
