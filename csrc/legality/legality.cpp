#include <selvage/legality/legality.h>

namespace selvage {

Legality legality_of(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                     const Schedule* reads, const TensorAnalysis* read) {
  return {.banks = bank_conflicts(fusion, schedule, analysis, reads, read)};
}

}  // namespace selvage
