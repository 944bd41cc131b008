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

// What each part of a simplifier may ask: none of these asks back. The others that a part asks are
// its own members; they may ask it in turn.
class SimplifierPart {
 protected:
  explicit SimplifierPart(SimplifierParts& parts);

  // What is asked all the time.
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
