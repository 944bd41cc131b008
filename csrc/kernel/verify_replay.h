#pragma once

#include <selvage/kernel/verify_meeting.h>

#include <array>
#include <optional>
#include <vector>

namespace selvage {

// What can go wrong in a kernel; see csrc/kernel/verify.h.
enum class Hazard : std::uint8_t { Race, Divergence, Lifetime, Bounds };
inline constexpr std::size_t kHazards = 4;

// One thing that goes wrong, at values for all sizes.
struct ReplayFault {
  Hazard hazard = Hazard::Race;
  PlaceId place = 0;                    // of the second thread's statement
  std::optional<BufferId> buffer = {};  // none: a barrier or a shuffle
  std::int64_t address = 0;
  Point sizes = {};
  ThreadAt first = {};  // of a race or a divergence: the other thread
  std::optional<ThreadAt> second = {};
  std::string what = {};  // "is read before anything is written there"
};

// Of one run of a kernel, accesses alone: no value is computed.
struct Replay {
  static constexpr std::size_t kMostFaults = 3;  // of each hazard
  std::vector<ReplayFault> faults;
  // All blocks and threads were gone through, and what they do depends on no data: by hazard, no
  // fault means that there is none.
  bool is_complete = false;
  std::int64_t work_left = 0;
};

// `work`: operations at most.
Replay replay(const AccessMap& map, const Point& sizes, std::int64_t work);

}  // namespace selvage
