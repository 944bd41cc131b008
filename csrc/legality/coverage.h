#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/simplifier/verdict.h>

#include <memory>
#include <vector>

namespace selvage {

// Whether every item of the logical domain is the index of at least one valid loop point. Refuted:
// `lost` is an item that is not, one index per logical iterdomain, then sizes.
struct Coverage {
  Verdict verdict = Proved{};
  Point lost = {};  // symbols named as the logical iterdomains
  // If unknown: the bounds that are neither proved nor seen to fail, and the facts that hold for
  // every item.
  std::vector<Expr> open = {};
  std::shared_ptr<const Facts> items = {};
  // Whether no item is the index of two valid points. Proved where an item determines the index of
  // every loop: each transform crossed between valid points can be crossed back.
  Verdict once = Unknown{};
};

// The question of predicates, asked in the other direction: from the logical domain down to the
// loops, every iterdomain must be in bounds for every item.
Coverage coverage_of(const Fusion& fusion, const Schedule& schedule, TensorId t,
                     const std::vector<DomainId>& loops);

}  // namespace selvage
