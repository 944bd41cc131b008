#pragma once

#include <selvage/index/coordinates.h>
#include <selvage/simplifier/point.h>

#include <string>
#include <vector>

namespace selvage {

// Which bound checks a tensor needs: the fewest iterdomains whose bounds, together, hold exactly at
// the loop points that are no holes.

// A check that stays, with a loop point at which everything else that stays holds and this one
// fails.
struct KeptPredicate {
  DomainId domain;
  bool lo = false, hi = false;  // which halves of 0 <= index < extent are needed
  Expr condition;               // simplified; of the needed halves
  // Values of every loop variable and of the symbols involved; empty: none was found.
  Point witness;
};

// A check that is dropped: the bounds of `from` imply it at every loop point; with nothing in
// `from`, it always holds.
struct ImpliedPredicate {
  DomainId domain;
  std::string by;  // "theorem 1", "law C", "range", "interval", "exact search", "simplifier"
  std::vector<DomainId> from;
};

enum class Minimality : std::uint8_t {
  Proved,       // no smaller set does
  Irredundant,  // each one has a witness
  Unknown,
};

struct PredicatePlan {
  std::vector<KeptPredicate> kept;  // in the order of the path, from the loops on
  std::vector<ImpliedPredicate> implied;
  Minimality minimal = Minimality::Unknown;
  bool searched = false;  // laws and intervals alone did not settle it
};

// The conditions of all kept predicates.
std::vector<Expr> conditions(const PredicatePlan& plan);

struct PredicateRequest {
  const DomainGraph& graph;
  const Path& path;  // everything that follows from the loops
  std::span<const DomainId> loops;
  std::span<const Expr> variables;       // one per loop
  std::span<const DomainId> candidates;  // the iterdomains whose bounds make a hole
  const Coordinates& coordinates;
  Simplifier& simplifier;          // ranges of the loop variables, facts of symbols, no guard
  bool exact = true;               // false: laws, intervals and congruences only
  std::uint64_t budget = 100'000;  // steps of propagation for searching
};
PredicatePlan plan_predicates(const PredicateRequest& request);

}  // namespace selvage
