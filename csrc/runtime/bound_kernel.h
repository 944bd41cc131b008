#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/tensor_map.h>
#include <selvage/runtime/virtual_check.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The text of a kernel, ready to be compiled.
KernelSource source_of(const Kernel& kernel);

// Throws BadInput E621 if a launch check of the program does not hold.
void check_launch_conditions(const Fusion& fusion, const std::vector<LaunchCheck>& checks,
                             const SizeValues& sizes);

// A kernel at given sizes: its launch without the addresses of its memory. A memory is one of the
// program's buffers, by number.
class BoundKernel {
 public:
  // `memory`: by buffer, the number of the memory that it is bound to, if it is global.
  BoundKernel(const Kernel& kernel, const SizeValues& sizes, std::vector<std::size_t> memory);

  const Kernel& kernel() const { return *kernel_; }
  const LaunchShape& shape() const { return shape_; }
  // The number of the memory that a buffer is bound to; nullopt: it is not global.
  std::optional<std::size_t> memory_of(BufferId b) const;
  // The address of a buffer must be a multiple of this, in bytes: the widest access to it.
  std::int64_t alignment(BufferId b) const { return alignment_[b]; }

  // The arguments of a launch: the address of each argument's value. Valid as long as the kernel.
  struct Arguments {
    std::vector<std::uint64_t> pointers;
    std::vector<TensorMap> maps;
    std::vector<void*> values;
  };
  // `addresses`: by number of memory. `driver`: encodes tensor maps; null for the virtual device.
  void write(std::span<const std::uint64_t> addresses, const Driver* driver, Arguments& out) const;
  // The bytes that each argument may access, for checked launches. By number of memory, `bytes` is
  // its size, and `is_filled` whether it holds values; set for all memory that the kernel writes.
  std::vector<std::optional<VirtualBound>> take_bounds(std::span<const std::size_t> bytes,
                                                       std::vector<bool>& is_filled) const;

 private:
  const Kernel* kernel_;
  LaunchShape shape_;
  std::vector<std::size_t> memory_;      // by buffer
  std::vector<std::int64_t> alignment_;  // by buffer
  std::vector<std::int64_t> sizes_;      // a kernel of 32 bits is passed the low half of each
  // Of each tensor map all but the address, and the last one that was encoded: memory rarely moves
  // from one launch to the next. Several threads may launch.
  struct KeptMaps {
    std::vector<TensorMapParameters> parameters;
    std::vector<TensorMap> encoded;
    std::mutex lock;
  };
  std::shared_ptr<KeptMaps> maps_;  // null: the kernel has none
};

// The launches of a program: of each step the first variant whose condition holds, bound to the
// program's buffers by their numbers. `addresses`: of each of these in bytes, perhaps modulo a
// multiple of all alignments. Throws BadInput E622 if a step has no such variant.
std::vector<BoundKernel> launches_of(const std::vector<ProgramStep>& steps,
                                     const std::vector<ProgramBuffer>& buffers,
                                     const SizeValues& sizes,
                                     std::span<const std::int64_t> addresses);

}  // namespace selvage
