#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

#include <span>

namespace selvage {

struct NestRequest {
  const Fusion& fusion;
  const Schedule& schedule;
  const TensorAnalysis& analysis;
  std::size_t open = 0;  // how many loops, the outermost, stand around already
  // Where it stores. One writer: where the launch uses an axis that no loop is bound to, index 0
  // does the work; but every block has shared memory, and every thread registers of its own.
  Memory target = Memory::Global;
  bool is_vectorised = true;  // false: a loop bound to Vectorize is run element by element
  bool draws_out_checks = true;
  bool checks_everything = false;
};

// The loop nest that executes `stores`, one after the other, at every valid point: what stands
// inside its open loops. The kernel's launch is settled already: where it is wider than the
// tensor's own extent, the nest is under a mask. Every expression that the nest computes is
// appended to draft.computed, and to draft.conditions what must hold at launch. Values that were
// added since the last nest are this one's: their index expressions get the names that it gives.
//
// Checks are drawn out of a loop bound to Unswitch or Unroll, or else, in a kernel of many threads,
// out of all loops that a thread runs: where all points inside are valid none is tested again. A
// vector is stored as one where all of its elements are valid, and element by element elsewhere;
// the loop around it is split in two, if that tells them apart.
Body nest_of(const NestRequest& request, std::vector<Store> stores, KernelDraft& draft);

// What must hold wherever an element of that nest is stored: all bounds, none of them left out.
std::vector<Expr> valid_points(const Fusion& fusion, const Schedule& schedule,
                               const TensorAnalysis& analysis);

// The loop itself: its variable and extent, that of the launch where it is a block or thread index.
Loop loop_of(const Schedule& schedule, const TensorAnalysis& analysis, std::size_t loop,
             Kernel& kernel, std::vector<Expr>& computed);

// The extent of the launch along a block or thread axis.
Expr& extent_of(Launch& launch, ParallelType axis);

// The index along an axis of the launch, whatever loops are bound to it.
Loop every(ParallelType axis, Kernel& kernel);

// The body as it is for the index 0 of those axes alone that the launch uses.
Body one_writer(std::span<const ParallelType> axes, Body body, Kernel& kernel);

}  // namespace selvage
