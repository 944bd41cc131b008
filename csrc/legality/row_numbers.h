#pragma once

#include <selvage/index/coordinates.h>
#include <selvage/ir/schedule.h>

#include <optional>
#include <vector>

namespace selvage {

// The row that a nest is at, or the group of rows, of rows whose items it runs over, and how the
// nest knows it. The symbols begin and end of the rows (ir/domain_graph.h) stand for its offsets.
struct RowNumber {
  RowsId rows{};
  // The coordinate of the row, over the loops; the symbol `row` of the rows, if it is searched.
  Expr row;
  std::optional<RowSearch> search = {};  // absent: the row follows from the loops
  std::size_t level = 0;                 // known inside so many of the outermost loops
};

// The rows of all ragged iterdomains that a nest of t reaches, each behind those that it is told
// by. Throws Illegal E455 where a loop over the items of a row stands outside of what tells the
// row, or a row is told by its own length, E456 where it is bound to a block or a thread, whose
// number must be known at launch, and E457 where a nest is at two rows of the same offsets at once.
std::vector<RowNumber> row_numbers(const Schedule& schedule, TensorId t, const Path& path,
                                   std::span<const DomainId> loops, std::span<const Expr> variables,
                                   const Coordinates& coordinates);

// The row number of these rows; null if the nest is at none.
const RowNumber* find(std::span<const RowNumber> numbers, RowsId rows);

}  // namespace selvage
