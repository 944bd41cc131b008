#pragma once

#include <selvage/report/lines.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// A condition that the prover neither proves nor, at random points, refutes. A rule that decides
// its residue would drop a check, or make a refusal unnecessary.
struct RuleWanted {
  std::string what;  // its subject: "the check of n of y, given the others"
  Facts facts;       // the assumptions
  Expr residue;
  std::optional<Verdict> answer = {};  // Z3's; absent: it was not asked
};

// Prints their number, and each with its subject and Z3's answer; nothing if there are none. Of
// those with the same text only the first is printed.
void print_rules_wanted(std::span<const RuleWanted> wanted, Lines& out);

}  // namespace selvage
