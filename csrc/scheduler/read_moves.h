#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/scheduler/typical_sizes.h>

#include <map>
#include <optional>
#include <vector>

namespace selvage {

// How reads move through memory: for reads of which it is not seen at once, because a view, a
// window or a shift lies between the reader's iterdomains and the tensor's.
class ReadMoves {
 public:
  // Both must outlive this object.
  ReadMoves(const Schedule& schedule, const TypicalSizes& sizes)
      : schedule_(schedule), sizes_(sizes) {}

  // The elements between what `reader` reads of a source at one point of its nest and at the next
  // point along a loop; of several reads the first. Nothing where that is not the same at two
  // places of the nest, or where no read is known.
  std::optional<std::int64_t> step(TensorId reader, TensorId source, DomainId loop);

 private:
  struct Nest {
    TensorAnalysis analysis;
    std::vector<Access> reads;
  };
  const Nest& nest(TensorId reader);

  const Schedule& schedule_;
  const TypicalSizes& sizes_;
  std::map<TensorId, Nest> nests_;
};

}  // namespace selvage
