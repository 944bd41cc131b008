#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <cstdint>
#include <optional>
#include <span>

namespace selvage {

class Simplifier;

// How many points are looked at, one by one, where neither a proof nor a counterexample is at hand.
inline constexpr std::int64_t kMostPointsTried = 1 << 16;

// Are these expressions small enough to be evaluated at so many points, one by one?
bool is_quick(std::span<const Expr> roots, std::int64_t points);

// Does the claim hold wherever the facts do? The prover is asked first. Where it has no answer and
// every symbol in sight has few values, all points are tried: that decides it. With more or
// unbounded values a good many points are tried, small ones and ends of ranges above all: that can
// refute it only. Of a claim of many thousand nodes fewer points are tried.
//   Proved   with the rules used, or "exact enumeration"
//   Refuted  with a value for every symbol of the facts and the claim, as the facts allow them; the
//            first such point, outer symbols first, where all are tried
Verdict decide(const Facts& facts, Expr claim);
// The same under the facts of a simplifier, which knows what was asked before.
Verdict decide(Simplifier& under, Expr claim);

// The same where a counterexample is of no use: a few points are tried first, which is cheaper than
// a proof that fails. Nothing where the claim is refuted or it is not known.
std::optional<Proved> proof_of(const Facts& facts, Expr claim);
std::optional<Proved> proof_of(Simplifier& under, Expr claim);

}  // namespace selvage
