#pragma once

#include <selvage/index/coordinates.h>
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

  // The row that has a position.
  Define search(Expr variable, const RowSearch& search);
  // A row that memory holds, brought into 0 .. count - 1: that of a position, where each row has
  // `added` positions more than items.
  Define row_from(Expr variable, ValueId stored, Expr position, std::int64_t added);
  // Its begin and its end, with begin <= end. Where `is_row` does not hold, both are 0, and nothing
  // is read.
  std::vector<Define> ends(Expr row, Expr is_row);
  // The same of a group of these rows.
  std::vector<Define> ends_of_group(const RaggedRows& groups, Expr group, Expr is_group);

 private:
  // From offset `first` to offset `last`.
  std::vector<Define> ends(const RaggedRows& of, Expr first, Expr last, Expr is_there);
  Define define(Expr variable, ValueId value, Expr least, Expr most);
  ValueId offset(const RaggedRows& of, Expr at);

  Kernel& kernel_;
  const RaggedRows& rows_;
  BufferId offsets_;
  Expr zero_, last_;
};

}  // namespace selvage
