#pragma once

#include <selvage/kernel/verify_objects.h>
#include <selvage/kernel/verify_order.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace selvage {

// The order of copies that end later and belong to a queue of a thread (cp.async), for any number
// of iterations of the loop around them, the ring:
//
//   for k in n:
//     wait until at most p groups are pending
//     barrier
//     if (..): begin copies
//     close the group
//     ..
//
// An iteration closes one group, so a wait leaves open those of the p last closings, and what is
// begun in iteration k has ended, for the thread that began it, at the wait of iteration k + d.
// With e = 1 where the closing stands before the copy, else 0, and f = 1 where the wait stands
// behind the closing, else 0:
//
//   d = p + 1 + e - f      (doc/theory.md, theorem 13)
//
// since the group of the copy is the (k + e)-th, and at the wait of iteration m the groups below
// m + f - p have ended. Other threads see it after a barrier that follows that wait. So what
// another access of the loop may meet is in one of the iterations from k - 1 to k + d + 1 if each
// iteration has a barrier: finitely many cases, whatever n is.
//
// The copies of a barrier object (cp.async.bulk) end at the wait for their phase, which ObjectRings
// proves to be that of iteration k + d. Each thread waits there by itself, so no barrier is needed
// behind it. But in front of such a copy there is an order only at a barrier behind a proxy fence.

// Where an access has surely ended, for the thread that makes it.
struct AccessEnd {
  PlaceId at = 0;          // the wait for a copy; for all else the statement itself
  PlaceId loop = kTop;     // of a copy that ends in a later iteration: the ring
  std::int64_t turns = 0;  // so many iterations later
  // The ring goes on for an iteration at least, and all threads of the block meet in it; or all of
  // them wait there.
  bool is_followed = false;
  bool is_for_all = false;  // all threads of the block wait there
};

class CopyOrder {
 public:
  CopyOrder(const AccessMap& map, const BarrierOrder& order)
      : map_(map), order_(order), objects_(map, order) {}

  // nullopt: not known. Of a copy in a ring it is proved that the ring does not end before.
  std::optional<AccessEnd> end_of(std::size_t access) const;
  // Whether what is stored at an access, of items, is another item each time between two waits of
  // the thread: the loops in which it does not wait are digits of the item's indices or address.
  bool stores_each_once(std::size_t access) const;
  // The same of two accesses, of items that one thread accesses, at least one by a copy: whichever
  // the thread makes, it makes not the other of the same item before the copy has ended. An item
  // tells the point of all loops that both are in, and there one is made where the other is not.
  bool store_items_apart(std::size_t a, std::size_t b) const;
  // All ways in which two accesses to shared memory, at least one of a copy, may be made while no
  // barrier and no wait orders them: for Block by any threads, that one may be the other as well;
  // for Part by two threads of a part. nullopt: they are not known.
  using Among = BarrierOrder::Among;
  std::optional<std::vector<Meeting>> meetings(std::size_t a, std::size_t b, Among among) const;
  // Whether the two are made by threads of one rank of a cluster, in its own memory, or of none
  // that access the same: then the barriers of parts are all that count, and meetings() of Part
  // are those of any threads.
  bool are_of_one_rank(std::size_t a, std::size_t b) const;

 private:
  std::optional<AccessEnd> end_of_copy(const KernelAccess& a) const;
  std::optional<AccessEnd> end_for_object(const KernelAccess& a, BufferId objects) const;
  struct Digit;
  std::optional<std::vector<Digit>> digits_of(const KernelAccess& a, Expr index,
                                              const std::vector<PlaceId>& loops) const;
  static std::vector<Expr> told_by_item(const KernelAccess& a);
  // The loops around an access in which the thread does not wait there.
  std::vector<PlaceId> loops_until(PlaceId end, const KernelAccess& a) const;
  bool is_by_proxy(std::size_t access) const;
  Among in_front(std::size_t later, std::size_t earlier, Among among) const;
  bool is_ordered(std::size_t a, const AccessEnd& end_of_a, std::size_t b, PlaceId ring,
                  std::int64_t turns, Among among) const;
  std::optional<std::vector<Meeting>> in_ring(std::size_t a, const AccessEnd& end_of_a,
                                              std::size_t b, const AccessEnd& end_of_b,
                                              PlaceId ring, Among among) const;
  std::vector<Meeting> outside_of_rings(const BarrierOrder::Span& a, const AccessEnd& end_of_a,
                                        const BarrierOrder::Span& b, const AccessEnd& end_of_b,
                                        const std::vector<PlaceId>& loops, Among among) const;
  std::vector<Meeting> without_ring(std::size_t a, const AccessEnd& end_of_a, std::size_t b,
                                    const AccessEnd& end_of_b, Among among) const;
  bool begins_before(std::size_t a, std::size_t b, std::int64_t turns, std::size_t loops) const;
  bool is_in_flight(std::size_t a, const AccessEnd& end_of_a, std::size_t b, std::int64_t turns,
                    std::size_t loops) const;
  bool lacks_fence(std::size_t a, std::size_t b, std::int64_t turns, std::size_t loops) const;
  bool exclude_each_other(std::size_t a, std::size_t b, std::size_t loops,
                          bool are_of_one_thread) const;
  std::vector<PlaceId> loops_around(std::size_t a, PlaceId end_of_a, std::size_t b,
                                    PlaceId end_of_b) const;
  bool is_inside(PlaceId place, PlaceId loop) const { return map_.tree().is_inside(place, loop); }

  const AccessMap& map_;
  const BarrierOrder& order_;
  ObjectRings objects_;
  mutable std::map<PlaceId, std::optional<AccessEnd>> ends_;  // of copies
};

}  // namespace selvage
