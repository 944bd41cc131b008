#pragma once

#include <selvage/ir/domain_graph.h>
#include <selvage/kernel/kernel.h>

#include <vector>

namespace selvage {

// The numbers that a kernel reads of rows (ir/domain_graph.h, RaggedRows). Each is made so that it
// lies within its range whatever the offsets hold.
class RowDefines {
 public:
  // `offsets`: the buffer that holds them, which is noted to rise.
  RowDefines(Kernel& kernel, const RaggedRows& rows, BufferId offsets);

  // The row that has a position, where every row has `added` positions more than items; searched
  // from row `first` on.
  Define search(Expr variable, Expr first, Expr position, std::int64_t added);
  // A row that memory holds, brought into 0 .. count - 1.
  Define row_from(Expr variable, ValueId stored);
  // Its begin and its end, with begin <= end. Where `is_row` does not hold, both are 0, and nothing
  // is read.
  std::vector<Define> ends(Expr row, Expr is_row);

 private:
  Define define(Expr variable, ValueId value, Expr least, Expr most);
  ValueId offset(Expr at);

  Kernel& kernel_;
  const RaggedRows& rows_;
  BufferId offsets_;
  Expr zero_, last_;
};

}  // namespace selvage
