#pragma once

#include <selvage/ir/effective_reads.h>

#include <optional>
#include <vector>

namespace selvage {

// What the tensors of a schedule that are computed in loops read, and who reads them: looked up
// once. A tensor that no output depends on is not computed.
class ReadTable {
 public:
  explicit ReadTable(const Schedule& schedule);

  // All tensors, each after those that it reads.
  const std::vector<TensorId>& order() const { return order_; }
  std::size_t place(TensorId t) const { return places_[index_of(t)]; }  // in that order
  bool is_computed(TensorId t) const { return is_computed_[index_of(t)]; }
  // Of a tensor that is not computed in loops: nothing.
  const std::vector<EffectiveRead>& reads(TensorId t) const { return reads_[index_of(t)]; }
  // Tensors that are computed in loops, the last first.
  struct Reader {
    TensorId tensor{};
    std::vector<std::optional<DomainId>> axes;  // as in EffectiveRead
  };
  const std::vector<Reader>& readers(TensorId t) const { return readers_[index_of(t)]; }

 private:
  std::vector<TensorId> order_;
  std::vector<std::size_t> places_;
  std::vector<std::vector<EffectiveRead>> reads_;
  std::vector<std::vector<Reader>> readers_;
  std::vector<bool> is_computed_;
};

}  // namespace selvage
