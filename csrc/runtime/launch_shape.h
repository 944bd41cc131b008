#pragma once

#include <array>
#include <cstdint>

namespace selvage {

// How many blocks run, how many threads each has, and the bytes of shared memory given to a block
// at launch. x comes first and varies fastest.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t shared_bytes = 0;
};

// What CUDA allows on every device that Selvage emits for.
inline constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
inline constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};
inline constexpr std::int64_t kMaxThreads = 1024;           // x * y * z of a block
inline constexpr std::int64_t kMaxSharedBytes = 227 << 10;  // of a block, on compute capability 9.0

// Throws Error (E703) when the shape is past a limit. A grid may be empty: it launches nothing.
void check_launch(const LaunchShape& shape);
bool is_empty(const LaunchShape& shape);

}  // namespace selvage
