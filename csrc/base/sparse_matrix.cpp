#include <selvage/base/sparse_matrix.h>

namespace selvage {

namespace {

// The numbers of items in the order of their keys, those of one key in the order in which `order`
// has them; and how many keys are below each.
struct Sorted {
  std::vector<std::int64_t> order, begins;
};
Sorted sorted_by(const std::vector<std::int64_t>& key, std::int64_t keys,
                 const std::vector<std::int64_t>& order) {
  Sorted sorted{std::vector<std::int64_t>(order.size()),
                std::vector<std::int64_t>(std::size_t(keys) + 1, 0)};
  for (std::int64_t k : key) ++sorted.begins[std::size_t(k) + 1];
  for (std::size_t k = 1; k < sorted.begins.size(); ++k) sorted.begins[k] += sorted.begins[k - 1];
  std::vector<std::int64_t> next = sorted.begins;
  for (std::int64_t item : order) {
    const auto k = std::size_t(key[std::size_t(item)]);
    sorted.order[std::size_t(next[k]++)] = item;
  }
  return sorted;
}

}  // namespace

RowMatrix by_rows(const CoordinateMatrix& matrix) {
  std::vector<std::int64_t> order(matrix.items());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = std::int64_t(k);
  order = sorted_by(matrix.column, matrix.columns, order).order;
  Sorted rows = sorted_by(matrix.row, matrix.rows, order);
  RowMatrix made{matrix.rows, matrix.columns, std::move(rows.begins), {}, {}};
  made.column.reserve(matrix.items());
  made.value.reserve(matrix.items());
  for (std::int64_t item : rows.order) {
    made.column.push_back(matrix.column[std::size_t(item)]);
    made.value.push_back(matrix.value[std::size_t(item)]);
  }
  return made;
}

}  // namespace selvage
