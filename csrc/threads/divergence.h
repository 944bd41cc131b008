#pragma once

#include <selvage/expr/expr.h>

#include <functional>
#include <optional>

namespace selvage {

// A part of a predicate that is not strictly divergent.
struct NotDivergent {
  enum class Why : std::uint8_t {
    NoSide,        // a comparison neither side of which depends on a parallel index
    BothSides,     // a comparison both sides of which do
    NoComparison,  // any other truth value
  };
  Expr part;
  Why why = Why::NoSide;
};

// A predicate is strictly divergent if it is a comparison with exactly one side that depends on a
// parallel index, or a negation, && or || of strictly divergent predicates. (The rule is Choreo's.)
// Returns the first part that is not so; nullopt: the predicate is strictly divergent.
std::optional<NotDivergent> find_not_divergent(Expr predicate,
                                               const std::function<bool(Expr)>& is_parallel);

}  // namespace selvage
