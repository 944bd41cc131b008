#pragma once

#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// A claim that must hold wherever the facts and `under` do.
struct Question {
  std::vector<Expr> under;
  Expr claim;
};

// One statement of a report as questions. It is confirmed if all of them are; without a question
// there is no way to ask, and it is unknown.
struct Obligation {
  Confirmation::Of of;
  std::string what;
  const Facts* facts;  // owned by the report
  std::vector<Question> questions;
  std::vector<Question> simplified = {};  // the simplifier's inputs, as claims or as numbers
};

// The obligations of one tensor. They compare everything that was simplified or left out with the
// unsimplified meaning of the transforms and the definition:
//   the tensor  extents and indices step by step, each from those before it; checks from those that
//               imply them; the address. Facts: of sizes, and ranges of the loops
//   the kernel  loops, addresses and indices under the conditions around the store. Facts: of sizes
std::vector<Obligation> obligations_of(const TensorReport& tensor, const FusionReport& fusion);
std::vector<Obligation> tensor_obligations(const TensorReport& tensor);
std::vector<Obligation> kernel_obligations(const TensorReport& tensor, const Program& program,
                                           const Kernel& kernel);

// What offsets promise of the rows that a tensor's loops search: a row begins at its position or
// before it, if that is no less than 0, and goes on past it, if there is such a position.
std::vector<Expr> contracts_of_rows(const TensorReport& tensor);

// The rules by which the simplifier gets from the meaning of transforms and definitions to the
// printed result, in the order of the table; found by simplifying again. Empty if terms were only
// put in order, or if only laws were used.
std::vector<std::string> rules_behind(const Obligation& obligation);
// Prints a line for each extent, index, check and access of a tensor that used rules.
void print_rules(const TensorReport& tensor, const FusionReport& fusion, Lines& out);

// The facts about the symbols in some expressions, and about the symbols in these facts, as
// conditions: ranges, multiples and relations.
std::vector<Expr> conditions(const Facts& facts, std::span<const Expr> expressions);

}  // namespace selvage
