#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_check.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The text of a kernel, ready to be compiled.
KernelSource source_of(const Kernel& kernel);

// Throws BadInput E621 where a launch check of the program does not hold.
void check_launch_conditions(const Fusion& fusion, const std::vector<LaunchCheck>& checks,
                             const SizeValues& sizes);

// A kernel at given sizes: everything about its launch but the addresses of its memory.
class BoundKernel {
 public:
  // `memory`: by buffer, the number of what it is bound to, if it is global.
  BoundKernel(const Kernel& kernel, const SizeValues& sizes, std::vector<std::size_t> memory);

  const Kernel& kernel() const { return *kernel_; }
  const LaunchShape& shape() const { return shape_; }
  // The number of the memory that a buffer is bound to; nothing: it is not global.
  std::optional<std::size_t> memory_of(BufferId b) const;
  // Of what the address of a buffer has to be a multiple, in bytes: the widest access to it.
  std::int64_t alignment(BufferId b) const { return alignment_[b]; }

  // What a launch takes: the address of each argument's value. Good as long as the kernel is.
  struct Arguments {
    std::vector<std::uint64_t> pointers;
    std::vector<void*> values;
  };
  // `addresses`: by number of memory.
  void write(std::span<const std::uint64_t> addresses, Arguments& out) const;
  // What each argument may touch, for checks. `bytes`, `is_filled`: by number of memory, how many
  // it has and whether they hold values; what the kernel writes is filled after it.
  std::vector<std::optional<VirtualBound>> take_bounds(std::span<const std::size_t> bytes,
                                                       std::vector<bool>& is_filled) const;

 private:
  const Kernel* kernel_;
  LaunchShape shape_;
  std::vector<std::size_t> memory_;      // by buffer
  std::vector<std::int64_t> alignment_;  // by buffer
  std::vector<std::int64_t> sizes_;  // the low half of each is what a kernel of 32 bits is passed
};

// The launches of a program: of each step the first variant that may run, bound to the program's
// buffers by their numbers. `addresses`: of each of them, in bytes, or as much of it as alignment
// is asked of. Throws BadInput E622 where no variant may run.
std::vector<BoundKernel> launches_of(const std::vector<ProgramStep>& steps,
                                     const std::vector<ProgramBuffer>& buffers,
                                     const SizeValues& sizes,
                                     std::span<const std::int64_t> addresses);

}  // namespace selvage
