#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace selvage {

struct SimplifierParts;

// Simplifies and proves under one scope of facts, to which all that it remembers belongs. Results
// are equal to the input for all integers that the facts allow. Operands that may be undefined (a
// divisor that may be 0) stay as they are, and so do expressions deeper than kDeepest, for which
// the stack would not suffice.
class Simplifier {
 public:
  static constexpr std::uint32_t kDeepest = 10'000;

  explicit Simplifier(Facts facts);
  ~Simplifier();
  Simplifier(Simplifier&&) noexcept;
  Simplifier& operator=(Simplifier&&) noexcept;

  const Facts& facts() const;
  ExprPool& pool() const;

  // The cheapest equal expression that is found: never more expensive than e (csrc/expr/cost.h),
  // with no intermediate that needs a wider integer. Simplifying it again changes nothing. A part
  // of e that cannot be written so stays as it is; the other parts are still simplified.
  Expr simplify(Expr e);
  // Whether the last simplify() had more to try than its budget allowed.
  bool ran_out() const;
  // An equal expression in the form in which proofs are made: products multiplied out, terms in
  // canonical order, each number apart or in digits. Equal sums have one normal form.
  Expr normal_form(Expr e);
  // An interval and a congruence that hold every value of e.
  Interval interval(Expr e);
  Congruence congruence(Expr e);

  // True only where the condition is proved for every value that the facts allow.
  bool proves(Expr condition);
  // True only where 0 <= e is proved for every value that the facts allow.
  bool proves_nonnegative(Expr e);
  // Proved with the rules used, Refuted with a point found by probing, Unknown with what is left.
  Verdict prove(Expr condition);

  // What was left of conditions that prove() could neither prove nor refute: each wants a rule.
  const std::vector<Expr>& rules_wanted() const;
  // How often each rule of all_rules() was applied.
  const std::vector<std::uint64_t>& hits() const;

 private:
  friend class SimplifiersByFacts;
  explicit Simplifier(std::unique_ptr<SimplifierParts> parts);

  std::unique_ptr<SimplifierParts> parts_;  // parts.h
};

// Simplifiers for many scopes, such as those of one kernel: one for all that know the same. What a
// simplifier first learns of an assumption follows from the facts about symbols alone, without the
// other assumptions; it is made once for all scopes that know the same of symbols, but for further
// ones that none mentions.
class SimplifiersByFacts {
 public:
  SimplifiersByFacts();
  ~SimplifiersByFacts();
  // Lives as long as this.
  Simplifier& of(Facts facts);
  // One that is asked once, and not kept.
  Simplifier made(Facts facts);

 private:
  std::unordered_multimap<std::size_t, Simplifier> by_facts_;  // by a hash of the assumptions
  std::vector<std::unique_ptr<SimplifierParts>> of_symbols_;   // without assumptions
};

}  // namespace selvage
