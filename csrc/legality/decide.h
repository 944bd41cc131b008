#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <cstdint>
#include <optional>
#include <span>

namespace selvage {

class Simplifier;

// The most points that are tried one by one if there is neither a proof nor a counterexample.
inline constexpr std::int64_t kMostPointsTried = 1 << 16;

// Whether these expressions are small enough to be evaluated at `points` points, one by one.
bool is_quick(std::span<const Expr> roots, std::int64_t points);

// Decides whether the claim holds wherever the facts do. Asks the prover first. If there is no
// proof and every symbol in sight has few values, all points are tried, which decides the claim.
// With more or unbounded values many points are tried, small ones and ends of ranges above all,
// which can only refute it; fewer points if the claim has many thousand nodes.
//   Refuted  with a value for every symbol of the facts and the claim, as the facts allow them; the
//            first such point, outer symbols first, where all are tried
Verdict decide(const Facts& facts, Expr claim);
// The same under the facts of a simplifier, which remembers earlier answers.
Verdict decide(Simplifier& under, Expr claim);

// The same for callers that need no counterexample: a few points are tried first, which is cheaper
// than a proof that fails. Nothing where the claim is refuted or unknown.
std::optional<Proved> proof_of(const Facts& facts, Expr claim);
std::optional<Proved> proof_of(Simplifier& under, Expr claim);

}  // namespace selvage
