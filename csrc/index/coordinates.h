#pragma once

#include <selvage/ir/path.h>
#include <selvage/simplifier/simplifier.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The coordinate of every iterdomain that a path reaches, over the loop variables: right at every
// loop point, holes included. `simplifier` holds the ranges of the loop variables and no guard.
// A coordinate that grows past kLargestCoordinate nodes becomes a Let, so that crossed splits and
// merges, whose written-out trees double at every step, stay linear.
class Coordinates {
 public:
  static constexpr std::uint32_t kLargestCoordinate = 48;

  Coordinates(const DomainGraph& graph, const Path& path, std::span<const DomainId> loops,
              std::span<const Expr> variables, Simplifier& simplifier);

  bool has(DomainId d) const { return exprs_[index_of(d)].valid(); }
  Expr operator[](DomainId d) const { return exprs_[index_of(d)]; }

 private:
  std::vector<Expr> exprs_;
};

// The coordinates that one step computes, in the order of results(): the formula as the transform
// states it, nothing simplified.
std::vector<Expr> step_formula(const DomainGraph& graph, const Step& step,
                               std::span<const Expr> source_coordinates);

// How the row is found where a merge of rows and their items is crossed backward: it is searched
// between two rows for a position among those of all rows, which each have `added` more than items.
struct RowSearch {
  Expr position, first, last;  // 0 <= first <= last < count, whatever the sources are
  std::int64_t added = 0;
};
RowSearch row_search(const DomainGraph& graph, const Merge& merge, Expr out,
                     std::optional<Expr> group);
// The same at the coordinates of a path.
RowSearch row_search(const DomainGraph& graph, const Merge& merge, const Coordinates& coordinates);

// The coordinates of `wanted` that follow from those of `from` over the given transforms (all of
// the graph's, if none are given), nothing simplified; invalid where one does not follow.
std::vector<Expr> coordinates_from(const DomainGraph& graph, std::span<const DomainId> from,
                                   std::span<const Expr> coordinates,
                                   std::span<const DomainId> wanted,
                                   std::span<const TransformId> transforms = {});

// 0 <= coordinate && coordinate < extent, nothing simplified.
Expr ok(Expr coordinate, Expr extent);

}  // namespace selvage
