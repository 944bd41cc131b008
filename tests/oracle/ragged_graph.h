// Graphs over rows of different lengths, in numbers and from the definitions alone. It shares no
// code with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage::oracle {

// Offsets that keep their contract. Nothing in memory says how long a row is that does not exist,
// so that is told apart.
struct RowList {
  std::vector<std::int64_t> offsets = {0};  // of count + 1 rows
  std::int64_t missing_begin = 0, missing_end = 0;

  std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t items() const { return offsets.back(); }
  bool has(std::int64_t row) const { return 0 <= row && row < count(); }
  std::int64_t begin(std::int64_t row) const { return has(row) ? offsets[row] : missing_begin; }
  std::int64_t end(std::int64_t row) const { return has(row) ? offsets[row + 1] : missing_end; }
  // The row of a position, where every row has `added` positions more than items: the number of
  // offsets behind the first and in front of the last that are at most it.
  std::int64_t row_of(std::int64_t position, std::int64_t added) const;
};

RowList rows_of(std::span<const std::int64_t> lengths);
std::string to_text(const RowList& rows);
std::string to_text(std::span<const std::int64_t> numbers);  // " 0 2 5"

// As in graph.h. MergeRows makes positions of a row and its items, or its resized items.
struct RaggedStep {
  enum Kind : std::uint8_t { Split, OuterSplit, Merge, MergeRows, Resize, Xor, CyclicShift } kind;
  std::vector<int> in, out = {};
  std::int64_t factor = 0;           // of a split; of MergeRows, the positions added to each row
  std::int64_t left = 0, right = 0;  // of a resize
};

// A tensor over rows, their items and dense axes, and the loops that steps make of these.
class RaggedGraph {
 public:
  static constexpr int kRow = 0, kItem = 1, kPosition = 2;  // the position follows from these two
  using Indices =
      std::vector<std::optional<std::int64_t>>;  // of all iterdomains; nothing where one
                                                 // is divided by an extent that is 0

  explicit RaggedGraph(const std::vector<std::int64_t>& dense);

  // Puts the outputs of the step, which it numbers, in the place of the inputs among the loops.
  const RaggedStep& apply(RaggedStep step);

  // The extents at a row of that length.
  std::vector<std::int64_t> extents(const RowList& rows, std::int64_t length) const;
  // The row that a loop point is at, -1 if the loops around have no points; nothing if it differs
  // with the length of the row, so that no row can be read.
  std::optional<std::int64_t> row_at(const RowList& rows,
                                     std::span<const std::int64_t> point) const;
  Indices indices(const RowList& rows, std::int64_t row, std::span<const std::int64_t> point) const;

  // Visits loop points in order until `visit` returns false: each loop runs from 0 to its extent at
  // the row that the loops around it tell. False if the loops inside change the row.
  using Visit = std::function<bool(std::span<const std::int64_t> point, std::int64_t row)>;
  bool for_each_point(const RowList& rows, const Visit& visit) const;

  int size() const { return static_cast<int>(depends_.size()); }
  // Whether its extent differs from one row to another.
  bool depends(int d) const { return depends_[d]; }

  std::vector<std::int64_t> dense;
  std::vector<RaggedStep> steps;
  std::vector<int> loops;  // outer to inner

 private:
  bool differs(const RowList& rows, int d) const;
  Indices backward(const RowList& rows, const std::vector<std::int64_t>& extents,
                   std::int64_t begin, std::span<const std::int64_t> point) const;

  std::vector<bool> depends_;
};

std::string to_text(const RaggedGraph& graph);

}  // namespace selvage::oracle
