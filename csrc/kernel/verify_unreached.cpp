#include <selvage/kernel/verify_access.h>

#include <algorithm>
#include <set>
#include <utility>

namespace selvage {

// What the kernel's condition says of sizes may decide a guard that lowering has left: the rest of
// a row of which there is none, say. There facts contradict one another, so that nothing else would
// be proved of what never happens.
void AccessMap::drop_unreached() {
  const Expr premise = kernel_.premise.valid() ? kernel_.premise : kernel_.condition;
  if (!premise.valid() || premise.is_true()) return;
  std::set<std::pair<PlaceId, bool>> unreached;  // guards, and whether it is their `otherwise`
  for (PlaceId id = 0; id < places_.size(); ++id) {
    const StatementPlace& p = places_[id];
    const auto* guard = std::get_if<Guard>(&p.statement->node);
    if (guard == nullptr || guard->otherwise.empty() || mentions_number(p.condition)) continue;
    if (at(p.scope).proves(p.condition)) unreached.emplace(id, true);
    if (at(p.scope).proves(!p.condition)) unreached.emplace(id, false);
  }
  if (unreached.empty()) return;
  std::erase_if(accesses_, [&](const KernelAccess& a) {
    for (PlaceId id = a.place; id != kTop; id = places_[id].parent) {
      if (unreached.contains({places_[id].parent, places_[id].is_otherwise})) return true;
    }
    return false;
  });
  addresses_.resize(accesses_.size());
}

}  // namespace selvage
