#pragma once

#include <selvage/index/thread_mask.h>
#include <selvage/threads/program.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace selvage {

// Levels of parallel threads, from the outside in, each with its kind.
//
// Inference of kinds: a lone level is threads. Of several levels, the first one without a kind is
// blocks if no level has that kind and only devices stand outside of it; all others without a kind
// are threads. If a warp (warpgroup) level has no level inside, a level of 32 (128) threads is
// added, with an index named lane_of_w if that name is free. From the outside in, kinds must come
// in the order of LevelKind; there may be several levels of blocks and of threads.
struct LevelChain {
  std::vector<ParallelLevel> levels;

  std::int64_t extent(LevelKind kind) const;     // of all its levels together
  std::int64_t blocks() const, threads() const;  // of the grid; of a block
};

// A limit on the product of the extents of some levels.
struct LevelCount {
  const char *what, *where, *name;  // "threads", "block"; "threads in a block"
  bool (*counts)(LevelKind);        // whether levels of a kind are counted
  std::int64_t most;
  const char* help;  // if the product is past `most`

  std::int64_t of(const LevelChain& chain) const;  // INT64_MAX: or more
};

// The levels of a program, each with its kind.
struct LevelTree {
  // By InnerParallel, the outermost included: its own levels, added ones included.
  std::map<const InnerParallel*, std::vector<ParallelLevel>> levels;
  // The levels from the outermost to each InnerParallel that holds no other.
  std::vector<LevelChain> chains;
  // The diagnostics about a count: past its limit (E820), or different from that of the levels
  // beside (E822).
  std::vector<std::pair<Diagnostic, const LevelCount*>> counts;

  const LevelCount* count_behind(const Diagnostic& d) const;  // null: d is not about a count
};

// Appends diagnostics at the places of levels to `wrong`; the tree is complete if there are none:
//   E820 more than 1,024 threads in a block, 8 blocks in a cluster, 1,024 devices, or past the
//        grid's limits
//   E821 a warp that does not hold 32 threads, a warpgroup that does not hold 128
//   E822 levels side by side that make blocks or grids of different sizes
//   E823 levels out of order, or more than three indices in one, or none
LevelTree level_tree(const ThreadProgram& program, std::vector<Diagnostic>& wrong);

// The levels as masks see them; each has its kind.
ThreadMask::Levels mask_levels(std::span<const ParallelLevel> levels);

}  // namespace selvage
