#pragma once

#include <selvage/frontend/symbols.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// `contiguity`, `strides` and `align` of a tensor as the file gives them.
struct FileLayout {
  std::optional<std::vector<bool>> contiguity;
  std::optional<std::vector<Expr>> strides;
  std::vector<Place> stride_places;
  std::int64_t align = 16;
  Place place;

  // A last axis of two items, those that were last before side by side in it: each stride is that
  // of a whole number.
  void add_parts(ExprPool& pool);
};

FileLayout read_layout(const Node& tensor, std::size_t axes, SizeScope& sizes, Diagnostics& errors);

// After sizes.declare(): the strides of an allocation domain with these extents, outer to inner.
//   contiguity[k] true:   stride k is that of a dense tensor over what lies inside of k
//                 false:  it is the symbol TENSOR_stride_AXIS, declared here, at least 1
// Empty: dense. Axes of extent 1 are ignored. Throws BadInput (E308) if contiguity and strides
// disagree, E402 if the last element would be past 2^63 bytes.
std::vector<Expr> strides_of(const FileLayout& layout, const std::string& tensor, DataType type,
                             std::span<const std::string> axes, std::span<const Expr> extents,
                             Fusion& fusion, FileSymbols& symbols, SizeScope& sizes);

}  // namespace selvage
