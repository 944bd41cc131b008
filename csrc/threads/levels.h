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
// Inference: a lone level is threads. Of several, the first that is not named is blocks where no
// level is named so and nothing but devices stands outside of it; every other one is threads.
// Where warps (warpgroups) are named and nothing inside them is, a level of 32 (128) threads is
// added, by the name lane_of_w where no name of the program is that. Kinds go from the outside in
// as LevelKind lists them; blocks and threads may have several levels.
struct LevelChain {
  std::vector<ParallelLevel> levels;

  std::int64_t extent(LevelKind kind) const;     // of all its levels together
  std::int64_t blocks() const, threads() const;  // of the grid; of a block
};

// Levels that are counted together: what their instances are, in what, and how many there may be.
struct LevelCount {
  const char *what, *where, *name;  // "threads", "block"; "threads in a block"
  bool (*counts)(LevelKind);        // levels of these kinds
  std::int64_t most;
  const char* help;  // past that

  std::int64_t of(const LevelChain& chain) const;  // INT64_MAX: or more
};

// A program's levels, each with its kind, from every place at which no level is left to come.
struct LevelTree {
  // By InnerParallel, the outermost included: its own levels, one that is added among them.
  std::map<const InnerParallel*, std::vector<ParallelLevel>> levels;
  // From the outermost to each InnerParallel that holds no other.
  std::vector<LevelChain> chains;
  // Of what is wrong, each that is told of a count: past its limit (E820), or not that of the
  // levels beside (E822).
  std::vector<std::pair<Diagnostic, const LevelCount*>> counts;

  const LevelCount* count_behind(const Diagnostic& d) const;  // null: it is not told of one
};

// Adds what is wrong, at the level's place; the tree is whole where nothing is:
//   E820 more than 1,024 threads in a block, 8 blocks in a cluster, 1,024 devices, or past the
//        grid's limits
//   E821 a warp that does not hold 32 threads, a warpgroup that does not hold 128
//   E822 levels side by side that make blocks or grids of different sizes
//   E823 levels out of order, or more than three indices in one, or none
LevelTree level_tree(const ThreadProgram& program, std::vector<Diagnostic>& wrong);

// The levels as masks see them; each has its kind.
ThreadMask::Levels mask_levels(std::span<const ParallelLevel> levels);

}  // namespace selvage
