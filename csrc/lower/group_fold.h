#pragma once

#include <selvage/lower/fold_states.h>
#include <selvage/lower/row_defines.h>

#include <vector>

namespace selvage {

// A fold over rows whose loops go through the positions of a group of rows, a thread a position:
//   begin, end = where the row of this thread begins and ends, if the group has so many rows
//   state = empty
//   for turn
//     element[thread] = that of position turn * width + thread, if there is one
//     barrier
//     part = empty
//     for k in the elements of the row among these  part = with(element[k])
//     state = merged(state, part)
//     barrier
//   if (there is such a row)  y[row] = folded(state)
// So threads read side by side whatever the rows are, each row is folded in its own order and
// stored once, rows without items too, and no block has to do with another.
//
// Throws Illegal E458 where the loops are not blocks, or serial, around the threads of a block,
// which are bound to TIDx, and an innermost, serial loop of turns, both made by one split of the
// positions; or where a group has more rows than the block has threads, or rows more than items.
class GroupFold {
 public:
  GroupFold(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
            BufferId offsets, KernelDraft& draft);
  // Whether a tensor folds in such a way.
  static bool is_one(const Schedule& schedule, TensorId t);

  // Inside of all loops but the turns; and in each turn, before an element is stored, what stores
  // it, and behind it.
  Body start();
  Body begin_turn();
  std::vector<Store> put_aside(ValueId element);
  Body end_turn();
  Body finish(BufferId result);

 private:
  void check_loops(const Fusion& fusion, const Merge& merge);
  ValueId number(Expr e) { return draft_.kernel.values.index(draft_.form(e)); }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const Fold& fold_;
  KernelDraft& draft_;
  FoldStates states_;
  DomainId row_domain_{}, row_in_group_{};
  RaggedRows row_;  // the symbols of the row of this thread
  const RaggedRows* group_ = nullptr;
  BufferId offsets_, own_ = 0, shared_ = 0;
  std::vector<BufferId> state_, part_;
  std::int64_t width_ = 1;
  Expr thread_, turn_, is_row_;
};

}  // namespace selvage
