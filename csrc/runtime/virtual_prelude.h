#pragma once

#include <selvage/runtime/kernel_source.h>

#include <string>

namespace selvage {

// The three indices of CUDA's threadIdx, blockIdx, blockDim and gridDim, as the C text sees them.
struct VirtualIndex {
  unsigned x, y, z;
};

// What a running kernel sees of its device. The compiled text holds one and gives its address; the
// prelude declares the same struct.
struct VirtualMachine {
  VirtualIndex thread, block, block_extent, grid_extent;
  char* shared;  // shared memory asked for at launch
  // What __syncthreads() and __syncwarp() call, with their line of the emitted text.
  void (*barrier)(int line);
  void (*warp_barrier)(int line);
  // What __shfl_xor_sync calls: gives `bytes` bytes at `value` to the thread of its warp whose lane
  // is the own one xor `lanes`, and takes that thread's in their place.
  void (*shuffle)(void* value, unsigned bytes, int lanes, int line);
  void* const* arguments;  // the address of each argument's value
};

// The emitted text as a whole C unit: a prelude that gives CUDA's words a meaning on the CPU, the
// text itself (as the file `name`, its lines counted from 1), and three functions to run it by.
std::string virtual_text(const KernelSource& source);

inline constexpr const char* kVirtualMachine = "selvage_machine_address";
using VirtualMachineAddress = VirtualMachine* (*)();
// Runs the kernel once, as the thread that the machine holds.
inline constexpr const char* kVirtualThread = "selvage_thread";
using VirtualThread = void (*)();
// Runs it as each of `count` threads in turn, from entry to exit.
inline constexpr const char* kVirtualThreads = "selvage_threads";
using VirtualThreads = void (*)(const VirtualIndex* threads, unsigned count);

}  // namespace selvage
