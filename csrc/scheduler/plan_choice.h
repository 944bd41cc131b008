#pragma once

#include <selvage/scheduler/row_plan.h>

#include <map>
#include <optional>
#include <string>

namespace selvage {

// What somebody has decided of the plan of a kernel; what is absent is left to the model.
struct PlanChoice {
  std::optional<std::int64_t> threads = {}, folders = {}, vector = {}, batch = {}, at_once = {},
                              tile = {}, across = {}, parts = {}, turns = {},
                              last_block = {},     // 1: of another kernel; 0: a kernel of its own
      windows = {},                                // 1: a block has a tile of what windows read
      skew = {},                                   // 1: rows are moved so that vectors are aligned
      late = {},                                   // 1: what is kept comes by cp.async
      ranks = {};                                  // blocks of a cluster that share a row
  std::optional<std::optional<Memory>> kept = {};  // no memory: what is read twice is read again
  std::optional<bool> is_along_rows = {};
  // From measurements: passed over where no plan is like that. Else that is refused (E424).
  bool is_wish = false;

  // The choice of that plan alone, in all but the steps that a row of its length takes and the rows
  // that blocks take in turn.
  static PlanChoice of(const RowPlan& plan);
  bool allows(const RowPlan& plan) const;
  std::string text() const;  // "threads: 256, vector: 4", as a file says it
};

// By the name of the tensor at whose nest a kernel begins (AutomaticKernel::root), or of another
// tensor that it computes.
using PlanChoices = std::map<std::string, PlanChoice>;

}  // namespace selvage
