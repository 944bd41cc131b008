#pragma once

#include <selvage/kernel/kernel.h>

#include <functional>
#include <utility>
#include <vector>

namespace selvage {

// When a node of a value is asked for, select taking one branch only. Invalid: always.
struct Asked {
  Expr condition;
  bool depends_on_data = false;
};

// The reads and searches that a value is made of, of buffers that `is_listed`, in the order of
// their numbers: each is asked for where one of its users is.
std::vector<std::pair<ValueId, Asked>> asked_reads(const Kernel& kernel, ValueId value,
                                                   const std::function<bool(BufferId)>& is_listed);

}  // namespace selvage
