#pragma once

#include <selvage/report/point_states.h>
#include <selvage/report/thread_numbers.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Shared memory: 32 banks of 4 bytes; words of one bank are served one after the other, one word
// for all threads that want it.
inline constexpr int kBanks = 32, kBankBytes = 4, kWarp = 32;
inline constexpr std::int64_t kLineBytes = kBanks * kBankBytes;

// What the first warp of the first block does at once: the first point of the other loops at which
// one of its threads accesses at all. An access of 8 bytes per thread is served in 2 phases, one of
// 16 in 4: this is the first phase.
struct WarpAccess {
  struct Word {
    std::int64_t number = 0;            // of 4 bytes, from the tensor's base
    std::vector<std::int64_t> threads;  // that access it, in order
  };
  std::array<std::vector<Word>, kBanks> banks;  // words in the order of the threads
  int phases = 1;
  int bytes = 0;  // per thread

  std::size_t ways() const;  // most words of one bank; 1: no conflict
};

// Nothing where no loop is bound to threads, no access is seen near the first point, or a thread
// would access more than 16 bytes.
std::optional<WarpAccess> first_access(const Schedule& schedule, const TensorAnalysis& analysis,
                                       PointStates& states, int element_bytes);

}  // namespace selvage
