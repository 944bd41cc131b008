#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/kernel/kernel.h>
#include <selvage/threads/levels.h>
#include <selvage/threads/program.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Which threads run something.
struct RegionThreads {
  std::optional<ThreadMask> mask;  // none: dynamic, or other threads in other iterations
  // Where it hangs on serial loops of known extents, and nothing else that is known only at run
  // time: these, outer to inner, and each iteration's mask.
  std::vector<MaskIndex> loops = {};
  std::vector<ThreadMask> iterations = {};

  bool is_dynamic() const { return !mask && iterations.empty(); }
};

// A part of a program that some threads run: an inthreads, or what stands beside an inner level and
// is run once for each instance of the outer ones.
struct ThreadRegion {
  std::string when;  // as written; of an implicit one that all inner indices are 0
  bool is_implicit = false;
  bool is_async = false;
  Place place;
  std::optional<std::size_t> around = {};  // the innermost region around, by its number
  ThreadMask::Levels levels = {};  // all that it is in and, beside an inner level, that as well
  Expr condition = {};             // with those of all regions around
  RegionThreads who = {};          // for whom that holds
  bool is_in_loop = false;         // a serial one
};

// Two or more asynchronous regions that no barrier of the block separates.
struct AsyncGroup {
  std::vector<std::size_t> regions;
  // None: dynamic, or of levels side by side that have more than 2^20 threads.
  std::optional<bool> is_disjoint, is_complete;
};

// One thing after the other, as a program is written.
struct ThreadStep {
  enum class Kind : std::uint8_t { Code, Region, Barrier };
  Kind kind = Kind::Code;
  std::size_t region = 0;             // Region: its number
  std::string label;                  // "A", what code stores; "__syncthreads()"
  std::optional<ThreadMask> threads;  // who is there; none: dynamic
  int depth = 0;                      // regions and loops around
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
};

}  // namespace selvage
