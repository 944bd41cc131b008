#include <selvage/codegen/preamble.h>

namespace selvage {

namespace {

constexpr const char* kHead =
    "#ifndef KERNEL\n"
    "#define KERNEL(name) extern \"C\" __global__ void name\n"
    "#endif\n";
// Compilers for GPUs without clusters refuse the word.
constexpr const char* kCluster =
    "#ifndef CLUSTER\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "#define CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)\n"
    "#else\n"
    "#define CLUSTER(blocks)\n"
    "#endif\n"
    "#endif\n";
// Shared memory that a launch asks for.
constexpr const char* kDynamicShared =
    "#ifndef DYNAMIC_SHARED\n"
    "#define DYNAMIC_SHARED(type, name) extern __shared__ __align__(16) type name[]\n"
    "#endif\n";

// Threads of a block wait for one another by the hardware's barriers, which count warps: the
// threads of a warp that take part come together first. All but lanes are literals, so that the
// compiler knows which barriers a kernel takes.
constexpr const char* kSyncThreads =
    "#ifndef sync_threads\n"
    "#define sync_threads(id, threads) \\\n"
    "  do { \\\n"
    "    __syncwarp(); \\\n"
    "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
    "  } while (0)\n"
    "#endif\n";
constexpr const char* kSyncMembers =
    "#ifndef sync_members\n"
    "#define sync_members(id, threads, members, lanes) \\\n"
    "  do { \\\n"
    "    __syncwarp(lanes); \\\n"
    "    asm volatile(\"barrier.sync \" #id \", \" #threads \";\" ::: \"memory\"); \\\n"
    "  } while (0)\n"
    "#endif\n";

}  // namespace

std::string to_text(const Preamble& preamble) {
  std::string text = kHead;
  if (preamble.has_clusters) text += kCluster;
  if (preamble.is_dynamic) text += kDynamicShared;
  if (preamble.syncs_threads) text += kSyncThreads;
  if (preamble.syncs_members) text += kSyncMembers;
  return text;
}

}  // namespace selvage
