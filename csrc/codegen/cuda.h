#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/lower/program.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// A kernel as CUDA text. The text includes no header, contains only the helpers that it uses and
// stays within the C that libtcc takes. It begins with
//   #ifndef KERNEL
//   #define KERNEL(name) extern "C" __global__ void name
//   #endif
// To compile it for another target, define KERNEL before the text. The same holds for
//   DYNAMIC_SHARED(type, name)     declares the shared memory that the launch asks for, if
//                                  Launch::shared_bytes is not 0: all buffers with an offset;
//   ALIGNED_DYNAMIC_SHARED(n, type, name)  the same at a multiple of n bytes
//   sync_threads(id, threads)      waits for `threads` threads, all those of some warps
//   sync_members(id, threads, members, lanes)
//                                  waits for `members` of these threads, the `lanes` of each warp
//   begin_copy(bytes, to, from), begin_copy_16(to, from), end_copy_group(),
//   wait_for_copy_groups(pending)  copies to shared memory that end later
//   init_object(object, arrivals), publish_objects(), arrive_at(object),
//   arrive_with_copies(object), wait_for_phase(object, parity)  barrier objects (head_text.h)
//   cluster_rank(), cluster_number(), sync_cluster(), in_rank(at, rank, bytes),
//   RANK_SHARED(n, type, name, bytes), arrive_in_rank(object, rank, bytes),
//   wait_for_ranks(object, parity)  where a block is one of a cluster (head_text.h)
// With SELVAGE_VIRTUAL_DEVICE defined, plain C that gives the same bits replaces inline assembly.
// A kernel with clusters is declared as KERNEL(CLUSTER(blocks) name), and one with so many threads
// that they cannot have 255 registers each as KERNEL(__launch_bounds__(threads) name).
struct CudaText {
  std::string text;
  std::string name;                          // the kernel's, a C identifier
  std::vector<std::string> parameter_types;  // global buffers in order, the sizes, tensor maps
  // By line of the text: the name of the buffer that the line helps to compute; empty, or past the
  // end of the vector: no single buffer.
  std::vector<std::string> origins = {};
  // The text begins with definitions: where each ends. Equal ones of several kernels are the same.
  std::vector<std::size_t> definitions = {};
};

// Relies on the kernel's promise that, where kernel.condition holds, every index fits
// kernel.index_type at every loop point, guarded or not: so a shared subexpression may be computed
// before a guard. Throws Illegal E706 for a kind of statement that is not emitted yet.
CudaText cuda(const Kernel& kernel);
// The texts of the variants of one step, in their order. Neighbours that differ only in the width
// of their indices share the work that their texts need.
std::vector<CudaText> cuda(std::span<const Kernel> variants);
// The texts of the variants of several steps as one file, in which each definition stands once.
std::string one_file(std::span<const std::vector<CudaText>> steps);
// That of all kernels of a program.
std::string cuda(const Program& program);

}  // namespace selvage
