#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>
#include <selvage/lower/one_thread.h>
#include <selvage/lower/spread.h>

#include <span>

namespace selvage {

// Numbers that a nest reads of a row that it is at (legality/row_numbers.h), in their order.
struct RowReads {
  Expr known;  // what the row is, or the position of which it is searched: known where this is
  std::vector<Define> defines;
};

struct NestRequest {
  const Fusion& fusion;
  const Schedule& schedule;
  const TensorAnalysis& analysis;
  std::size_t open = 0;  // so many outermost loops stand around the nest already
  // The memory that it stores to. Along an axis of the launch that no loop is bound to, only index
  // 0 stores; but every block stores to its shared memory, and every thread to its registers.
  Memory target = Memory::Global;
  bool is_vectorised = true;  // false: a loop bound to Vectorize is run element by element
  bool draws_out_checks = true;
  bool checks_everything = false;
  // Its stores are to become bulk copies (lower/bulk_stores.h): for whatever index of a thread no
  // loop is bound to, and each written once.
  bool is_stored_in_bulk = false;
  std::vector<SpreadLoop> spread = {};
  std::vector<RowReads> rows = {};  // that are known inside of the open loops only
};

// The loop nest that executes `stores`, one after the other, at every valid point, without the
// `open` loops. The kernel's launch must be settled: where it is wider than the tensor's own
// extent, a guard is put around the nest. Appends every expression that the nest computes to
// draft.computed, and launch conditions to draft.conditions. Values added since the last nest are
// taken to belong to this one: their index expressions get the names that this nest defines.
//
// Conditions are hoisted out of a loop bound to Unswitch or Unroll or, if there is none and the
// kernel has many threads, out of all loops that a thread runs: where all points inside are valid,
// none is tested again. A vector is stored as one where all of its elements are valid, else element
// by element; the loop around it is peeled, if that separates the two.
Body nest_of(const NestRequest& request, std::vector<Store> stores, KernelDraft& draft);

// All conditions that hold wherever the nest stores an element: every bound, implied ones too.
std::vector<Expr> valid_points(const Fusion& fusion, const Schedule& schedule,
                               const TensorAnalysis& analysis);

// One loop of a tensor, without a body. The extent of a block or thread index is the launch's.
Loop loop_of(const Schedule& schedule, const TensorAnalysis& analysis, std::size_t loop,
             Kernel& kernel, std::vector<Expr>& computed);

}  // namespace selvage
