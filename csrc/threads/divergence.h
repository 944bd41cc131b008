#pragma once

#include <selvage/expr/expr.h>

#include <functional>
#include <optional>

namespace selvage {

// What keeps a predicate from telling threads apart.
struct NotDivergent {
  enum class Why : std::uint8_t {
    NoSide,        // a comparison of which neither side depends on a parallel index
    BothSides,     // one of which both do
    NoComparison,  // anything else that is a truth
  };
  Expr part;
  Why why = Why::NoSide;
};

// A predicate is strictly divergent where it is a comparison exactly one of whose sides depends on
// a parallel index; the negation of such a one; or && or || of two. Returns the first part that is
// not so; nothing: all of it is. (The rule is Choreo's.)
std::optional<NotDivergent> find_not_divergent(Expr predicate,
                                               const std::function<bool(Expr)>& is_parallel);

}  // namespace selvage
