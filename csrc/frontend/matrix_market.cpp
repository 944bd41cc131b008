#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/number_text.h>
#include <selvage/frontend/matrix_market.h>
#include <selvage/frontend/whole_file.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

namespace selvage {

namespace {

// A file of numbers, read line by line.
class NumberLines {
 protected:
  NumberLines(const std::string& path, char comment) : path_(path), comment_(comment), file_(path) {
    if (!file_) wrong("it cannot be opened", "give a file that is there");
  }

  [[noreturn]] void wrong(std::string why, std::string help) const {
    throw BadInput({.code = "E602",
                    .place = {path_, line_number_, 0},
                    .message = std::move(why),
                    .help = std::move(help)});
  }

  // The words of the next line that is neither empty nor a comment; false at the end.
  bool next_line() {
    while (std::getline(file_, line_)) {
      ++line_number_;
      split();
      if (!words_.empty() && words_[0][0] != comment_) return true;
    }
    return false;
  }
  void split() {
    words_.clear();
    const std::string_view text = line_;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \t\r", at);
      if (begin == std::string_view::npos) return;
      at = std::min(text.find_first_of(" \t\r", begin), text.size());
      words_.push_back(text.substr(begin, at - begin));
    }
  }

  template <class Number>
  std::optional<Number> number(std::string_view word) const {
    if (word.starts_with('+')) word.remove_prefix(1);
    Number n{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return n;
  }
  double value(std::string_view word) const {
    const auto n = number<double>(word);
    if (!n || std::isnan(*n)) wrong(std::string(word) + " is no number", "write a number");
    return *n;
  }
  // From 0 on; the file counts from 1 on. `end`: the greatest one there, if that is known.
  std::int64_t coordinate(std::string_view word, std::optional<std::int64_t> end,
                          const std::string& what, const char* help) const {
    const auto n = number<std::int64_t>(word);
    if (n && *n >= 1 && (!end || *n <= *end)) return *n - 1;
    wrong("the " + what + " " + std::string(word) +
              (end ? " is none of 1 to " + std::to_string(*end) : " is no number from 1 on"),
          help);
  }

  std::string path_;
  char comment_;
  std::ifstream file_;
  std::string line_;
  int line_number_ = 0;
  std::vector<std::string_view> words_;
};

class MarketReader : private NumberLines {
 public:
  explicit MarketReader(const std::string& path) : NumberLines(path, '%') {}

  CoordinateMatrix read() {
    read_header();
    read_sizes();
    for (std::int64_t k = 0; k < stored_; ++k) read_item(k);
    if (next_line()) {
      wrong("there are more items than the " + std::to_string(stored_) + " that its sizes announce",
            "correct the third size");
    }
    return std::move(matrix_);
  }

 private:
  enum class Symmetry : std::uint8_t { General, Symmetric, Skew };

  void read_header() {
    const std::string example = "begin with %%MatrixMarket matrix coordinate real general";
    if (!std::getline(file_, line_)) wrong("it is empty", example);
    ++line_number_;
    for (char& c : line_) c = char(std::tolower(static_cast<unsigned char>(c)));
    split();
    if (words_.size() != 5 || words_[0] != "%%matrixmarket" || words_[1] != "matrix") {
      wrong("it does not begin as a matrix of Matrix Market does", example);
    }
    if (words_[2] != "coordinate") {
      wrong("it stores the items of a dense matrix", "give a matrix by coordinates");
    }
    is_pattern_ = words_[3] == "pattern";
    is_integer_ = words_[3] == "integer";
    if (!is_pattern_ && !is_integer_ && words_[3] != "real") {
      wrong("its items are of the kind " + std::string(words_[3]),
            "give items that are real, integer or pattern");
    }
    if (words_[4] == "symmetric") symmetry_ = Symmetry::Symmetric;
    if (words_[4] == "skew-symmetric") symmetry_ = Symmetry::Skew;
    if (symmetry_ == Symmetry::General && words_[4] != "general") {
      wrong("it is of the kind " + std::string(words_[4]),
            "give a matrix that is general, symmetric or skew-symmetric");
    }
  }

  void read_sizes() {
    const std::string help = "write rows, columns and the number of items that are stored";
    if (!next_line() || words_.size() != 3) wrong("its sizes are missing", help);
    std::vector<std::int64_t> sizes;
    for (std::string_view word : words_) {
      const auto n = number<std::int64_t>(word);
      if (!n || *n < 0) wrong("the size " + std::string(word) + " is no number from 0 on", help);
      sizes.push_back(*n);
    }
    matrix_.rows = sizes[0];
    matrix_.columns = sizes[1];
    stored_ = sizes[2];
    if (symmetry_ != Symmetry::General && sizes[0] != sizes[1]) {
      wrong("it is symmetric, and has " + std::to_string(sizes[0]) + " rows and " +
                std::to_string(sizes[1]) + " columns",
            "give as many rows as columns, or call it general");
    }
  }

  void read_item(std::int64_t k) {
    if (!next_line()) {
      wrong("there are " + std::to_string(k) + " items, and its sizes announce " +
                std::to_string(stored_),
            "add what is missing, or correct the third size");
    }
    const std::size_t words = is_pattern_ ? 2 : 3;
    if (words_.size() != words) {
      wrong("an item has " + std::to_string(words_.size()) + " numbers",
            is_pattern_ ? "write its row and column" : "write its row, its column and its value");
    }
    const char* help = "count rows and columns from 1 on";
    const std::int64_t row = coordinate(words_[0], matrix_.rows, "row", help);
    const std::int64_t column = coordinate(words_[1], matrix_.columns, "column", help);
    double value = 1;
    if (is_integer_) {
      const auto n = number<std::int64_t>(words_[2]);
      if (!n) wrong(std::string(words_[2]) + " is no integer", "write an integer");
      value = double(*n);
    } else if (!is_pattern_) {
      value = NumberLines::value(words_[2]);
    }
    if (symmetry_ == Symmetry::Skew && row == column) {
      wrong("a skew-symmetric matrix stores an item of its diagonal, which is 0", "leave it out");
    }
    add(row, column, value);
    if (symmetry_ == Symmetry::General || row == column) return;
    add(column, row, symmetry_ == Symmetry::Skew ? -value : value);
  }
  void add(std::int64_t row, std::int64_t column, double value) {
    matrix_.row.push_back(row);
    matrix_.column.push_back(column);
    matrix_.value.push_back(value);
  }

  bool is_pattern_ = false, is_integer_ = false;
  Symmetry symmetry_ = Symmetry::General;
  std::int64_t stored_ = 0;
  CoordinateMatrix matrix_;
};

class TnsReader : private NumberLines {
 public:
  TnsReader(const std::string& path, const std::vector<std::optional<std::int64_t>>& extents)
      : NumberLines(path, '#'), known_(extents) {}

  CoordinateTensor read() {
    const std::size_t axes = known_.size();
    tensor_.extents.assign(axes, 0);
    tensor_.coordinates.resize(axes);
    while (next_line()) {
      if (words_.size() != axes + 1) {
        wrong("an item has " + std::to_string(words_.size()) + " numbers",
              "write " + std::to_string(axes) + " coordinates and a value");
      }
      for (std::size_t a = 0; a < axes; ++a) {
        const std::int64_t at =
            coordinate(words_[a], known_[a], "coordinate",
                       "count from 1 on, along the axes of the tensor in order");
        tensor_.coordinates[a].push_back(at);
        tensor_.extents[a] = std::max(tensor_.extents[a], at + 1);
      }
      tensor_.value.push_back(value(words_[axes]));
    }
    for (std::size_t a = 0; a < axes; ++a) {
      tensor_.extents[a] = known_[a].value_or(tensor_.extents[a]);
    }
    return std::move(tensor_);
  }

 private:
  const std::vector<std::optional<std::int64_t>>& known_;
  CoordinateTensor tensor_;
};

// What is written, and what else it could be written as.
struct WrittenAs {
  const char *what, *format, *other;
};
constexpr WrittenAs kMarket{"matrix", "Matrix Market", ".npz"}, kTns{"tensor", ".tns", ".npy"};

// The line of an item; the file counts from 1 on.
std::string line_of(const std::string& path, std::size_t item,
                    const std::vector<std::int64_t>& coordinates, double value,
                    const WrittenAs& as) {
  std::string line;
  for (const std::int64_t c : coordinates) line += std::to_string(c + 1) + ' ';
  line += shortest(value);
  if (std::isfinite(value)) return line + '\n';
  const std::string what = as.what;
  throw BadInput({.code = "E603",
                  .place = {path, 0, 0},
                  .message = "cannot write the " + what + ": item " + std::to_string(item) +
                             ", which would be the line " + line + ", is no finite number, and " +
                             as.format + " has no other",
                  .help = "leave it out, or write the " + what + " as a " + as.other + " file"});
}

}  // namespace

CoordinateMatrix read_matrix_market(const std::string& path) { return MarketReader(path).read(); }

void write_matrix_market(const std::string& path, const CoordinateMatrix& matrix) {
  SELVAGE_CHECK(matrix.row.size() == matrix.items() && matrix.column.size() == matrix.items());
  std::string text = "%%MatrixMarket matrix coordinate real general\n" +
                     std::to_string(matrix.rows) + ' ' + std::to_string(matrix.columns) + ' ' +
                     std::to_string(matrix.items()) + '\n';
  for (std::size_t k = 0; k < matrix.items(); ++k) {
    const std::int64_t row = matrix.row[k], column = matrix.column[k];
    SELVAGE_CHECK(row >= 0 && row < matrix.rows && column >= 0 && column < matrix.columns);
    text += line_of(path, k, {row, column}, matrix.value[k], kMarket);
  }
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  write_whole_file(path, "matrix", parts);
}

CoordinateTensor read_tns(const std::string& path,
                          const std::vector<std::optional<std::int64_t>>& extents) {
  return TnsReader(path, extents).read();
}

void write_tns(const std::string& path, const CoordinateTensor& tensor) {
  std::string text;
  for (std::size_t k = 0; k < tensor.items(); ++k) {
    std::vector<std::int64_t> at;
    for (const std::vector<std::int64_t>& axis : tensor.coordinates) at.push_back(axis[k]);
    text += line_of(path, k, at, tensor.value[k], kTns);
  }
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  write_whole_file(path, "tensor", parts);
}

}  // namespace selvage
