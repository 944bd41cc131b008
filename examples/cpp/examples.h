// Fusions with schedules written by hand: one function a file, as short as they can be read.
#pragma once

#include <selvage/ir/ops.h>
#include <selvage/ir/schedule.h>

#include <memory>
#include <string>
#include <vector>

namespace selvage {

struct Example {
  std::string name;
  std::shared_ptr<Fusion> fusion;
  Schedule schedule;
  std::vector<std::string> sizes;  // names, the rows' first: B may be 0, all others are at least 1
};

// Where a pass over a row takes what an earlier pass has read of it.
enum class Row {
  Kept,   // from the threads' registers: rows of at most 8,192 items, a check at launch
  Again,  // from memory: rows of any length
};

Example bias_gelu();
Example softmax(Row row);
Example layer_norm(Row row);
Example rms_norm(Row row);
Example transpose();
Example rotary();
Example concatenate();

// All of them; the ones that read rows again are called ..._long.
std::vector<Example> examples();

}  // namespace selvage
