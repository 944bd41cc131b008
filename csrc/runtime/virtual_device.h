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
//   without __syncthreads    a loop over the threads, each from entry to exit
//   with                     one fiber per thread; all run to the barrier before any goes past it
//
// __shared__ storage is one array for all blocks, so what a block leaves there the next one finds.
class VirtualKernel {
 public:
  // Throws Error (E701) when the text does not compile.
  explicit VirtualKernel(KernelSource source,
                         VirtualCompiler compiler = default_virtual_compiler());

  // `arguments` holds the address of each argument's value, as for cuLaunchKernel. A seed other
  // than 0 runs blocks and threads in an order drawn from it, a new one after each barrier.
  // Throws Error: a shape past CUDA's limits (E703); a barrier that part of a block's threads do
  // not reach (E702), what has run until then being done. Launches of one kernel from several
  // threads follow one another.
  void launch(const LaunchShape& shape, std::span<void* const> arguments,
              std::uint64_t order_seed = 0);

 private:
  KernelSource source_;
  bool has_barriers_;
  std::unique_ptr<VirtualUnit> unit_;
  VirtualMachine* machine_;  // in the unit, as are the two functions
  VirtualThread thread_;
  VirtualThreads threads_;
  std::unique_ptr<std::mutex> lock_;
};

}  // namespace selvage
