#pragma once

#include <cstdint>
#include <vector>

namespace selvage {

// The loop points that a table shows, and their cells: outer loops down, inner loops across. An
// innermost loop that is too long for one row continues in further rows. Of a table with too many
// rows only the first and the last are shown, and those around given points.
struct HoleGrid {
  struct Row {
    std::vector<std::int64_t> outer;  // an index for each loop that goes down
    std::int64_t start = 0;  // of a loop that continues in further rows: its first index here
    // The number of rows left out before this one; kUncounted: more than can be counted.
    std::int64_t left_out = 0;
  };
  static constexpr std::int64_t kUncounted = INT64_MAX;

  std::vector<std::size_t> down, across;  // loops, outer to inner; those of extent 1 go down
  std::int64_t columns = 1;
  bool is_wrapped = false;  // the one loop across continues in further rows
  std::vector<Row> rows;
  bool is_complete = true;  // no row is left out

  // Sets `point` to the index of each loop at a cell. False: the cell is past the end of a wrapped
  // loop.
  bool point_at(const Row& row, std::int64_t column, const std::vector<std::int64_t>& extents,
                std::vector<std::int64_t>& point) const;
};

struct HoleGridLimits {
  std::int64_t columns;    // at most
  std::int64_t rows;       // with more, only some are shown:
  std::int64_t kept_rows;  // the first so many and the last so many
};

// Of all such tables, the one closest to twice as wide as high. `seen`: a few loop points whose
// rows are always shown, with the row before and after each.
HoleGrid hole_grid(const std::vector<std::int64_t>& extents, const HoleGridLimits& limits,
                   const std::vector<std::vector<std::int64_t>>& seen = {});

}  // namespace selvage
