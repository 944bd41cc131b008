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
class Part {
 protected:
  explicit Part(SimplifierParts& parts);

  const Facts& facts_;
  ExprPool& pool_;
  Budget& budget_;
  Structure& structure_;
  ValueBounds& bounds_;
};

}  // namespace selvage
