#pragma once

#include <selvage/index/region_threads.h>
#include <selvage/kernel/kernel.h>
#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// A part of a program that some threads run: an inthreads, an iteration of a loop with a condition,
// or what stands beside an inner level and is run once for each instance of the outer ones.
struct ThreadRegion {
  std::string when;  // as written; of an implicit one that all inner indices are 0
  bool is_implicit = false;
  bool is_iteration = false;
  bool is_async = false;
  Place place;
  std::optional<std::size_t> around = {};  // the innermost region around, by its number
  ThreadMask::Levels levels = {};      // all that it is in and, beside an inner level, that as well
  Expr condition = {};                 // with those of all regions around
  RegionThreads who = {};              // for whom that holds
  std::vector<LoopAround> loops = {};  // serial ones around, outer to inner
  bool may_be_left = false;            // one of these, by a break or continue in it
};

// Two or more asynchronous regions that no barrier of the block separates.
struct AsyncGroup {
  std::vector<std::size_t> regions;
  // In every run and iteration, or in none of them; nothing: that is not known, or it is not the
  // same in all.
  std::optional<bool> is_disjoint = {}, is_complete = {};
  bool is_by_iteration =
      false;  // a mask depends on loops around: it is of the masks in one iteration
};

// One thing after the other, as a program is written.
struct ThreadStep {
  enum class Kind : std::uint8_t { Code, Region, Loop, Barrier };
  Kind kind = Kind::Code;
  std::string label;  // "A, B": what code stores; "p <= 2"; "for i in 4"; "sync: shared, the block"
  ThreadMask threads;  // who may be there: of a dynamic region all that get to it
  int depth = 0;       // regions and loops around
  bool is_async = false;
};

// What a program comes to. Regions are in the order of the program.
struct LoweredThreads {
  LevelTree tree;
  std::vector<ThreadRegion> regions;
  std::vector<AsyncGroup> groups;
  std::vector<ThreadStep> steps;
  std::optional<Kernel> kernel;  // none: some diagnostic is an error
  std::vector<Diagnostic> diagnostics;

  bool is_legal() const;
  // The asynchronous region that a region is or stands in.
  std::optional<std::size_t> async_around(std::optional<std::size_t> region) const;
};

}  // namespace selvage
