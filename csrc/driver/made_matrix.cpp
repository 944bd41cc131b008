#include <selvage/base/names.h>
#include <selvage/base/random.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/driver/made_matrix.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace selvage {

namespace {

struct MatrixKind {
  std::string_view name;
  std::string_view key;  // besides rows and columns; empty: none
  std::int64_t value;    // its default
};
constexpr MatrixKind kKinds[] = {{"diagonal", "", 0},
                                 {"banded", "width", 3},
                                 {"blocks", "width", 16},
                                 {"random", "items", 16},
                                 {"even", "items", 16},
                                 {"empty_rows", "items", 8},
                                 {"power_law", "longest", 1024},
                                 {"one_row", "longest", 1024},
                                 {"rmat", "items", 16}};

[[noreturn]] void wrong(std::string_view text, const std::string& what, const std::string& help) {
  refuse<BadInput>("E604", "the matrix " + shown(text) + ": " + what, help);
}

class MatrixMaker {
 public:
  MatrixMaker(std::string_view text, const MatrixKind& kind, std::string_view keys,
              std::uint64_t seed)
      : text_(text), kind_(kind), random_(seed) {
    numbers_["rows"] = 1024;
    if (!kind.key.empty()) numbers_[std::string(kind.key)] = kind.value;
    std::istringstream parts{std::string(keys)};
    for (std::string part; std::getline(parts, part, ',');) read(part);
    made_.rows = numbers_["rows"];
    made_.columns = numbers_.contains("columns") ? numbers_["columns"] : made_.rows;
  }

  CoordinateMatrix make() {
    const std::int64_t amount = kind_.key.empty() ? 0 : numbers_[std::string(kind_.key)];
    const std::string_view name = kind_.name;
    if (name == "rmat") {
      halve(amount);
    } else {
      for (std::int64_t r = 0; r < made_.rows; ++r) {
        if (name == "diagonal") columns_between(r, r, r + 1);
        if (name == "banded") columns_between(r, r - amount / 2, r - amount / 2 + amount);
        if (name == "blocks") {
          columns_between(r, r / amount * amount, (r / amount + 1) * amount);
        }
        if (name == "random")
          some_columns(r, std::int64_t(random_.next() % std::uint64_t(2 * amount + 1)));
        if (name == "even") some_columns(r, amount);
        if (name == "empty_rows" && r % 4 != 0) some_columns(r, amount);
        if (name == "power_law") some_columns(r, amount / (r + 1));
        if (name == "one_row") some_columns(r, r == 0 ? amount : 1);
      }
    }
    return std::move(made_);
  }

 private:
  void read(const std::string& part) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    const std::string number = part.substr(std::min(equals + 1, part.size()));
    std::vector<std::string> known = {"rows", "columns"};
    if (!kind_.key.empty()) known.emplace_back(kind_.key);
    if (std::ranges::find(known, key) == known.end()) {
      wrong(text_, std::string(kind_.name) + " has no key " + shown(key),
            "its keys are " + joined(known) + ", such as " + known.back() + "=8");
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    constexpr std::int64_t kMost = std::int64_t{1} << 27;
    if (error != std::errc{} || end != number.data() + number.size() || value < 1 ||
        value > kMost) {
      wrong(text_, key + " is " + shown(number), "write a whole number from 1 to 134217728");
    }
    numbers_[key] = value;
  }

  void add(std::int64_t row, std::int64_t column) {
    if (std::int64_t(made_.items()) == kMostMadeItems) {
      wrong(text_, "it has more than " + std::to_string(kMostMadeItems) + " items",
            "make it smaller");
    }
    made_.row.push_back(row);
    made_.column.push_back(column);
    // A multiple of 1/1024 in [-1, 1): sums of some thousands are exact.
    made_.value.push_back(double(std::int64_t(random_.next() % 2048) - 1024) / 1024);
  }

  void columns_between(std::int64_t row, std::int64_t first, std::int64_t end) {
    for (std::int64_t c = std::max<std::int64_t>(first, 0); c < std::min(end, made_.columns); ++c) {
      add(row, c);
    }
  }

  // Different ones, rising.
  void some_columns(std::int64_t row, std::int64_t count) {
    count = std::min(count, made_.columns);
    if (count > made_.columns / 8) {
      std::int64_t left = count;
      for (std::int64_t c = 0; left > 0; ++c) {
        if (std::int64_t(random_.next() % std::uint64_t(made_.columns - c)) >= left) continue;
        add(row, c);
        --left;
      }
      return;
    }
    std::set<std::int64_t> chosen;
    while (std::int64_t(chosen.size()) < count) {
      chosen.insert(std::int64_t(random_.next() % std::uint64_t(made_.columns)));
    }
    for (const std::int64_t c : chosen) add(row, c);
  }

  // Each item falls into one of four quarters, and into one of the four of that, and so on.
  void halve(std::int64_t mean) {
    std::set<std::pair<std::int64_t, std::int64_t>> chosen;
    const double all = double(mean) * double(made_.rows);
    if (all > double(kMostMadeItems)) {
      wrong(text_, "it has more than " + std::to_string(kMostMadeItems) + " items",
            "make it smaller");
    }
    for (std::int64_t k = 0; k < std::int64_t(all); ++k) {
      std::int64_t row = 0, column = 0, rows = made_.rows, columns = made_.columns;
      while (rows > 1 || columns > 1) {
        const std::uint64_t at = random_.next() % 100;
        const bool is_below = rows > 1 && at >= 76;
        const bool is_right = columns > 1 && ((at >= 57 && at < 76) || at >= 95);
        if (is_below) row += (rows + 1) / 2;
        rows = is_below ? rows / 2 : (rows + 1) / 2;
        if (is_right) column += (columns + 1) / 2;
        columns = is_right ? columns / 2 : (columns + 1) / 2;
      }
      chosen.emplace(row, column);
    }
    for (const auto& [row, column] : chosen) add(row, column);
  }

  std::string_view text_;
  const MatrixKind& kind_;
  SplitMix64 random_;
  std::map<std::string, std::int64_t> numbers_;
  CoordinateMatrix made_;
};

const MatrixKind* kind_in(std::string_view text) {
  const std::string_view name = text.substr(0, std::min(text.find(':'), text.size()));
  const auto kind = std::ranges::find(kKinds, name, &MatrixKind::name);
  return kind == std::end(kKinds) ? nullptr : kind;
}

}  // namespace

bool is_made_matrix(std::string_view text) { return kind_in(text) != nullptr; }

std::optional<CoordinateMatrix> made_matrix(std::string_view text, std::uint64_t seed) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const MatrixKind* kind = kind_in(text);
  if (kind == nullptr) return std::nullopt;
  return MatrixMaker(text, *kind, text.substr(std::min(colon + 1, text.size())), seed).make();
}

}  // namespace selvage
