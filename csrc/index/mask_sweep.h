#pragma once

#include <selvage/expr/tape.h>
#include <selvage/index/mask_diagram.h>
#include <selvage/simplifier/interval.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The points 0 <= axis < extent at which a predicate holds. Boxes that intervals decide are not
// looked into: what is left is evaluated kBatch points at a time, in lexicographic order.
class MaskSweep {
 public:
  static constexpr std::int64_t kMostPoints = std::int64_t{1} << 26;  // that are evaluated

  enum class Outcome {
    Done,
    Undefined,  // at undefined_at()
    TooLarge,   // more than kMostPoints would have to be evaluated, or kMostRuns kept
  };

  // Of all symbols of the predicate; nothing in it may be opaque. `fixed` are given per sweep.
  MaskSweep(Expr predicate, std::span<const Expr> fixed, std::span<const Expr> axes,
            std::span<const std::int64_t> extents);

  Outcome run(std::span<const std::int64_t> fixed);
  // After Done.
  const MaskDiagram& diagram() const { return diagram_; }
  // After Undefined: the first point, by axes, and what is undefined there.
  const std::vector<std::int64_t>& undefined_at() const { return undefined_at_; }
  Expr undefined() const { return tape_.stopped_at(); }
  // The axes that the predicate has.
  const std::vector<std::uint32_t>& used_axes() const { return used_; }

 private:
  static constexpr std::int64_t kBatch = 1024;
  static constexpr std::int64_t kMostBoxes = std::int64_t{1} << 22;

  Interval& range(std::size_t k) { return ranges_[tape_.inputs()[fixed_ + k]]; }
  const std::vector<std::int64_t>& results() const { return columns_[tape_.root_slot(0)]; }
  std::optional<bool> decide();
  void cover(std::size_t k, std::int64_t lo, std::int64_t hi, bool is_open,
             std::vector<MaskDiagram::Run>& runs);
  MaskDiagram::NodeId node_below(std::size_t k);
  bool evaluate(std::size_t k, std::int64_t lo, std::int64_t points);
  void append_results(std::size_t k, std::int64_t lo, std::int64_t size,
                      const std::int64_t* results, std::vector<MaskDiagram::Run>& runs);

  Tape tape_;
  std::size_t fixed_;
  std::vector<std::uint32_t> used_;    // axes that the predicate has; below, k counts these
  std::vector<std::int64_t> extents_;  // of those
  std::vector<std::int64_t> suffix_;   // points of the axes from k on, at most kBatch + 1
  std::size_t axes_;                   // all of them

  // By slot of the tape: what it is in the box, and at the points of a batch.
  std::vector<Interval> ranges_;
  std::vector<std::vector<std::int64_t>> columns_;

  DiagramBuilder builder_;
  std::int64_t points_ = 0, boxes_ = 0;
  Outcome outcome_ = Outcome::Done;
  MaskDiagram diagram_ = MaskDiagram::none();
  std::vector<std::int64_t> undefined_at_;
  std::vector<std::int64_t> inputs_;  // of the tape: the fixed ones, then the axes
};

}  // namespace selvage
