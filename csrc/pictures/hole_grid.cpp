#include <selvage/base/points.h>
#include <selvage/pictures/hole_grid.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

namespace selvage {

namespace {

std::int64_t product(std::span<const std::int64_t> n) {
  return count_points(n).value_or(HoleGrid::kUncounted);
}

std::int64_t most_power_of_two(std::int64_t limit) {
  std::int64_t p = 1;
  while (p <= limit / 2) p *= 2;
  return p;
}

// How many of the loops go down, if the innermost one fits across.
std::optional<std::size_t> best_cut(const std::vector<std::int64_t>& n, std::int64_t most_columns,
                                    std::int64_t most_rows) {
  std::optional<std::size_t> best, widest;
  std::int64_t least = 0;
  for (std::size_t down = 0; down < n.size(); ++down) {
    const std::int64_t rows = product(std::span(n).first(down));
    const std::int64_t columns = product(std::span(n).subspan(down));
    if (columns > most_columns) continue;
    if (!widest) widest = down;
    if (rows > most_rows) continue;
    const std::int64_t off = std::abs(columns - 2 * rows);
    if (!best || off < least) {
      best = down;
      least = off;
    }
  }
  return best ? best : widest;
}

// Rows by their numbers in the table.
class Rows {
 public:
  Rows(const HoleGrid& grid, const std::vector<std::int64_t>& extents) : grid_(grid) {
    for (std::size_t loop : grid.down) extents_.push_back(extents[loop]);
    if (grid.is_wrapped) extents_.push_back(ceil_div(extents[grid.across[0]], grid.columns));
    count_ = product(extents_);
  }
  // kUncounted, where 64 bits do not do.
  std::int64_t count() const { return count_; }

  HoleGrid::Row row(std::int64_t number, bool from_last = false) const {
    HoleGrid::Row row;
    row.outer.resize(extents_.size());
    for (std::size_t i = extents_.size(); i-- > 0; number /= extents_[i]) {
      const std::int64_t digit = number % extents_[i];
      row.outer[i] = from_last ? extents_[i] - 1 - digit : digit;
    }
    if (grid_.is_wrapped) {
      row.start = row.outer.back() * grid_.columns;
      row.outer.pop_back();
    }
    return row;
  }
  // The number of the row that shows a point. The rows must be countable.
  std::int64_t number_of(const std::vector<std::int64_t>& point) const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < grid_.down.size(); ++i) {
      number = number * extents_[i] + point[grid_.down[i]];
    }
    if (!grid_.is_wrapped) return number;
    return number * extents_.back() + point[grid_.across[0]] / grid_.columns;
  }

 private:
  const HoleGrid& grid_;
  std::vector<std::int64_t> extents_;  // of the loops that go down, and of the rows of one across
  std::int64_t count_ = 1;
};

void choose_rows(HoleGrid& grid, const Rows& rows, const HoleGridLimits& limits,
                 const std::vector<std::vector<std::int64_t>>& seen) {
  const std::int64_t count = rows.count(), kept = limits.kept_rows;
  if (count == HoleGrid::kUncounted) {
    for (std::int64_t k = 0; k < kept; ++k) grid.rows.push_back(rows.row(k));
    for (std::int64_t k = kept; k-- > 0;) grid.rows.push_back(rows.row(k, true));
    grid.rows[std::size_t(kept)].left_out = HoleGrid::kUncounted;
    return;
  }
  std::set<std::int64_t> numbers;
  for (std::int64_t k = 0; k < kept; ++k) numbers.insert({k, count - 1 - k});
  for (const auto& point : seen) {
    const std::int64_t at = rows.number_of(point);
    for (std::int64_t k = at - 1; k <= at + 1; ++k) {
      if (0 <= k && k < count) numbers.insert(k);
    }
  }
  std::int64_t last = -1;
  for (std::int64_t k : numbers) {
    grid.rows.push_back(rows.row(k));
    grid.rows.back().left_out = k - last - 1;
    last = k;
  }
  grid.is_complete = std::int64_t(numbers.size()) == count;
}

}  // namespace

bool HoleGrid::point_at(const Row& row, std::int64_t column,
                        const std::vector<std::int64_t>& extents,
                        std::vector<std::int64_t>& point) const {
  point.resize(extents.size());
  for (std::size_t i = 0; i < down.size(); ++i) point[down[i]] = row.outer[i];
  std::int64_t rest = row.start + column;
  for (std::size_t i = across.size(); i-- > 0;) {
    const std::int64_t n = extents[across[i]];
    point[across[i]] = rest % n;
    rest /= n;
  }
  return rest == 0;
}

HoleGrid hole_grid(const std::vector<std::int64_t>& extents, const HoleGridLimits& limits,
                   const std::vector<std::vector<std::int64_t>>& seen) {
  HoleGrid grid;
  std::vector<std::size_t> loops;  // with more than one index
  std::vector<std::int64_t> n;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) {
      grid.down.push_back(i);
    } else {
      loops.push_back(i);
      n.push_back(extents[i]);
    }
  }
  std::size_t cut = 0;
  if (!n.empty()) {
    if (const auto best = best_cut(n, limits.columns, limits.rows)) {
      cut = *best;
      grid.columns = product(std::span(n).subspan(cut));
    } else {
      cut = n.size() - 1;
      grid.is_wrapped = true;
      grid.columns = most_power_of_two(limits.columns);
    }
  }
  grid.down.insert(grid.down.end(), loops.begin(), loops.begin() + std::ptrdiff_t(cut));
  std::sort(grid.down.begin(), grid.down.end());
  grid.across.assign(loops.begin() + std::ptrdiff_t(cut), loops.end());
  const Rows rows(grid, extents);
  grid.is_complete = rows.count() <= limits.rows;
  if (!grid.is_complete) {
    choose_rows(grid, rows, limits, seen);
    return grid;
  }
  for (std::int64_t k = 0; k < rows.count(); ++k) grid.rows.push_back(rows.row(k));
  return grid;
}

}  // namespace selvage
