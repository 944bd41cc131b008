#pragma once

#include <array>
#include <cstdint>

namespace selvage {

// What CUDA allows on every device that Selvage emits for: along x, y, z.
inline constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
inline constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};
inline constexpr std::int64_t kMaxThreads = 1024;           // x * y * z of a block
inline constexpr std::int64_t kMaxSharedBytes = 227 << 10;  // of a block, on compute capability 9.0

}  // namespace selvage
