#pragma once

#include <selvage/scheduler/read_table.h>

#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// Tensors that one kernel computes row by row. Their nests stand inside the root's rows. A row is
// one point of the iterdomains `rows`: all that the members need of one another is in the same row,
// so a block that computes a row needs no other block.
struct Segment {
  TensorId root{};
  // The root; if it has no items within a row, the member with the most points in one.
  TensorId widest{};
  std::vector<TensorId> members = {};  // the root, then each after its readers among the members
  std::vector<DomainId> rows = {};     // of the root's nest, outer to inner
  // Members that fold over the rows themselves. Each block folds its own rows while it computes
  // what is in them, and a second kernel folds the blocks.
  std::vector<TensorId> columns = {};
  // Whether the members are folds of the same items, none of which reads another, so that parts of
  // rows can be folded for all of them at once.
  bool are_siblings = false;
  // Of siblings: whether each has a nest of its own, cut like the root's, because tensors that are
  // no members read it.
  bool are_apart = false;
  // Whether nothing but the root's own items is computed: no member folds, and rows are items.
  bool is_pointwise = false;
};

// A segment of one tensor.
Segment segment_of(const Schedule& schedule, TensorId t);
// The segment of a fold, or of siblings, with one more sibling; nothing where it cannot be one:
// they fold the same iterdomains of the same items, and read a tensor in common.
std::optional<Segment> with_sibling(const Schedule& schedule, const ReadTable& table,
                                    const Segment& segment, TensorId t);
bool contains(const Segment& segment, TensorId t);
bool is_column(const Segment& segment, TensorId t);

// Finds the segments of a schedule in which some outputs and folds are `open`: nobody has said how
// they are computed. Each open tensor is in one segment; the segments are in an order in which none
// reads what an earlier one computes.
//
// An output begins a segment, largest first. A fold joins where its readers are members, and any
// open tensor where it reads a member or what a member reads, if all have rows in common in which
// each is read in step, and `keeps` says that one kernel is better than several. Where that is not
// so, a fold over the rows may join as a column. A fold that does not join begins a segment of its
// own, which siblings may join.
using KeepsTogether = std::function<bool(const Segment& apart, const Segment& together)>;
std::vector<Segment> segments_of(const Schedule& schedule, const ReadTable& table,
                                 const std::vector<TensorId>& open,
                                 const std::function<double(TensorId)>& items,
                                 const KeepsTogether& keeps);

}  // namespace selvage
