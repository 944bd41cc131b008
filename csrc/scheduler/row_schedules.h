#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/scheduler/device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// How a fold over the items of rows goes through them.
struct RowSchedule {
  enum class Kind : std::uint8_t {
    ThreadARow,  // the items of a row one after another
    GroupARow,   // `width` threads share the items of a row
    MergePath,   // each thread takes `width` items and ends of rows (lower/row_tiles.h)
  };
  Kind kind = Kind::MergePath;
  std::int64_t width = 8;

  std::string text() const;
};

// The rows for which a schedule is meant, by what their offsets tell: how many there are, how many
// items they have, and how many the longest has.
struct RowClass {
  Expr condition;
  RowSchedule how;
};

// Up to so many items a thread reads a row alone: then the threads of a warp wait for the longest
// of 32 rows that are alike, and what they read lies in few lines. Up to so many for each of 8
// threads, or of 32, a group of them does.
inline constexpr std::int64_t kLongestOfThread = 64, kMeanOfThread = 8;
inline constexpr std::int64_t kLongestOfGroup = 1024, kMeanOfGroup = 32, kGroup = 8;
inline constexpr std::int64_t kLongestOfWarp = 8192;

// A thread that reads a row alone comes back to a line that it has begun to read, and finds it in
// L1 as long as rows have so many items on average, beside those of all other threads of the
// multiprocessor: 9 on an H100, 4 on a V100. Else it is found in L2, if that holds so many items.
std::int64_t mean_in_l1(const Device& device);
std::int64_t items_in_l2(const Device& device);

// A symbol for the number of items of the longest row: no size of the fusion, as only data tell it.
Expr longest_of(const Fusion& fusion, RowsId rows);
// In the order in which they are tried. What is in none, and rows of which nothing is known, are
// for a merge path, which is slow for no rows.
std::vector<RowClass> row_classes(const Fusion& fusion, RowsId rows,
                                  const Device& device = usual_device());

// The rows over whose items a tensor folds, if they can be gone through in any of these ways: its
// result has an item for each row, and perhaps dense axes beside. Nothing for any other tensor.
std::optional<RowsId> folded_rows(const Fusion& fusion, TensorId t);
// The rows that classes are about: those of the first such fold. Others go along a merge path.
std::optional<RowsId> classed_rows(const Fusion& fusion);
// Makes the loops of such a tensor, whose loops are as they were at first. Returns how: that which
// is wanted, or one that is close to it where the tensor has dense axes or folds more than items.
RowSchedule schedule_rows(Schedule& schedule, TensorId t, const RowSchedule& wanted);

}  // namespace selvage
