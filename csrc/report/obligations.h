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

// What one statement of a report rests on: confirmed where the answers to all questions are; with
// no question there is no way to ask, and it is unknown.
struct Obligation {
  Confirmation::Of of;
  std::string what;
  const Facts* facts;  // of the report
  std::vector<Question> questions;
  std::vector<Question> simplified = {};  // what the simplifier was given, as claims or as numbers
};

// Everything that was simplified or left out for one tensor, against what its transforms and its
// definition say, nothing simplified.
//   the tensor  extents and indices step by step, each from those before it; checks from those that
//               they are said to follow from; the address. Facts: of sizes, and ranges of the loops
//   the kernel  loops, addresses and indices under what holds around the store. Facts: of sizes
std::vector<Obligation> obligations_of(const TensorReport& tensor, const FusionReport& fusion);
std::vector<Obligation> tensor_obligations(const TensorReport& tensor);
std::vector<Obligation> kernel_obligations(const TensorReport& tensor, const Program& program,
                                           const Kernel& kernel);

// The rules by which the simplifier gets from what transforms and definitions say to what is
// printed, in the order of the table: found by simplifying again. None where terms were only put in
// order, or where laws alone decide.
std::vector<std::string> rules_behind(const Obligation& obligation);
// A line for each extent, index, check and access of a tensor that rules are behind.
void print_rules(const TensorReport& tensor, const FusionReport& fusion, Lines& out);

// What the facts say of the symbols in some expressions, and of the symbols in what they say, as
// conditions: ranges, multiples and relations.
std::vector<Expr> conditions(const Facts& facts, std::span<const Expr> expressions);

}  // namespace selvage
