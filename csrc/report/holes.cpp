#include <selvage/base/points.h>
#include <selvage/expr/tape.h>
#include <selvage/report/holes.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostRows = 12;
constexpr std::size_t kWidth = 96;
constexpr std::int64_t kMostHolesTried = 1 << 14;  // points

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string filled(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// How many of the loops go down, so that the table fits and is about twice as wide as high.
template <class HeadWidth>
std::optional<std::size_t> best_cut(const std::vector<std::int64_t>& n, std::size_t cell,
                                    HeadWidth head_width) {
  std::optional<std::size_t> best;
  std::int64_t least = 0;
  for (std::size_t down = 0; down < n.size(); ++down) {
    const std::int64_t rows = *count_points(std::span(n).first(down));
    const std::int64_t columns = *count_points(std::span(n).subspan(down));
    const std::int64_t runs = columns / n.back();  // of the innermost loop: a wider gap after each
    const std::size_t width =
        head_width(down) + 3 + std::size_t(columns) * (cell + 1) + std::size_t(runs - 1);
    if (rows > kMostRows || width > kWidth) continue;
    const std::int64_t off = std::abs(columns - 2 * rows);
    if (!best || off < least) {
      best = down;
      least = off;
    }
  }
  return best;
}

std::vector<Expr> coordinates(const TensorReport& tensor, const std::vector<DomainId>& domains) {
  std::vector<Expr> list;
  for (DomainId d : domains) list.push_back((*tensor.analysis.coordinates)[d]);
  return list;
}

// The extents of the loops; nullopt if one is no number, or there are more than `most` points.
std::optional<std::vector<std::int64_t>> extents_of(const TensorReport& tensor, std::int64_t most) {
  auto extents = known_extents(tensor.graph(), tensor.analysis.loops);
  const auto points = extents ? count_points(*extents) : std::nullopt;
  return points && *points <= most ? extents : std::nullopt;
}

}  // namespace

std::int64_t Holes::valid() const {
  return points() - std::count(items.begin(), items.end(), kHole);
}

std::optional<Holes> holes_of(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  // The indices on the way to the logical domain, then the logical ones.
  std::vector<DomainId> watched;
  if (!tensor.tensor().duplicates_allowed) watched = a.hole_path.domains;
  const std::size_t logical = watched.size();
  watched.insert(watched.end(), tensor.tensor().logical.begin(), tensor.tensor().logical.end());
  const auto bounds = known_extents(tensor.graph(), watched);
  const auto extents = extents_of(tensor, Holes::kMostPoints);
  if (!bounds || !extents) return std::nullopt;
  Holes holes{*extents, {}};
  Tape tape(coordinates(tensor, watched), a.variables);
  const bool is_complete = for_each_point(*extents, [&](const auto& point) {
    if (!tape.evaluate(point)) return false;
    std::int64_t item = 0;
    for (std::size_t i = 0; i < watched.size() && item != Holes::kHole; ++i) {
      const std::int64_t x = tape.root(i);
      if (x < 0 || x >= (*bounds)[i]) {
        item = Holes::kHole;
      } else if (i >= logical) {
        item = item * (*bounds)[i] + x;
      }
    }
    holes.items.push_back(item);
    return true;
  });
  if (!is_complete) return std::nullopt;
  return holes;
}

std::optional<Point> first_stopped(const TensorReport& tensor, const KeptPredicate& check) {
  const TensorAnalysis& a = tensor.analysis;
  const auto extents = extents_of(tensor, kMostHolesTried);
  if (!extents) return std::nullopt;
  std::vector<Expr> conditions;
  std::size_t own = 0;
  for (const KeptPredicate& p : a.predicates.kept) {
    if (&p == &check) own = conditions.size();
    conditions.push_back(p.condition);
  }
  Tape tape(conditions, a.variables);
  std::optional<Point> found;
  for_each_point(*extents, [&](const auto& point) {
    if (!tape.evaluate(point)) return false;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if ((tape.root(i) != 0) == (i == own)) return true;  // on to the next point
    }
    found = point_at(a.variables, point);
    return false;
  });
  return found;
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
  const auto head_width = [&](std::size_t down) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < down; ++i) sum += width(i) + 1;
    return sum;
  };
  const std::optional<std::size_t> cut = best_cut(n, cell, head_width);
  if (!cut) return {};
  const std::size_t down = *cut;
  const std::int64_t rows = *count_points(std::span(n).first(down));
  const std::int64_t columns = *count_points(std::span(n).subspan(down));

  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < down; ++i) lines[0] += filled(names[i], width(i)) + " ";
  lines[0] += "| ";
  for (std::size_t i = down; i < n.size(); ++i) lines[0] += " " + names[i];
  if (down < n.size()) lines[0] += " across";
  for (std::int64_t row = 0; row < rows; ++row) {
    std::string head;
    std::int64_t rest = row;
    for (std::size_t i = down; i-- > 0; rest /= n[i]) {
      head = filled(std::to_string(rest % n[i]), width(i)) + " " + head;
    }
    std::string& line = lines.emplace_back(head + "| ");
    for (std::int64_t column = 0; column < columns; ++column) {
      if (column > 0 && column % n.back() == 0) line += " ";
      const std::int64_t item = holes.items[std::size_t(row * columns + column)];
      line += " " + padded(item == Holes::kHole ? "." : std::to_string(item), cell);
    }
  }
  return lines;
}

}  // namespace selvage
