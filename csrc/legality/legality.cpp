#include <selvage/legality/legality.h>

namespace selvage {

std::vector<const Finding*> Legality::findings() const {
  std::vector<const Finding*> list;
  if (tma) list.push_back(&tma->finding);
  return list;
}

Legality legality_of(const Fusion& fusion, const Schedule& schedule,
                     const TensorAnalysis& analysis) {
  return {.tma = tma_copy(fusion, schedule, analysis)};
}

}  // namespace selvage
