#pragma once

#include <selvage/lower/draft.h>
#include <selvage/lower/fold_nest.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/place.h>
#include <selvage/lower/program.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace selvage {

// Makes the loops of a tree of nests, without barriers. A tensor that is computed inside another's
// nest stands at the beginning of the loop that it is computed at.
//   for b:            y's loop, and s's
//     s = 0           s is computed at b of y
//     for n: s += t
//     for n: y = ...
// A fold that accumulates stands around its host's loop and in it:
//   p = 0
//   for r:            dx's loop, over which p folds
//     for n: dx = ...
//     for n: p += ...
//   store p
// A nest whose reads have access modes or fills is written twice where that pays, in the loops of
// the blocks: for blocks at which all reads are inside, and for the others
// (legality/inside_reads.h). Guards stand in the innermost loops only, below all hosted tensors, so
// that no guard keeps a thread from what the threads of a block do together.
class TreeBody {
 public:
  TreeBody(const Fusion& fusion, const Schedule& schedule, const Nests& nests,
           const PlacedTensors& placed, const LowerOptions& options, KernelDraft& draft)
      : fusion_(fusion),
        schedule_(schedule),
        nests_(nests),
        placed_(placed),
        options_(options),
        draft_(draft) {}

  Body of(const NestTree& tree);
  // The nests of folds that share a pass (scheduler/groups.h), all of them placed.
  Body folding_together(std::span<const NestTree* const> folds);

 private:
  using Leaf = std::function<Body(std::size_t level)>;
  using Make = std::function<Body(const TensorAnalysis& analysis)>;
  Body loops(const NestTree& tree, std::size_t level, std::size_t end, bool hosts_at_level,
             const Leaf& leaf);
  Body loops_inside(const NestTree& tree, std::size_t level, std::size_t end, bool hosts_at_level,
                    const Leaf& leaf);
  bool is_open(const RowNumber& row) const;
  std::vector<RowReads> rows_inside(const TensorAnalysis& analysis);
  RowReads row_reads(const TensorAnalysis& analysis, const RowNumber& row);
  Body hosted(const NestTree& tree, std::size_t level);
  bool hides_variables(const NestTree& fold, const NestTree& first) const;
  Body plain(const NestTree& tree);
  Body box(const TensorAnalysis& analysis, std::size_t open);
  Body folding(const NestTree& tree);
  Body folding_positions(const NestTree& tree);
  Body folding_groups(const NestTree& tree);
  // The parts of a nest that folds: before its loops, with the empty state; at `level` of its
  // loops, taking in all that is inside; and behind its loops, with the results of the state.
  Body empty(const NestTree& tree);
  Body taking_in(const NestTree& tree, std::size_t level, bool hosts_at_level);
  Body results(const NestTree& tree);
  std::size_t folded_from(TensorId t) const;  // the first of its loops that it folds over
  Body scanning(const NestTree& tree);
  Body by_blocks(const TensorAnalysis& analysis, const Make& make);
  bool opens_blocks(TensorId t, std::size_t level) const;
  // Whether a nest's stores are to become bulk copies; Never: they would, but cannot.
  enum class InBulk : std::uint8_t { No, Yes, Never };
  Body leaf(const TensorAnalysis& analysis, std::size_t open, std::vector<Store> stores,
            Memory target, InBulk in_bulk = InBulk::No);
  std::vector<Store> at_elements(const TensorAnalysis& result, std::vector<Store> stores) const;
  static Memory memory_of(const TensorAnalysis& analysis);
  BufferId buffer_of(TensorId t, std::size_t part, bool is_written);
  std::vector<BufferId> buffers_of(TensorId t);  // of all parts, to be written
  // The value that the tensor is defined by. `component`: of the state, if the tensor merges.
  ValueId value_of(const TensorAnalysis& analysis, std::size_t component = 0);

  const Fusion& fusion_;
  const Schedule& schedule_;
  const Nests& nests_;
  const PlacedTensors& placed_;
  const LowerOptions& options_;
  KernelDraft& draft_;
  std::map<TensorId, FoldNest> folds_;     // whose states are open
  std::vector<RowNumber> open_rows_ = {};  // that the loops around have read
  std::vector<Access> reads_ = {};         // of the value made last that may leave their tensors
};

}  // namespace selvage
