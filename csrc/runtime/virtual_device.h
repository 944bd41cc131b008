#pragma once

#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_prelude.h>
#include <selvage/runtime/virtual_unit.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace selvage {

enum class VirtualCompiler { Tcc, Gcc };

// Tcc where it is built in, else Gcc.
VirtualCompiler default_virtual_compiler();

// Emitted CUDA text compiled for the CPU and run there: one block after the other, the threads of a
// block in turn. Without a GPU it shows what the text does; it does not show races, and memory is
// not checked.
//
//   without __syncthreads, __syncwarp, __shfl_xor_sync
//              a loop over the threads, each from entry to exit
//   with them  one fiber per thread. A warp's threads run to their next stop; where they all wait
//              for their warp they go on at once, so one warp may be ahead of another by any number
//              of those. When every warp waits at a barrier of the block, all go on.
//
// __shared__ storage is one array for all blocks, so what a block leaves there the next one finds.
class VirtualKernel {
 public:
  // Throws Error (E701) when the text does not compile.
  explicit VirtualKernel(KernelSource source,
                         VirtualCompiler compiler = default_virtual_compiler());

  // `arguments` holds the address of each argument's value, as for cuLaunchKernel. A seed other
  // than 0 runs blocks, warps and the threads of each in an order drawn from it, a new one after
  // each barrier. Throws Error: a shape past CUDA's limits (E703); a barrier or a shuffle that part
  // of a block's or warp's threads do not reach, or a shuffle of a warp of fewer than 32 (E702),
  // what has run until then being done. Launches of one kernel from several threads follow one
  // another.
  void launch(const LaunchShape& shape, std::span<void* const> arguments,
              std::uint64_t order_seed = 0);

 private:
  KernelSource source_;
  bool meets_;  // are there barriers or shuffles?
  std::unique_ptr<VirtualUnit> unit_;
  VirtualMachine* machine_;  // in the unit, as are the two functions
  VirtualThread thread_;
  VirtualThreads threads_;
  std::unique_ptr<std::mutex> lock_;
};

}  // namespace selvage
