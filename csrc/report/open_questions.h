#pragma once

#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// A condition that the analysis of a tensor, or the lowering of its definition, neither proved nor
// refuted by a point.
struct OpenQuestion {
  std::string what;  // "the check of n of y, given the others"
  Facts facts;       // the assumptions
  Expr claim;
};

//   checks    each half of a check that stays, under all other halves that stay
//   coverage  if unknown: each bound of an iterdomain between the items and the loops
//   reads     if there is no kernel: subscripts within the extents of the tensor read
std::vector<OpenQuestion> open_questions(const TensorReport& tensor, const FusionReport& fusion);

// Asks the prover each open question once more, by itself. Returns the residues of those that it
// neither proves nor refutes.
std::vector<RuleWanted> rules_wanted(const TensorReport& tensor, const FusionReport& fusion);

}  // namespace selvage
