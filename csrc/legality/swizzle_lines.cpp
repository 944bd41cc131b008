#include <selvage/base/words.h>
#include <selvage/legality/swizzle_lines.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// An iterdomain of the view while it is written.
struct Axis {
  std::string name;
  std::int64_t extent = 1;
};

class Writer {
 public:
  explicit Writer(const TileAxes& axes) : taken_(axes.taken) {
    taken_.insert(taken_.end(), axes.names.begin(), axes.names.end());
  }

  std::pair<Axis, Axis> split(const Axis& in, std::int64_t factor) {
    const Axis outer{fresh(in.name, "o"), in.extent / factor}, inner{fresh(in.name, "i"), factor};
    lines.push_back("split: {in: " + in.name + ", factor: " + std::to_string(factor) + ", out: [" +
                    outer.name + ", " + inner.name + "]}");
    return {outer, inner};
  }
  Axis merge(const Axis& outer, const Axis& inner, const std::string& name) {
    const Axis out{name, outer.extent * inner.extent};
    lines.push_back("merge: {in: [" + outer.name + ", " + inner.name + "], out: " + name + "}");
    return out;
  }
  std::pair<Axis, Axis> swizzle(const Axis& x, const Axis& y, const std::string& u,
                                const std::string& v) {
    lines.push_back("swizzle: {kind: xor, in: [" + x.name + ", " + y.name + "], out: [" + u + ", " +
                    v + "]}");
    return {{u, x.extent}, {v, y.extent}};
  }
  // stem_mark, or with a number where that is taken.
  std::string fresh(const std::string& stem, const std::string& mark) {
    std::string name = stem + "_" + mark;
    for (int n = 2; std::find(taken_.begin(), taken_.end(), name) != taken_.end(); ++n) {
      name = stem + "_" + mark + std::to_string(n);
    }
    taken_.push_back(name);
    return name;
  }

  std::vector<std::string> lines;

 private:
  std::vector<std::string> taken_;
};

// One field: cut row and column down to the bits that take part, xor, put both together again.
// False where the row does not split evenly.
bool write_field(Writer& w, const XorField& field, const std::string& row_name,
                 const std::string& column_name, Axis& row, Axis& column) {
  const std::int64_t below = std::int64_t{1} << field.row_shift;
  const std::int64_t size = std::int64_t{1} << field.bits;
  const std::int64_t grain = std::int64_t{1} << field.column_shift;
  if (row.extent % below != 0 || column.extent % (grain * size) != 0) return false;
  const bool is_top = row.extent / below <= size;
  if (!is_top && row.extent / below % size != 0) return false;
  if (is_top && std::int64_t(std::bit_ceil(std::uint64_t(row.extent / below))) != size)
    return false;

  Axis x = row, y = column, row_inner, row_outer, column_inner;
  if (below > 1) std::tie(x, row_inner) = w.split(row, below);
  if (!is_top) std::tie(row_outer, x) = w.split(x, size);
  if (grain > 1) std::tie(y, column_inner) = w.split(column, grain);
  const bool row_is_whole = below == 1 && is_top;
  std::tie(x, y) = w.swizzle(x, y, row_is_whole ? w.fresh(row_name, "s") : w.fresh(row_name, "x"),
                             grain == 1 ? w.fresh(column_name, "s") : w.fresh(column_name, "x"));
  if (!is_top) x = w.merge(row_outer, x, w.fresh(row_name, below > 1 ? "m" : "s"));
  if (below > 1) x = w.merge(x, row_inner, w.fresh(row_name, "s"));
  if (grain > 1) y = w.merge(y, column_inner, w.fresh(column_name, "s"));
  row = x;
  column = y;
  return true;
}

}  // namespace

std::optional<SwizzleLines> swizzle_lines(const TileAxes& axes, const TileSwizzle& swizzle) {
  if (axes.names.size() < 2) return std::nullopt;
  Writer w(axes);
  std::vector<std::string> declared;
  for (std::size_t i = 0; i < axes.names.size(); ++i) {
    declared.push_back(axes.names[i] + ": " + std::to_string(axes.extents[i]));
  }
  Axis row{axes.names[0], axes.extents[0]};
  for (std::size_t i = 1; i + 1 < axes.names.size(); ++i) {
    row = w.merge(row, {axes.names[i], axes.extents[i]}, w.fresh(axes.names[i], "m"));
  }
  Axis column{axes.names.back(), axes.extents.back()};
  const std::string row_name = axes.names[axes.names.size() - 2], column_name = column.name;
  for (const XorField& field : swizzle.fields) {
    if (!write_field(w, field, row_name, column_name, row, column)) return std::nullopt;
  }
  return SwizzleLines{"root: {" + joined(declared) + "}", std::move(w.lines),
                      "logical: [" + row.name + ", " + column.name + "]"};
}

std::string SwizzleLines::joined() const {
  std::vector<std::string> steps;
  for (const std::string& line : view) steps.push_back("{" + line + "}");
  return root + ", view: [" + selvage::joined(steps) + "], " + logical;
}

std::string padding_line(const TileAxes& axes, const Padding& padding) {
  std::vector<std::string> strides = {"1"};
  std::int64_t stride = axes.extents.back() + padding.elements;
  for (std::size_t i = axes.extents.size() - 1; i-- > 0;) {
    strides.insert(strides.begin(), std::to_string(stride));
    stride *= axes.extents[i];
  }
  return "strides: [" + joined(strides) + "]";
}

}  // namespace selvage
