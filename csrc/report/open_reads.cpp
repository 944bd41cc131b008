#include <selvage/legality/bounds.h>
#include <selvage/report/open_questions.h>

namespace selvage {

std::vector<OpenQuestion> open_reads(const TensorReport& tensor) {
  const Fusion& fusion = tensor.fusion();
  std::vector<OpenQuestion> list;
  for (const ReadBound& read : read_bounds(fusion, *tensor.schedule, tensor.analysis)) {
    for (const ReadBound::Open& open : read.open) {
      list.push_back({"the read of " + fusion[read.source].name + " in " + fusion[read.reader].name,
                      *open.facts, open.claim});
    }
  }
  return list;
}

}  // namespace selvage
