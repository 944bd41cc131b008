#include <selvage/base/refuse.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/runtime/launch_shape.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

[[noreturn]] void refuse_launch(std::string message, std::string help) {
  refuse<Error>("E703", std::move(message), std::move(help));
}

constexpr const char* kAxis[] = {"x", "y", "z"};

}  // namespace

void check_launch(const LaunchShape& shape) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (shape.block[i] < 1 || shape.block[i] > kMaxBlock[i]) {
      refuse_launch(fmt::format("block.{} is {}; CUDA allows 1 to {}", kAxis[i], shape.block[i],
                                kMaxBlock[i]),
                    fmt::format("bind a loop of at most {} to TID{}", kMaxBlock[i], kAxis[i]));
    }
  }
  if (shape.ranks > kMaxClusterBlocks || (shape.ranks > 1 && shape.ranks != shape.block[2])) {
    refuse_launch(
        fmt::format("a cluster has {} blocks; CUDA allows {}", shape.ranks, kMaxClusterBlocks),
        fmt::format("bind a loop of at most {} to CIDx", kMaxClusterBlocks));
  }
  const std::int64_t threads =
      shape.block[0] * shape.block[1] * (shape.ranks > 1 ? 1 : shape.block[2]);
  if (threads > kMaxThreads) {
    refuse_launch(
        fmt::format("a block of {} x {} x {} has {} threads; CUDA allows {}", shape.block[0],
                    shape.block[1], shape.ranks > 1 ? 1 : shape.block[2], threads, kMaxThreads),
        "split the loops bound to threads by smaller factors");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t most = i == 0 ? kMaxGrid[i] / shape.ranks : kMaxGrid[i];
    if (shape.grid[i] < 0 || shape.grid[i] > most) {
      refuse_launch(
          fmt::format("grid.{} is {}; CUDA allows 0 to {}", kAxis[i], shape.grid[i], most),
          i == 0 ? "give each thread more items: split, and leave the inner loop serial"
                 : "bind the long loop to BIDx, or merge it into the loop bound there");
    }
  }
  if (shape.shared_bytes < 0 || shape.shared_bytes > kMaxSharedBytes) {
    refuse_launch(fmt::format("a block asks for {} bytes of shared memory; CUDA allows 0 to {}",
                              shape.shared_bytes, kMaxSharedBytes),
                  "use a smaller tile");
  }
}

void refuse_shared(const std::string& kernel, std::int64_t bytes, std::int64_t most) {
  refuse_launch(
      fmt::format("a block of {} asks for {} bytes of shared memory; this device allows {}", kernel,
                  bytes, most),
      "keep less of it there: split by smaller factors, or compute it further in");
}

bool is_empty(const LaunchShape& shape) { return std::ranges::count(shape.grid, 0) > 0; }

}  // namespace selvage
