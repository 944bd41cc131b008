#pragma once

#include <selvage/runtime/kernel_source.h>

#include <string>

namespace selvage {

// The type of threadIdx, blockIdx, blockDim and gridDim in the C text.
struct VirtualIndex {
  unsigned x, y, z;
};
std::string to_text(VirtualIndex i);  // (1, 0, 0)

// Throws Error about a fault that a run of the kernel shows.
[[noreturn]] void refuse_run(const KernelSource& source, std::string code, std::string message,
                             std::vector<std::string> notes, std::string help);

// The interface between a running kernel and the virtual device. The compiled text holds one and
// gives its address; the prelude declares the same struct.
struct VirtualMachine {
  VirtualIndex thread, block, block_extent, grid_extent;
  char* shared;  // shared memory asked for at launch
  // Called by __syncthreads() and __syncwarp(). Here and below, `line` is that of the emitted text.
  void (*barrier)(int line);
  void (*cluster_barrier)(int line);               // by sync_cluster(), of all blocks of a cluster
  void (*warp_barrier)(int line, unsigned lanes);  // lanes 0: all of the warp
  // Called by sync_threads(id, threads), with members 0: all are, and by sync_members.
  void (*numbered_barrier)(int id, int threads, int members, int line);
  // Called by __shfl_xor_sync: exchanges `bytes` bytes at `value` with the thread of the warp whose
  // lane is the own lane xor `lanes`.
  void (*shuffle)(void* value, unsigned bytes, int lanes, int line);
  void* const* arguments;  // the address of each argument's value
  // Called by is_last_block(), once in each block: whether all others have been counted before.
  // Then the counter is 0 again, and all that other blocks did before is seen.
  int (*count_block)(int* counter, int blocks);
  // Called by record_failure(): adds 1, and returns what was there before.
  long long (*count_failure)(long long* count);
  // Called by the functions of these names: a copy is made when the thread waits for its group, or
  // before.
  void (*begin_copy)(void* to, const void* from, unsigned bytes);
  void (*end_copy_group)();
  void (*wait_for_copy_groups)(int pending);
  // The same of barrier objects, which are elements of 8 bytes. `arrivals`: 1, or 0 where bytes are
  // announced only. A copy may be made at any time until its phase ends.
  void (*init_object)(void* object, int arrivals);
  void (*arrive)(void* object, long long bytes, int arrivals);
  // When the thread's copies so far are made.
  void (*arrive_with_copies)(void* object);
  void (*begin_bulk_copy)(void* to, const void* from, long long bytes, void* object);
  // Of a tensor map (virtual_map.h); `corner`: an index along each dimension, innermost first.
  void (*begin_box_copy)(void* to, const void* map, const int* corner, void* object);
  // Stores of bytes and of boxes, in groups of the thread as copies are.
  void (*store_bytes)(void* to, const void* from, long long bytes);
  void (*store_box)(const void* from, const void* map, const int* corner);
  // The same of items that are combined with what is stored, by the function of that name: add, min
  // or max, in the type of this name in PTX, as u32, or of the tensor map.
  void (*combine_bytes)(void* to, const void* from, long long bytes, const char* function,
                        const char* type);
  void (*combine_box)(const void* from, const void* map, const int* corner, const char* function);
  void (*end_store_group)();
  void (*wait_for_store_groups)(int pending);
  void (*wait_for_phase)(void* object, int parity, int line);
  // Called by begin_mma(): the warp meets, and multiplies its rows of 16 along the depth, in the
  // type f16 or bf16, when a thread of it waits for that, or before. `a`: a tile, or a thread's own
  // part.
  void (*multiply)(float* sums, const void* a, const void* b, int columns, const char* type,
                   int is_a_shared, int line);
  void (*end_mma_group)();
  void (*wait_for_mma_groups)(int pending);
  // Called by a checked unit before each access of memory.
  void (*access)(const void* place, unsigned long bytes, int writes);
};

// The emitted text as a whole C unit: a prelude that defines CUDA's words for the CPU, the text
// itself (as the file `name`, its lines counted from 1), and the functions below that run it. A
// `checked` unit must be compiled by gcc with -fsanitize=thread.
std::string virtual_text(const KernelSource& source, bool checked = false);

inline constexpr const char* kVirtualMachine = "selvage_machine_address";
using VirtualMachineAddress = VirtualMachine* (*)();
// Runs the kernel once, as the thread that the machine holds.
inline constexpr const char* kVirtualThread = "selvage_thread";
using VirtualThread = void (*)();
// Runs the kernel for each of `count` threads in turn, from entry to exit.
inline constexpr const char* kVirtualThreads = "selvage_threads";
using VirtualThreads = void (*)(const VirtualIndex* threads, unsigned count);
// The same for all threads of the machine's block, in order; faster if the compiler does not
// optimise.
inline constexpr const char* kVirtualBlock = "selvage_block";
using VirtualBlockOfThreads = void (*)();
// Of a checked unit: the begin and end of its own memory, and of the __shared__ arrays in it, which
// have kVirtualEdge empty bytes on either side.
inline constexpr int kVirtualEdge = 1024;
inline constexpr const char* kVirtualImage = "selvage_image";
using VirtualImage = void (*)(char* ends[4]);

}  // namespace selvage
