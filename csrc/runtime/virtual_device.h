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

// Tcc where it is built in, else Gcc.
VirtualCompiler default_virtual_compiler();

// How many threads of this machine may run one launch of the virtual device, the caller included:
// SELVAGE_VIRTUAL_THREADS, else the number of cores, 1 to kMaxVirtualThreads. Throws Error (E723)
// when the variable is no such number.
inline constexpr int kMaxVirtualThreads = 16;  // each needs up to 1,024 stacks
int virtual_threads();

// In which order a launch runs.
struct VirtualOrder {
  // Other than 0: blocks, warps and the threads of each in an order drawn from it, a new one after
  // each barrier, on one core: the same order from the same seed.
  std::uint64_t seed = 0;
  // On how many cores at most; 0: virtual_threads(), and on one until there is work that pays for
  // more.
  int threads = 0;

  VirtualOrder() = default;
  VirtualOrder(std::uint64_t order_seed, int most_threads = 0)
      : seed(order_seed), threads(most_threads) {}
};

// Emitted CUDA text compiled for the CPU and run there: blocks in order, the threads of a block in
// turn. Without a GPU it shows what the text does; it does not show races.
//
//   without __syncthreads, __syncwarp, __shfl_xor_sync
//              a loop over the threads, each from entry to exit
//   with them  one fiber per thread. A warp's threads run to their next stop; where they all wait
//              for their warp they go on at once, so one warp may be ahead of another by any number
//              of those. When every warp waits at a barrier of the block, all go on.
//   with sync_threads(id, threads), sync_members(id, threads, members, lanes) or __syncwarp(0x...)
//              the same, but that threads of a warp wait for those alone that the mask names, and
//              at a number until so many are there, of threads / 32 warps
//
// Several cores share the blocks of a launch, each with a copy of the kernel's variables, compiled
// when first needed. A text with atomics stays on one core: its sums are added up in one order, so
// that the same launch gives the same bits, and libtcc has no atomic operations. No other text
// depends on the number of cores, unless its blocks race.
//
// __shared__ storage is one array for all blocks of a core, so what a block leaves there the next
// one finds.
class VirtualKernel {
 public:
  // Throws Error (E701) when the text does not compile.
  explicit VirtualKernel(KernelSource source,
                         VirtualCompiler compiler = default_virtual_compiler());
  ~VirtualKernel();
  VirtualKernel(VirtualKernel&&) noexcept;
  VirtualKernel& operator=(VirtualKernel&&) noexcept;

  // `arguments` holds the address of each argument's value, as for cuLaunchKernel. Throws Error: a
  // shape past CUDA's limits (E703); a barrier or a shuffle that part of a block's or warp's
  // threads do not reach, or a shuffle of a warp of fewer than 32 (E702): of the first block that
  // has one, all blocks before it being done, and maybe some after it. Any number of threads may
  // launch at once: as many launches run as there are cores, the others wait. A forked child may
  // launch what nobody was launching at the fork.
  void launch(const LaunchShape& shape, std::span<void* const> arguments, VirtualOrder order = {});

  // The same with every access of memory checked before it is made: one outside of the argument's
  // bytes, and of shared memory (E721), or a read of what nobody has written (E722), ends the
  // launch. One `bound` for each argument, nothing for what is no pointer. On one core, by gcc
  // whatever compiles the other launches (E701 where it is missing); two to thirty times slower,
  // and no other launch is slowed.
  void launch_checked(const LaunchShape& shape, std::span<void* const> arguments,
                      std::span<const std::optional<VirtualBound>> bounds,
                      std::uint64_t order_seed = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace selvage
