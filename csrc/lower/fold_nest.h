#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/fold_states.h>

#include <functional>

namespace selvage {

// The parts of a nest that folds. Each thread keeps states in registers, one for every item of the
// loops inside `outer` that are not folded over. Then the states of threads are merged along the
// axes of the block that folded loops are bound to, so that each thread has the whole state.
//
// Along x, the 32 threads of a warp shuffle, and the warps of a row meet in shared memory; in such
// a launch a row has whole warps, or a warp has whole rows (see launch.cpp). Each thread then reads
// the states of two or four warps as vectors; of more it reads one, and shuffles again. Along y and
// z every thread stores its state to shared memory, and reads those of its column. Then the blocks
// of a cluster read what each of them has left in its shared memory.
//
// Blocks that fold together merge atomically in the result's memory, if the schedule says so.
//
// Throws Illegal: E433 a number of states or threads that is not known, E434 a folded loop bound to
// a block index without meet_atomically, E442 more states than a thread can keep.
class FoldNest {
 public:
  FoldNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
           std::size_t outer, KernelDraft& draft);

  // Whether the state is the result, and so may be kept in the result's buffer.
  bool keep_in_result(const TensorAnalysis& result) const;
  void use(const std::vector<BufferId>& result) { state_ = result; }
  bool merges() const { return fold_.merges; }
  const std::vector<FoldComponent>& components() const { return states_.components(); }

  Body start();  // stores the empty state
  // Folds one element into the state; for a tensor that merges, `element` is a state.
  std::vector<Store> take_in(FoldState element);
  // The loops that take all elements in, to stand between start() and merge_threads(). Long sums
  // are rewritten (lower/long_sums.h), and so are variances and powers (lower/fold_groups.h).
  Body summed(Body loops);
  Body merge_threads();
  // Stores of the result or, for a partial tensor, of the state. The caller sets the addresses.
  std::vector<Store> finish(const std::vector<BufferId>& targets);

 private:
  struct Folded {
    ParallelType axis;
    Expr extent;
  };
  void count_items(const std::vector<std::int64_t>& extents);
  void add_state();
  void merge_lanes(Body& body, std::int64_t lanes);
  void merge_powers_of_lanes(Body& body, std::int64_t lanes, const std::vector<BufferId>& other);
  bool read_as_vectors(std::int64_t warps) const;
  Body merge_vectors(const std::vector<BufferId>& left, std::int64_t warps,
                     const std::function<Expr(Expr)>& start);
  Body merge_along_x();
  Body merge_along(ParallelType axis);
  Body merge_along_ranks(Expr extent);

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const TensorInfo& tensor_;
  const Fold& fold_;
  KernelDraft& draft_;
  ExprPool& pool_;
  FoldStates states_;
  std::vector<DomainId> axes_;       // one state for each of their items
  Expr address_;                     // of the state at a point of the loops
  std::int64_t items_ = 1;           // the number of states
  std::vector<Folded> folded_;       // axes of the block
  bool blocks_meet_ = false;         // a folded loop is bound to a block index
  std::vector<BufferId> state_;      // by component
  std::optional<BufferId> element_;  // where an item is left that several components use
};

}  // namespace selvage
