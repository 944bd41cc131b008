#pragma once

#include <selvage/confirm/solver.h>
#include <selvage/simplifier/rules.h>

namespace selvage {

// before = after wherever `when` holds, for all integers: x, y, z any, a, b, c at least 1, p, q
// true or false. Nothing else is told, but the hints of every question.
Verdict prove_rule(const Rule& rule);

// The same with every way to give a, b and c values from 1 to 8: for a rule that resists.
Verdict prove_rule_to_8(const Rule& rule);

}  // namespace selvage
