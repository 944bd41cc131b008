#pragma once

#include <selvage/kernel/failures.h>

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
// A kernel each of whose blocks is one of a cluster: its number there, and that of the cluster;
// its shared memory, of so many bytes; and the wait of all threads of a cluster for one another.
// From sm_90 on.
inline constexpr const char* kRanks =
    "#ifndef SELVAGE_VIRTUAL_DEVICE\n"
    "static __device__ __forceinline__ int cluster_rank() {\n"
    "  int rank;\n"
    "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "  return rank;\n"
    "}\n"
    "static __device__ __forceinline__ int cluster_number() {\n"
    "  int cluster;\n"
    "  asm(\"mov.u32 %0, %%clusterid.x;\" : \"=r\"(cluster));\n"
    "  return cluster;\n"
    "}\n"
    "#endif\n"
    "#ifndef sync_cluster\n"
    "#define RANK_SHARED(n, type, name, bytes) extern __shared__ __align__(n) type name[]\n"
    "#define sync_cluster() \\\n"
    "  asm volatile(\"barrier.cluster.arrive.release.aligned;\" \\\n"
    "               \"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\")\n"
    "#endif\n";
// Where something at a place in a block's shared memory is in the block of another rank.
inline constexpr const char* kRankReads =
    "#ifndef SELVAGE_VIRTUAL_DEVICE\n"
    "static __device__ __forceinline__ void* place_in_rank(const void* at, int rank) {\n"
    "  void* place;\n"
    "  asm(\"mapa.u64 %0, %1, %2;\" : \"=l\"(place) : \"l\"(at), \"r\"(rank));\n"
    "  return place;\n"
    "}\n"
    "#endif\n"
    "#ifndef in_rank\n"
    "#define in_rank(at, rank, bytes) place_in_rank(at, rank)\n"
    "#endif\n";
// Shared memory whose size the launch gives.
inline constexpr const char* kDynamicShared =
    "#ifndef DYNAMIC_SHARED\n"
    "#define DYNAMIC_SHARED(type, name) extern __shared__ __align__(16) type name[]\n"
    "#endif\n";
// The same at a multiple of n bytes.
inline constexpr const char* kAlignedDynamicShared =
    "#ifndef ALIGNED_DYNAMIC_SHARED\n"
    "#define ALIGNED_DYNAMIC_SHARED(n, type, name) extern __shared__ __align__(n) type name[]\n"
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

// Copies from global to shared memory that end later, in groups: the queue of the thread. Those of
// 16 bytes pass L1 by.
inline constexpr const char* kCopyGroups =
    "#ifndef begin_copy\n"
    "#define begin_copy_by(way, bytes, to, from) \\\n"
    "  asm volatile(\"cp.async.\" #way \".shared.global [%0], [%1], \" #bytes \";\" :: \\\n"
    "               \"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(from) : \"memory\")\n"
    "#define begin_copy_16(to, from) begin_copy_by(cg, 16, to, from)\n"
    "#define begin_copy(bytes, to, from) begin_copy_by(ca, bytes, to, from)\n"
    "#define end_copy_group() asm volatile(\"cp.async.commit_group;\" ::: \"memory\")\n"
    "#define wait_for_copy_groups(pending) \\\n"
    "  asm volatile(\"cp.async.wait_group \" #pending \";\" ::: \"memory\")\n"
    "#endif\n";

// Barrier objects (mbarrier), from sm_80 on: an element of 8 bytes in shared memory each. A phase
// is told by its parity. Whoever waits asks again and again, as the instruction may return early.
// An arrival with copies comes when all copies that the thread has begun have ended.
inline constexpr const char* kSharedAddress =
    "#ifndef shared_address\n"
    "#define shared_address(at) ((unsigned)__cvta_generic_to_shared(at))\n"
    "#endif\n";
inline constexpr const char* kBarrierObjects =
    "#ifndef init_object\n"
    "#define init_object(object, arrivals) \\\n"
    "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \\\n"
    "               \"r\"(shared_address(object)), \"r\"(arrivals) : \"memory\")\n"
    "#define arrive_at(object) \\\n"
    "  asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" :: \\\n"
    "               \"r\"(shared_address(object)) : \"memory\")\n"
    "#define arrive_with_copies(object) \\\n"
    "  asm volatile(\"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\" :: \\\n"
    "               \"r\"(shared_address(object)) : \"memory\")\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "#define ask_for_phase \"mbarrier.try_wait.parity.shared::cta.b64\"\n"
    "#define publish_objects() asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: "
    "\"memory\")\n"
    "#else\n"
    "#define ask_for_phase \"mbarrier.test_wait.parity.shared::cta.b64\"\n"
    "#define publish_objects() ((void)0)\n"
    "#endif\n"
    "#define wait_for_phase(object, parity) wait_asking(ask_for_phase, object, parity)\n"
    "#define wait_asking(ask, object, parity) \\\n"
    "  do { \\\n"
    "    int selvage_has_ended; \\\n"
    "    do { \\\n"
    "      asm volatile(\"{ .reg .pred p; \" ask \" p, [%1], %2; \" \\\n"
    "                   \"selp.b32 %0, 1, 0, p; }\" : \"=r\"(selvage_has_ended) : \\\n"
    "                   \"r\"(shared_address(object)), \"r\"((int)(parity)) : \"memory\"); \\\n"
    "    } while (!selvage_has_ended); \\\n"
    "  } while (0)\n"
    "#endif\n";

// Arrivals at an object in the block of another rank of a cluster, and waits for such.
inline constexpr const char* kRankArrivals =
    "#ifndef arrive_in_rank\n"
    "#define arrive_in_rank(object, rank, bytes) \\\n"
    "  asm volatile(\"{ .reg .b32 at; mapa.shared::cluster.u32 at, %0, %1; \" \\\n"
    "               \"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [at]; }\" :: \\\n"
    "               \"r\"(shared_address(object)), \"r\"((int)(rank)) : \"memory\")\n"
    "#define ask_for_ranks \"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64\"\n"
    "#define wait_for_ranks(object, parity) wait_asking(ask_for_ranks, object, parity)\n"
    "#endif\n";

// Copies that belong to barrier objects, from sm_90 on. A copy announces its bytes when it begins.
inline constexpr const char* kBulkCopies =
    "#ifndef begin_bulk_copy\n"
    "#define announce_bytes(object, bytes) \\\n"
    "  asm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\" :: \\\n"
    "               \"r\"(shared_address(object)), \"r\"((int)(bytes)) : \"memory\")\n"
    "#define begin_bulk_copy(bytes, to, from, object) \\\n"
    "  asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \" \\\n"
    "               \"[%0], [%1], %2, [%3];\" :: \\\n"
    "               \"r\"(shared_address(to)), \"l\"(from), \"r\"((int)(bytes)), \\\n"
    "               \"r\"(shared_address(object)) : \"memory\")\n"
    "#define arrive_announcing(object, bytes) \\\n"
    "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" :: \\\n"
    "               \"r\"(shared_address(object)), \"r\"((int)(bytes)) : \"memory\")\n"
    "#define fence_for_copies() asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\")\n"
    "#endif\n";

// The other way, which belong to groups of the thread: stores, and stores that combine elements of
// `type` with what there is, by `op`, which is add, min or max.
inline constexpr const char* kBulkStores =
    "#ifndef store_bytes\n"
    "#define store_bytes(bytes, to, from) \\\n"
    "  asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\" :: \\\n"
    "               \"l\"(to), \"r\"(shared_address(from)), \"r\"((int)(bytes)) : \"memory\")\n"
    "#define combine_bytes(op, type, bytes, to, from) \\\n"
    "  asm volatile(\"cp.reduce.async.bulk.global.shared::cta.bulk_group.\" #op \".\" #type \\\n"
    "               \" [%0], [%1], %2;\" :: \\\n"
    "               \"l\"(to), \"r\"(shared_address(from)), \"r\"((int)(bytes)) : \"memory\")\n"
    "#endif\n";

// A bulk copy to the same place in every block of a cluster of so many, for the object there.
inline constexpr const char* kMulticast =
    "#ifndef begin_copy_to_ranks\n"
    "#define begin_copy_to_ranks(bytes, to, from, object, ranks, piece) \\\n"
    "  asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\" \\\n"
    "               \".multicast::cluster [%0], [%1], %2, [%3], %4;\" :: \\\n"
    "               \"r\"(shared_address(to)), \"l\"(from), \"r\"((int)(bytes)), \\\n"
    "               \"r\"(shared_address(object)), \\\n"
    "               \"h\"((unsigned short)((1 << (ranks)) - 1)) : \"memory\")\n"
    "#endif\n";

// Groups of stores of boxes, which a thread waits for: until all is stored, or until their tiles
// have been read.
inline constexpr const char* kStoreGroups =
    "#ifndef end_store_group\n"
    "#define end_store_group() asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\")\n"
    "#define wait_for_store_groups(pending) \\\n"
    "  asm volatile(\"cp.async.bulk.wait_group %0;\" :: \"n\"(pending) : \"memory\")\n"
    "#define wait_for_store_reads(pending) \\\n"
    "  asm volatile(\"cp.async.bulk.wait_group.read %0;\" :: \"n\"(pending) : \"memory\")\n"
    "#endif\n";

// A tensor map (CUtensorMap), which the host encodes.
inline constexpr const char* kTensorMap =
    "#ifndef SELVAGE_VIRTUAL_DEVICE\n"
    "typedef struct __align__(64) { unsigned char bytes[128]; } tensor_map;\n"
    "#endif\n";

// Whether the thread is the one that its warp elects. All threads of the warp get there together.
inline constexpr const char* kElect =
    "#ifndef elect_one\n"
    "#define elect_one(is_elected) \\\n"
    "  asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }\" : \\\n"
    "               \"=r\"(is_elected) :: \"memory\")\n"
    "#endif\n";

// Threads of a warpgroup give registers back, or take more (setmaxnreg); architectures that have
// not all features of their own go on with what they have.
inline constexpr const char* kSetRegisters =
    "#ifndef more_registers\n"
    "#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)\n"
    "#define fewer_registers(n) \\\n"
    "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" :: \"n\"(n))\n"
    "#define more_registers(n) \\\n"
    "  asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" :: \"n\"(n))\n"
    "#else\n"
    "#define fewer_registers(n) ((void)0)\n"
    "#define more_registers(n) ((void)0)\n"
    "#endif\n"
    "#endif\n";

// Whether the blocks of all others have come here before. All threads of each block come, once. The
// last block leaves the counter as it was, 0. Each thread's fence makes what it wrote visible
// before its block is counted (CUDA Programming Guide, memory fence functions).
inline constexpr const char* kLastBlock =
    "#ifndef SELVAGE_VIRTUAL_DEVICE\n"
    "static __device__ __forceinline__ int count_block(int* counter, int blocks) {\n"
    "  const int before = atomicAdd(counter, 1);\n"
    "  if (before == blocks - 1) *counter = 0;\n"
    "  return before == blocks - 1;\n"
    "}\n"
    "#endif\n"
    "static __device__ __forceinline__ bool is_last_block(int* counter) {\n"
    "  __shared__ int is_last;\n"
    "  __threadfence();\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {\n"
    "    is_last = count_block(counter, (int)(gridDim.x * gridDim.y * gridDim.z));\n"
    "  }\n"
    "  __syncthreads();\n"
    "  if (is_last) __threadfence();\n"
    "  return is_last;\n"
    "}\n";

// Records a check that has failed (kernel/failures.h).
static_assert(kMostFailures == 64 && kFailureElements == 1 + 5 * kMostFailures);
inline constexpr const char* kRecordFailure =
    "#ifndef SELVAGE_VIRTUAL_DEVICE\n"
    "static __device__ __forceinline__ long long count_failure(long long* count) {\n"
    "  return (long long)atomicAdd((unsigned long long*)count, 1ull);\n"
    "}\n"
    "#endif\n"
    "static __device__ __noinline__ void record_failure(long long* failures, int check, long long "
    "point, long long shown) {\n"
    "  const long long k = count_failure(failures);\n"
    "  if (k >= 64) return;\n"
    "  long long* at = failures + 5 * k;\n"
    "  at[1] = check;\n"
    "  at[2] = point;\n"
    "  at[3] = shown;\n"
    "  at[4] = blockIdx.x + ((long long)blockIdx.y << 31) + ((long long)blockIdx.z << 47);\n"
    "  at[5] = threadIdx.x + (threadIdx.y << 10) + (threadIdx.z << 20);\n"
    "}\n";

}  // namespace selvage
