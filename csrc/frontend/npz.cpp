#include <selvage/base/array.h>
#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/base/names.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/npz.h>
#include <selvage/frontend/npz_archive.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

constexpr const char* kSaveAgain = "save the matrix again with scipy.sparse.save_npz";
// Members that hold a few characters or numbers, whose headers may be as long as npy.cpp allows.
constexpr std::uint64_t kMostOfFew = 2 << 20;
constexpr std::int64_t kMostOfBlock = 4096;

[[noreturn]] void refuse_npz(const std::string& path, std::string why,
                             std::string help = kSaveAgain) {
  throw BadInput(
      {.code = "E602", .place = {path, 0, 0}, .message = std::move(why), .help = std::move(help)});
}

// What messages call the parts of a matrix whose offsets tell where its lines begin.
struct LineWords {
  std::string line, lines, across, acrosses, item;
};
const LineWords kByRows = {"row", "rows", "column", "columns", "item"};
const LineWords kByColumns = {"column", "columns", "row", "rows", "item"};
const LineWords kByBlocks = {"row of blocks", "rows of blocks", "column of blocks",
                             "columns of blocks", "block"};

// The order of indices in each line, stable: block[i] of `size` values goes with index[i].
void sort_lines(const std::vector<std::int64_t>& offsets, std::vector<std::int64_t>& index,
                std::vector<double>& value, std::size_t size) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::vector<double> moved;
  for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
    const auto begin = static_cast<std::size_t>(offsets[line]);
    const auto end = static_cast<std::size_t>(offsets[line + 1]);
    if (std::is_sorted(index.begin() + offsets[line], index.begin() + offsets[line + 1])) continue;
    order.clear();
    for (std::size_t i = begin; i < end; ++i) order.emplace_back(index[i], i);
    std::sort(order.begin(), order.end());  // stable: what is equal stands apart by its position
    moved.clear();
    for (const auto& [to, from] : order) {
      index[begin + moved.size() / size] = to;
      const auto block = value.begin() + static_cast<std::ptrdiff_t>(from * size);
      moved.insert(moved.end(), block, block + static_cast<std::ptrdiff_t>(size));
    }
    std::copy(moved.begin(), moved.end(),
              value.begin() + static_cast<std::ptrdiff_t>(begin * size));
  }
}

// Blocks with the same coordinates, which stand side by side, become their sum.
void add_up_blocks(StoredMatrix& m) {
  const auto size = static_cast<std::size_t>(m.format.height * m.format.width);
  std::size_t kept = 0, begin = 0;
  for (std::size_t line = 0; line + 1 < m.offsets.size(); ++line) {
    const auto end = static_cast<std::size_t>(m.offsets[line + 1]);
    const std::size_t first = kept;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_same = kept > first && m.column[kept - 1] == m.column[i];
      if (!is_same) m.column[kept++] = m.column[i];
      for (std::size_t k = 0; k < size; ++k) {
        double& to = m.value[(kept - 1) * size + k];
        to = is_same ? to + m.value[i * size + k] : m.value[i * size + k];
      }
    }
    begin = end;
    m.offsets[line + 1] = static_cast<std::int64_t>(kept);
  }
  m.column.resize(kept);
  m.value.resize(kept * size);
}

void sort_items(StoredMatrix& m) {
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::tie(m.row[a], m.column[a]) < std::tie(m.row[b], m.column[b]);
  };
  std::vector<std::size_t> order(m.value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  const auto reorder = [&](auto& of) {
    auto moved = of;
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = of[order[i]];
    of = std::move(moved);
  };
  reorder(m.row);
  reorder(m.column);
  reorder(m.value);
}

class NpzReader {
 public:
  explicit NpzReader(const std::string& path) : path_(path), archive_(path) {}

  StoredMatrix read() {
    format_ = format();
    read_shape();
    if (format_ == "csr") {
      m_.format.storage = StorageKind::Csr;
      read_lines(kByRows, m_.rows, m_.columns, m_.column);
    } else if (format_ == "csc") {
      m_.format.storage = StorageKind::Csc;
      read_lines(kByColumns, m_.columns, m_.rows, m_.row);
    } else if (format_ == "coo") {
      read_coordinates();
    } else if (format_ == "bsr") {
      read_blocks();
    } else if (format_ == "dia") {
      read_diagonals();
    } else {
      wrong("the member format.npy: the format " + shown(format_) +
                " is none of csr, csc, coo, dia and bsr",
            "save it in one of these: a.tocsr()");
    }
    return std::move(m_);
  }

 private:
  [[noreturn]] void wrong(std::string why, std::string help = kSaveAgain) const {
    refuse_npz(path_, std::move(why), std::move(help));
  }

  std::string bytes(const std::string& member, std::uint64_t most) const {
    if (!archive_.has(member)) {
      if (format_.empty()) {
        wrong("it has no member " + member + ", so it is no sparse matrix",
              "save the matrix with scipy.sparse.save_npz");
      }
      wrong("it has no member " + member + ", which a matrix of the format " + format_ + " needs");
    }
    return archive_.bytes(member, most);
  }
  Array array(const std::string& member, std::size_t axes,
              std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const {
    Array a = npy_array(bytes(member, most), {path_, member, kSaveAgain});
    if (a.shape.size() != axes) {
      wrong("the member " + member + " has " + std::to_string(a.shape.size()) + " axes, not " +
            std::to_string(axes));
    }
    return a;
  }

  // NumPy's one string: SciPy writes bytes, |S3, and once wrote characters, <U3.
  std::string format() const {
    const std::string member = "format.npy";
    const std::string all = bytes(member, kMostOfFew);
    const NpyHeader header = npy_header(all, {path_, member, kSaveAgain});
    const std::string_view descr = header.descr;
    const bool is_wide = descr.starts_with("<U");
    std::int64_t length = -1;
    if (is_wide || descr.starts_with("|S")) {
      const auto [end, error] =
          std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
      if (error != std::errc() || end != descr.data() + descr.size()) length = -1;
    }
    if (length < 0 || !header.shape.empty()) {
      wrong("the member " + member + ": it is no string, but has the type " + shown(descr) +
            " and " + std::to_string(header.shape.size()) + " axes");
    }
    const std::int64_t width = is_wide ? 4 : 1;
    if (header.data_bytes % width != 0 || header.data_bytes / width != length) {
      wrong("the member " + member + ": the string should have " + std::to_string(length) +
            " characters of " + std::to_string(width) + " bytes, but " +
            std::to_string(header.data_bytes) + " bytes follow");
    }
    std::string text;
    const std::string_view data = std::string_view(all).substr(all.size() - header.data_bytes);
    for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(width)) {
      const std::string_view one = data.substr(at, static_cast<std::size_t>(width));
      text += one.find_first_not_of('\0', 1) == one.npos ? one[0] : '?';
    }
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }

  std::vector<std::int64_t> integers(const Array& a, const std::string& member) const {
    if (a.type != DataType::Int32 && a.type != DataType::Int64) {
      wrong("the member " + member + ": its items are of the type " +
                std::string(to_string(a.type)) + ", and should be int32 or int64",
            "save them as int64");
    }
    std::vector<std::int64_t> result(static_cast<std::size_t>(a.size()));
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = a.get_int(static_cast<std::int64_t>(k));
    }
    return result;
  }
  std::vector<std::int64_t> integers(const std::string& member) const {
    return integers(array(member, 1), member);
  }
  static std::vector<double> values(const Array& a) {
    std::vector<double> result(static_cast<std::size_t>(a.size()));
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = a.get(std::int64_t(k));
    return result;
  }

  void read_shape() {
    const std::string member = "shape.npy";
    const std::vector<std::int64_t> shape = integers(array(member, 1, kMostOfFew), member);
    if (shape.size() != 2) {
      wrong("the member " + member + " has " + std::to_string(shape.size()) +
                " sizes, and a matrix has rows and columns",
            "save an array of two axes");
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (shape[axis] >= 0) continue;
      wrong("the member " + member + ": the number of " + (axis == 0 ? "rows" : "columns") +
            " is " + std::to_string(shape[axis]));
    }
    m_.rows = shape[0];
    m_.columns = shape[1];
  }

  void check_same(const std::string& a, std::size_t items_of_a, const std::string& b,
                  std::int64_t items_of_b) const {
    if (static_cast<std::int64_t>(items_of_a) == items_of_b) return;
    wrong("the members " + a + " and " + b + " are of " + std::to_string(items_of_a) + " and " +
          std::to_string(items_of_b) + " items, and should be of as many");
  }

  // A coordinate of the item k, in this line if the format has such.
  void check_index(const std::string& member, std::int64_t index, std::int64_t end, std::size_t k,
                   const LineWords& words, std::optional<std::size_t> line = {}) const {
    if (index >= 0 && index < end) return;
    wrong("the member " + member + ": the " + words.across + " " + std::to_string(index) + " of " +
              words.item + " " + std::to_string(k) +
              (line ? ", in " + words.line + " " + std::to_string(*line) + "," : "") +
              " is outside of the matrix, which has " + std::to_string(end) + " " + words.acrosses,
          "count " + words.acrosses + " from 0 on, or correct the shape");
  }

  void check_offsets(std::int64_t lines, std::size_t items, const LineWords& words) const {
    const std::vector<std::int64_t>& offsets = m_.offsets;
    const auto wrong_offsets = [&](const std::string& why) {
      wrong("the member indptr.npy " + why, "write where each " + words.line +
                                                " begins, rising from 0 on, and the number of " +
                                                words.item + "s at the end");
    };
    if (offsets.empty() || static_cast<std::int64_t>(offsets.size() - 1) != lines) {
      wrong_offsets("has " + std::to_string(offsets.size()) + " offsets, and " +
                    std::to_string(lines) + " " + words.lines + " need " +
                    std::to_string(static_cast<std::uint64_t>(lines) + 1));
    }
    if (offsets[0] != 0) wrong_offsets("begins with " + std::to_string(offsets[0]) + ", not 0");
    for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
      if (offsets[line] <= offsets[line + 1]) continue;
      wrong_offsets("falls from " + std::to_string(offsets[line]) + " to " +
                    std::to_string(offsets[line + 1]) + " at " + words.line + " " +
                    std::to_string(line));
    }
    if (offsets.back() != static_cast<std::int64_t>(items)) {
      wrong_offsets("ends with " + std::to_string(offsets.back()) +
                    ", and the member indices.npy is of " + std::to_string(items) + " items");
    }
  }

  // csr, csc and bsr: `index` becomes the coordinate across the lines. The values are those of
  // blocks of `size`.
  void read_lines(const LineWords& words, std::int64_t lines, std::int64_t across,
                  std::vector<std::int64_t>& index, const Array& data, std::size_t size) {
    index = integers("indices.npy");
    check_same("indices.npy", index.size(), "data.npy", data.shape[0]);
    m_.offsets = integers("indptr.npy");
    check_offsets(lines, index.size(), words);
    for (std::size_t line = 0; line + 1 < m_.offsets.size(); ++line) {
      for (auto k = static_cast<std::size_t>(m_.offsets[line]);
           k < static_cast<std::size_t>(m_.offsets[line + 1]); ++k) {
        check_index("indices.npy", index[k], across, k, words, line);
      }
    }
    m_.value = values(data);
    sort_lines(m_.offsets, index, m_.value, size);
  }
  void read_lines(const LineWords& words, std::int64_t lines, std::int64_t across,
                  std::vector<std::int64_t>& index) {
    read_lines(words, lines, across, index, array("data.npy", 1), 1);
  }

  void read_blocks() {
    const Array data = array("data.npy", 3);
    m_.format = {StorageKind::Bcsr, data.shape[1], data.shape[2]};
    const auto [storage, height, width] = m_.format;
    const std::string blocks = std::to_string(height) + " x " + std::to_string(width);
    for (const std::int64_t n : {height, width}) {
      if (n >= 1 && n <= kMostOfBlock) continue;
      wrong("the member data.npy has blocks of " + blocks + " items, and 1 to 4,096 are allowed",
            "save it in other blocks, or in none: a.tobsr((4, 4)), a.tocsr()");
    }
    if (m_.rows % height != 0 || m_.columns % width != 0) {
      wrong("the member data.npy has blocks of " + blocks + " items, which do not fill " +
                std::to_string(m_.rows) + " rows and " + std::to_string(m_.columns) + " columns",
            "correct the shape to whole blocks");
    }
    read_lines(kByBlocks, m_.rows / height, m_.columns / width, m_.column, data,
               static_cast<std::size_t>(height * width));
    add_up_blocks(m_);
  }

  void read_coordinates() {
    m_.format.storage = StorageKind::Coo;
    std::string row = "row.npy", column = "col.npy";
    if (archive_.has("coords.npy")) {  // arrays of any number of axes have them all in one member
      row = column = "coords.npy";
      const Array coordinates = array(row, 2);
      if (coordinates.shape[0] != 2) {
        wrong("the member " + row + " has coordinates on " + std::to_string(coordinates.shape[0]) +
              " axes, and a matrix has rows and columns");
      }
      m_.row = integers(coordinates, row);
      const auto half = m_.row.begin() + static_cast<std::ptrdiff_t>(m_.row.size() / 2);
      m_.column.assign(half, m_.row.end());
      m_.row.erase(half, m_.row.end());
    } else {
      m_.row = integers(row);
      m_.column = integers(column);
    }
    const Array data = array("data.npy", 1);
    check_same(row, m_.row.size(), "data.npy", data.shape[0]);
    check_same(column, m_.column.size(), "data.npy", data.shape[0]);
    for (std::size_t k = 0; k < m_.row.size(); ++k) {
      check_index(row, m_.row[k], m_.rows, k, kByColumns);
      check_index(column, m_.column[k], m_.columns, k, kByRows);
    }
    m_.value = values(data);
    sort_items(m_);
  }

  // data[k, j] is the item of diagonal k in the column j; here value[k, r] is the one in the row r.
  //   diagonal 1 of 3 x 4:  . a . .     data   - a b c     value   a b c
  //                         . . b .
  //                         . . . c
  void read_diagonals() {
    m_.format.storage = StorageKind::Dia;
    const std::vector<std::int64_t> diagonals = integers("offsets.npy");
    const Array data = array("data.npy", 2);
    check_same("offsets.npy", diagonals.size(), "data.npy", data.shape[0]);
    std::vector<std::pair<std::int64_t, std::int64_t>> order;  // of diagonals, and where they lie
    for (std::size_t k = 0; k < diagonals.size(); ++k) {
      order.emplace_back(diagonals[k], static_cast<std::int64_t>(k));
    }
    std::sort(order.begin(), order.end());
    for (std::size_t k = 1; k < order.size(); ++k) {
      if (order[k - 1].first != order[k].first) continue;
      wrong("the member offsets.npy: the diagonal " + std::to_string(order[k].first) +
                " stands twice, as items " + std::to_string(order[k - 1].second) + " and " +
                std::to_string(order[k].second),
            "give each diagonal once");
    }
    std::erase_if(order,
                  [&](const auto& d) { return d.first <= -m_.rows || d.first >= m_.columns; });

    m_.width = static_cast<std::int64_t>(order.size());
    const std::optional<std::int64_t> places = checked_mul(m_.width, m_.rows);
    const std::int64_t most = std::max<std::int64_t>(data.size(), 1 << 21);
    if (!places || *places / 8 > most) {
      wrong("the member data.npy is of " + std::to_string(data.size()) + " items, and " +
                std::to_string(m_.width) + " diagonals of " + std::to_string(m_.rows) +
                " rows would take far more memory",
            "save it in the format csr: a.tocsr()");
    }
    m_.value.assign(static_cast<std::size_t>(*places), 0);
    const std::int64_t length = data.shape[1];
    for (std::int64_t k = 0; k < m_.width; ++k) {
      const auto [diagonal, from] = order[static_cast<std::size_t>(k)];
      m_.diagonal.push_back(diagonal);
      const std::int64_t end = std::min(std::min(length, m_.columns) - diagonal, m_.rows);
      for (std::int64_t r = std::max<std::int64_t>(-diagonal, 0); r < end; ++r) {
        m_.value[static_cast<std::size_t>(k * m_.rows + r)] =
            data.get(from * length + r + diagonal);
      }
    }
  }

  const std::string& path_;
  NpzArchive archive_;
  std::string format_;
  StoredMatrix m_;
};

}  // namespace

StoredMatrix read_npz(const std::string& path) {
  const auto refuse = [&] { refuse_npz(path, "there is no memory for it", "free some memory"); };
  try {
    return NpzReader(path).read();
  } catch (const std::bad_alloc&) {
    refuse();
  } catch (const std::length_error&) {
    refuse();
  }
  SELVAGE_CHECK(!"one of them");
}

}  // namespace selvage
