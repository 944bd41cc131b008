#pragma once

#include <selvage/base/data_type.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace selvage {

// A dense row-major array on the host: what runs are given and what they return.
struct Array {
  DataType type = DataType::Float;
  std::vector<std::int64_t> shape;  // outer to inner; empty for a scalar
  std::vector<std::byte> bytes;     // size_of(type) * product of shape

  Array() = default;
  // Zero-filled. Throws BadInput (E601) when the size does not fit in memory.
  Array(DataType type, std::vector<std::int64_t> shape);

  std::int64_t size() const;  // number of elements
  // Element k in row-major order, as a double or as an integer. Converts as a C cast does, but
  // values past an integer's range become its nearest end and NaN 0; rounds to nearest on the way
  // into Half and BFloat16.
  double get(std::int64_t k) const;
  std::int64_t get_int(std::int64_t k) const;
  void set(std::int64_t k, double value);
  void set_int(std::int64_t k, std::int64_t value);

  friend bool operator==(const Array&, const Array&) = default;
};

}  // namespace selvage
