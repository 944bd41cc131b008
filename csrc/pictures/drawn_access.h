#pragma once

#include <selvage/legality/bank_degree.h>
#include <selvage/pictures/point_states.h>
#include <selvage/pictures/thread_numbers.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

inline constexpr std::int64_t kLineBytes = kBanks * kWordBytes;

// One access of the first warp of the first block, at the first point of the other loops at which
// one of its threads makes an access. An access of 8 bytes per thread is served in 2 phases, one of
// 16 in 4; this is the first phase.
struct DrawnAccess {
  struct Word {
    std::int64_t number = 0;            // of 4 bytes, from the tensor's base
    std::vector<std::int64_t> threads;  // that access it, in order
  };
  std::array<std::vector<Word>, kBanks> banks;  // words in the order of the threads
  int phases = 1;
  int bytes = 0;  // per thread

  std::size_t ways() const;  // most words of one bank; 1: no conflict
};

// nullopt if no loop is bound to threads, no access is found near the first point, or a thread
// would access more than 16 bytes.
std::optional<DrawnAccess> first_access(const Schedule& schedule, const TensorAnalysis& analysis,
                                        PointStates& states, int element_bytes);

}  // namespace selvage
