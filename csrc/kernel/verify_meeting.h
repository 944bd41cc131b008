#pragma once

#include <selvage/kernel/verify_order.h>
#include <selvage/kernel/verify_points.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
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

// The answers that other kernels of a program can use too, by all that each depends on.
using KnownMeetings = std::map<std::vector<std::uint64_t>, Ordering>;

// Decides meetings. First for all sizes, by what equal addresses imply for the threads
// (kernel/verify_agreement.h); then by enumerating all threads and loop points, if they are few and
// do not depend on sizes; then by searching for a counterexample at some sizes. One judge should
// decide all meetings of a kernel, since it remembers answers that several meetings share.
class MeetingJudge {
 public:
  // `known`: answers from kernels of the same expression pool, to which this one's are added.
  explicit MeetingJudge(const AccessMap& map, KnownMeetings* known = nullptr);
  MeetingJudge(const MeetingJudge&) = delete;

  // `is_refuting`: whether to search for counterexamples; if not, what is not proved is Unknown.
  Ordering ask(const Meeting& meeting, bool is_refuting = true);
  // The values of the sizes at which it searches for counterexamples.
  const std::vector<Point>& samples();

 private:
  std::vector<std::uint64_t> key(const Meeting& meeting, bool is_refuting) const;

  const AccessMap& map_;
  std::optional<std::vector<Point>> samples_;
  std::vector<std::uint64_t> surroundings_;  // what an answer depends on of the kernel as a whole
  KnownMeetings own_;
  KnownMeetings& answers_;
};

}  // namespace selvage
