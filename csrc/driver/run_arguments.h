#pragma once

#include <selvage/driver/run.h>

namespace selvage {

// The sizes and inputs of a run, all of them: those that are given, those that follow, and those
// that are made up.
struct RunArguments {
  SizeValues sizes;
  std::map<std::string, Array> inputs;
  std::map<std::string, Array> offsets = {};  // those of rows that are computed, if they are known
};
// The offsets of rows that are computed and not given, by the reference.
std::map<std::string, Array> told_offsets(const Fusion& fusion, const RunArguments& arguments);
// The sizes, and of all rows how many items the longest has (scheduler/row_schedules.h).
SizeValues with_longest_rows(const Fusion& fusion, const SizeValues& sizes,
                             const std::map<std::string, Array>& inputs);
// A size need not be given if facts determine it, alone or with other sizes, or if the shape of an
// input does. A missing stride is that of a dense array. Throws BadInput E614 for any other.
RunArguments arguments_of(const Fusion& fusion, const RunRequest& request);

}  // namespace selvage
