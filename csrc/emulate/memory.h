#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/scalar.h>

#include <cstdint>
#include <vector>

namespace selvage {

// Element k in its compute type, and back: what `convert` has rounded to the array's type is stored
// as it is.
Scalar load_element(const Array& a, std::int64_t k);
void store_element(Array& a, std::int64_t k, Scalar v);

// A buffer and what has happened to its elements.
struct CheckedBuffer {
  static constexpr std::int64_t kNobody = -1;
  static constexpr std::int64_t kSeveral = -2;
  struct Cell {
    std::int64_t writer = kNobody;  // the last thread that wrote it
    std::int64_t reader = kNobody;  // the thread that read it
    std::uint32_t visits = 0;
  };
  Array* array = nullptr;
  std::int64_t elements = 0;
  std::vector<Cell> cells;  // none if it is only read

  bool has(std::int64_t k) const { return k >= 0 && k < elements; }
  void forget() { cells.assign(cells.size(), {}); }
};

}  // namespace selvage
