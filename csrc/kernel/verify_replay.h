#pragma once

#include <selvage/kernel/verify_meeting.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// The kinds of faults of a kernel; see kernel/verify.h.
enum class Hazard : std::uint8_t { Race, Divergence, Lifetime, Bounds };
inline constexpr std::size_t kHazards = 4;

// One fault in a run, at values for all sizes.
struct ReplayFault {
  Hazard hazard = Hazard::Race;
  PlaceId place = 0;                    // of the second thread's statement
  std::optional<BufferId> buffer = {};  // none: a barrier or a shuffle
  std::int64_t address = 0;
  Point sizes = {};
  ThreadAt first = {};                  // of a race: the thread of the earlier access
  std::optional<ThreadAt> second = {};  // of a race: that of the later; of a divergence: who misses
  std::string what = {};                // "is read before anything is written there"
};

// The result of one run of a kernel in which accesses are made but no values are computed.
struct Replay {
  static constexpr std::size_t kMostFaults = 3;  // of each hazard
  std::vector<ReplayFault> faults;
  // All blocks and threads were run, and what they do depends on no data: a hazard without a fault
  // here is absent.
  bool is_complete = false;
  std::int64_t work_left = 0;
};

class BlockRun;
class RunState;

// Looks at a run from round to round.
class ReplayWatch {
 public:
  virtual ~ReplayWatch() = default;
  // The loops in which threads keep pace.
  virtual const std::vector<PlaceId>& loops() const = 0;
  // A thread begins an iteration of a serial loop.
  virtual void turn(std::uint32_t thread, PlaceId loop) = 0;
  // A round begins. `describe` adds all but the places where threads stand. Reduces `work` by the
  // operations that it takes.
  virtual void round(const BlockRun& run, const std::function<void(RunState&)>& describe,
                     std::int64_t& work) = 0;
};

// `work`: the most operations to take.
Replay replay(const AccessMap& map, const Point& sizes, std::int64_t work);

}  // namespace selvage
