#include <selvage/legality/bounds.h>
#include <selvage/legality/legality.h>

namespace selvage {

Legality legality_of(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                     const Schedule* reads, const TensorAnalysis* read, const ReadBy& by) {
  return {.store = store_bound(fusion, schedule, analysis),
          .fills = fills(fusion, schedule, analysis, reads, read, by),
          .tma = tma_copy(fusion, schedule, analysis),
          .banks = bank_conflicts(fusion, schedule, analysis, reads, read)};
}

std::vector<Finding> refusals(const Legality& legality) {
  std::vector<Finding> list;
  if (!legality.store.is_legal()) list.push_back(legality.store);
  if (legality.tma && !legality.tma->finding.is_legal()) list.push_back(legality.tma->finding);
  if (legality.fills) {
    for (Finding& f : legality.fills->refusals()) list.push_back(std::move(f));
  }
  return list;
}

std::vector<Finding> memory_refusals(const Fusion& fusion, const Schedule& schedule,
                                     const TensorAnalysis& analysis) {
  return refusals({.store = store_bound(fusion, schedule, analysis),
                   .fills = fills(fusion, schedule, analysis)});
}

}  // namespace selvage
