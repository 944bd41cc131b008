#pragma once

#include <selvage/kernel/meeting_question.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace selvage {

// The answers that other kernels of a program can use too, by all that each depends on.
using KnownMeetings = std::map<std::vector<std::uint64_t>, Ordering>;

// Decides meetings. One judge should decide all meetings of a kernel, since it remembers answers
// that several meetings share.
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
