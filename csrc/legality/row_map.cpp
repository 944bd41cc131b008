#include <selvage/legality/row_map.h>

#include <bit>

namespace selvage {

static int bits_for(std::int64_t rows) { return int(std::bit_width(std::uint64_t(rows - 1))); }

RowMap row_map(const XorField& field, std::int64_t rows) {
  RowMap map{std::vector<std::uint64_t>(std::size_t(bits_for(rows)), 0)};
  for (int i = 0; i < field.bits; ++i) {
    const std::size_t from = std::size_t(field.row_shift + i);
    if (from < map.images.size()) map.images[from] = std::uint64_t{1} << (field.column_shift + i);
  }
  return map;
}

std::vector<XorField> fields_of(const RowMap& map) {
  std::vector<XorField> fields;
  const int rows = int(map.images.size());
  const auto at = [&](int i, int column) {
    return 0 <= column && column < 64 && (map.images[std::size_t(i)] >> column & 1) != 0;
  };
  for (int diagonal = -rows; diagonal < 64; ++diagonal) {
    for (int i = 0; i < rows; ++i) {
      if (!at(i, i + diagonal)) continue;
      XorField field{i, 0, i + diagonal};
      while (i < rows && at(i, i + diagonal)) ++i, ++field.bits;
      fields.push_back(field);
    }
  }
  return fields;
}

std::string to_text(const XorField& f, std::int64_t rows, const std::string& row) {
  std::string text = row;
  if (f.row_shift > 0) text += " / " + std::to_string(std::int64_t{1} << f.row_shift);
  if (f.row_shift + f.bits < bits_for(rows)) {
    text += " % " + std::to_string(std::int64_t{1} << f.bits);
  }
  if (f.column_shift > 0) text += " * " + std::to_string(std::int64_t{1} << f.column_shift);
  return text;
}

}  // namespace selvage
