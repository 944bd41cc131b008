#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// Threads that stand at one place of a kernel, by their number in the block.
using Threads = std::vector<std::uint32_t>;

// Of threads that should all be there, the first that is and the first that is not.
struct Absence {
  std::uint32_t waits = 0, missing = 0;
};
// Among threads begin .. end-1, of which one at least is there; nothing if all are.
std::optional<Absence> absence(const Threads& threads, std::int64_t begin, std::int64_t end);

// The first thread of each warp of which one is there, in order.
std::vector<std::int64_t> warps_of(const Threads& threads);

}  // namespace selvage
