#pragma once

#include <selvage/legality/scan_order.h>
#include <selvage/lower/fold_states.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The parts of a nest that scans: each element is stored as the fold of the elements up to it.
// Loops that are not of the scanned axis and stand inside of it have a state each, as in FoldNest.
//
// Without threads along the axis, the state is carried from element to element:
//   start();  for n: take_in(x[n]), finish(): y[n] = state
// With threads, or a vector, which is stored as one, the innermost loops run twice. The first time
// each thread folds the items of its own, and keeps the state after each; then the threads meet;
// the second time what is before the thread comes in front of what was kept:
//   start();                        carry = empty
//   for step, for thread
//     begin_step()                  state = empty
//     for item: take_in(x)          state = merged(state, x); kept[item] = state
//     meet()                        before = carry and the states of all threads in front;
//                                   carry = carry and the states of all threads
//     for item: finish()            y = merged(before, kept[item])
// Merging is associative, and what is in front is always the first operand, so every element is
// folded from all elements up to it, in order, in an association that depends on the schedule
// alone: results are the same every time. A hole takes nothing in and stores nothing.
//
// Throws Illegal: what scan_order() throws; E433 a number of items or threads that is not known,
// E442 more than a thread can keep.
class ScanNest {
 public:
  ScanNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
           KernelDraft& draft);

  std::size_t outer() const { return order_.first; }  // so many loops stand around start()
  // So many loops stand around a step. Nothing: each element is stored where it is taken in.
  const std::optional<std::size_t>& step() const { return step_; }
  Body start();
  Body begin_step();
  std::vector<Store> take_in(ValueId element);
  Body meet();
  // Stores of one element. The caller sets the addresses.
  std::vector<Store> finish(const std::vector<BufferId>& targets);

 private:
  // States by the axes over which they lie.
  struct Kept {
    std::vector<DomainId> axes = {};
    Expr address = {};  // at a point of the loops
    std::int64_t items = 1;
    std::vector<BufferId> buffers = {};
  };
  void find_axes();
  void settle(Kept& kept, const std::vector<std::size_t>& loops, const std::string& what);
  bool has_threads() const { return !order_.threads.empty(); }
  Kept& state() { return has_threads() ? part_ : carried_; }
  Body empty(const Kept& kept) const;
  FoldState own();
  Body meet_lanes(std::int64_t lanes);
  Body meet_along_x();
  Body meet_along(ParallelType axis);
  // The states that `theirs` gives for 0, 1, ..., extent - 1, those below `own` put in front.
  Body put_in_front(Expr other, Expr extent, Expr own,
                    const std::function<FoldState(Expr at)>& theirs);
  Body add_carry();

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const TensorInfo& tensor_;
  const Fold& fold_;
  KernelDraft& draft_;
  ExprPool& pool_;
  FoldStates states_;
  ScanOrder order_;
  std::optional<std::size_t> step_;
  Kept carried_;  // from step to step; without threads, from element to element
  Kept part_;     // of a thread in a step
  Kept kept_;     // after each item, where a step has several along the axis
  Expr around_;   // of the carried states of this step: the address of the first
  std::vector<BufferId> before_, all_;  // before a thread's part, and of all threads together
};

}  // namespace selvage
