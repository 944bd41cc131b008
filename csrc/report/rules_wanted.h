#pragma once

#include <selvage/report/lines.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// What the prover has left of a condition that it neither proves nor, at random points, refutes. A
// rule that settled it would drop a check, or take back a refusal.
struct RuleWanted {
  std::string what;  // that it is about: "the check of n of y, given the others"
  Facts facts;       // what may be taken for true
  Expr residue;
  std::optional<Verdict> answer = {};  // of Z3; none: it was not asked
};

// How many there are, and each with what it is about and what Z3 says; nothing where there is none.
// Those that read alike are one, the first.
void print_rules_wanted(std::span<const RuleWanted> wanted, Lines& out);

}  // namespace selvage
