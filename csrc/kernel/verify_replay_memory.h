#pragma once

#include <selvage/kernel/verify_replay.h>
#include <selvage/kernel/verify_replay_layout.h>
#include <selvage/kernel/verify_shadow.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// What a run has done to memory, without values: who came to which bytes and what was written
// there. Tells of each access that goes wrong.
class ReplayMemory {
 public:
  class Log {
   public:
    virtual ~Log() = default;
    virtual void alone(Hazard hazard, const KernelAccess& a, std::int32_t thread,
                       std::int64_t address, std::string what) = 0;
    virtual void race(const KernelAccess& a, std::int32_t thread, std::int64_t address,
                      const EpochComers::Seen& other) = 0;
    virtual void race_of_blocks(const KernelAccess& a, std::int32_t thread, std::int64_t address,
                                const GlobalShadow::Other& other) = 0;
  };

  // `clocks`: null where epochs tell who comes before whom.
  ReplayMemory(const AccessMap& map, ReplayLayout layout, std::int64_t threads,
               const ThreadClocks* clocks, Log& log);

  const ReplayLayout& layout() const { return layout_; }
  void start_block(std::int32_t number);
  // `work`: less what it takes.
  void access(const KernelAccess& a, const Comer& now, std::int64_t address, std::int64_t& work);
  // Have more elements of global memory been accessed than are kept?
  bool is_full() const { return global_.size() > kMostCells; }

 private:
  static constexpr std::size_t kMostCells = 1 << 18;
  static constexpr std::int64_t kSharedKey = (std::int64_t{1} << 15) - 1;  // no buffer's

  void local(const KernelAccess& a, const Comer& now, std::int64_t address);
  void shared(const KernelAccess& a, const Comer& now, std::int64_t address, std::int64_t& work);
  void global(const KernelAccess& a, const Comer& now, std::int64_t address, std::int64_t& work);
  const EpochComers::Seen* clocked(std::int64_t memory, std::int64_t place, const Comer& now,
                                   std::int64_t& work);

  const AccessMap& map_;
  ReplayLayout layout_;
  const ThreadClocks* clocks_;
  Log& log_;
  std::int32_t block_ = -1;
  std::vector<char> local_written_;
  std::vector<SharedCell> shared_;
  GlobalShadow global_;
  std::unordered_map<std::int64_t, ClockedCell> clocked_;
};

}  // namespace selvage
