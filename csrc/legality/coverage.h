#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/simplifier/verdict.h>

#include <memory>
#include <vector>

namespace selvage {

// Is every item of the logical domain the index of at least one valid loop point?
// Refuted: `lost` is an item, one index per logical iterdomain, then sizes.
struct Coverage {
  Verdict verdict = Proved{};
  Point lost = {};  // symbols named as the logical iterdomains
  // Where it is unknown: the bounds that are neither proved nor seen to fail, and the facts that
  // hold of every item.
  std::vector<Expr> open = {};
  std::shared_ptr<const Facts> items = {};
  // Is no item that of two valid points? Proved where an item tells the index of every loop: each
  // transform crossed between valid points can be crossed back.
  Verdict once = Unknown{};
};

// The same question as for predicates, asked the other way: seen from the logical domain, every
// iterdomain down to the loops must be in bounds for every item.
Coverage coverage_of(const Fusion& fusion, const Schedule& schedule, TensorId t,
                     const std::vector<DomainId>& loops);

}  // namespace selvage
