#pragma once

#include <selvage/runtime/kernel_source.h>

#include <string>

namespace selvage {

// The three indices of CUDA's threadIdx, blockIdx, blockDim and gridDim, as the C text sees them.
struct VirtualIndex {
  unsigned x, y, z;
};
std::string to_text(VirtualIndex i);  // (1, 0, 0)

// Throws Error: what a run of the kernel shows to be wrong with it.
[[noreturn]] void refuse_run(const KernelSource& source, std::string code, std::string message,
                             std::vector<std::string> notes, std::string help);

// What a running kernel sees of its device. The compiled text holds one and gives its address; the
// prelude declares the same struct.
struct VirtualMachine {
  VirtualIndex thread, block, block_extent, grid_extent;
  char* shared;  // shared memory asked for at launch
  // What __syncthreads() and __syncwarp() call, with their line of the emitted text.
  void (*barrier)(int line);
  void (*warp_barrier)(int line, unsigned lanes);  // 0: all of the warp
  // sync_threads(id, threads), or sync_members(id, threads, members, lanes); 0: all are members
  void (*numbered_barrier)(int id, int threads, int members, int line);
  // What __shfl_xor_sync calls: gives `bytes` bytes at `value` to the thread of its warp whose lane
  // is the own one xor `lanes`, and takes that thread's in their place.
  void (*shuffle)(void* value, unsigned bytes, int lanes, int line);
  void* const* arguments;  // the address of each argument's value
  // What a checked unit calls before each access of memory.
  void (*access)(const void* place, unsigned long bytes, int writes);
};

// The emitted text as a whole C unit: a prelude that gives CUDA's words a meaning on the CPU, the
// text itself (as the file `name`, its lines counted from 1), and the functions below to run it by.
// Checked, it is for gcc with -fsanitize=thread alone.
std::string virtual_text(const KernelSource& source, bool checked = false);

inline constexpr const char* kVirtualMachine = "selvage_machine_address";
using VirtualMachineAddress = VirtualMachine* (*)();
// Runs the kernel once, as the thread that the machine holds.
inline constexpr const char* kVirtualThread = "selvage_thread";
using VirtualThread = void (*)();
// Runs it as each of `count` threads in turn, from entry to exit.
inline constexpr const char* kVirtualThreads = "selvage_threads";
using VirtualThreads = void (*)(const VirtualIndex* threads, unsigned count);
// The same for all threads of the machine's block, in order: faster, where nothing optimises.
inline constexpr const char* kVirtualBlock = "selvage_block";
using VirtualBlockOfThreads = void (*)();
// Of a checked unit: where its own memory begins and ends, and within it its __shared__ arrays,
// beside which kVirtualEdge bytes are empty.
inline constexpr int kVirtualEdge = 1024;
inline constexpr const char* kVirtualImage = "selvage_image";
using VirtualImage = void (*)(char* ends[4]);

}  // namespace selvage
