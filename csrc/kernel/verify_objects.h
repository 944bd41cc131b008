#pragma once

#include <selvage/kernel/verify_order.h>

#include <cstdint>
#include <map>
#include <optional>

namespace selvage {

// The order that barrier objects make, for any number of iterations of the loop around them, a ring
// of S objects with E arrivals each:
//
//   for k in n:
//     wait for full[(k - d) % S], phase (k - d) / S
//     barrier
//     if (c(k)): begin copies for full[k % S], announced
//                arrive at full[k % S]
//     ..
//
// Theorem 14 (doc/theory.md). Let all threads of the block run the loop together, let c hold for a
// first part of the iterations and k - d be in that part at each wait with d <= k, let E threads
// arrive in an iteration of that part and none in others, each behind the copies that it begins,
// and 0 <= d <= S; if d = S, copies stand behind the wait. Then every wait ends, and it ends where
// the copies of iteration k - d have ended, for the thread that waits.
//   The arrivals at an object come once in S iterations, so that of iteration k is its (k / S)-th
//   phase. A phase cannot end before the E arrivals, hence not before all bytes are announced, and
//   ends when these are copied. The phase before had ended where they are announced. The wait for
//   it came S iterations earlier (or it is phase -1). The phase after begins S - d iterations
//   later, behind a barrier at which all have waited.
//
// Loops around it may run the ring again, o times before: then k + o * m stands for k in numbers
// and phases, where c holds in the first m of m + d iterations.
//
// Without a loop there is one iteration, k = 0, of one object: `loop` is kTop then.
//
// In a cluster each rank has a ring of its own in its piece, and all said of the block is said of
// the rank. Where a rank makes copies for all of them (AsyncCopy::by_rank), it is of the block, at
// whose barrier each rank has waited before any of them begins a copy (theorem 17).
struct ObjectRing {
  PlaceId loop = kTop, wait = 0;
  std::int64_t turns = 0;  // d
};

class ObjectRings {
 public:
  ObjectRings(const AccessMap& map, const BarrierOrder& order) : map_(map), order_(order) {}

  // The ring of the objects of a buffer; null: not proved to be one.
  const ObjectRing* of(BufferId objects) const;

 private:
  struct Uses;
  std::optional<Uses> uses_of(BufferId objects) const;
  std::optional<ObjectRing> find(BufferId objects) const;
  std::optional<ObjectRing> find_once(const Uses& uses, const Buffer& objects) const;
  bool arrives_behind(std::size_t copy, const Uses& uses, Expr object,
                      std::span<const Expr> conditions) const;
  std::vector<Expr> conditions_inside(std::size_t access, PlaceId loop) const;
  bool holds_first(PlaceId loop, Expr condition) const;
  // How many threads of a block arrive there, or of each rank of a cluster; nothing where these
  // differ.
  std::optional<std::int64_t> arriving_threads(std::span<const Expr> conditions) const;
  bool follows(const Uses& uses, std::int64_t turns, Expr before, Expr stages) const;
  std::optional<Expr> runs_before(const Uses& uses) const;
  bool holds_in_first(PlaceId loop, std::span<const Expr> conditions, Expr count) const;
  // Of an access to objects: the number of the object, in the rank's piece.
  Expr number(std::size_t access) const;
  // The barriers that all threads who use the objects meet at.
  BarrierOrder::Among among_all(const Uses& uses) const;

  const AccessMap& map_;
  const BarrierOrder& order_;
  mutable std::map<BufferId, std::optional<ObjectRing>> known_;
};

}  // namespace selvage
