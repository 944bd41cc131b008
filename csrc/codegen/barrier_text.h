#pragma once

#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <string>

namespace selvage {

// A barrier as a line of C, and the macro of head_text.h that it needs.
struct BarrierText {
  enum class Macro : std::uint8_t { None, SyncThreads, SyncMembers };
  std::string line;
  Macro macro = Macro::None;
};
BarrierText barrier_text(const Kernel& kernel, const Barrier& barrier);
// The condition that a thread is a member of a region: "threadIdx.x < 32 || 64 <= threadIdx.x".
std::string member_text(const Kernel& kernel, const Region& region);
// The number of the thread in its block, x fastest.
std::string flat_thread(const Kernel& kernel);

}  // namespace selvage
