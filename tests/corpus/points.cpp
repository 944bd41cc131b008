#include "tests/corpus/points.h"

#include <algorithm>

namespace selvage::corpus {

Domain::Domain(const Problem& problem) : problem_(&problem) {
  const std::size_t parameters = problem.parameters.size();
  for (std::size_t k = 0; k < problem.extents.size(); ++k) {
    extents_.emplace_back(std::span(&problem.extents[k], 1),
                          std::span(problem.symbols).first(parameters + k));
  }
  if (problem.guard.valid()) guard_.emplace(std::span(&problem.guard, 1), problem.symbols);
}

std::optional<Domain::Range> Domain::range(std::size_t k, const Point& before) {
  const std::size_t parameters = problem_->parameters.size();
  if (k < parameters) return Range{problem_->parameters[k].lo, problem_->parameters[k].hi};
  Tape& extent = extents_[k - parameters];
  if (!extent.evaluate(std::span(before).first(k)) || extent.root(0) < 1) return std::nullopt;
  return Range{0, extent.root(0) - 1};
}

bool Domain::allowed(const Point& point) {
  return !guard_ || (guard_->evaluate(point) && guard_->root(0) != 0);
}

bool Domain::contains(const Point& point) {
  for (std::size_t k = 0; k < point.size(); ++k) {
    const std::optional<Range> r = range(k, point);
    if (!r || point[k] < r->lo || point[k] > r->hi) return false;
  }
  return allowed(point);
}

// False where there are too many.
bool Domain::add_all(Point& point, std::size_t limit, std::vector<Point>& points,
                     std::size_t& visited) {
  if (point.size() == problem_->symbols.size()) {
    if (allowed(point)) points.push_back(point);
    return ++visited <= limit;
  }
  const std::optional<Range> r = range(point.size(), point);
  if (!r) return true;
  if (std::uint64_t(r->hi) - std::uint64_t(r->lo) >= limit) return false;
  for (std::int64_t value = r->lo;; ++value) {
    point.push_back(value);
    const bool few = add_all(point, limit, points, visited);
    point.pop_back();
    if (!few) return false;
    if (value == r->hi) return true;
  }
}

std::optional<std::vector<Point>> Domain::all(std::size_t limit) {
  std::vector<Point> points;
  Point point;
  std::size_t visited = 0;
  if (!add_all(point, limit, points, visited)) return std::nullopt;
  return points;
}

std::int64_t Domain::draw(std::mt19937_64& rng, Range range, bool is_parameter) {
  constexpr std::uint64_t kSmall = 40;  // sizes of which loops see every value
  const std::uint64_t width = std::uint64_t(range.hi) - std::uint64_t(range.lo) + 1;
  switch (rng() % 8) {
    case 0: return range.lo;
    case 1: return range.hi;
    case 2: return range.lo + (width > 1 ? 1 : 0);
    case 3: return range.hi - (width > 1 ? 1 : 0);
    default: {
      const bool small = is_parameter && width > kSmall && rng() % 2 == 0;
      const std::uint64_t up = width == 0 ? rng() : rng() % (small ? kSmall : width);
      return std::int64_t(std::uint64_t(range.lo) + up);
    }
  }
}

std::vector<Point> Domain::some(std::size_t draws, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<Point> points;
  for (std::size_t n = 0; n < draws; ++n) {
    Point point;
    for (std::size_t k = 0; k < problem_->symbols.size(); ++k) {
      const std::optional<Range> r = range(k, point);
      if (!r) break;
      const bool is_parameter = k < problem_->parameters.size();
      point.push_back(n == 0 ? r->lo : n == 1 ? r->hi : draw(rng, *r, is_parameter));
    }
    if (point.size() == problem_->symbols.size() && allowed(point)) points.push_back(point);
  }
  return points;
}

std::vector<Point> Domain::points(std::size_t limit, std::uint64_t seed) {
  if (auto every = all(limit)) return std::move(*every);
  return some(limit, seed);
}

}  // namespace selvage::corpus
