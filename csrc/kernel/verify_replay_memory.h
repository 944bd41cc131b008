#pragma once

#include <selvage/kernel/access_log.h>
#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_layout.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// What a run has done to memory, without values: who accessed which elements and what was written
// there. Tells of each access that goes wrong.
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
  // By the thread that the clock says runs; of the block, by number. `work`: less what it takes.
  void access(const KernelAccess& a, std::int64_t thread, std::int64_t address, std::int64_t& work);
  // The element of `to` that lies where that element of `from` does; both are Shared, or one
  // buffer.
  std::int64_t same_place(BufferId to, BufferId from, std::int64_t address) const;
  // Operations that a new block costs.
  std::int64_t cost_of_a_block() const;
  // Have more elements of global memory been accessed than are kept?
  bool is_full() const { return global_.size() > kMostElements; }

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
  AccessLog shared_, global_;
  std::unordered_map<std::int64_t, std::size_t> element_;  // of global memory, in the log
};

}  // namespace selvage
