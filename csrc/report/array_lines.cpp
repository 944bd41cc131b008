#include <selvage/base/words.h>
#include <selvage/report/array_lines.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace selvage {

namespace {

constexpr std::int64_t kMostItems = 1000;  // shown whole
constexpr std::int64_t kEdge = 3;          // else, at either end of an axis

int digits(DataType type) {
  if (type == DataType::Half) return 5;
  return type == DataType::BFloat16 ? 4 : 8;
}

std::string item_text(const Array& array, std::int64_t k) {
  if (array.type == DataType::Bool) return array.get_int(k) != 0 ? "true" : "false";
  if (array.type == DataType::UInt64) return std::to_string(std::uint64_t(array.get_int(k)));
  if (!is_floating(array.type)) return std::to_string(array.get_int(k));
  const double value = array.get(k);
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits(array.type), value);
  return text;
}

class ArrayText {
 public:
  ArrayText(const Array& array, std::size_t columns)
      : array_(array), columns_(columns), is_cut_(array.size() > kMostItems) {
    for_each_item(0, 0,
                  [&](std::int64_t k) { width_ = std::max(width_, item_text(array_, k).size()); });
  }

  std::vector<std::string> lines() {
    if (array_.shape.empty()) return {item_text(array_, 0)};
    if (array_.size() == 0) return {"[]"};
    add_axis(0, 0, "");
    return std::move(lines_);
  }

 private:
  static constexpr std::int64_t kLeftOut = -1;

  // The indices of an axis to show, with kLeftOut in place of those between.
  std::vector<std::int64_t> shown(std::size_t axis) const {
    const std::int64_t n = array_.shape[axis];
    const bool has_middle = is_cut_ && n > 2 * kEdge;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < (has_middle ? kEdge : n); ++i) indices.push_back(i);
    if (!has_middle) return indices;
    indices.push_back(kLeftOut);
    for (std::int64_t i = n - kEdge; i < n; ++i) indices.push_back(i);
    return indices;
  }

  template <class Use>
  void for_each_item(std::size_t axis, std::int64_t at, Use use) const {
    if (axis == array_.shape.size()) return use(at);
    for (std::int64_t i : shown(axis)) {
      if (i != kLeftOut) for_each_item(axis + 1, at * array_.shape[axis] + i, use);
    }
  }

  // Adds the values from this axis inwards. The first line begins with `head`, the others with as
  // many blanks.
  void add_axis(std::size_t axis, std::int64_t at, std::string head) {
    head += "[";
    if (axis + 1 == array_.shape.size()) return add_row(at, std::move(head));
    const std::string blank(head.size(), ' ');
    bool is_first = true;
    for (std::int64_t i : shown(axis)) {
      const std::string& own = is_first ? head : blank;
      if (i == kLeftOut) {
        lines_.push_back(own + "...");
      } else {
        add_axis(axis + 1, at * array_.shape[axis] + i, own);
      }
      is_first = false;
    }
    lines_.back() += "]";
  }

  // The innermost axis, in as many lines as it needs.
  void add_row(std::int64_t at, std::string line) {
    const std::string blank(line.size(), ' ');
    bool is_first = true;
    for (std::int64_t i : shown(array_.shape.size() - 1)) {
      std::string word = i == kLeftOut ? "..." : item_text(array_, at * array_.shape.back() + i);
      if (i != kLeftOut) word.insert(0, width_ - word.size(), ' ');
      // Room for the brackets that may close behind it.
      if (!is_first && line.size() + 1 + word.size() + array_.shape.size() > columns_) {
        lines_.push_back(std::move(line));
        line = blank;
        is_first = true;
      }
      line += (is_first ? "" : " ") + word;
      is_first = false;
    }
    lines_.push_back(line + "]");
  }

  const Array& array_;
  std::size_t columns_;
  bool is_cut_;
  std::size_t width_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> array_lines(const Array& array, std::size_t columns) {
  return ArrayText(array, columns).lines();
}

void print_values(const std::vector<ShownArray>& values, Lines& out) {
  constexpr std::size_t kIndent = 2;
  for (const auto& [name, array] : values) {
    out.heading(name + ", " + std::string(to_string(array.type)) + bracketed(array.shape));
    for (const std::string& line : array_lines(array, Lines::kColumns - kIndent)) {
      out.verbatim(kIndent, line);
    }
  }
}

}  // namespace selvage
