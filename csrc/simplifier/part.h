#pragma once

#include <selvage/simplifier/bounds.h>
#include <selvage/simplifier/budget.h>

namespace selvage {

class Comparisons;
class Conjunctions;
class Digits;
class Elimination;
class Normalizer;
class Premises;
class Proposer;
class Prover;
class Recomposition;
class RuleApplication;
class TextWriter;
class Verdicts;
struct SimplifierParts;

// What each part of a simplifier may use; none of these calls a part. The other parts that a part
// calls are its own members, and they may call it in turn.
class SimplifierPart {
 protected:
  explicit SimplifierPart(SimplifierParts& parts);

  // Short forms of frequent questions.
  const LinearSum& sum_of(Expr e) { return structure_.sum_of(e); }
  int cost(Expr e) { return structure_.cost(e); }
  std::int64_t cost(const LinearSum& sum) { return structure_.cost(sum); }
  Interval interval(Expr e) { return bounds_.interval(e); }
  Interval interval(const LinearSum& sum) { return bounds_.interval(sum); }

  const Facts& facts_;
  ExprPool& pool_;
  Budget& budget_;
  Structure& structure_;
  ValueBounds& bounds_;
};

}  // namespace selvage
