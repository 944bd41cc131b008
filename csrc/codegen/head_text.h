#pragma once

namespace selvage {

// Macros that the text of a kernel begins with, the first always, each other one where it is used.

inline constexpr const char* kHead =
    "#ifndef KERNEL\n"
    "#define KERNEL(name) extern \"C\" __global__ void name\n"
    "#endif\n";
// Compilers for GPUs without clusters reject the attribute __cluster_dims__.
inline constexpr const char* kCluster =
    "#ifndef CLUSTER\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "#define CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)\n"
    "#else\n"
    "#define CLUSTER(blocks)\n"
    "#endif\n"
    "#endif\n";
// Shared memory whose size the launch gives.
inline constexpr const char* kDynamicShared =
    "#ifndef DYNAMIC_SHARED\n"
    "#define DYNAMIC_SHARED(type, name) extern __shared__ __align__(16) type name[]\n"
    "#endif\n";

// Some threads of a block wait for one another at a hardware barrier, which counts warps; so the
// members in each warp first meet at __syncwarp. All arguments but `lanes` are literals, so that
// the compiler knows which barriers a kernel uses.
inline constexpr const char* kSyncThreads =
    "#ifndef sync_threads\n"
    "#define sync_threads(id, threads) \\\n"
    "  do { \\\n"
    "    __syncwarp(); \\\n"
    "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
    "  } while (0)\n"
    "#endif\n";
inline constexpr const char* kSyncMembers =
    "#ifndef sync_members\n"
    "#define sync_members(id, threads, members, lanes) \\\n"
    "  do { \\\n"
    "    __syncwarp(lanes); \\\n"
    "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
    "  } while (0)\n"
    "#endif\n";

}  // namespace selvage
