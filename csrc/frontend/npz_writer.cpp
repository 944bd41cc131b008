#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/npz.h>
#include <selvage/frontend/npz_archive.h>
#include <selvage/frontend/whole_file.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace selvage {

namespace {

[[noreturn]] void refuse_npz_form(const std::string& path, const std::string& why,
                                  std::string help) {
  throw BadInput({.code = "E603",
                  .place = {path, 0, 0},
                  .message = "cannot write the matrix: " + why,
                  .help = std::move(help)});
}

template <class Item>
std::string member_of(std::string_view descr, const std::vector<std::int64_t>& shape,
                      const std::vector<Item>& items) {
  return npy_bytes(descr, shape, std::as_bytes(std::span(items)));
}

class NpzWriter {
 public:
  NpzWriter(const std::string& path, const StoredMatrix& matrix) : path_(path), m_(matrix) {
    are_narrow_ = true;
    for (const auto* list : {&m_.offsets, &m_.row, &m_.column, &m_.diagonal}) {
      for (const std::int64_t i : *list)
        are_narrow_ = are_narrow_ && std::in_range<std::int32_t>(i);
    }
  }

  void write() {
    const auto items = static_cast<std::int64_t>(m_.value.size());
    switch (m_.format.storage) {
      case StorageKind::Csr: add_lines("csr", m_.rows, m_.column, {items}); break;
      case StorageKind::Csc: add_lines("csc", m_.columns, m_.row, {items}); break;
      case StorageKind::Coo:
        SELVAGE_CHECK(m_.row.size() == m_.value.size() && m_.column.size() == m_.value.size());
        add_integers("row", m_.row);
        add_integers("col", m_.column);
        add_matrix("coo", {items}, m_.value);
        break;
      case StorageKind::Dia: add_diagonals(); break;
      case StorageKind::Bcsr: add_blocks(); break;
      case StorageKind::Ell: refuse_slots("ell");
      case StorageKind::Sell: refuse_slots("sell");
    }
    const std::string archive = npz_archive(members_, path_);
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(archive))};
    write_whole_file(path_, "matrix", parts);
  }

 private:
  [[noreturn]] void refuse_slots(const std::string& format) const {
    refuse_npz_form(path_, "SciPy has no matrices of the format " + format,
                    "convert it to csr first, or to csc, coo, dia or bcsr");
  }

  void add_integers(const std::string& name, const std::vector<std::int64_t>& items) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(items.size())};
    members_.emplace_back(
        name + ".npy",
        are_narrow_ ? member_of("<i4", shape, std::vector<std::int32_t>(items.begin(), items.end()))
                    : member_of("<i8", shape, items));
  }
  // The members that each format has.
  void add_matrix(std::string_view format, const std::vector<std::int64_t>& shape,
                  const std::vector<double>& values) {
    members_.emplace_back("format.npy",
                          member_of("|S3", {}, std::vector<char>(format.begin(), format.end())));
    members_.emplace_back("shape.npy", member_of("<i8", {2}, std::vector{m_.rows, m_.columns}));
    members_.emplace_back("data.npy", member_of("<f8", shape, values));
  }

  void add_lines(std::string_view format, std::int64_t lines,
                 const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
    SELVAGE_CHECK(static_cast<std::int64_t>(m_.offsets.size()) == lines + 1 &&
                  m_.offsets.back() == shape[0] &&
                  static_cast<std::int64_t>(index.size()) == shape[0]);
    add_integers("indices", index);
    add_integers("indptr", m_.offsets);
    add_matrix(format, shape, m_.value);
  }

  void add_blocks() {
    const auto [storage, height, width] = m_.format;
    if (m_.rows % height != 0 || m_.columns % width != 0) {
      refuse_npz_form(
          path_,
          "SciPy has whole blocks only, and those of " + std::to_string(height) + " x " +
              std::to_string(width) + " reach over the edge of " + std::to_string(m_.rows) +
              " rows and " + std::to_string(m_.columns) + " columns",
          "convert it to csr first, or to blocks whose sizes divide those of the matrix");
    }
    const auto blocks = static_cast<std::int64_t>(m_.column.size());
    SELVAGE_CHECK(static_cast<std::int64_t>(m_.value.size()) == blocks * height * width);
    add_lines("bsr", m_.rows / height, m_.column, {blocks, height, width});
  }

  // As read_diagonals, backward: up to the last column in which a diagonal has an item.
  void add_diagonals() {
    SELVAGE_CHECK(static_cast<std::int64_t>(m_.diagonal.size()) == m_.width &&
                  static_cast<std::int64_t>(m_.value.size()) == m_.width * m_.rows);
    std::int64_t length = 0;
    for (const std::int64_t d : m_.diagonal) {
      SELVAGE_CHECK(d > -m_.rows && d < m_.columns);
      length = std::max(length, d < m_.columns - m_.rows ? m_.rows + d : m_.columns);
    }
    const std::optional<std::int64_t> items = checked_mul(m_.width, length);
    constexpr std::int64_t kMost = 1 << 30;
    if (!items || *items > kMost) {
      refuse_npz_form(path_,
                      "SciPy's dia would hold " + std::to_string(m_.width) + " diagonals of " +
                          std::to_string(length) + " columns, more than 2^30 items",
                      "convert it to csr first");
    }
    std::vector<double> data(static_cast<std::size_t>(*items), 0);
    for (std::int64_t k = 0; k < m_.width; ++k) {
      const std::int64_t d = m_.diagonal[static_cast<std::size_t>(k)];
      const std::int64_t end = std::min(length - d, m_.rows);
      for (std::int64_t r = std::max<std::int64_t>(-d, 0); r < end; ++r) {
        data[static_cast<std::size_t>(k * length + r + d)] =
            m_.value[static_cast<std::size_t>(k * m_.rows + r)];
      }
    }
    add_integers("offsets", m_.diagonal);
    add_matrix("dia", {m_.width, length}, data);
  }

  const std::string& path_;
  const StoredMatrix& m_;
  bool are_narrow_ = true;  // the indices fit in int32
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace

void write_npz(const std::string& path, const StoredMatrix& matrix) {
  NpzWriter(path, matrix).write();
}

}  // namespace selvage
