#pragma once

#include <selvage/base/array.h>

#include <map>
#include <string>
#include <vector>

namespace selvage::seed_matrix {

template <class T>
inline Array array_of(DataType type, const std::vector<T>& values) {
  Array a(type, {std::int64_t(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) a.set(std::int64_t(k), double(values[k]));
  return a;
}

// The matrix of 8 rows and columns on which the seed's specification is run, and what it gives.
inline std::map<std::string, Array> inputs() {
  const std::vector<int> offsets = {0, 3, 6, 9, 12, 18, 23, 27, 30};
  const std::vector<int> columns = {2, 4, 6, 3, 4, 6, 4, 6, 7, 2, 4, 5, 1, 2, 4,
                                    5, 6, 7, 3, 4, 5, 6, 7, 1, 3, 6, 7, 1, 5, 7};
  const std::vector<int> values = {8, 7, 1, 4, 2, 1, 8, 6, 4, 9, 5, 6, 4, 10, 9,
                                   1, 7, 3, 9, 3, 7, 1, 5, 7, 4, 9, 9, 5, 9,  9};
  return {{"A_offsets", array_of(DataType::Int32, offsets)},
          {"A_columns", array_of(DataType::Int32, columns)},
          {"A", array_of(DataType::Float, values)},
          {"B", array_of(DataType::Float, std::vector<int>{1, 6, 5, 4, 10, 7, 9, 9})}};
}
inline const std::vector<double> kSeedResult = {119, 45, 170, 137, 261, 169, 220, 174};

}  // namespace selvage::seed_matrix
