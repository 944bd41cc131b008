#pragma once

#include <selvage/simplifier/rules.h>

#include <string>

namespace selvage {

// The whole table of rewrite rules for a person, in Markdown: the output of `--rules`, and the text
// of doc/rules.md.
std::string rules_page();

// The values for which Z3 proves a rule.
enum class RuleProof : std::uint8_t {
  AllIntegers,
  DivisorsTo8,  // a, b and c from 1 to 8, everything else any integer
};
RuleProof proof_of(const Rule& rule);

}  // namespace selvage
