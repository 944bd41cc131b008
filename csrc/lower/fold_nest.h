#pragma once

#include <selvage/ir/fold.h>
#include <selvage/lower/tree_body.h>

namespace selvage {

// The parts of a nest that folds: a state in each thread's registers, one for every item of the
// loops inside `outer` that are not folded over; what every thread has found, merged along the axes
// of the block that folded loops are bound to, so that each thread has all of it in the end.
//
// Along x, 32 threads of a warp shuffle, and the warps of a row meet in shared memory; the launch
// has whole warps to a row there, or rows that are whole parts of a warp (see launch.cpp). Along
// y and z every thread leaves its state in shared memory, and reads those of its column.
//
// Blocks that fold together meet where the result lies, atomically, if the schedule says so.
//
// Throws Illegal: E433 states or threads whose number is not known, E434 a loop that is folded over
// and bound to a block index, and blocks that do not meet atomically, E442 more states than a
// thread can keep.
class FoldNest {
 public:
  FoldNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
           std::size_t outer, KernelDraft& draft);

  // Is the state the result, kept where the result is?
  bool keep_in_result(const TensorAnalysis& result) const;
  void use(const std::vector<BufferId>& result) { state_ = result; }
  bool merges() const { return fold_.merges; }
  std::size_t components() const { return components_.size(); }

  Body start();  // the empty state
  // At a point of the loops: an element, or, of a tensor that merges, a state.
  std::vector<Store> take_in(FoldState element);
  // The loops that take all elements in, between start() and merge_threads(): of sums that may be
  // long, as lower/long_sums.h says.
  Body summed(Body loops);
  Body merge_threads();
  // The result; of a partial tensor, the state. Addresses are left open.
  std::vector<Store> finish(const std::vector<BufferId>& targets);

 private:
  struct Folded {
    ParallelType axis;
    Expr extent;
  };
  void count_items(const std::vector<std::int64_t>& extents);
  void add_state();
  FoldState read(const std::vector<BufferId>& buffers, Expr address);
  std::vector<Store> stores(const std::vector<BufferId>& buffers, Expr address,
                            const FoldState& state, std::vector<Expr> valid = {}) const;
  template <class F>
  Body for_each_item(F f);
  void merge_lanes(Body& body, std::int64_t lanes);
  Body merge_along_x();
  Body merge_along(ParallelType axis);
  Expr linear_thread() const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const TensorInfo& tensor_;
  const Fold& fold_;
  KernelDraft& draft_;
  ExprPool& pool_;
  std::vector<FoldComponent> components_;
  std::vector<DomainId> axes_;   // whose items each have a state
  Expr address_;                 // of the state at a point of the loops
  std::int64_t items_ = 1;       // how many states there are
  std::vector<Folded> folded_;   // axes of the block
  bool blocks_meet_ = false;     // a folded loop is bound to a block index
  std::vector<BufferId> state_;  // by component
};

}  // namespace selvage
