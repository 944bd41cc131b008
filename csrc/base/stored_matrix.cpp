#include <selvage/base/refuse.h>
#include <selvage/base/stored_matrix.h>
#include <selvage/base/words.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace selvage {

namespace {

using Numbers = std::vector<std::int64_t>;

struct StorageName {
  StorageKind storage;
  std::string_view name;
  int numbers;  // in brackets behind it
};
constexpr StorageName kNames[] = {{StorageKind::Csr, "csr", 0},   {StorageKind::Csc, "csc", 0},
                                  {StorageKind::Coo, "coo", 0},   {StorageKind::Ell, "ell", 0},
                                  {StorageKind::Sell, "sell", 1}, {StorageKind::Dia, "dia", 0},
                                  {StorageKind::Bcsr, "bcsr", 2}};

constexpr std::int64_t kMostInFormat = 4096;
constexpr std::int64_t kMostValues = std::int64_t{1} << 30;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// ---- Sorting by a key below `keys`, in linear time ----

// Where the items of each key begin, and after the last one where they end.
Numbers begins_of(const Numbers& key, std::int64_t keys) {
  Numbers begins(std::size_t(keys) + 1, 0);
  for (std::int64_t k : key) ++begins[std::size_t(k) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

// Moves the numbers and the value of each item behind those of lesser keys, in their order.
struct Sorted {
  Numbers begins, other;
  std::vector<double> value;
};
Sorted sorted_by(const Numbers& key, std::int64_t keys, const Numbers& other,
                 const std::vector<double>& value) {
  Sorted made{begins_of(key, keys), Numbers(key.size()), std::vector<double>(key.size())};
  Numbers next = made.begins;
  for (std::size_t item = 0; item < key.size(); ++item) {
    const auto to = std::size_t(next[std::size_t(key[item])]++);
    made.other[to] = other[item];
    made.value[to] = value[item];
  }
  return made;
}

// The same of items that lie by another key already, of which `offsets` tells the first ones.
Sorted turned_around(const Numbers& offsets, const Numbers& key, std::int64_t keys,
                     const std::vector<double>& value) {
  Sorted made{begins_of(key, keys), Numbers(key.size()), std::vector<double>(key.size())};
  Numbers next = made.begins;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    for (auto item = std::size_t(offsets[r]); item < std::size_t(offsets[r + 1]); ++item) {
      const auto to = std::size_t(next[std::size_t(key[item])]++);
      made.other[to] = std::int64_t(r);
      made.value[to] = value[item];
    }
  }
  return made;
}

// For each item its key, of which `begins` tells the first items.
Numbers keys_of(const Numbers& begins) {
  Numbers key;
  key.reserve(std::size_t(begins.back()));
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    key.insert(key.end(), std::size_t(begins[k + 1] - begins[k]), std::int64_t(k));
  }
  return key;
}

bool is_sorted(const CoordinateMatrix& m) {
  for (std::size_t k = 1; k < m.items(); ++k) {
    if (m.row[k] < m.row[k - 1]) return false;
    if (m.row[k] == m.row[k - 1] && m.column[k] < m.column[k - 1]) return false;
  }
  return true;
}

StoredMatrix empty(StorageKind storage, std::int64_t rows, std::int64_t columns) {
  StoredMatrix made;
  made.format.storage = storage;
  made.rows = rows;
  made.columns = columns;
  return made;
}

// ---- From csr to each format ----

std::int64_t length(const StoredMatrix& csr, std::int64_t row) {
  return csr.offsets[std::size_t(row) + 1] - csr.offsets[std::size_t(row)];
}

// The number of values, where a format holds more of them than items.
std::int64_t checked_count(std::int64_t slots, std::int64_t each, const StorageFormat& format,
                           std::size_t items) {
  if (each == 0 || slots <= kMostValues / each) return slots * each;
  refuse<BadInput>("E605",
                   "as " + to_string(format) + " the matrix would hold more than " +
                       std::to_string(kMostValues) + " values for " + std::to_string(items) +
                       " items",
                   "choose a format that holds the items alone, such as csr");
}

StoredMatrix to_csc(const StoredMatrix& csr) {
  StoredMatrix made = empty(StorageKind::Csc, csr.rows, csr.columns);
  Sorted turned = turned_around(csr.offsets, csr.column, csr.columns, csr.value);
  made.offsets = std::move(turned.begins);
  made.row = std::move(turned.other);
  made.value = std::move(turned.value);
  return made;
}

StoredMatrix to_coo(const StoredMatrix& csr) {
  StoredMatrix made = empty(StorageKind::Coo, csr.rows, csr.columns);
  made.row = keys_of(csr.offsets);
  made.column = csr.column;
  made.value = csr.value;
  return made;
}

// Slots of each slice as many as its longest row has items: one slice of all rows is ell, but that
// its slots lie row by row.
StoredMatrix to_ell(const StoredMatrix& csr) {
  StoredMatrix made = empty(StorageKind::Ell, csr.rows, csr.columns);
  for (std::int64_t r = 0; r < csr.rows; ++r) made.width = std::max(made.width, length(csr, r));
  const std::int64_t count = checked_count(csr.rows, made.width, made.format, csr.value.size());
  made.column.assign(std::size_t(count), -1);
  made.value.assign(std::size_t(count), 0);
  for (std::int64_t r = 0; r < csr.rows; ++r) {
    const auto from = csr.offsets[std::size_t(r)];
    std::copy_n(csr.column.begin() + from, length(csr, r), made.column.begin() + r * made.width);
    std::copy_n(csr.value.begin() + from, length(csr, r), made.value.begin() + r * made.width);
  }
  return made;
}

StoredMatrix to_sell(const StoredMatrix& csr, const StorageFormat& format) {
  StoredMatrix made = empty(StorageKind::Sell, csr.rows, csr.columns);
  made.format = format;
  const std::int64_t height = format.height;
  made.offsets = {0};
  for (std::int64_t first = 0; first < csr.rows; first += height) {
    std::int64_t longest = 0;
    for (std::int64_t r = first; r < std::min(first + height, csr.rows); ++r) {
      longest = std::max(longest, length(csr, r));
    }
    made.offsets.push_back(made.offsets.back() + longest);
  }
  const std::int64_t count = checked_count(made.offsets.back(), height, format, csr.value.size());
  made.column.assign(std::size_t(count), -1);
  made.value.assign(std::size_t(count), 0);
  for (std::int64_t r = 0; r < csr.rows; ++r) {
    const std::int64_t first = made.offsets[std::size_t(r / height)];
    for (std::int64_t k = 0; k < length(csr, r); ++k) {
      const auto from = std::size_t(csr.offsets[std::size_t(r)] + k);
      const auto to = std::size_t((first + k) * height + r % height);
      made.column[to] = csr.column[from];
      made.value[to] = csr.value[from];
    }
  }
  return made;
}

StoredMatrix to_dia(const StoredMatrix& csr) {
  StoredMatrix made = empty(StorageKind::Dia, csr.rows, csr.columns);
  // Diagonals from -(rows - 1) to columns - 1, counted from 0 on; -1: no item is on it.
  Numbers number(std::size_t(csr.rows + csr.columns), -1);
  const Numbers row = keys_of(csr.offsets);
  const auto on = [&](std::size_t k) { return std::size_t(csr.column[k] - row[k] + csr.rows - 1); };
  for (std::size_t k = 0; k < row.size(); ++k) number[on(k)] = 0;
  for (std::size_t d = 0; d < number.size(); ++d) {
    if (number[d] < 0) continue;
    number[d] = made.width++;
    made.diagonal.push_back(std::int64_t(d) - (csr.rows - 1));
  }
  made.value.assign(std::size_t(checked_count(made.width, csr.rows, made.format, csr.value.size())),
                    0);
  for (std::size_t k = 0; k < row.size(); ++k) {
    made.value[std::size_t(number[on(k)] * csr.rows + row[k])] += csr.value[k];
  }
  return made;
}

StoredMatrix to_bcsr(const StoredMatrix& csr, const StorageFormat& format) {
  StoredMatrix made = empty(StorageKind::Bcsr, csr.rows, csr.columns);
  made.format = format;
  const std::int64_t height = format.height, width = format.width;
  // The number of the block at each column of blocks, as far as it is one of the row of blocks that
  // is looked at.
  Numbers block(std::size_t(ceil_div(csr.columns, width)), -1);
  made.offsets = {0};
  for (std::int64_t first = 0; first < csr.rows; first += height) {
    const std::int64_t begin = made.offsets.back();
    const auto items_begin = std::size_t(csr.offsets[std::size_t(first)]);
    const auto items_end =
        std::size_t(csr.offsets[std::size_t(std::min(first + height, csr.rows))]);
    for (std::size_t k = items_begin; k < items_end; ++k) {
      std::int64_t& number = block[std::size_t(csr.column[k] / width)];
      if (number >= begin) continue;
      number = begin;  // until they are sorted
      made.column.push_back(csr.column[k] / width);
    }
    std::sort(made.column.begin() + begin, made.column.end());
    for (auto b = std::size_t(begin); b < made.column.size(); ++b) {
      block[std::size_t(made.column[b])] = std::int64_t(b);
    }
    made.offsets.push_back(std::int64_t(made.column.size()));
    made.value.resize(
        std::size_t(checked_count(made.offsets.back(), height * width, format, csr.value.size())));
    for (std::int64_t r = first; r < std::min(first + height, csr.rows); ++r) {
      for (auto k = std::size_t(csr.offsets[std::size_t(r)]);
           k < std::size_t(csr.offsets[std::size_t(r) + 1]); ++k) {
        const std::int64_t number = block[std::size_t(csr.column[k] / width)];
        made.value[std::size_t((number * height + r - first) * width + csr.column[k] % width)] +=
            csr.value[k];
      }
    }
  }
  return made;
}

// ---- And back ----

StoredMatrix from_sorted(std::int64_t rows, std::int64_t columns, Sorted sorted) {
  StoredMatrix made = empty(StorageKind::Csr, rows, columns);
  made.offsets = std::move(sorted.begins);
  made.column = std::move(sorted.other);
  made.value = std::move(sorted.value);
  return made;
}

// Adds items of which each row's come one after the other.
class RowsWriter {
 public:
  RowsWriter(std::int64_t rows, std::int64_t columns, std::size_t most)
      : made_(empty(StorageKind::Csr, rows, columns)) {
    made_.offsets = {0};
    made_.offsets.reserve(std::size_t(rows) + 1);
    made_.column.reserve(most);
    made_.value.reserve(most);
  }
  void add(std::int64_t column, double value) {
    made_.column.push_back(column);
    made_.value.push_back(value);
  }
  void end_row() { made_.offsets.push_back(std::int64_t(made_.column.size())); }
  StoredMatrix made() { return std::move(made_); }

 private:
  StoredMatrix made_;
};

StoredMatrix from_ell(const StoredMatrix& ell) {
  RowsWriter writer(ell.rows, ell.columns, ell.value.size());
  for (std::int64_t r = 0; r < ell.rows; ++r) {
    for (auto k = std::size_t(r * ell.width); k < std::size_t((r + 1) * ell.width); ++k) {
      if (ell.column[k] >= 0) writer.add(ell.column[k], ell.value[k]);
    }
    writer.end_row();
  }
  return writer.made();
}

StoredMatrix from_sell(const StoredMatrix& sell) {
  RowsWriter writer(sell.rows, sell.columns, sell.value.size());
  const std::int64_t height = sell.format.height;
  for (std::int64_t r = 0; r < sell.rows; ++r) {
    const auto slice = std::size_t(r / height);
    for (std::int64_t slot = sell.offsets[slice]; slot < sell.offsets[slice + 1]; ++slot) {
      const auto k = std::size_t(slot * height + r % height);
      if (sell.column[k] >= 0) writer.add(sell.column[k], sell.value[k]);
    }
    writer.end_row();
  }
  return writer.made();
}

StoredMatrix from_dia(const StoredMatrix& dia) {
  RowsWriter writer(dia.rows, dia.columns, dia.value.size());
  for (std::int64_t r = 0; r < dia.rows; ++r) {
    for (std::size_t d = 0; d < dia.diagonal.size(); ++d) {
      const std::int64_t column = r + dia.diagonal[d];
      const double value = dia.value[std::size_t(std::int64_t(d) * dia.rows + r)];
      if (column >= 0 && column < dia.columns && value != 0) writer.add(column, value);
    }
    writer.end_row();
  }
  return writer.made();
}

StoredMatrix from_bcsr(const StoredMatrix& bcsr) {
  RowsWriter writer(bcsr.rows, bcsr.columns, bcsr.value.size());
  const std::int64_t height = bcsr.format.height, width = bcsr.format.width;
  for (std::int64_t r = 0; r < bcsr.rows; ++r) {
    const auto row = std::size_t(r / height);
    for (std::int64_t block = bcsr.offsets[row]; block < bcsr.offsets[row + 1]; ++block) {
      for (std::int64_t c = 0; c < width; ++c) {
        const std::int64_t column = bcsr.column[std::size_t(block)] * width + c;
        const double value = bcsr.value[std::size_t((block * height + r % height) * width + c)];
        if (column < bcsr.columns && value != 0) writer.add(column, value);
      }
    }
    writer.end_row();
  }
  return writer.made();
}

StoredMatrix to_csr(const StoredMatrix& matrix) {
  switch (matrix.format.storage) {
    case StorageKind::Csr: return matrix;
    case StorageKind::Csc:
      return from_sorted(matrix.rows, matrix.columns,
                         turned_around(matrix.offsets, matrix.row, matrix.rows, matrix.value));
    case StorageKind::Coo: {
      StoredMatrix made = empty(StorageKind::Csr, matrix.rows, matrix.columns);
      made.offsets = begins_of(matrix.row, matrix.rows);
      made.column = matrix.column;
      made.value = matrix.value;
      return made;
    }
    case StorageKind::Ell: return from_ell(matrix);
    case StorageKind::Sell: return from_sell(matrix);
    case StorageKind::Dia: return from_dia(matrix);
    case StorageKind::Bcsr: return from_bcsr(matrix);
  }
  return {};
}

StoredMatrix from_csr(const StoredMatrix& csr, const StorageFormat& format) {
  switch (format.storage) {
    case StorageKind::Csr: return csr;
    case StorageKind::Csc: return to_csc(csr);
    case StorageKind::Coo: return to_coo(csr);
    case StorageKind::Ell: return to_ell(csr);
    case StorageKind::Sell: return to_sell(csr, format);
    case StorageKind::Dia: return to_dia(csr);
    case StorageKind::Bcsr: return to_bcsr(csr, format);
  }
  return {};
}

}  // namespace

std::string to_string(const StorageFormat& format) {
  const StorageName& own = kNames[std::size_t(format.storage)];
  std::string text(own.name);
  if (own.numbers == 0) return text;
  text.append("(").append(std::to_string(format.height));
  if (own.numbers == 2) text.append(", ").append(std::to_string(format.width));
  return text.append(")");
}

std::optional<StorageFormat> storage_format(std::string_view text) {
  const std::size_t bracket = std::min(text.find('('), text.size());
  const auto own = std::ranges::find(kNames, trimmed(text.substr(0, bracket)), &StorageName::name);
  if (own == std::end(kNames)) return std::nullopt;
  StorageFormat format{.storage = own->storage};
  text.remove_prefix(bracket);
  if (own->numbers == 0) return text.empty() ? std::optional(format) : std::nullopt;
  if (!text.ends_with(')')) return std::nullopt;
  std::string_view rest = text.substr(1, text.size() - 2);
  for (int k = 0; k < own->numbers; ++k) {
    const bool is_last = k + 1 == own->numbers;
    const std::size_t comma = is_last ? rest.size() : rest.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const std::string_view word = trimmed(rest.substr(0, comma));
    std::int64_t& number = k == 0 ? format.height : format.width;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    if (number < 1 || number > kMostInFormat) return std::nullopt;
    if (!is_last) rest.remove_prefix(comma + 1);
  }
  return format;
}

std::vector<std::int64_t> shape_of_values(const StoredMatrix& matrix) {
  const StorageFormat& format = matrix.format;
  switch (format.storage) {
    case StorageKind::Csr:
    case StorageKind::Csc:
    case StorageKind::Coo: return {std::int64_t(matrix.value.size())};
    case StorageKind::Ell: return {matrix.rows, matrix.width};
    case StorageKind::Sell: return {matrix.offsets.back(), format.height};
    case StorageKind::Dia: return {matrix.width, matrix.rows};
    case StorageKind::Bcsr: return {matrix.offsets.back(), format.height, format.width};
  }
  return {};
}

StoredMatrix stored(const CoordinateMatrix& matrix, const StorageFormat& format) {
  StoredMatrix csr;
  if (is_sorted(matrix)) {
    StoredMatrix coo = empty(StorageKind::Coo, matrix.rows, matrix.columns);
    coo.row = matrix.row;
    coo.column = matrix.column;
    coo.value = matrix.value;
    if (format.storage == StorageKind::Coo) return coo;
    csr = to_csr(coo);
  } else {
    // By columns first, so that they rise in each row.
    const Sorted by_column = sorted_by(matrix.column, matrix.columns, matrix.row, matrix.value);
    csr = from_sorted(
        matrix.rows, matrix.columns,
        sorted_by(by_column.other, matrix.rows, keys_of(by_column.begins), by_column.value));
  }
  return format.storage == StorageKind::Csr ? csr : from_csr(csr, format);
}

StoredMatrix converted(const StoredMatrix& matrix, const StorageFormat& format) {
  if (matrix.format == format) return matrix;
  if (matrix.format.storage == StorageKind::Csr) return from_csr(matrix, format);
  StoredMatrix csr = to_csr(matrix);
  return format.storage == StorageKind::Csr ? csr : from_csr(csr, format);
}

CoordinateMatrix items_of(const StoredMatrix& matrix) {
  StoredMatrix coo = to_coo(to_csr(matrix));
  return {matrix.rows, matrix.columns, std::move(coo.row), std::move(coo.column),
          std::move(coo.value)};
}

}  // namespace selvage
