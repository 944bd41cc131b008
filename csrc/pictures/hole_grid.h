#pragma once

#include <cstdint>
#include <vector>

namespace selvage {

// Which loop points a table shows, and where: outer loops down, inner loops across. An innermost
// loop that is too long for one row goes on in further rows. Of a table with too many rows the
// first and the last are shown, and those around points that are worth seeing.
struct HoleGrid {
  struct Row {
    std::vector<std::int64_t> outer;  // an index for each loop that goes down
    std::int64_t start = 0;  // of a loop that goes on in further rows: its first index here
    // Rows between the one before and this that are left out; kUncounted: more than can be counted.
    std::int64_t left_out = 0;
  };
  static constexpr std::int64_t kUncounted = INT64_MAX;

  std::vector<std::size_t> down, across;  // loops, outer to inner; those of extent 1 go down
  std::int64_t columns = 1;
  bool is_wrapped = false;  // the one loop across goes on in further rows
  std::vector<Row> rows;
  bool is_complete = true;  // no row is left out

  // The index of each loop at a cell. False: there is none, at the end of the last of several rows.
  bool point_at(const Row& row, std::int64_t column, const std::vector<std::int64_t>& extents,
                std::vector<std::int64_t>& point) const;
};

struct HoleGridLimits {
  std::int64_t columns;    // at most
  std::int64_t rows;       // with more, only some are shown:
  std::int64_t kept_rows;  // the first so many and the last so many
};

// Of all such tables the one that comes nearest to being twice as wide as high. `seen` are loop
// points, a few at most: their rows are shown in any case, each with the row before and after.
HoleGrid hole_grid(const std::vector<std::int64_t>& extents, const HoleGridLimits& limits,
                   const std::vector<std::vector<std::int64_t>>& seen = {});

}  // namespace selvage
