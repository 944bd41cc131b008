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
// or code beside an inner level, which runs once for each instance of the outer levels.
struct ThreadRegion {
  std::string when;  // as written; of an implicit region: that all inner indices are 0
  bool is_implicit = false;
  bool is_iteration = false;
  bool is_async = false;
  std::string role = {};
  Place place;
  std::optional<std::size_t> around = {};  // the innermost region around, by its number
  ThreadMask::Levels levels = {};      // around it and, for code beside an inner level, that level
  Expr condition = {};                 // its own and those of all regions around
  RegionThreads who = {};              // the threads for which `condition` holds
  std::vector<LoopAround> loops = {};  // serial loops around, outer to inner
  bool may_be_left = false;            // a break or continue in it leaves one of these loops
};

// The threads that run a region, in few words: "p <= 2: 000111", "load, t >= 6: 2 of 8 threads".
std::string who_runs(const ThreadRegion& region);

// Two or more asynchronous regions that no barrier of the block separates.
struct AsyncGroup {
  std::vector<std::size_t> regions;
  // True (false): the masks are so (not so) in every run and iteration. nullopt: not known, or not
  // the same in all.
  std::optional<bool> is_disjoint = {}, is_complete = {};
  bool is_by_iteration =
      false;  // a mask depends on loops around: the answers are about one iteration
};

// One step of a program, in the order in which it is written.
struct ThreadStep {
  enum class Kind : std::uint8_t { Code, Region, Loop, Barrier };
  Kind kind = Kind::Code;
  std::string label;  // "A, B": what code stores; "p <= 2"; "for i in 4"; "sync: shared, the block"
  ThreadMask threads;  // that may run it; for a dynamic region, all that get to it
  int depth = 0;       // the number of regions and loops around
  bool is_async = false;
};

// The result of lower_threads(). Regions are in the order of the program.
struct LoweredThreads {
  LevelTree tree;
  std::vector<ThreadRegion> regions;
  std::vector<AsyncGroup> groups;
  std::vector<ThreadStep> steps;
  std::optional<Kernel> kernel;  // absent: some diagnostic is an error
  std::vector<Place> places;     // of the kernel's statements: origin n stands at places[n - 1]
  std::vector<Diagnostic> diagnostics;

  bool is_legal() const;
  // The asynchronous region that is `region` or is around it; nullopt: none.
  std::optional<std::size_t> async_around(std::optional<std::size_t> region) const;
};

}  // namespace selvage
