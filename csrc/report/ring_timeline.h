#pragma once

#include <selvage/ir/schedule.h>

#include <cstdint>
#include <optional>
#include <string>

namespace selvage {

// What each iteration of a ring does, P = ahead iterations ahead and in S = slots slots:
//
//   for q in tiles + P:
//     wait for the copies of tile q - P
//     begin the copies of tile q, into slot q % S
//     use tile q - P
//
// where there are such tiles; with P = 0 the wait stands behind the copies. lower/ring.h says how,
// and lower/roles.h what becomes of it where a role of its own begins the copies: it waits as the
// barrier of an iteration does here.
struct RingTimeline {
  std::int64_t ahead = 0, slots = 1;       // ahead < slots
  std::optional<std::int64_t> tiles = {};  // nothing: known at a launch
  CopyBy by = CopyBy::CpAsync;
  std::string role = {};  // of those who begin the copies; empty: the threads that use the tiles

  struct Tile {
    std::int64_t number = 0, slot = 0;
    friend bool operator==(const Tile&, const Tile&) = default;
  };
  // Nothing in a hole: `copies` in the last iterations, `uses` in the first, P of each.
  struct Iteration {
    std::optional<Tile> copies, uses;  // what is used is awaited before
    friend bool operator==(const Iteration&, const Iteration&) = default;
  };
  Iteration iteration(std::int64_t q) const;
  // The iteration that awaits a tile, and uses it.
  std::int64_t use_of(const Tile& tile) const { return tile.number + ahead; }
  // What lies in the slot of a tile before its copies begin, and is used until then; nothing in a
  // new slot.
  std::optional<Tile> before(const Tile& tile) const;

  // Whether there are at most n iterations.
  bool ends_within(std::int64_t n) const;
  // The first iterations, until slots are used again: not more than there are, or than kMostShown.
  static constexpr std::int64_t kMostShown = 14;
  std::int64_t shown() const;
};

// The ring in which copies of t end later. Nothing for a tensor without one, as where each block
// goes through the loop once.
std::optional<RingTimeline> ring_timeline(const Schedule& schedule, TensorId t);

}  // namespace selvage
