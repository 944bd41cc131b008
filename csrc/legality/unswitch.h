#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/legality/hoist.h>

#include <optional>
#include <span>

namespace selvage {

struct TensorAnalysis;

// At how many (`taken`) of all values (`of`) of the variables outside a hoisted condition holds.
// There is no Share where an extent is no number, or values are too many.
struct Share {
  std::int64_t taken = 0, of = 0;
};

// The checks of a tensor, drawn out of its loop that is bound to Unswitch. `of` counts the
// iterations of the loops outside of it times the parallel loops inside, `taken` those for which
// every serial point inside is valid: they take the path without checks.
struct Unswitched {
  DomainId domain{};  // the outermost such loop
  Hoisted hoisted;
  std::optional<Share> share;
};
std::optional<Unswitched> unswitched(const Schedule& schedule, const TensorAnalysis& analysis);

// The checks of a tensor drawn out of all loops but the blocks: a block for which the condition
// holds, an interior one, needs none. Nothing where no loop is bound to a block, or none is
// checked.
struct Interior {
  Hoisted hoisted;
  std::optional<Share> share;  // of the blocks
};
std::optional<Interior> interior(const Schedule& schedule, const TensorAnalysis& analysis);

// At how many values of these variables, each from 0 to below its extent, a condition of no others
// holds. Conjuncts that share no variable are counted apart.
std::optional<Share> share_of(Expr condition, std::span<const Expr> variables,
                              std::span<const Expr> extents);

// All checks of a tensor as one condition; true where there are none.
Expr guard_of(const TensorAnalysis& analysis);

}  // namespace selvage
