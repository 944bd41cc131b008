#pragma once

#include <selvage/kernel/verify_access.h>

#include <span>
#include <vector>

namespace selvage {

// Two accesses at points of the nest between which no barrier stands. Loops around both are counted
// outer to inner.
struct Meeting {
  enum class Relation : std::uint8_t { Free, Next, Later };
  std::size_t first = 0, second = 0;  // numbers of accesses; the same one: by two threads
  // The first `equal` loops around both stand at the same iteration. Of the loop after these
  //   Free   the iterations are any two (or there is no such loop)
  //   Next   the second access comes one iteration after the first
  //   Later  one or more
  // and loops further inside have nothing to do with one another.
  std::size_t equal = 0;
  Relation relation = Relation::Free;
  // In one block, or in two: then no barrier orders them.
  enum class Where : std::uint8_t { Block, Grid };
  Where where = Where::Block;
  // False: some barrier stands between them that is not met on every way, or not provably.
  bool is_exact = true;
};

// The loops around both, outer to inner.
std::vector<PlaceId> common_loops(const AccessMap& map, std::size_t a, std::size_t b);

// What barriers order: the block's are met by all threads, those of a warp by its own. Those of a
// part of them may order or not; so may those behind a Leave in the loop that it leaves.
class BarrierOrder {
 public:
  // Which barriers count: for any two threads of a block those of the block alone, for two threads
  // of one warp those of warps as well.
  enum class Among : std::uint8_t { Block, Warp };

  explicit BarrierOrder(const AccessMap& map);

  // All ways in which two threads may come to these accesses with no barrier between. That they
  // meet at barriers, all or none, is taken for granted.
  std::vector<Meeting> meetings(std::size_t a, std::size_t b, Among among) const;
  bool has_warp_barrier() const { return has_warp_barrier_; }
  // Does every way from the one place to the other, and back, pass a barrier?
  bool are_kept_apart(PlaceId x, PlaceId y, Among among) const;

 private:
  // Does whoever goes this way meet a barrier?
  enum class Pass : std::uint8_t { Never, Sometimes, Always };
  static Pass either(Pass a, Pass b) { return std::max(a, b); }

  bool may_be_skipped(PlaceId id) const;
  Pass compute(PlaceId id, Among among);
  Pass of_barrier(PlaceId id, const Barrier& barrier, Among among);
  Pass of_loop(PlaceId id, Among among) const;
  Pass of_guard(PlaceId id, Among among) const;
  Pass along(std::span<const PlaceId> statements, Among among) const;
  const std::vector<PlaceId>& siblings(PlaceId id) const;
  Pass after(PlaceId from, PlaceId ancestor, Among among) const;
  Pass before(PlaceId ancestor, PlaceId to, Among among) const;
  Pass between(PlaceId from, PlaceId to, Among among) const;
  Pass of(PlaceId id, Among among) const { return pass_[std::size_t(among)][id]; }

  const AccessMap& map_;
  bool has_warp_barrier_ = false;
  std::array<std::vector<Pass>, 2> pass_;  // by Among, then place
};

}  // namespace selvage
