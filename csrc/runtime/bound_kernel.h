#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/kernel.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/kernel_source.h>

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// The text of a kernel, ready to be compiled.
KernelSource source_of(const Kernel& kernel);

// What the conditions of a program hang on beside sizes: the address of each of its buffers, in
// bytes, or as much of it as alignment is asked of. The name of a buffer stands for its address.
struct BufferAddresses {
  const std::vector<ProgramBuffer>& buffers;
  std::span<const std::int64_t> bytes;
};

// Throws BadInput E621 where a launch check of the program does not hold.
void check_launch_conditions(const Fusion& fusion, const std::vector<LaunchCheck>& checks,
                             const SizeValues& sizes);
// The first variant of a step that may run. Throws BadInput E622 where none may.
const Kernel& variant_for(const ProgramStep& step, const SizeValues& sizes,
                          const BufferAddresses& addresses);

// A kernel at given sizes: everything about its launch but where its buffers are.
class BoundKernel {
 public:
  BoundKernel(const Kernel& kernel, const SizeValues& sizes);

  const Kernel& kernel() const { return *kernel_; }
  const LaunchShape& shape() const { return shape_; }
  // Of what the address of a buffer has to be a multiple, in bytes: the widest access to it.
  std::int64_t alignment(BufferId b) const { return alignment_[b]; }
  // Writes the address of each argument's value, as a launch takes them: of pointers[k] for the
  // k-th buffer in global memory, then of the sizes. Good as long as both are.
  void arguments(std::span<const std::uint64_t> pointers, std::vector<void*>& out) const;

 private:
  const Kernel* kernel_;
  LaunchShape shape_;
  std::vector<std::int64_t> alignment_;  // by buffer
  std::vector<std::int64_t> sizes_;  // the low half of each is what a kernel of 32 bits is passed
};

}  // namespace selvage
