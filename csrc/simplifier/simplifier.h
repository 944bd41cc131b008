#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <memory>
#include <vector>

namespace selvage {

struct SimplifierParts;

// Simplifies and proves under one scope of facts. What it remembers belongs to that scope.
// Everything it does is equal for all integers that the facts allow; undefined operands (a divisor
// that may be 0) are left as they are, and so is what is nested more than kDeepest levels deep: the
// stack would not hold it.
class Simplifier {
 public:
  static constexpr std::uint32_t kDeepest = 10'000;

  explicit Simplifier(Facts facts);
  ~Simplifier();
  Simplifier(Simplifier&&) noexcept;
  Simplifier& operator=(Simplifier&&) noexcept;

  const Facts& facts() const;
  ExprPool& pool() const;

  // The cheapest text of an equal expression that is found: never dearer than e (csrc/expr/cost.h),
  // with no intermediate that needs a wider integer, and simplified again it stays as it is. What
  // cannot be written so stays as it is for its own part of e alone.
  Expr simplify(Expr e);
  // Whether the last question had more to try than its budget allowed.
  bool ran_out() const;
  // An equal expression in the form in which proofs are made: products multiplied out, terms in
  // canonical order, each number apart or in digits. Equal sums have one normal form.
  Expr normal_form(Expr e);
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

  // What prove() could neither prove nor refute: each wants a rule.
  const std::vector<Expr>& rules_wanted() const;
  // How often each rule of all_rules() was applied.
  const std::vector<std::uint64_t>& hits() const;

 private:
  std::unique_ptr<SimplifierParts> parts_;  // parts.h
};

}  // namespace selvage
