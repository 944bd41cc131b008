#pragma once

#include <selvage/scheduler/row_schedules.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// The sizes of a fusion for which one automatic schedule is meant.
struct SizeClass {
  Expr condition;                               // N <= 2048
  std::map<std::string, std::int64_t> typical;  // values of sizes that the schedule is made for
  // Of folds over the items of rows: the condition then is over what data tell, too.
  std::optional<RowSchedule> rows = {};
};

// The lengths that bound the classes. Up to the last a block keeps a row of floats in registers.
inline constexpr std::int64_t kRowLengths[] = {256, 2048, 16384};

// The classes of a fusion, that of the shortest rows first: by the sizes that folds go along, where
// neither facts nor `named` say what they are. All other sizes, and those past the longest rows,
// are in no class. So with the schedule for all sizes there are at most four. Empty for a fusion
// without such folds.
//
// Where a fusion folds over the items of rows, the classes are those of the first such rows
// (scheduler/row_schedules.h): their conditions are over the longest row, too, which is no size.
//
// Where a caller has named such sizes, there is one class, of rows up to the next power of two.
std::vector<SizeClass> size_classes(const Fusion& fusion,
                                    const std::map<std::string, std::int64_t>& named = {},
                                    const Device& device = usual_device());

}  // namespace selvage
