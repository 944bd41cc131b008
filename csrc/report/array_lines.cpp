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
  ArrayText(const ShownArray& shown, std::size_t columns)
      : array_(shown.array),
        is_complex_(shown.is_complex),
        shape_(shape_of(shown)),
        columns_(columns),
        is_cut_(array_.size() > kMostItems) {
    for_each_item(0, 0, [&](std::int64_t k) { width_ = std::max(width_, text_of(k).size()); });
  }

  std::vector<std::string> lines() {
    if (shape_.empty()) return {text_of(0)};
    if (array_.size() == 0) return {"[]"};
    add_axis(0, 0, "");
    return std::move(lines_);
  }

 private:
  static constexpr std::int64_t kLeftOut = -1;

  // 1.5-2j
  std::string text_of(std::int64_t k) const {
    if (!is_complex_) return item_text(array_, k);
    const std::string imag = item_text(array_, 2 * k + 1);
    return item_text(array_, 2 * k) + (imag.starts_with('-') ? "" : "+") + imag + "j";
  }

  // The indices of an axis to show, with kLeftOut in place of those between.
  std::vector<std::int64_t> shown(std::size_t axis) const {
    const std::int64_t n = shape_[axis];
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
    if (axis == shape_.size()) return use(at);
    for (std::int64_t i : shown(axis)) {
      if (i != kLeftOut) for_each_item(axis + 1, at * shape_[axis] + i, use);
    }
  }

  // Adds the values from this axis inwards. The first line begins with `head`, the others with as
  // many blanks.
  void add_axis(std::size_t axis, std::int64_t at, std::string head) {
    head += "[";
    if (axis + 1 == shape_.size()) return add_row(at, std::move(head));
    const std::string blank(head.size(), ' ');
    bool is_first = true;
    for (std::int64_t i : shown(axis)) {
      const std::string& own = is_first ? head : blank;
      if (i == kLeftOut) {
        lines_.push_back(own + "...");
      } else {
        add_axis(axis + 1, at * shape_[axis] + i, own);
      }
      is_first = false;
    }
    lines_.back() += "]";
  }

  // The innermost axis, in as many lines as it needs.
  void add_row(std::int64_t at, std::string line) {
    const std::string blank(line.size(), ' ');
    bool is_first = true;
    for (std::int64_t i : shown(shape_.size() - 1)) {
      std::string word = i == kLeftOut ? "..." : text_of(at * shape_.back() + i);
      if (i != kLeftOut) word.insert(0, width_ - word.size(), ' ');
      // Room for the brackets that may close behind it.
      if (!is_first && line.size() + 1 + word.size() + shape_.size() > columns_) {
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
  bool is_complex_;
  std::vector<std::int64_t> shape_;  // of what is shown
  std::size_t columns_;
  bool is_cut_;
  std::size_t width_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> array_lines(const ShownArray& shown, std::size_t columns) {
  return ArrayText(shown, columns).lines();
}

std::string type_text(const ShownArray& shown) {
  if (!shown.is_complex) return std::string(to_string(shown.array.type));
  return shown.array.type == DataType::Float ? "complex64" : "complex128";
}

std::vector<std::int64_t> shape_of(const ShownArray& shown) {
  std::vector<std::int64_t> shape = shown.array.shape;
  if (shown.is_complex) shape.pop_back();
  return shape;
}

void print_values(const std::vector<ShownArray>& values, Lines& out) {
  constexpr std::size_t kIndent = 2;
  for (const ShownArray& shown : values) {
    out.heading(shown.name + ", " + type_text(shown) + bracketed(shape_of(shown)));
    for (const std::string& line : array_lines(shown, Lines::kColumns - kIndent)) {
      out.verbatim(kIndent, line);
    }
  }
}

}  // namespace selvage
