#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/base/stored_tensor.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kMostRoots = std::int64_t{1} << 30;

// The numbers of the items, by their coordinates.
std::vector<std::size_t> in_order(const CoordinateTensor& tensor) {
  std::vector<std::size_t> order(tensor.items());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    for (const std::vector<std::int64_t>& axis : tensor.coordinates) {
      if (axis[a] != axis[b]) return axis[a] < axis[b];
    }
    return false;
  });
  return order;
}

}  // namespace

std::string name_of_level(const std::string& tensor, std::size_t level) {
  return tensor + "_" + std::to_string(level);
}

StoredTensor stored(const CoordinateTensor& tensor) {
  const std::size_t rank = tensor.extents.size();
  SELVAGE_CHECK(rank >= 2 && tensor.coordinates.size() == rank);
  if (tensor.extents[0] > kMostRoots) {
    refuse<BadInput>("E605",
                     "as csf the tensor would have " + std::to_string(tensor.extents[0]) +
                         " offsets for " + std::to_string(tensor.items()) + " items",
                     "put an axis of fewer coordinates first");
  }
  StoredTensor made{tensor.extents, std::vector<StoredTensor::Level>(rank - 1), {}};
  // The node of this axis that comes next: its children will be the next ones of their level.
  const auto begin_node = [&](std::size_t axis) {
    if (axis + 1 == rank) return;
    StoredTensor::Level& children = made.levels[axis];
    children.offsets.push_back(std::int64_t(children.column.size()));
  };
  std::int64_t roots = 0;
  const auto begin_roots = [&](std::int64_t end) {
    for (; roots < end; ++roots) begin_node(0);
  };
  std::vector<std::int64_t> path(rank, -1);  // the coordinates of the item before
  for (const std::size_t item : in_order(tensor)) {
    std::size_t axis = 0;  // at which the item leaves that path, or becomes a second one at its end
    while (axis + 1 < rank && path[axis] == tensor.coordinates[axis][item]) ++axis;
    for (; axis < rank; ++axis) {
      path[axis] = tensor.coordinates[axis][item];
      if (axis == 0) {
        begin_roots(path[0] + 1);
      } else {
        made.levels[axis - 1].column.push_back(path[axis]);
        begin_node(axis);
      }
    }
    made.value.push_back(tensor.value[item]);
  }
  begin_roots(tensor.extents[0]);
  for (StoredTensor::Level& level : made.levels) {
    level.offsets.push_back(std::int64_t(level.column.size()));
  }
  return made;
}

CoordinateTensor items_of(const StoredTensor& tensor) {
  const std::size_t rank = tensor.extents.size();
  CoordinateTensor made{tensor.extents, std::vector<std::vector<std::int64_t>>(rank), tensor.value};
  std::vector<std::int64_t> node(tensor.value.size());  // of each item, level by level
  std::iota(node.begin(), node.end(), std::int64_t{0});
  for (std::size_t axis = rank - 1; axis > 0; --axis) {
    const auto& [offsets, column] = tensor.levels[axis - 1];
    std::vector<std::int64_t> parent;
    for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
      parent.insert(parent.end(), std::size_t(offsets[p + 1] - offsets[p]), std::int64_t(p));
    }
    for (std::int64_t& n : node) {
      made.coordinates[axis].push_back(column[std::size_t(n)]);
      n = parent[std::size_t(n)];
    }
  }
  made.coordinates[0] = std::move(node);
  return made;
}

}  // namespace selvage
