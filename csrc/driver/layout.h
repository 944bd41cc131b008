#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/sizes.h>
#include <selvage/legality/analysis.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace selvage {

// The addresses of the items of one tensor, at sizes for which it has items.
class Layout {
 public:
  // Throws BadInput E601 if 64 bits cannot count the memory, E624 if an item would be outside it.
  Layout(const Fusion& fusion, const DomainGraph& graph, TensorId tensor, const SizeValues& sizes);

  const std::vector<std::int64_t>& shape() const { return shape_; }          // logical
  const std::vector<std::int64_t>& memory_shape() const { return memory_; }  // flat, with strides
  std::int64_t points() const { return points_; }
  std::int64_t elements() const { return elements_; }
  // The address of each logical point, in row-major order; empty: address(point) == point.
  const std::vector<std::int64_t>& addresses() const { return addresses_; }
  std::int64_t address(std::int64_t point) const {
    return addresses_.empty() ? point : addresses_[std::size_t(point)];
  }

  // Two logical points at one address; nullopt if there are none.
  std::optional<std::pair<std::int64_t, std::int64_t>> overlap() const;
  // Strides that keep items apart, none less than the tensor's own. Empty if the tensor has none.
  std::vector<std::int64_t> strides_apart() const;

  // Converts between an array by logical point, row-major, and memory. Gaps in memory are zero.
  Array to_memory(const Array& by_point) const;
  Array from_memory(const Array& memory) const;

 private:
  std::vector<std::int64_t> shape_, memory_;
  std::int64_t points_ = 1, elements_ = 1;
  std::vector<std::int64_t> addresses_;
  std::vector<std::pair<std::int64_t, std::int64_t>> strides_;  // stride and extent of each axis
};

}  // namespace selvage
