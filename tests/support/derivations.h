#pragma once

#include <selvage/index/predicate.h>

#include <algorithm>
#include <span>
#include <vector>

namespace selvage {

// Whether every dropped check follows, step by step, from loops and kept checks.
inline bool derivations_end(std::span<const DomainId> loops, const PredicatePlan& plan) {
  std::vector<DomainId> known(loops.begin(), loops.end());
  for (const KeptPredicate& k : plan.kept) known.push_back(k.domain);
  const auto is_known = [&](DomainId d) { return contains(known, d); };
  for (bool again = true; again;) {
    again = false;
    for (const ImpliedPredicate& p : plan.implied) {
      if (is_known(p.domain) || !std::all_of(p.from.begin(), p.from.end(), is_known)) continue;
      known.push_back(p.domain);
      again = true;
    }
  }
  return std::all_of(plan.implied.begin(), plan.implied.end(),
                     [&](const ImpliedPredicate& p) { return is_known(p.domain); });
}

}  // namespace selvage
