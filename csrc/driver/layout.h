#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/sizes.h>
#include <selvage/legality/analysis.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// How the items of one tensor lie in memory, for given sizes that leave it some.
class Layout {
 public:
  // Throws BadInput E601 where the memory cannot be counted in 64 bits, E624 where an item would
  // lie outside it.
  Layout(const Fusion& fusion, const DomainGraph& graph, TensorId tensor, const SizeValues& sizes);

  const std::vector<std::int64_t>& shape() const { return shape_; }          // logical
  const std::vector<std::int64_t>& memory_shape() const { return memory_; }  // flat, with strides
  std::int64_t points() const { return points_; }
  std::int64_t elements() const { return elements_; }
  // Where each logical point lies, in row-major order; empty: where it is counted.
  const std::vector<std::int64_t>& addresses() const { return addresses_; }
  std::int64_t address(std::int64_t point) const {
    return addresses_.empty() ? point : addresses_[std::size_t(point)];
  }

  // Two logical points at one address; nothing where there are none.
  std::optional<std::pair<std::int64_t, std::int64_t>> overlap() const;
  // Strides that keep items apart: none is less than it is. Empty where the tensor has none.
  std::vector<std::int64_t> strides_apart() const;

  // By logical point, row-major, to and from memory. Gaps in memory are zero.
  Array to_memory(const Array& by_point) const;
  Array from_memory(const Array& memory) const;

 private:
  std::vector<std::int64_t> shape_, memory_;
  std::int64_t points_ = 1, elements_ = 1;
  std::vector<std::int64_t> addresses_;
  std::vector<std::pair<std::int64_t, std::int64_t>> strides_;  // and the extents of their axes
};

}  // namespace selvage
