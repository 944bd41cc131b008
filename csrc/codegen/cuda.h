#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/lower/program.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// A kernel as CUDA text. It includes no header, carries only the helpers that it uses and stays
// within the C that libtcc takes; its head is
//   #ifndef KERNEL
//   #define KERNEL(name) extern "C" __global__ void name
//   #endif
// so that whoever compiles it for something else defines KERNEL first. Where an inline assembly
// stands, SELVAGE_VIRTUAL_DEVICE chooses plain C that gives the same bits. Shared memory that the
// launch asks for (Launch::shared_bytes other than 0) holds the buffers that have an offset;
// DYNAMIC_SHARED(type, name) declares it, and may be defined before as well; so may
// sync_threads(id, threads), at which all threads of so many warps wait, and
// sync_members(id, threads, members, lanes), at which that many of theirs do, of each warp `lanes`.
// A kernel of clusters is a KERNEL(CLUSTER(blocks) name).
struct CudaText {
  std::string text;
  std::string name;                          // the kernel's, a C identifier
  std::vector<std::string> parameter_types;  // global buffers in order, then the sizes
  // By line of the text, the buffer that it helps to compute; empty: none by itself. Lines past the
  // last are no buffer's.
  std::vector<std::string> origins = {};
};

// Every index fits kernel.index_type at every loop point, guarded or not, where kernel.condition
// holds: that is the kernel's promise, and it is what lets a shared subexpression be computed above
// a guard. Throws Illegal E706 where a statement is not emitted yet.
CudaText cuda(const Kernel& kernel);
// Of the variants of one step, in their order: those that follow one another and differ in the
// width of their indices alone share what is worked out for their texts.
std::vector<CudaText> cuda(std::span<const Kernel> variants);
// The texts of all kernels of a program, one after the other.
std::string cuda(const Program& program);

}  // namespace selvage
