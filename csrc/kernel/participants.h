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
  // The first warp with lanes that take part and others that do not.
  std::optional<std::size_t> first_cut_warp() const;
};
// `condition`: for whom `who` are those for whom it holds. Nothing: they are not the same, or not
// known; `why` says it for people.
std::optional<Participants> participants_of(const RegionThreads& who, Expr condition,
                                            const ThreadMask::Levels& levels, std::string& why);

// Of a conjunction, what threads of one block may be told apart by; the rest is alike to all of
// them.
Expr divergent_part(Expr condition, const ThreadMask::Levels& levels);

// The barrier of those of each warp for whom a condition holds. Nothing: they are other lanes in
// one warp than in another, or not known.
std::optional<Barrier> warp_barrier(const RegionThreads& who, Expr condition,
                                    const ThreadMask::Levels& levels);

// Takes out a barrier right behind, or before, another that joins all its threads.
void drop_repeated_barriers(Body& body);

// Which barrier lets the threads that run some code wait for one another, and nobody else:
//   all of the block               Block
//   one thread                     none
//   all in one warp                Warp, of their lanes
//   more, in whole warps           Threads, with an id of the hardware's 1 to 15
// Other sets of threads cannot: the hardware counts warps, and a warp waits as a whole.
// An id belongs to a set of threads; to another one only behind a barrier of the whole block, and
// not where a loop leads back to the first.
class BarrierNumbers {
 public:
  static constexpr int kIds = 15;
  // `ids`: how many there are; more than the hardware has where nobody runs what comes out.
  explicit BarrierNumbers(int ids = kIds) : most_ids_(ids) {}
  // Throws Illegal (E816): parts of several warps; no id is left. `otherwise`: what mends it, too.
  std::optional<Barrier> barrier_of(const Participants& members, const std::string& otherwise = {});
  // The same once all others are given out, for any place of the program; nothing as well where
  // there is none.
  std::optional<Barrier> late_barrier_of(const Participants& members);
  // All threads of the block have met, outside of all loops.
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
