#include <selvage/base/stored_arrays.h>

namespace selvage {

namespace {

using Numbers = std::vector<std::int64_t>;

Array array_of(DataType type, const Numbers& numbers, Numbers shape) {
  Array array(type, std::move(shape));
  for (std::size_t k = 0; k < numbers.size(); ++k) array.set_int(std::int64_t(k), numbers[k]);
  return array;
}

Array values_of(DataType type, const std::vector<double>& values, Numbers shape) {
  Array array(type, std::move(shape));
  for (std::size_t k = 0; k < values.size(); ++k) array.set(std::int64_t(k), values[k]);
  return array;
}

Numbers numbers_in(const Array& array) {
  Numbers numbers;
  for (std::int64_t k = 0; k < array.size(); ++k) numbers.push_back(array.get_int(k));
  return numbers;
}

std::vector<double> values_in(const Array& array) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < array.size(); ++k) values.push_back(array.get(k));
  return values;
}

}  // namespace

std::map<std::string, Array> arrays_of(const StoredMatrix& matrix, const std::string& name,
                                       DataType type, DataType index) {
  std::map<std::string, Array> all;
  const auto add = [&](const char* suffix, const std::vector<std::int64_t>& numbers,
                       std::vector<std::int64_t> shape) {
    all.emplace(name + suffix, array_of(index, numbers, std::move(shape)));
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
  all.emplace(name, values_of(type, matrix.value, shape));
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
    if (given != arrays.end()) *list = numbers_in(given->second);
  }
  matrix.value = values_in(values);
  if (format.storage == StorageKind::Ell) matrix.width = values.shape.back();
  if (format.storage == StorageKind::Dia) matrix.width = values.shape.front();
  return matrix;
}

std::map<std::string, Array> arrays_of(const StoredTensor& tensor, const std::string& name,
                                       DataType type, DataType index) {
  std::map<std::string, Array> all;
  for (std::size_t k = 0; k < tensor.levels.size(); ++k) {
    const auto& [offsets, column] = tensor.levels[k];
    const std::string level = name_of_level(name, k + 1);
    const auto add = [&](const char* suffix, const Numbers& numbers) {
      all.emplace(level + suffix, array_of(index, numbers, {std::int64_t(numbers.size())}));
    };
    add(kOffsetsSuffix, offsets);
    add(kColumnsSuffix, column);
  }
  all.emplace(name, values_of(type, tensor.value, {std::int64_t(tensor.value.size())}));
  return all;
}

StoredTensor tensor_of(const std::map<std::string, Array>& arrays, const std::string& name,
                       std::vector<std::int64_t> extents, const Array& values) {
  StoredTensor tensor;
  for (std::size_t level = 1; level < extents.size(); ++level) {
    const std::string own = name_of_level(name, level);
    tensor.levels.push_back(
        {numbers_in(arrays.at(own + kOffsetsSuffix)), numbers_in(arrays.at(own + kColumnsSuffix))});
  }
  tensor.extents = std::move(extents);
  tensor.value = values_in(values);
  return tensor;
}

}  // namespace selvage
