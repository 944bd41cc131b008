#pragma once

#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// A condition that the analysis of a tensor, or the lowering of its definition, asked about and got
// no answer to: it is not proved, and no point that was found speaks against it.
struct OpenQuestion {
  std::string what;  // "the check of n of y, given the others"
  Facts facts;       // what may be taken for true
  Expr claim;
};

//   checks    each half of a check that stays, under all other halves that stay
//   coverage  where it is unknown: each bound of an iterdomain between the items and the loops
//   reads     where there is no kernel: subscripts within the extents of what is read
std::vector<OpenQuestion> open_questions(const TensorReport& tensor, const FusionReport& fusion);

// The open questions put to the prover once more, each by itself: what it has left of those that it
// neither proves nor refutes.
std::vector<RuleWanted> rules_wanted(const TensorReport& tensor, const FusionReport& fusion);

}  // namespace selvage
