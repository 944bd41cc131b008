#pragma once

// The inside of a simplifier; for csrc/simplifier alone.

#include <selvage/simplifier/normal_forms.h>
#include <selvage/simplifier/proofs.h>
#include <selvage/simplifier/rule_application.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/simplifier/texts.h>

namespace selvage {

// All that one simplifier is made of. A rule asks for a proof, a proof for normal forms, and these
// for rules: the parts refer to each other, each to those that it names as its members, and stay
// where they are made.
struct SimplifierParts {
  // `level`: 1 where one conjunct is simplified under the others, with work for it until
  // `last_work`. The assumptions among the facts are learned here.
  SimplifierParts(Facts facts, int level, std::uint64_t last_work);
  SimplifierParts(const SimplifierParts&) = delete;
  SimplifierParts& operator=(const SimplifierParts&) = delete;

  // Answers a question from outside, with a budget for an expression like e.
  template <class Answer>
  auto answer(Expr e, Answer answer) {
    budget.grant(e);
    auto result = answer();
    // What was remembered when something ran out is not all that can be said.
    if (budget.has_run_out()) forget_answers();
    return result;
  }
  Expr normal_form(Expr e);
  void forget_answers();

  // State, and what is said of expressions without rewriting them.
  Facts facts;
  Budget budget;
  Structure structure{facts};
  ValueBounds bounds{facts, structure};
  // Normal forms.
  Normalizer normalizer{*this};
  Recomposition recomposition{*this};
  Digits digits{*this};
  Comparisons comparisons{*this};
  Conjunctions conjunctions;
  RuleApplication rules{*this};
  Proposer proposer{*this};
  // Proofs.
  Premises premises{facts, structure};
  Prover prover{*this};
  Elimination elimination{*this};
  Verdicts verdicts{*this};
  // Texts.
  TextWriter writer{*this};
  TextChoice texts{*this};
};

}  // namespace selvage
