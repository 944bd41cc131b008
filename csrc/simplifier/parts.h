#pragma once

// The inside of a simplifier; for csrc/simplifier alone.

#include <selvage/simplifier/normal_forms.h>
#include <selvage/simplifier/proofs.h>
#include <selvage/simplifier/rule_application.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/simplifier/texts.h>

#include <unordered_map>
#include <vector>

namespace selvage {

// An assumption as it is learned: its normal form, and the sums that are at least 0 if it holds;
// both under what is known of symbols alone.
struct LearnedAssumption {
  Expr truth;
  std::vector<LinearSum> sums;
};

// All parts of one simplifier. A rule asks for a proof, a proof for normal forms, and these for
// rules: so parts refer to each other, as members, and this struct is neither copied nor moved.
struct SimplifierParts {
  // `level` as in Conjunctions, `last_work` as in Budget. Learns the assumptions of the facts.
  // `with_symbols`: a simplifier of of_symbols() of these facts; null: there is none.
  SimplifierParts(Facts facts, int level, std::uint64_t last_work,
                  SimplifierParts* with_symbols = nullptr);
  SimplifierParts(const SimplifierParts&) = delete;
  SimplifierParts& operator=(const SimplifierParts&) = delete;

  // Answers a question from outside, with a budget for an expression like e.
  template <class Answer>
  auto answer(Expr e, Answer answer) {
    budget.grant(e);
    auto result = answer();
    // After the budget ran out, answers may be incomplete.
    if (budget.has_run_out()) forget_answers();
    return result;
  }
  Expr normal_form(Expr e);
  // Of a simplifier without assumptions.
  const LearnedAssumption& learned(Expr assumption);
  void forget_answers();

  // State, and questions that rewrite nothing.
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

 private:
  std::unordered_map<std::uint32_t, LearnedAssumption> learned_;  // by id of the assumption
};

}  // namespace selvage
