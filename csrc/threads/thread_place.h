#pragma once

#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <optional>
#include <string_view>
#include <vector>

namespace selvage {

// The position of code in a program.
struct ThreadPlace {
  const InnerParallel* parallel = nullptr;
  std::vector<ParallelLevel> around;    // levels, each with its kind
  ThreadMask::Levels levels;            // these, and those of the first chain inside
  std::vector<Expr> inner;              // indices of levels inside: the code runs where all are 0
  std::vector<const SerialFor*> loops;  // outer to inner
  std::size_t loops_outside = 0;        // so many of these are outside of `parallel`
  bool may_be_left = false;             // a break or continue in it leaves one of the loops
  Expr condition;                       // of all masks around, without that inner indices are 0
  std::optional<std::size_t> region;    // the innermost around
  bool is_in_inthreads = false;

  bool is_implicit() const { return !inner.empty(); }
  // `condition`, and that all of `inner` are 0.
  Expr full_condition() const;
};
// The place directly inside of a parallel that stands at `outside`.
ThreadPlace place_in(const InnerParallel& node, const LevelTree& tree, const ThreadPlace& outside);

// Beside an inner level, and without one: run by one thread for each outer instance. All threads
// of the instance are to leave a loop around, and so do what leads there.
bool is_for_one(const ThreadBody& body, const ThreadPlace& at, std::string_view label = {});
// The same of an item, which is then lowered with those beside it.
bool is_together_for_one(const ThreadItem& item, const ThreadPlace& at);

}  // namespace selvage
