#include "tests/oracle/tma_copy.h"

#include <algorithm>
#include <stdexcept>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"

namespace selvage::oracle {

TensorMap tensor_map(const Graph& graph, const Layout& layout, const std::vector<TmaDim>& dims) {
  TensorMap map;
  map.element_bytes = layout.element_bytes;
  for (const TmaDim& d : dims) {
    map.dims.push_back(graph.extents[d.iterdomain]);
    const auto axis = std::find(layout.allocation.begin(), layout.allocation.end(), d.axis);
    if (axis == layout.allocation.end()) throw std::invalid_argument("oracle: no such axis");
    map.strides.push_back(
        mul(layout.strides[axis - layout.allocation.begin()], layout.element_bytes));
    map.box.push_back(d.box < 0 ? 1 : graph.extents[d.box]);
    map.element_strides.push_back(d.step < 0 ? 1 : graph.extents[d.step]);
  }
  return map;
}

TmaCopy tma_copy(const Graph& graph, const Layout& layout, const std::vector<int>& bulk,
                 const TensorMap& map, const Corner& corner) {
  TmaCopy r;
  std::int64_t tile = 1, loaded_elements = 1;
  for (int x : bulk) tile = mul(tile, graph.extents[x]);
  for (std::int64_t n : loaded_extents(map)) loaded_elements = mul(loaded_elements, n);
  r.fits = tile == loaded_elements;
  if (!r.fits) return r;

  std::vector<std::optional<std::int64_t>> loaded;
  std::size_t place = 0;                  // in the tile
  bool has_item = false;                  // the tile
  std::optional<TmaCopy::Fault> nonzero;  // its first hole that is not 0
  for_each_point(with_innermost(graph, bulk), [&](auto, auto coordinates, std::uint64_t mask) {
    if (place == 0) {
      loaded = load(map, corner(coordinates));
      has_item = false;
      nonzero.reset();
    }
    if (mask == 0) {
      const std::int64_t wanted = mul(address(layout, coordinates), layout.element_bytes);
      has_item = true;
      if (loaded[place] != wanted && !r.weak_fault)
        r.weak_fault = {loop_point(graph, coordinates), loaded[place], wanted};
    } else if (loaded[place] && !nonzero) {
      nonzero = {loop_point(graph, coordinates), loaded[place], std::nullopt};
    }
    if (++place < loaded.size()) return;
    place = 0;
    if (nonzero && !r.strong_fault) r.strong_fault = nonzero;
    if (nonzero && has_item && !r.fallback_fault) r.fallback_fault = nonzero;
  });
  return r;
}

TmaCopy tma_copy(const Graph& graph, const Layout& layout, const std::vector<int>& bulk,
                 const TensorMap& map, const std::vector<int>& coordinate_of) {
  return tma_copy(graph, layout, bulk, map, [&](std::span<const std::int64_t> coordinates) {
    std::vector<std::int64_t> corner;
    for (int x : coordinate_of) corner.push_back(coordinates[x]);
    return corner;
  });
}

}  // namespace selvage::oracle
