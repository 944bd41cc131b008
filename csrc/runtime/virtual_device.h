#pragma once

#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_check.h>
#include <selvage/runtime/virtual_unit.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace selvage {

enum class VirtualCompiler { Tcc, Gcc };

// Tcc if it is built in, else Gcc.
VirtualCompiler default_virtual_compiler();

// The most threads of this machine that run one launch of the virtual device, the caller included:
// SELVAGE_VIRTUAL_THREADS, else the number of cores, 1 to kMaxVirtualThreads. Throws Error (E723)
// if the variable is no such number.
inline constexpr int kMaxVirtualThreads = 16;  // each needs up to 1,024 stacks
int virtual_threads();

// The order in which a launch runs.
struct VirtualOrder {
  // If not 0: blocks, warps and the threads of each run in an order drawn from it, a new one after
  // each barrier, on one core; the same seed gives the same order.
  std::uint64_t seed = 0;
  // The most cores; 0: virtual_threads(), but one until there is work that pays for more.
  int threads = 0;

  VirtualOrder() = default;
  VirtualOrder(std::uint64_t order_seed, int most_threads = 0)
      : seed(order_seed), threads(most_threads) {}
};

// Emitted CUDA text compiled for the CPU and run there: blocks in order, the threads of a block in
// turn. It tests the text without a GPU; it finds no races.
//
//   without __syncthreads, __syncwarp, __shfl_xor_sync
//              a loop over the threads, each from entry to exit
//   with them  one fiber per thread. A warp's threads run to their next stop; if they all wait for
//              their warp, they go on at once, so one warp may be any number of such stops ahead of
//              another. When every warp waits at a barrier of the block, all go on.
//   with sync_threads(id, threads), sync_members(id, threads, members, lanes) or __syncwarp(0x...)
//              the same, except that threads of a warp wait only for those that the mask names, and
//              at an id until so many threads, of threads / 32 warps, are there
//
// Several cores share the blocks of a launch, each with a copy of the kernel's variables, compiled
// when first needed. A text with atomics stays on one core, for two reasons: its sums are added in
// one order, so that the same launch gives the same bits, and libtcc has no atomic operations. No
// other text depends on the number of cores, unless its blocks race.
//
// __shared__ storage is one array for all blocks of a core, so a block finds there the values that
// the block before it left.
class VirtualKernel {
 public:
  // Throws Error (E701) if the text does not compile.
  explicit VirtualKernel(KernelSource source,
                         VirtualCompiler compiler = default_virtual_compiler());
  ~VirtualKernel();
  VirtualKernel(VirtualKernel&&) noexcept;
  VirtualKernel& operator=(VirtualKernel&&) noexcept;

  // `arguments` holds the address of each argument's value, as for cuLaunchKernel. Throws Error:
  // E703 a shape past CUDA's limits; E702 a barrier or a shuffle that part of a block's or warp's
  // threads do not reach, or a shuffle of a warp of fewer than 32. The error is that of the first
  // block that has one; all blocks before it have run, and maybe some after it. Any number of
  // threads may launch at once: as many launches run as there are cores, the others wait. A forked
  // child may launch a kernel that no thread was launching at the fork.
  void launch(const LaunchShape& shape, std::span<void* const> arguments, VirtualOrder order = {});

  // The same with every access of memory checked before it is made: an access outside of the
  // arguments' bytes and of shared memory (E721), or a read of bytes never written (E722), ends the
  // launch. `bounds`: one for each argument, absent if it is no pointer. Runs on one core, compiled
  // by gcc (E701 if it is missing) whatever compiles other launches; two to thirty times slower,
  // without slowing other launches.
  void launch_checked(const LaunchShape& shape, std::span<void* const> arguments,
                      std::span<const std::optional<VirtualBound>> bounds,
                      std::uint64_t order_seed = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace selvage
