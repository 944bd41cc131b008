#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace selvage {

// The numbers of blocks, and of threads in a block, along x, y, z (x varies fastest), and the bytes
// of shared memory that the launch gives each block.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t shared_bytes = 0;
  // Blocks of a cluster. If more than 1, `block` are the threads of a whole cluster, of which each
  // z is a block, and `grid` counts clusters; the shared memory is that of one block.
  std::int64_t ranks = 1;
};

// Throws Error (E703) if the shape is past a limit. A grid may be empty: it launches nothing.
void check_launch(const LaunchShape& shape);
bool is_empty(const LaunchShape& shape);

// Throws E703: a device has less shared memory than a kernel asks for.
[[noreturn]] void refuse_shared(const std::string& kernel, std::int64_t bytes, std::int64_t most);

}  // namespace selvage
