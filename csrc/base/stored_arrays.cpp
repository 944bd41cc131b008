#include <selvage/base/stored_arrays.h>

namespace selvage {

std::map<std::string, Array> arrays_of(const StoredMatrix& matrix, const std::string& name,
                                       DataType type, DataType index) {
  std::map<std::string, Array> all;
  const auto add = [&](const char* suffix, const std::vector<std::int64_t>& numbers,
                       std::vector<std::int64_t> shape) {
    Array array(index, std::move(shape));
    for (std::size_t k = 0; k < numbers.size(); ++k) array.set_int(std::int64_t(k), numbers[k]);
    all.emplace(name + suffix, std::move(array));
  };
  const auto add_list = [&](const char* suffix, const std::vector<std::int64_t>& numbers) {
    add(suffix, numbers, {std::int64_t(numbers.size())});
  };
  const std::vector<std::int64_t> shape = shape_of_values(matrix);
  switch (matrix.format.storage) {
    case StorageKind::Csr:
    case StorageKind::Bcsr:
      add_list(kOffsetsSuffix, matrix.offsets);
      add_list(kColumnsSuffix, matrix.column);
      break;
    case StorageKind::Csc:
      add_list(kOffsetsSuffix, matrix.offsets);
      add_list(kRowsSuffix, matrix.row);
      break;
    case StorageKind::Coo:
      add_list(kRowsSuffix, matrix.row);
      add_list(kColumnsSuffix, matrix.column);
      break;
    case StorageKind::Sell:
      add_list(kOffsetsSuffix, matrix.offsets);
      add(kColumnsSuffix, matrix.column, shape);
      break;
    case StorageKind::Ell: add(kColumnsSuffix, matrix.column, shape); break;
    case StorageKind::Dia: add_list(kDiagonalsSuffix, matrix.diagonal); break;
  }
  Array values(type, shape);
  for (std::size_t k = 0; k < matrix.value.size(); ++k) {
    values.set(std::int64_t(k), matrix.value[k]);
  }
  all.emplace(name, std::move(values));
  return all;
}

StoredMatrix matrix_of(const std::map<std::string, Array>& arrays, const std::string& name,
                       const StorageFormat& format, std::int64_t rows, std::int64_t columns,
                       const Array& values) {
  StoredMatrix matrix;
  matrix.format = format;
  matrix.rows = rows;
  matrix.columns = columns;
  const std::pair<const char*, std::vector<std::int64_t>*> lists[] = {
      {kOffsetsSuffix, &matrix.offsets},
      {kRowsSuffix, &matrix.row},
      {kColumnsSuffix, &matrix.column},
      {kDiagonalsSuffix, &matrix.diagonal}};
  for (const auto& [suffix, list] : lists) {
    const auto given = arrays.find(name + suffix);
    if (given == arrays.end()) continue;
    for (std::int64_t k = 0; k < given->second.size(); ++k) {
      list->push_back(given->second.get_int(k));
    }
  }
  for (std::int64_t k = 0; k < values.size(); ++k) matrix.value.push_back(values.get(k));
  if (format.storage == StorageKind::Ell) matrix.width = values.shape.back();
  if (format.storage == StorageKind::Dia) matrix.width = values.shape.front();
  return matrix;
}

}  // namespace selvage
