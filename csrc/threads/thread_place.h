#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <optional>
#include <vector>

namespace selvage {

// Where code of a program stands.
struct ThreadPlace {
  const InnerParallel* parallel = nullptr;
  std::vector<ParallelLevel> around;    // levels, each with its kind
  ThreadMask::Levels levels;            // these, and those of the first chain inside
  std::vector<Expr> inner;              // indices of levels inside: code here wants them to be 0
  std::vector<const SerialFor*> loops;  // outer to inner
  std::size_t loops_outside = 0;        // of these, outside of `parallel`
  bool may_be_left = false;             // one of them, by a break or continue in it
  Expr condition;                       // of all masks around; that inner indices are 0 is no part
  std::optional<std::size_t> region;    // the innermost around
  bool is_in_inthreads = false;

  bool is_implicit() const { return !inner.empty(); }
  // What a thread here must fulfil: the condition, and that inner indices are 0.
  Expr full_condition() const;
};
// Of what stands right in a parallel, which stands at `outside`.
ThreadPlace place_in(const InnerParallel& node, const LevelTree& tree, const ThreadPlace& outside);

}  // namespace selvage
