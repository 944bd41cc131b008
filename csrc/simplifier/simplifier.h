#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/memo.h>
#include <selvage/simplifier/rules.h>
#include <selvage/simplifier/samples.h>
#include <selvage/simplifier/verdict.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// Simplifies and proves under one scope of facts. What it remembers belongs to that scope.
// Everything it does is equal for all integers that the facts allow; undefined operands (a divisor
// that may be 0) are left as they are.
class Simplifier {
 public:
  explicit Simplifier(Facts facts);

  const Facts& facts() const { return facts_; }
  ExprPool& pool() const { return facts_.pool(); }

  // An equal expression in canonical form, never dearer.
  Expr simplify(Expr e);
  // Values that e can take, from above.
  Interval interval(Expr e);
  Congruence congruence(Expr e);

  // True only where the condition is proved for every value that the facts allow.
  bool proves(Expr condition);
  // 0 <= e, always?
  bool proves_nonnegative(Expr e);
  // Proved with the rules used, Refuted with a point found by probing, or Unknown with what is
  // left.
  Verdict prove(Expr condition);

  // How often each rule of all_rules() was applied.
  const std::vector<std::uint64_t>& hits() const { return hits_; }

 private:
  using Bindings = std::array<Expr, kPatternSymbols>;

  // simplifier.cpp: sums and the walk over the tree
  // The canonical sum of any expression, and of one that is simple already.
  const LinearSum& linear(Expr e);
  const LinearSum& sum_of(Expr e);
  LinearSum compute_linear(Expr e);
  Expr rewrite(Expr e);
  Expr finish(const LinearSum& sum);

  // rewrite.cpp: applying a rule
  Expr apply_rules(Expr e);
  Expr apply_first(Expr e);
  std::optional<Expr> apply(const Rule& rule, const Bindings& bindings);
  Interval interval(Expr pattern, const Bindings& bindings);
  std::optional<bool> decide(Expr pattern, const Bindings& bindings);
  std::vector<Bindings> propose(const Rule& rule, Expr e);
  bool match(Expr pattern, Expr e, Bindings& bindings) const;
  Expr substitute(Expr pattern, const Bindings& bindings);
  void propose_division(const Rule& rule, Expr e, std::vector<Bindings>& out);
  void propose_common_factor(Expr e, std::vector<Bindings>& out);
  void propose_congruent(Expr e, std::vector<Bindings>& out);
  void propose_inner(const Rule& rule, Expr e, std::vector<Bindings>& out);

  // sums.cpp: rules on terms that belong together
  int cost(Expr e);
  std::int64_t cost(const LinearSum& sum);
  bool recompose(LinearSum& sum);
  bool recompose_remainder(LinearSum& sum, std::size_t i);
  bool recompose_digits(LinearSum& sum, std::size_t i);
  bool recompose_quotient(LinearSum& sum, std::size_t i);
  bool recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient);
  bool replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                     std::string_view name);

  // order.cpp
  Expr rewrite_order(Expr lesser, Expr greater, bool strict);
  Expr rewrite_equal(Expr a, Expr b);
  Expr write_order(const LinearSum& difference);
  bool drop_common_factor(LinearSum& difference);
  bool drop_division(LinearSum& difference);

  // bounds.cpp
  Interval compute_interval(Expr e);
  Congruence compute_congruence(Expr e);
  Interval interval(const LinearSum& sum);
  Congruence congruence(const LinearSum& sum);
  bool nonnegative(const LinearSum& sum, int depth);
  bool eliminate(const LinearSum& sum, Expr atom, int depth);
  void atom_bounds(Expr atom, std::vector<LinearSum>& lower, std::vector<LinearSum>& upper);
  std::size_t elimination_rank(Expr atom);
  std::size_t scope_depth(Expr e);
  bool is_refuted(const LinearSum& sum);

  void count(const Rule& rule) { ++hits_[std::size_t(&rule - all_rules().data())]; }

  Facts facts_;
  std::vector<LinearSum> known_nonnegative_;  // from the assumptions
  std::vector<Expr> known_true_;              // the rest of them, simplified
  std::unique_ptr<Samples> samples_;
  Memo<Expr> simplified_;  // invalid: not yet; the expression itself while it is being simplified
  Memo<std::optional<Interval>> intervals_;
  Memo<std::optional<Congruence>> congruences_;
  Memo<std::unique_ptr<LinearSum>> linear_, sums_;
  Memo<std::size_t> depths_;
  Memo<int> costs_;
  std::vector<std::uint64_t> hits_;
  int rewriting_depth_ = 0;
  int depth_ = 0;   // of proofs within simplifications within proofs
  int budget_ = 0;  // steps left in the current proof
};

}  // namespace selvage
