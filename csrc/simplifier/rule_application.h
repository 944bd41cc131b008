#pragma once

#include <selvage/base/recycling.h>
#include <selvage/simplifier/part.h>
#include <selvage/simplifier/rules.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace selvage {

// What a rule's pattern symbols stand for; an invalid Expr: nothing yet.
struct Bindings {
  std::array<Expr, kPatternSymbols> values;

  Expr& operator[](PatternSymbol s) { return values[std::size_t(s)]; }
  Expr operator[](PatternSymbol s) const { return values[std::size_t(s)]; }
};
using Proposals = std::vector<Bindings, Recycling<Bindings>>;

// Proposes values for the pattern symbols of a rule where matching the pattern as it stands would
// miss most: the multiples of a divisor are spread over the terms of a sum. Has one way for each
// kind of Propose and keeps nothing; asks for bounds and digits of sums. With the proposed values
// `before` equals the expression; RuleApplication still has to prove `when`.
class Proposer : SimplifierPart {
 public:
  explicit Proposer(SimplifierParts& parts);

  Proposals propose(const Rule& rule, Expr e);

 private:
  void propose_multiple(Expr e, Proposals& out);
  void propose_multiple(const LinearSum& dividend, Expr divisor, Proposals& out);
  void propose_multiple_of_digits(Expr e, Proposals& out);
  void propose_negative(Expr e, Proposals& out);
  void propose_common_factor(Expr e, Proposals& out);
  void propose_congruent(Expr e, Proposals& out);
  void propose_inner_quotient(Expr e, Proposals& out);
  void propose_inner(const Rule& rule, Expr e, Proposals& out);
  bool bind_multiple(std::int64_t coefficient, Expr others, Expr period, Expr divisor,
                     Bindings& bindings);
  Bindings bind(const Division& division, Expr divisor);
  std::optional<LinearSum> exact_quotient(const LinearSum& a, const LinearSum& b);

  Prover& prover_;
  Digits& digits_;
};

// Applies the rules of the table (rules.h): matches `before`, or asks the proposer for values of
// the pattern symbols; has `when` proved, by intervals if they decide; returns the normal form of
// `after`. Right because the rules are. Counts how often each rule was applied, and how deep it is
// in results of rules.
class RuleApplication : SimplifierPart {
 public:
  explicit RuleApplication(SimplifierParts& parts);

  // Tries the rules for e's operator in the table's order; e's operands are simplified already.
  Expr apply_to(Expr e);

  // Counts a rule that another part applied, to a whole sum, order or conjunction for instance.
  void count(std::string_view name) { count(rule(name)); }
  // How often each rule was applied, in the order of all_rules().
  const std::vector<std::uint64_t>& hits() const { return hits_; }
  void add_hits(const RuleApplication& other);

 private:
  Expr apply_first(Expr e);
  std::optional<Expr> apply(const Rule& rule, const Bindings& bindings);
  bool match(Expr pattern, Expr e, Bindings& bindings) const;
  Expr substitute(Expr pattern, const Bindings& bindings);
  std::optional<bool> decide(Expr pattern, const Bindings& bindings);
  Interval interval_of(Expr pattern, const Bindings& bindings);
  void count(const Rule& rule) { ++hits_[std::size_t(&rule - all_rules().data())]; }

  Premises& premises_;
  Prover& prover_;
  Normalizer& normalizer_;
  Proposer& proposer_;
  Verdicts& verdicts_;

  std::vector<std::uint64_t> hits_ = std::vector<std::uint64_t>(all_rules().size());
  int depth_ = 0;  // of rules within the results of rules
};

}  // namespace selvage
