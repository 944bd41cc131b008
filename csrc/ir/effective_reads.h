#pragma once

#include <selvage/ir/schedule.h>

#include <optional>
#include <vector>

namespace selvage {

// A source that a tensor reads, itself or through inlined tensors: an input, or a tensor that is
// computed in loops of its own.
struct EffectiveRead {
  TensorId source{};
  // For each axis of the source: the iterdomain whose index at the reader's point is the whole
  // subscript in every read; nothing if the subscript is anything else, or differs between reads.
  // It is one of the reader's definition or fold; or, where a view is inlined that is read item by
  // item, one of the view's root, whose index follows from those.
  std::vector<std::optional<DomainId>> axes;
  // The inlined view through which every read goes, the last before the source, and the iterdomains
  // at which the view is read, as above; nothing if there is none, or not always the same.
  struct Through {
    TensorId view{};
    std::vector<std::optional<DomainId>> axes;
    friend bool operator==(const Through&, const Through&) = default;
  };
  std::optional<Through> through = {};
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
