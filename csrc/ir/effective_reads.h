#pragma once

#include <selvage/ir/schedule.h>

#include <optional>
#include <vector>

namespace selvage {

// A source that a tensor reads, itself or through inlined tensors: an input, or a tensor that is
// computed in loops of its own.
struct EffectiveRead {
  TensorId source{};
  // For each axis of the source: the iterdomain of the reader (of its definition or its fold) whose
  // index is the whole subscript in every read; nothing if the subscript is anything else, or
  // differs between reads.
  std::vector<std::optional<DomainId>> axes;
};

class EffectiveReads {
 public:
  // Both must outlive this object and not change.
  EffectiveReads(const Fusion& fusion, const Schedule& schedule);

  // Linear in the size of the definitions of the reader and of the tensors inlined into it, however
  // often these are read.
  std::vector<EffectiveRead> of(TensorId reader) const;
  const std::vector<TensorId>& definition_order() const { return order_; }

 private:
  const Fusion& fusion_;
  const Schedule& schedule_;
  std::vector<TensorId> order_;
  std::vector<std::size_t> places_;  // of tensors in that order
};

}  // namespace selvage
