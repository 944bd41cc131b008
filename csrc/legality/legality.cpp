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

}  // namespace selvage
