#pragma once

#include <selvage/base/random.h>
#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_block.h>
#include <selvage/runtime/virtual_check.h>
#include <selvage/runtime/virtual_prelude.h>
#include <selvage/runtime/virtual_unit.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// A compiled unit and its functions. One core at a time may use an instance, for one launch.
struct VirtualInstance {
  explicit VirtualInstance(std::unique_ptr<VirtualUnit> compiled);
  std::unique_ptr<VirtualUnit> unit;
  VirtualMachine* machine;
  VirtualThread thread;
  VirtualThreads threads;
  VirtualBlockOfThreads block;
};

// Dynamic shared memory, aligned as the tiles of a bulk copy must be.
class VirtualShared {
 public:
  explicit VirtualShared(std::int64_t bytes);
  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(lines_.data()), bytes_}; }

 private:
  struct alignas(1024) Line {
    std::byte bytes[1024];
  };
  std::vector<Line> lines_;
  std::size_t bytes_;
};

// Whether threads of the text meet: Never (no barriers or shuffles, nor copies that end later),
// Together (all of a block or of a warp), or InParts (there are partial barriers).
enum class VirtualMeets : std::uint8_t { Never, Together, InParts };

// One launch. Every core that helps calls work() with an instance of its own; work() returns when
// all blocks have been begun.
class VirtualRun {
 public:
  VirtualRun(const KernelSource& source, const LaunchShape& shape, std::span<void* const> arguments,
             VirtualMeets meets);

  // Runs blocks on the calling thread. The error of a block is kept for finish(); any other is
  // thrown. Calls `after` now and then.
  void work(VirtualInstance& instance, const std::function<void()>& after = {});
  // Runs all blocks on this thread, in an order drawn by `random` (null: in order), with a check
  // (null: none).
  void work_alone(VirtualInstance& instance, SplitMix64* random, VirtualShared& shared,
                  VirtualCheck* check = nullptr);
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t begun() const { return std::min(next_.load(), blocks_); }
  // Throws the error of the first block that had one.
  void finish();

 private:
  std::optional<VirtualBlock> set_up(VirtualInstance& instance, VirtualShared& shared,
                                     VirtualCheck* check = nullptr) const;

  const KernelSource& source_;
  const LaunchShape& shape_;
  std::span<void* const> arguments_;
  VirtualMeets meets_;
  std::uint64_t blocks_;
  std::vector<VirtualIndex> threads_;
  std::atomic<std::uint64_t> next_ = 0;  // the first block not begun yet
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> failed_ = kNone;  // the first block that has failed so far
  std::mutex lock_;
  std::exception_ptr failure_;  // its reason
};

}  // namespace selvage
