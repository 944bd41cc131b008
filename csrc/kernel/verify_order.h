#pragma once

#include <selvage/kernel/verify_access.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Two accesses that two threads may make with no barrier between. Loops around both are counted
// outer to inner.
struct Meeting {
  enum class Relation : std::uint8_t { Free, Next, Later };
  std::size_t first = 0, second = 0;  // numbers of accesses; may be the same one
  // The first `equal` loops around both are at the same iteration. In the next loop
  //   Free   the iterations are any two (or there is no such loop)
  //   Next   the second access comes `distance` iterations after the first
  //   Later  the second access comes one or more iterations after the first
  // The iterations of loops further inside are independent.
  std::size_t equal = 0;
  Relation relation = Relation::Free;
  std::int64_t distance = 1;  // of Next; may be 0, or negative
  // Block: two threads of one block. Grid: threads of two blocks, which no barrier orders. Thread:
  // one thread makes both, and one of them is that of a copy that ends later.
  enum class Where : std::uint8_t { Block, Grid, Thread };
  Where where = Where::Block;
  // False: some barrier stands between them, but not, or not provably, on every way.
  bool is_exact = true;
  bool operator==(const Meeting&) const = default;
};

// The loops around both, outer to inner.
std::vector<PlaceId> common_loops(const AccessMap& map, std::size_t a, std::size_t b);

// The guard in different branches of which two statements stand, if there is one.
std::optional<PlaceId> parting_guard(const AccessMap& map, PlaceId x, PlaceId y);
bool are_branches(const AccessMap& map, PlaceId x, PlaceId y);

// The static order that barriers make. All threads of a block meet at its barriers, all of a part,
// a warp or a rank, at those of parts. A partial barrier, and a barrier after a Leave in the loop
// that it leaves, orders two accesses perhaps.
class BarrierOrder {
 public:
  // The barriers that count: for two threads of a block (Block) those of the block only; for two
  // threads of one part (Part) also those of parts. For what a thread does and a copy of a barrier
  // object that is begun later (Proxy), those of the block, or of a rank whose own memory it is,
  // behind a proxy fence, with only events between. If any rank may begin that copy (Multicast),
  // the same of the barriers of the block alone.
  enum class Among : std::uint8_t { Block, Part, Proxy, Multicast };
  static bool is_by_proxy(Among among) {
    return among == Among::Proxy || among == Among::Multicast;
  }

  explicit BarrierOrder(const AccessMap& map);

  // All ways in which two threads may make these accesses with no barrier between, presupposing
  // that no barrier is divergent.
  std::vector<Meeting> meetings(std::size_t a, std::size_t b, Among among) const;
  bool has_part_barrier() const { return has_part_barrier_; }
  // Whether every way from x to y, and from y to x, passes a barrier.
  bool are_kept_apart(PlaceId x, PlaceId y, Among among) const;
  // Whether every way through one iteration of a loop passes a barrier.
  bool meets_in_each_turn(PlaceId loop, Among among) const {
    return along(map_.tree()[loop].body, among) == Pass::Always;
  }
  // Whether every way from x to y, `turns` iterations of `loop` later, passes a barrier. Both stand
  // in the loop. False if y does not come after x.
  bool meets_on_the_way(PlaceId x, PlaceId y, PlaceId loop, std::int64_t turns, Among among) const;
  // Whether every way from x to the end of the kernel passes a barrier of the block.
  bool meets_at_end(PlaceId x) const { return after(x, kTop, Among::Block) == Pass::Always; }
  // Whether no way does.
  bool never_meets_at_end(PlaceId x) const { return after(x, kTop, Among::Block) == Pass::Never; }
  // An access that begins at one statement and has ended at another one further down.
  struct Span {
    std::size_t access = 0;
    PlaceId begin = 0, end = 0;
  };
  // The same of two spans; `loops`: around all of both, outer to inner. Iterations of loops further
  // inside are taken to be any.
  std::vector<Meeting> meetings(Span one, Span other, const std::vector<PlaceId>& loops,
                                Among among) const;

 private:
  // On how many of the ways through some statements a thread meets a barrier.
  enum class Pass : std::uint8_t { Never, Sometimes, Always };
  static Pass either(Pass a, Pass b) { return std::max(a, b); }

  bool may_be_skipped(PlaceId id) const;
  Pass compute(PlaceId id, Among among);
  Pass of_barrier(PlaceId id, const Barrier& barrier, Among among);
  bool is_behind_a_fence(PlaceId id) const;
  Pass entering(PlaceId id, Among among) const;
  Pass of_loop(PlaceId id, Among among) const;
  Pass of_guard(PlaceId id, Among among) const;
  Pass along(std::span<const PlaceId> statements, Among among) const;
  const std::vector<PlaceId>& siblings(PlaceId id) const;
  Pass after(PlaceId from, PlaceId ancestor, Among among) const;
  Pass before(PlaceId ancestor, PlaceId to, Among among) const;
  Pass between(PlaceId from, PlaceId to, Among among) const;
  Pass of(PlaceId id, Among among) const { return pass_[std::size_t(among)][id]; }

  const AccessMap& map_;
  bool has_part_barrier_ = false;
  std::array<std::vector<Pass>, 4> pass_;  // by Among, then place
};

}  // namespace selvage
