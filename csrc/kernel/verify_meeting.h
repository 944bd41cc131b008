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
// Two threads that come to the same bytes, with values for the sizes.
struct Encounter {
  Point sizes;
  ThreadAt first, second;
  std::int64_t address = 0;  // the element, in the second access's buffer
};

// The least barrier that keeps two accesses apart.
enum class Needed : std::uint8_t { None, Warp, Block };

// What is known of a meeting.
struct Ordering {
  // That no two threads of different warps come to the same bytes; in a meeting of two blocks, of
  // different blocks.
  Verdict across;
  std::optional<Encounter> across_at;
  // That no two threads of one warp do: 32 neighbours, x running fastest, then y, z.
  Verdict within;
  std::optional<Encounter> within_at;

  Needed needed() const {
    return !is_proved(across) ? Needed::Block : !is_proved(within) ? Needed::Warp : Needed::None;
  }
};

// Answers that other kernels of a program will have as well, by all that they depend on.
using KnownMeetings = std::map<std::vector<std::uint64_t>, Ordering>;

// Decides of meetings: first by what equal addresses tell of threads (csrc/kernel/
// verify_agreement.h), for all sizes; then by going through all threads and loop points, where they
// are few and do not depend on sizes; for a counterexample at some sizes. Remembers what belongs to
// the kernel, and answers that others will have as well: one judge should see all of its meetings.
class MeetingJudge {
 public:
  // `known`: answers from kernels of the same expression pool, to which this one's are added.
  explicit MeetingJudge(const AccessMap& map, KnownMeetings* known = nullptr);
  MeetingJudge(const MeetingJudge&) = delete;

  // `is_refuting`: are counterexamples wanted? Without, what is not proved is Unknown.
  Ordering ask(const Meeting& meeting, bool is_refuting = true);
  // Values of the sizes at which counterexamples are looked for.
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
