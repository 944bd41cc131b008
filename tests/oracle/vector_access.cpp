#include "tests/oracle/vector_access.h"

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"

namespace selvage::oracle {

bool is_legal_width(std::int64_t extent, std::int64_t element_bytes) {
  for (std::int64_t bytes : {2, 4, 8, 16}) {
    for (std::int64_t power = 1; power <= 16; power *= 2)
      if (extent == power && extent * element_bytes == bytes) return true;
  }
  return false;
}

namespace {

std::optional<VectorAccess::Violation::What> wrong_with(const std::vector<std::int64_t>& group) {
  const auto width = static_cast<std::int64_t>(group.size());
  for (std::int64_t lane = 0; lane < width; ++lane)
    if (group[lane] != group[0] + lane) return VectorAccess::Violation::NotConsecutive;
  if (floor_mod(group[0], width) != 0) return VectorAccess::Violation::Misaligned;
  return std::nullopt;
}

}  // namespace

VectorAccess vector_access(const Graph& graph, const Layout& layout, int vector) {
  VectorAccess r;
  const std::int64_t width = graph.extents[vector];
  r.width_is_legal = is_legal_width(width, layout.element_bytes);
  r.bytes = mul(width, layout.element_bytes);
  r.asks_base_alignment = layout.align % r.bytes != 0;

  std::int64_t valid = 0;
  std::vector<std::int64_t> point, addresses;
  for_each_point(with_innermost(graph, {vector}), [&](auto, auto coordinates, std::uint64_t mask) {
    if (coordinates[vector] == 0) {
      point = loop_point(graph, coordinates);
      addresses.clear();
      valid = 0;
    }
    addresses.push_back(address(layout, coordinates));
    valid += mask == 0;
    if (coordinates[vector] + 1 < width) return;
    ++(valid == width ? r.full : valid == 0 ? r.empty : r.partial);
    if (valid < width || r.violation) return;
    if (const auto what = wrong_with(addresses)) r.violation = {*what, point, addresses};
  });
  return r;
}

}  // namespace selvage::oracle
