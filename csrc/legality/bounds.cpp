#include <selvage/legality/bounds.h>
#include <selvage/legality/cells.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/mend_memory.h>
#include <selvage/legality/remade.h>

#include <algorithm>

namespace selvage {

namespace {

// Whether every iterdomain of the allocation is within its extent at every store. The logical ones
// are, and so are those on the way there if a guard stops every hole.
bool follows_from_guard(const TensorInfo& info, const std::vector<DomainId>& allocation,
                        const TensorAnalysis& a) {
  return std::all_of(allocation.begin(), allocation.end(), [&](DomainId d) {
    const auto is_among = [&](const std::vector<DomainId>& list) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    return is_among(info.logical) || (!info.duplicates_allowed && is_among(a.hole_path.domains));
  });
}

// If no stride is negative, indices within their extents have an address in memory: the greatest
// address is that of the last indices, and the memory ends there.
Finding judged(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& a) {
  const TensorInfo& info = fusion[a.tensor];
  const std::vector<DomainId>& allocation = allocation_of(fusion, a.tensor);
  Finding f;
  f.reason = "every store is inside " + info.name;
  const bool may_turn_back = std::any_of(info.strides.begin(), info.strides.end(), [&](Expr s) {
    return !(s.is(Op::Const) && s.value() >= 0) && !a.ranges->proves_nonnegative(s);
  });
  if (!may_turn_back && follows_from_guard(info, allocation, a)) {
    f.verdict = Proved{{"guard"}};
    return f;
  }
  f.code = "E443";
  if (!may_turn_back && !info.duplicates_allowed) {
    const Coverage places = coverage_of(fusion, schedule, a.tensor, allocation);
    if (const auto* refuted = std::get_if<Refuted>(&places.verdict)) {
      f.verdict = *refuted;
      f.reason = "an item of " + info.name + " has no place in its allocation";
      return f;
    }
    if (is_proved(places.verdict)) {
      Proved proved{{"guard"}};
      add_rules(places.verdict, proved);
      return {proved, f.reason};
    }
  }
  f.verdict = decide(*a.guarded, ok(a.address, a.elements));
  if (is_proved(f.verdict)) return {f.verdict, f.reason};
  f.reason = is_refuted(f.verdict) ? "a store is outside the memory of " + info.name
                                   : "it is not proved that every store is inside " + info.name;
  return f;
}

}  // namespace

Finding store_bound(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& a,
                    Help help) {
  Finding f = judged(fusion, schedule, a);
  if (f.is_legal() || help == Help::Without) return f;
  const IsMended is_mended = [&](const Fusion& changed, bool) {
    const Schedule loops = remade(changed, schedule, a.tensor);
    TensorAnalysis other = analyze_loops(changed, loops, a.tensor);
    place_in_memory(changed, loops, other);
    return judged(changed, loops, other).is_legal();
  };
  f.help = leave_out(fusion, a.tensor, false, is_mended).value_or(kHoldEveryItem);
  return f;
}

}  // namespace selvage
