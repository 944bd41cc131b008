#pragma once

#include <selvage/kernel/access_log.h>
#include <selvage/kernel/register_log.h>
#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_layout.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The memory of a replay, without values: which thread accessed which elements, and which elements
// are written. Reports each wrong access to a Log.
class ReplayMemory {
 public:
  class Log {
   public:
    virtual ~Log() = default;
    virtual void alone(Hazard hazard, const KernelAccess& a, std::int64_t address,
                       std::string what) = 0;
    virtual void race(const KernelAccess& a, std::int64_t address, const Moment& other) = 0;
  };

  ReplayMemory(const AccessMap& map, ReplayLayout layout, std::int64_t threads,
               const BarrierClock& clock, Log& log);

  void start_block();
  // An access by the clock's running thread, whose number in the block is `thread`. Reduces `work`
  // by the operations that it takes.
  void access(const KernelAccess& a, std::int64_t thread, std::int64_t address, std::int64_t& work);
  // The element of `to` at the place of an element of `from`; both buffers are Shared, or the same.
  std::int64_t same_place(BufferId to, BufferId from, std::int64_t address) const;
  // Operations that a new block costs.
  std::int64_t cost_of_a_block() const;
  // Whether more elements of global memory were accessed than can be kept.
  bool is_full() const { return global_.size() > kMostElements; }
  // That of the block, and of its threads.
  void describe(RunState& state) const;

 private:
  static constexpr std::size_t kMostElements = 1 << 18;

  void local(const KernelAccess& a, std::int64_t thread, std::int64_t address);
  void shared(const KernelAccess& a, std::int64_t address);
  void global(const KernelAccess& a, std::int64_t address);

  const AccessMap& map_;
  ReplayLayout layout_;
  const BarrierClock& clock_;
  Log& log_;
  std::vector<char> local_written_;
  std::optional<RegisterLog> registers_;  // where there are matrix multiplications
  AccessLog shared_, global_;
  std::unordered_map<std::int64_t, std::size_t> element_;  // of global memory, in the log
};

}  // namespace selvage
