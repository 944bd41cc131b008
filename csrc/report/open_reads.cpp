#include <selvage/legality/reads.h>
#include <selvage/report/open_questions.h>

namespace selvage {

std::vector<OpenQuestion> open_reads(const TensorReport& tensor) {
  const Fusion& fusion = tensor.fusion();
  std::vector<OpenQuestion> list;
  for (const Access& read : reads_of(fusion, *tensor.schedule, tensor.analysis)) {
    for (const Access::Open& open : read.open) {
      list.push_back({"the read of " + fusion[read.tensor].name + " in " + fusion[read.user].name,
                      *open.facts, open.claim});
    }
  }
  return list;
}

}  // namespace selvage
