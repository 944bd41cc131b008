#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/report/holes.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kMostRows = 12;
constexpr std::size_t kWidth = 96;

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string filled(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::int64_t product(std::span<const std::int64_t> list) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::int64_t Holes::valid() const {
  return points() - std::count(items.begin(), items.end(), kHole);
}

std::optional<Holes> holes_of(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  const DomainGraph& graph = tensor.graph();
  Holes holes;
  std::int64_t points = 1;
  for (DomainId d : a.loops) {
    if (!graph[d].extent.is(Op::Const)) return std::nullopt;
    holes.extents.push_back(graph[d].extent.value());
    const auto more = checked_mul(points, holes.extents.back());
    if (!more || *more > Holes::kMostPoints) return std::nullopt;
    points = *more;
  }
  // The indices on the way to the logical domain, and the logical ones again.
  std::vector<Expr> roots;
  std::vector<std::int64_t> bounds;
  const auto watch = [&](DomainId d) {
    roots.push_back((*a.coordinates)[d]);
    bounds.push_back(graph[d].extent.is(Op::Const) ? graph[d].extent.value() : -1);
    return bounds.back() >= 0;
  };
  if (!tensor.tensor().duplicates_allowed) {
    for (DomainId d : a.hole_path.domains) {
      if (!watch(d)) return std::nullopt;
    }
  }
  const std::size_t logical = roots.size();
  for (DomainId d : tensor.tensor().logical) {
    if (!watch(d)) return std::nullopt;
  }
  Tape tape(roots, a.variables);
  std::vector<std::int64_t> point(holes.extents.size());
  for (std::int64_t k = 0; k < points; ++k) {
    std::int64_t rest = k;
    for (std::size_t i = point.size(); i-- > 0; rest /= holes.extents[i]) {
      point[i] = rest % holes.extents[i];
    }
    if (!tape.evaluate(point)) return std::nullopt;
    std::int64_t item = 0;
    for (std::size_t i = 0; i < roots.size() && item != Holes::kHole; ++i) {
      const std::int64_t x = tape.root(i);
      if (x < 0 || x >= bounds[i]) {
        item = Holes::kHole;
      } else if (i >= logical) {
        item = item * bounds[i] + x;
      }
    }
    holes.items.push_back(item);
  }
  return holes;
}

std::vector<std::string> picture(const TensorReport& tensor, const Holes& holes) {
  const std::vector<std::int64_t>& n = holes.extents;
  if (n.empty() || holes.points() > kMostRows * std::int64_t(kWidth)) return {};
  const std::int64_t largest = *std::max_element(holes.items.begin(), holes.items.end());
  const std::size_t cell = std::to_string(std::max<std::int64_t>(largest, 0)).size();

  std::vector<std::string> names;
  for (Expr v : tensor.analysis.variables) names.emplace_back(v.name());
  const auto width = [&](std::size_t loop) {
    return std::max(names[loop].size(), std::to_string(n[loop] - 1).size());
  };
  // As many loops across as there is room for.
  for (std::size_t down = 0; down < n.size(); ++down) {
    const std::span<const std::int64_t> outer(n.data(), down),
        inner(n.data() + down, n.size() - down);
    const std::int64_t rows = product(outer), columns = product(inner);
    std::size_t head = 0;
    for (std::size_t i = 0; i < down; ++i) head += width(i) + 1;
    // A wider gap after every run of the innermost loop.
    const std::int64_t runs = columns / n.back();
    const std::size_t across = std::size_t(columns) * (cell + 1) + std::size_t(runs - 1);
    if (rows > kMostRows) return {};
    if (head + 3 + across > kWidth) continue;

    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < down; ++i) lines[0] += filled(names[i], width(i)) + " ";
    lines[0] += "| ";
    for (std::size_t i = down; i < n.size(); ++i) lines[0] += " " + names[i];
    lines[0] += " across";
    for (std::int64_t row = 0; row < rows; ++row) {
      std::string head_text;
      std::int64_t rest = row;
      for (std::size_t i = down; i-- > 0; rest /= n[i]) {
        head_text = filled(std::to_string(rest % n[i]), width(i)) + " " + head_text;
      }
      std::string& line = lines.emplace_back(head_text + "| ");
      for (std::int64_t column = 0; column < columns; ++column) {
        if (column > 0 && column % n.back() == 0) line += " ";
        const std::int64_t item = holes.items[std::size_t(row * columns + column)];
        line += " " + padded(item == Holes::kHole ? "." : std::to_string(item), cell);
      }
    }
    return lines;
  }
  return {};
}

}  // namespace selvage
