#pragma once

#include <selvage/index/region_threads.h>
#include <selvage/kernel/kernel.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The threads of one block that run some code, the same in every block in which any do.
struct Participants {
  std::int64_t threads = 0;  // of the block
  std::int64_t active = 0;
  std::vector<std::uint32_t> lanes;  // by warp

  bool is_whole_block() const { return active == threads; }
  bool is_one_warp() const;
  bool has_whole_warps() const { return !first_cut_warp(); }
  // The first warp that is partly active.
  std::optional<std::size_t> first_cut_warp() const;
};
// The participants for which `condition` holds; `who` are all threads for which it holds. nullopt:
// they differ between blocks, or are not known; `why` is then a sentence that says so.
std::optional<Participants> participants_of(const RegionThreads& who, Expr condition,
                                            const ThreadMask::Levels& levels, std::string& why);

// The conjuncts of a condition that may differ between threads of one block. The others have the
// same value for all of them.
Expr divergent_part(Expr condition, const ThreadMask::Levels& levels);

// The Warp barrier for those lanes of each warp for which a condition holds. nullopt: the lanes
// differ between warps, or are not known.
std::optional<Barrier> warp_barrier(const RegionThreads& who, Expr condition,
                                    const ThreadMask::Levels& levels);

// Removes a barrier directly before or after another barrier that joins all its threads.
void drop_repeated_barriers(Body& body);

// Chooses the barrier for a set of threads that wait for one another, and for nobody else:
//   all threads of the block       Block
//   one thread                     none
//   lanes of one warp              Warp, of these lanes
//   several whole warps            Threads, with one of the hardware's ids 1 to 15
// There is none for other sets: the hardware counts warps, and a warp waits as a whole.
// An id belongs to one set of threads. It is given to another set only after a barrier of the whole
// block, and not if a loop leads back to the first set.
class BarrierNumbers {
 public:
  static constexpr int kIds = 15;
  // `ids`: the number of ids; may be more than the hardware's if the kernel is never run.
  explicit BarrierNumbers(int ids = kIds) : most_ids_(ids) {}
  // nullopt: one thread. Throws Illegal (E816) for parts of several warps, and if no id is left.
  // `otherwise`: further help for its message.
  std::optional<Barrier> barrier_of(const Participants& members, const std::string& otherwise = {});
  // A barrier for any place of the program; to be called after all calls of barrier_of(). nullopt
  // also if there is none.
  std::optional<Barrier> late_barrier_of(const Participants& members);
  // To be called where all threads of the block have met, outside of all loops.
  void block_has_joined() { ++epoch_; }

 private:
  struct Owner {
    std::vector<std::uint32_t> members;
    int last_used = 0;  // epoch
  };
  int most_ids_;
  int epoch_ = 0;
  bool has_given_again_ = false;  // an id to another set
  std::map<int, Owner> ids_;
};

}  // namespace selvage
