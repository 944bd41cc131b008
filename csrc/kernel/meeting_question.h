#pragma once

#include <selvage/kernel/verify_order.h>
#include <selvage/kernel/verify_points.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// One thread at one point of the nest.
struct ThreadAt {
  std::array<std::int64_t, 3> block{}, thread{};  // x y z
  Point variables = {};                           // of the serial loops around, outer to inner
};
// Two threads that access the same bytes, with values for the sizes.
struct Encounter {
  Point sizes;
  ThreadAt first, second;
  std::int64_t address = 0;  // the element, in the second access's buffer
};

// The smallest barrier that orders two accesses. A part of a block is a warp or, where a block is a
// cluster, a rank (Launch::part_threads()).
enum class Needed : std::uint8_t { None, Part, Block };

// The verdicts about a meeting.
struct Ordering {
  // The claim that no two threads of different parts access the same bytes; in a meeting of two
  // blocks, no two threads of different blocks.
  Verdict across;
  std::optional<Encounter> across_at;
  // The claim that no two threads of one part do: of a warp, 32 neighbours, x fastest, then y, z.
  Verdict within;
  std::optional<Encounter> within_at;

  Needed needed() const {
    return !is_proved(across) ? Needed::Block : !is_proved(within) ? Needed::Part : Needed::None;
  }
};

// Decides one meeting: first for all sizes, by what equal addresses imply for the threads
// (kernel/verify_agreement.h); then by enumerating all threads and loop points, if they are few and
// do not depend on sizes; then by searching for a counterexample at the `samples` of sizes. Null:
// what is not proved is Unknown.
Ordering answer_of(const AccessMap& map, const Meeting& meeting, const std::vector<Point>* samples);

}  // namespace selvage
