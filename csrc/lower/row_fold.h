#pragma once

#include <selvage/lower/fold_states.h>
#include <selvage/lower/row_tiles.h>

#include <array>
#include <vector>

namespace selvage {

// The statements of the first kernel, inside of all loops but the innermost.
class RowFold {
 public:
  RowFold(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
          BufferId offsets, KernelDraft& draft);

  Body start();
  // In the innermost loop: which row the position is of; what is stored of an item, where the row
  // reaches the position; what is done at the end of a row.
  Body row();
  Expr reaches_position() const;
  std::vector<Store> take_in(FoldState element);
  Body end_of_row(BufferId result, Expr address);
  Body finish();  // behind it

 private:
  Expr at_first(Expr e) const;
  Expr place_of_tile() const;
  std::vector<Expr> rest_inside();
  std::array<Expr, 6> owner(DomainId domain, const char* name) const;
  ValueId number(Expr e) { return draft_.kernel.values.index(draft_.form(e)); }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const Fold& fold_;
  KernelDraft& draft_;
  ExprPool& pool_;
  FoldStates states_;
  RowTiles tiles_;
  BufferId offsets_;
  std::vector<BufferId> state_, carries_, heads_;
  BufferId row_ = 0, carried_row_ = 0;
  Expr position_;
};

}  // namespace selvage
