#pragma once

#include <selvage/base/random.h>
#include <selvage/base/stored_matrix.h>

#include <cstdint>
#include <vector>

namespace selvage::test {

// None, or at most three a row on average, anywhere: some places have several.
inline CoordinateMatrix few_items(SplitMix64& random, std::int64_t rows, std::int64_t columns) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateMatrix m;
  m.rows = rows;
  m.columns = columns;
  const std::int64_t items = rows == 0 || below(6) == 0 ? 0 : below(3 * rows);
  for (std::int64_t k = 0; k < items; ++k) {
    m.row.push_back(below(rows));
    m.column.push_back(below(columns));
    m.value.push_back(double(below(19)) - 9);
  }
  return m;
}

// What a format stores of a matrix, by the words that define it (base/stored_matrix.h) and nothing
// else: each value that is one of the matrix, with its place among all values.
struct StoredItem {
  std::int64_t row = 0, column = 0;
  double value = 0;
  std::size_t place = 0;
};
inline std::vector<StoredItem> stored_items(const StoredMatrix& m) {
  std::vector<StoredItem> all;
  const auto add = [&](std::int64_t row, std::int64_t column, std::size_t place) {
    const bool is_inside = row >= 0 && row < m.rows && column >= 0 && column < m.columns;
    if (is_inside) all.push_back({row, column, m.value[place], place});
  };
  const std::int64_t h = m.format.height, w = m.format.width;
  const auto place_in = [](std::int64_t group, std::int64_t size, std::int64_t k) {
    return std::size_t(group * size + k);
  };
  switch (m.format.storage) {
    case StorageKind::Coo:
      for (std::size_t k = 0; k < m.value.size(); ++k) add(m.row[k], m.column[k], k);
      return all;
    case StorageKind::Ell:
      for (std::size_t k = 0; k < m.value.size(); ++k) {
        add(std::int64_t(k) / m.width, m.column[k], k);
      }
      return all;
    case StorageKind::Dia:
      for (std::size_t d = 0; d < m.diagonal.size(); ++d) {
        for (std::int64_t r = 0; r < m.rows; ++r) {
          add(r, r + m.diagonal[d], place_in(std::int64_t(d), m.rows, r));
        }
      }
      return all;
    case StorageKind::Csr:
    case StorageKind::Csc:
    case StorageKind::Sell:
    case StorageKind::Bcsr: break;
  }
  for (std::size_t line = 0; line + 1 < m.offsets.size(); ++line) {
    const auto l = std::int64_t(line);
    for (std::int64_t k = m.offsets[line]; k < m.offsets[line + 1]; ++k) {
      const auto item = std::size_t(k);
      if (m.format.storage == StorageKind::Csr) add(l, m.column[item], item);
      if (m.format.storage == StorageKind::Csc) add(m.row[item], l, item);
      for (std::int64_t i = 0; m.format.storage == StorageKind::Sell && i < h; ++i) {
        const std::size_t place = place_in(k, h, i);
        add(l * h + i, m.column[place], place);
      }
      for (std::int64_t i = 0; m.format.storage == StorageKind::Bcsr && i < h * w; ++i) {
        add(l * h + i / w, m.column[item] * w + i % w, place_in(k, h * w, i));
      }
    }
  }
  return all;
}

}  // namespace selvage::test
