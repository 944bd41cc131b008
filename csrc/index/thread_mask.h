#pragma once

#include <selvage/expr/expr.h>
#include <selvage/index/mask_runs.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/point.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// Which threads do something: the set of threads for which a predicate over bounded parallel
// indices holds, exactly.

// A parallel index, 0 <= symbol < extent.
struct MaskIndex {
  Expr symbol;
  std::int64_t extent = 1;
};

// One level of parallel threads: one to three indices, the first the most significant.
//   is_in_block  its instances are threads of one block; false: blocks, clusters, devices
struct MaskLevel {
  std::vector<MaskIndex> indices;
  bool is_in_block = true;

  std::int64_t extent() const;  // instances; INT64_MAX if there are more
};
std::string to_string(const MaskLevel& level);  // "p" or "{x, y}"
// The indices of an instance of these levels, by its number.
Point instance_at(std::span<const MaskLevel> levels, std::int64_t number);

// Units of neighbouring threads (warps, warpgroups), counted by how many of their threads are
// active; the last unit of a block may have fewer threads.
struct ActiveUnits {
  std::int64_t full = 0, partial = 0, idle = 0;

  std::int64_t total() const { return full + partial + idle; }
  // Whether a branch on the mask goes one way in each unit.
  bool is_uniform() const { return partial == 0; }
  friend bool operator==(const ActiveUnits&, const ActiveUnits&) = default;
};

// The active threads of one kind of blocks, and how many blocks are of this kind.
struct BlockMask {
  std::int64_t blocks = 0;
  std::int64_t first_block = 0;      // the first of them, flat over the levels outside of a block
  std::int64_t active = 0;           // threads of one such block
  ActiveUnits warps, warpgroups;     // of one such block
  std::vector<std::uint32_t> lanes;  // a word per warp, bit k: its thread k
};

// Levels, and their indices as axes, outer first.
struct MaskShape {
  explicit MaskShape(std::vector<MaskLevel> of);  // throws BadInput E343, as ThreadMask::of does

  std::vector<MaskLevel> levels;
  std::vector<Expr> symbols;
  std::vector<std::int64_t> extents;
  std::size_t block_axis = 0;            // the first in a block
  std::int64_t blocks = 1, threads = 1;  // threads of one block

  // Throws BadInput E341 about `of` ("the mask of ..."); `used`: the extents of the axes, 1 for
  // those that do not matter.
  [[noreturn]] void refuse_too_large(const std::string& of,
                                     std::span<const std::int64_t> used) const;
};

// A value. Levels stand outer first, those of blocks before those in a block, and all indices in
// that order number the threads: the last index of the last level runs fastest.
//
//   parallel p by 3, q by 4;  p < 2 && q == 0        q  3 2 1 0
//                                            p = 0      . . . #     011-0001
//                                            p = 1      . . . #     bit 0 is rightmost, outer
//                                            p = 2      . . . .     levels are left
//
// Stored as the different sets of threads that blocks have, and runs of blocks with the same set:
// the cost of a grid grows with the blocks that differ, and indices that do not matter cost
// nothing. Threads of two masks are the same if their numbers are: only masks with equally many
// blocks, and threads in a block, are combined.
class ThreadMask {
 public:
  using Levels = std::vector<MaskLevel>;
  static constexpr std::int64_t kMostThreads = std::int64_t{1} << 26;  // of one block

  // The threads for which the predicate holds. Nothing if it is dynamic: other symbols than the
  // indices have several values under `known` for which different threads may be in the set, or the
  // predicate reads what is opaque. (Of the indices only their extents count.) If the symbols have
  // at most kMostTried values, all are tried, so that "nothing" is exact as well. A thread
  // evaluates all of the predicate. Throws BadInput:
  //   E341  the predicate couples so many instances that they would have to be asked one by one
  //   E342  the predicate is undefined for some thread, whatever the symbols: a division by 0, an
  //         overflow
  //   E343  the levels make no sense: no or too many indices, an extent below 1, an index twice,
  //         blocks inside of threads, more than kMostThreads threads in a block, or more than 64
  //         bits count
  static std::optional<ThreadMask> of(Expr predicate, Levels levels, const Facts& known);
  static constexpr std::int64_t kMostTried = 4096;
  static constexpr std::int64_t kMostAsked = std::int64_t{1} << 26;  // instances

  static ThreadMask all(Levels levels);   // E343
  static ThreadMask none(Levels levels);  // E343

  const Levels& levels() const { return shape_->levels; }

  std::int64_t size() const { return blocks() * block_threads(); }
  std::int64_t count() const;  // of active ones
  bool is_all() const { return is_everywhere(1); }
  bool is_none() const { return is_everywhere(0); }
  // By the values of all indices, outer first, or by the thread's number among all.
  bool contains(std::span<const std::int64_t> indices) const;
  bool contains(std::int64_t thread) const;
  // The number of the first active thread: the one to be elected.
  std::optional<std::int64_t> first() const;

  // Whether each level has a mask of its own such that a thread is active if and only if it is
  // active in all of them.
  bool is_product() const;
  // "011-0001": the masks of the levels, for a product only; all bits are 0 if no thread is active.
  // A text of more than `longest` characters is shortened: 64 or more equal bits are `1{n}`, and
  // bits that repeat with an index of the level are `(01){n}`; past 2^20 characters, "..." stands
  // for the rest.
  std::string text(std::int64_t longest = 4096) const;
  // For any mask: the bits of the innermost level for each instance of the outer ones, in
  // lexicographic order, the first `limit` of row_count().
  std::vector<std::string> rows(std::int64_t limit = 4096) const;
  std::int64_t row_count() const;

  // Threads in a block, and blocks.
  std::int64_t block_threads() const { return shape_->threads; }
  std::int64_t blocks() const { return shape_->blocks; }
  // The kinds of blocks, ordered by their first blocks. Throws BadInput E341 where there are too
  // many large ones.
  std::vector<BlockMask> block_masks() const;
  // Warps and warpgroups of all blocks together. E341 as well.
  ActiveUnits warps() const;
  ActiveUnits warpgroups() const;
  bool same_in_every_block() const { return sets_.kinds.size() == 1; }
  // A word per warp of one block, bit k: its thread k.
  std::vector<std::uint32_t> lanes(std::int64_t block = 0) const;

  // Throws BadInput E341 where the result is too large.
  friend ThreadMask operator&(const ThreadMask& a, const ThreadMask& b);
  friend ThreadMask operator|(const ThreadMask& a, const ThreadMask& b);
  friend ThreadMask operator-(const ThreadMask& a, const ThreadMask& b);
  friend ThreadMask operator~(const ThreadMask& a);
  friend bool operator==(const ThreadMask& a, const ThreadMask& b);

 private:
  friend class PredicateMasks;

  ThreadMask(std::shared_ptr<const MaskShape> shape, BlockSets sets)
      : shape_(std::move(shape)), sets_(std::move(sets)) {}
  // The same value for all threads.
  ThreadMask(std::shared_ptr<const MaskShape> shape, std::uint32_t value);

  bool is_everywhere(std::uint32_t value) const;
  const MaskRuns& threads_of(std::int64_t block) const;  // 1: active
  MaskRuns active_blocks() const;                        // 1: they have active threads
  // The set of each level, over its instances; nothing where the mask is no product.
  std::optional<std::vector<MaskRuns>> level_sets() const;
  friend ThreadMask combined(const ThreadMask& a, const ThreadMask& b, bool (*keep)(bool, bool));

  std::shared_ptr<const MaskShape> shape_;
  BlockSets sets_;
};

// Whether both have equally many blocks, and equally many threads in a block.
bool have_same_threads(const ThreadMask& a, const ThreadMask& b);
bool disjoint(const ThreadMask& a, const ThreadMask& b);
bool is_subset(const ThreadMask& a, const ThreadMask& of);

// The masks of the iterations of serial loops, outer first: the first `limit` iterations in
// lexicographic order; nothing for an iteration in which the mask is dynamic. Throws as
// ThreadMask::of does, and E343 where a loop index stands in two places.
//   13 chunks on 4 threads, `i * 4 + p < 13` with i in 4: 1111 1111 1111 0001
std::vector<std::optional<ThreadMask>> masks_by_iteration(Expr predicate,
                                                          const ThreadMask::Levels& levels,
                                                          std::span<const MaskIndex> loops,
                                                          const Facts& known,
                                                          std::int64_t limit = 4096);

}  // namespace selvage
