#pragma once

#include <selvage/ir/schedule.h>

#include <optional>
#include <vector>

namespace selvage {

// What a tensor reads once the tensors that are inlined are recomputed where they are read: inputs
// and tensors that are computed in loops of their own.
struct EffectiveRead {
  TensorId source{};
  // By axis of the source: the iterdomain of the reader (of its definition or its fold) whose index
  // stands there in every one of the reads; nothing where it is no index alone, or not always the
  // same one.
  std::vector<std::optional<DomainId>> axes;
};

class EffectiveReads {
 public:
  // Both must outlive it and not change.
  EffectiveReads(const Fusion& fusion, const Schedule& schedule);

  // Linear in what the reader and the tensors inlined into it consist of, however often these are
  // read.
  std::vector<EffectiveRead> of(TensorId reader) const;
  const std::vector<TensorId>& definition_order() const { return order_; }

 private:
  const Fusion& fusion_;
  const Schedule& schedule_;
  std::vector<TensorId> order_;
  std::vector<std::size_t> places_;  // of tensors in that order
};

}  // namespace selvage
