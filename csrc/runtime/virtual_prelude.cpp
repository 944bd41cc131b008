#include <selvage/base/diagnostic.h>
#include <selvage/runtime/virtual_prelude.h>

#include <fmt/format.h>

namespace selvage {

namespace {

// Makes emitted text compile as C. Qualifiers of declarations vanish; __shared__ is static storage,
// as one block runs at a time; a half or bfloat16 is an unsigned short, as in the text itself. A
// kernel is static, as the C library may have a function of its name.
constexpr const char* kPrelude = R"(
#define SELVAGE_VIRTUAL_DEVICE 1
#define KERNEL(name) static SELVAGE_KERNEL void name
#define __global__
#define __device__
#define __host__
#define __forceinline__ __inline__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static
#define __grid_constant__
#define bool _Bool
#define true 1
#define false 0
typedef struct { unsigned x, y, z; } uint3;
typedef uint3 dim3;
static struct {
  uint3 thread, block, block_extent, grid_extent;
  char* shared;
  void (*barrier)(int line);
  void (*cluster_barrier)(int line);
  void (*warp_barrier)(int line, unsigned lanes);
  void (*numbered_barrier)(int id, int threads, int members, int line);
  void (*shuffle)(void* value, unsigned bytes, int lanes, int line);
  void* const* arguments;
  int (*count_block)(int* counter, int blocks);
  long long (*count_failure)(long long* count);
  void (*begin_copy)(void* to, const void* from, unsigned bytes);
  void (*end_copy_group)(void);
  void (*wait_for_copy_groups)(int pending);
  void (*init_object)(void* object, int arrivals);
  void (*arrive)(void* object, long long bytes, int arrivals);
  void (*arrive_with_copies)(void* object);
  void (*begin_bulk_copy)(void* to, const void* from, long long bytes, void* object);
  void (*begin_box_copy)(void* to, const void* map, const int* corner, void* object);
  void (*store_bytes)(void* to, const void* from, long long bytes);
  void (*store_box)(const void* from, const void* map, const int* corner);
  void (*combine_bytes)(void* to, const void* from, long long bytes, const char* function,
                        const char* type);
  void (*combine_box)(const void* from, const void* map, const int* corner, const char* function);
  void (*end_store_group)(void);
  void (*wait_for_store_groups)(int pending);
  void (*wait_for_phase)(void* object, int parity, int line);
  void (*multiply)(float* sums, const void* a, const void* b, int columns, const char* type,
                   int is_a_shared, int line);
  void (*end_mma_group)(void);
  void (*wait_for_mma_groups)(int pending);
  void (*access)(const void* place, unsigned long bytes, int writes);
} selvage_machine;
#define threadIdx (selvage_machine.thread)
#define blockIdx (selvage_machine.block)
#define blockDim (selvage_machine.block_extent)
#define gridDim (selvage_machine.grid_extent)
#define warpSize 32
#define DYNAMIC_SHARED(type, name) type* name = (type*)selvage_machine.shared
#define ALIGNED_DYNAMIC_SHARED(n, type, name) DYNAMIC_SHARED(type, name)
#define __ldcs(p) (*(p))
#define __threadfence() ((void)0)
#define count_block(counter, blocks) (selvage_machine.count_block(counter, blocks))
#define count_failure(count) (selvage_machine.count_failure(count))
#define __syncthreads() \
  (selvage_machine.barrier(__LINE__), selvage_after_barrier())
#define sync_cluster() \
  (selvage_machine.cluster_barrier(__LINE__), selvage_after_barrier())
#define cluster_rank() ((int)threadIdx.z)
#define cluster_number() blockIdx.x
#define RANK_SHARED(n, type, name, bytes) \
  type* name = (type*)(selvage_machine.shared + (bytes) * (long long)threadIdx.z)
#define in_rank(at, rank, bytes) \
  ((char*)(at) + (bytes) * ((long long)(rank) - (long long)threadIdx.z))
#define __syncwarp(...) \
  (selvage_machine.warp_barrier(__LINE__, __VA_ARGS__ + 0u), selvage_after_barrier())
#define sync_threads(id, threads) \
  (selvage_machine.numbered_barrier(id, threads, 0, __LINE__), selvage_after_barrier())
#define sync_members(id, threads, members, lanes) \
  (selvage_machine.numbered_barrier(id, threads, members, __LINE__), selvage_after_barrier())
#define begin_copy(bytes, to, from) \
  (selvage_machine.begin_copy((void*)(to), (const void*)(from), bytes), selvage_after_barrier())
#define begin_copy_16(to, from) begin_copy(16, to, from)
#define end_copy_group() (selvage_machine.end_copy_group())
#define wait_for_copy_groups(pending) \
  (selvage_machine.wait_for_copy_groups(pending), selvage_after_barrier())
#define elect_one(is_elected) \
  ((is_elected) = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32 == 0)
#define init_object(object, arrivals) (selvage_machine.init_object(object, arrivals))
#define publish_objects() ((void)0)
#define fewer_registers(n) ((void)0)
#define more_registers(n) ((void)0)
#define fence_for_copies() ((void)0)
#define announce_bytes(object, bytes) (selvage_machine.arrive(object, bytes, 0))
#define arrive_at(object) (selvage_machine.arrive(object, 0, 1), selvage_after_barrier())
#define arrive_in_rank(object, rank, bytes) arrive_at(in_rank(object, rank, bytes))
#define arrive_with_copies(object) \
  (selvage_machine.arrive_with_copies(object), selvage_after_barrier())
#define arrive_announcing(object, bytes) \
  (selvage_machine.arrive(object, bytes, 1), selvage_after_barrier())
#define begin_bulk_copy(bytes, to, from, object) \
  (selvage_machine.begin_bulk_copy((void*)(to), (const void*)(from), bytes, object), \
   selvage_after_barrier())
#define begin_copy_to_ranks(bytes, to, from, object, ranks, piece) \
  do { for (int selvage_rank = 0; selvage_rank < (ranks); ++selvage_rank) \
    begin_bulk_copy(bytes, in_rank(to, selvage_rank, piece), from, \
                    in_rank(object, selvage_rank, piece)); } while (0)
#define begin_box(to, map, object, ...) \
  (selvage_machine.begin_box_copy((void*)(to), map, (const int[]){__VA_ARGS__}, object), \
   selvage_after_barrier())
#define begin_box_copy_1(to, map, object, ...) begin_box(to, map, object, __VA_ARGS__)
#define begin_box_copy_2(to, map, object, ...) begin_box(to, map, object, __VA_ARGS__)
#define begin_box_copy_3(to, map, object, ...) begin_box(to, map, object, __VA_ARGS__)
#define begin_box_copy_4(to, map, object, ...) begin_box(to, map, object, __VA_ARGS__)
#define begin_box_copy_5(to, map, object, ...) begin_box(to, map, object, __VA_ARGS__)
#define begin_box_to_ranks(to, map, object, ranks, piece, ...) \
  do { for (int selvage_rank = 0; selvage_rank < (ranks); ++selvage_rank) \
    begin_box(in_rank(to, selvage_rank, piece), map, in_rank(object, selvage_rank, piece), \
              __VA_ARGS__); } while (0)
#define begin_box_to_ranks_1(...) begin_box_to_ranks(__VA_ARGS__)
#define begin_box_to_ranks_2(...) begin_box_to_ranks(__VA_ARGS__)
#define begin_box_to_ranks_3(...) begin_box_to_ranks(__VA_ARGS__)
#define begin_box_to_ranks_4(...) begin_box_to_ranks(__VA_ARGS__)
#define begin_box_to_ranks_5(...) begin_box_to_ranks(__VA_ARGS__)
#define store_bytes(bytes, to, from) \
  (selvage_machine.store_bytes((void*)(to), (const void*)(from), bytes), selvage_after_barrier())
#define combine_bytes(function, type, bytes, to, from) \
  (selvage_machine.combine_bytes((void*)(to), (const void*)(from), bytes, #function, #type), \
   selvage_after_barrier())
#define store_box(map, from, ...) \
  (selvage_machine.store_box((const void*)(from), map, (const int[]){__VA_ARGS__}), \
   selvage_after_barrier())
#define store_box_1(map, from, ...) store_box(map, from, __VA_ARGS__)
#define store_box_2(map, from, ...) store_box(map, from, __VA_ARGS__)
#define store_box_3(map, from, ...) store_box(map, from, __VA_ARGS__)
#define store_box_4(map, from, ...) store_box(map, from, __VA_ARGS__)
#define store_box_5(map, from, ...) store_box(map, from, __VA_ARGS__)
#define combine_box(function, map, from, ...) \
  (selvage_machine.combine_box((const void*)(from), map, (const int[]){__VA_ARGS__}, function), \
   selvage_after_barrier())
#define combine_box_1(op, map, from, ...) combine_box(#op, map, from, __VA_ARGS__)
#define combine_box_2(op, map, from, ...) combine_box(#op, map, from, __VA_ARGS__)
#define combine_box_3(op, map, from, ...) combine_box(#op, map, from, __VA_ARGS__)
#define combine_box_4(op, map, from, ...) combine_box(#op, map, from, __VA_ARGS__)
#define combine_box_5(op, map, from, ...) combine_box(#op, map, from, __VA_ARGS__)
#define end_store_group() (selvage_machine.end_store_group())
#define wait_for_store_groups(pending) \
  (selvage_machine.wait_for_store_groups(pending), selvage_after_barrier())
#define wait_for_store_reads(pending) wait_for_store_groups(pending)
#define fence_mma() ((void)0)
#define begin_mma_in(type, columns, sums, a, b, is_a_shared) \
  (selvage_machine.multiply(sums, a, b, columns, #type, is_a_shared, __LINE__), \
   selvage_after_barrier())
#define begin_mma(type, columns, sums, a, b) begin_mma_in(type, columns, sums, a, b, 1)
#define begin_mma_of_registers(type, columns, sums, a, b) \
  begin_mma_in(type, columns, sums, a, b, 0)
#define end_mma_group() (selvage_machine.end_mma_group())
#define wait_for_mma_groups(pending) \
  (selvage_machine.wait_for_mma_groups(pending), selvage_after_barrier())
#define mma_result(sum) ((void)0)
#define load_mma_registers(name, a) const unsigned short* const name = (a)
#define wait_for_phase(object, parity) \
  (selvage_machine.wait_for_phase(object, parity, __LINE__), selvage_after_barrier())
#define wait_for_ranks(object, parity) wait_for_phase(object, parity)
#define __shfl_xor_sync(selvage_mask, selvage_from, selvage_lanes) ({ \
  __typeof__((selvage_from) + 0) selvage_value = (selvage_from); \
  selvage_machine.shuffle(&selvage_value, sizeof selvage_value, selvage_lanes, __LINE__); \
  selvage_value; })
static void selvage_after_barrier(void) { __asm__ __volatile__("" ::: "memory"); }
typedef struct { unsigned char bytes[128]; } tensor_map;
typedef struct __align__(8) { float x, y; } float2;
typedef struct __align__(16) { float x, y, z, w; } float4;
typedef struct __align__(16) { double x, y; } double2;
typedef struct __align__(8) { int x, y; } int2;
typedef struct __align__(16) { int x, y, z, w; } int4;
typedef struct __align__(8) { unsigned x, y; } uint2;
typedef struct __align__(16) { unsigned x, y, z, w; } uint4;
typedef struct __align__(16) { long long x, y; } longlong2;
typedef struct __align__(4) { unsigned short x, y; } ushort2;
typedef struct __align__(8) { unsigned short x, y, z, w; } ushort4;
static int __float_as_int(float x) { union { float f; int i; } u; u.f = x; return u.i; }
static float __int_as_float(int x) { union { int i; float f; } u; u.i = x; return u.f; }
static unsigned __float_as_uint(float x) { return (unsigned)__float_as_int(x); }
static float __uint_as_float(unsigned x) { return __int_as_float((int)x); }
static long long __double_as_longlong(double x) {
  union { double f; long long i; } u; u.f = x; return u.i;
}
static double __longlong_as_double(long long x) {
  union { long long i; double f; } u; u.i = x; return u.f;
}
#define isnan(x) selvage_isnan(x)
#define isinf(x) selvage_isinf(x)
#define isfinite(x) selvage_isfinite(x)
static int selvage_isnan(double x) { return x != x; }
static int selvage_isfinite(double x) { return x - x == 0; }
static int selvage_isinf(double x) { return x == x && x - x != 0; }
)";

constexpr const char* kDeclarations =
#define SELVAGE_MATH_1(name) "double " #name "(double); float " #name "f(float);\n"
#define SELVAGE_MATH_2(name) "double " #name "(double, double); float " #name "f(float, float);\n"
#define SELVAGE_MATH_3(name) \
  "double " #name "(double, double, double); float " #name "f(float, float, float);\n"
#include <selvage/runtime/math_functions.def>
    R"(
static float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static double rsqrt(double x) { return 1.0 / sqrt(x); }
/* A GPU takes -0.0 for less than 0.0; a C library may do as it likes. */
#define SELVAGE_EXTREMUM(type, name, sign, bits, or_a, or_b) \
  static type name(type a, type b) { \
    if (a == b) return bits(a) < 0 ? or_a : or_b; \
    return a != a || b sign a ? b : a; \
  }
SELVAGE_EXTREMUM(float, fminf, <, __float_as_int, a, b)
SELVAGE_EXTREMUM(double, fmin, <, __double_as_longlong, a, b)
SELVAGE_EXTREMUM(float, fmaxf, >, __float_as_int, b, a)
SELVAGE_EXTREMUM(double, fmax, >, __double_as_longlong, b, a)
)";

// What differs between plain and checked units. In a checked one, gcc's thread sanitizer calls a
// __tsan function before each access of the kernel; these here pass the access on to the machine.
// No library of the sanitizer is linked.
constexpr const char* kPlain = R"(
#define SELVAGE_KERNEL
#define SELVAGE_UNCHECKED
#define __shared__ static
)";
constexpr const char* kChecked = R"(
#define SELVAGE_KERNEL __attribute__((noinline))
#define SELVAGE_UNCHECKED __attribute__((no_sanitize("thread")))
#define __shared__ static __attribute__((section("selvage_shared")))
#define SELVAGE_ACCESS(selvage_name, selvage_bytes, selvage_writes) \
  __attribute__((visibility("hidden"))) SELVAGE_UNCHECKED \
  void __tsan_##selvage_name(const void* place) { \
    selvage_machine.access(place, selvage_bytes, selvage_writes); \
  }
#define SELVAGE_ACCESSES(selvage_bytes) \
  SELVAGE_ACCESS(read##selvage_bytes, selvage_bytes, 0) \
  SELVAGE_ACCESS(write##selvage_bytes, selvage_bytes, 1) \
  SELVAGE_ACCESS(unaligned_read##selvage_bytes, selvage_bytes, 0) \
  SELVAGE_ACCESS(unaligned_write##selvage_bytes, selvage_bytes, 1)
SELVAGE_ACCESSES(1)
SELVAGE_ACCESSES(2)
SELVAGE_ACCESSES(4)
SELVAGE_ACCESSES(8)
SELVAGE_ACCESSES(16)
#define SELVAGE_HOOK __attribute__((visibility("hidden"))) SELVAGE_UNCHECKED void
SELVAGE_HOOK __tsan_read_range(const void* place, unsigned long bytes) {
  selvage_machine.access(place, bytes, 0);
}
SELVAGE_HOOK __tsan_write_range(const void* place, unsigned long bytes) {
  selvage_machine.access(place, bytes, 1);
}
SELVAGE_HOOK __tsan_func_entry(void* selvage_from) { (void)selvage_from; }
SELVAGE_HOOK __tsan_func_exit(void) {}
SELVAGE_HOOK __tsan_init(void) {}
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
#define SELVAGE_EDGE __shared__ __attribute__((used, aligned(1))) char
SELVAGE_EDGE selvage_shared_begin[1024];
)";

// Runs the kernel for one, some or all threads of a block. Names begin with selvage_, so that none
// hides a name of the kernel. Arguments are read once, as they are the same for all threads.
constexpr const char* kRun = R"(
SELVAGE_UNCHECKED void* selvage_machine_address(void) { return &selvage_machine; }
SELVAGE_UNCHECKED void selvage_thread(void) {
  SELVAGE_ARGUMENTS
  SELVAGE_CALL;
}
SELVAGE_UNCHECKED void selvage_threads(const uint3* selvage_first, unsigned selvage_count) {
  const uint3* const selvage_end = selvage_first + selvage_count;
  SELVAGE_ARGUMENTS
  for (; selvage_first != selvage_end; ++selvage_first) {
    selvage_machine.thread.x = selvage_first->x;
    selvage_machine.thread.y = selvage_first->y;
    selvage_machine.thread.z = selvage_first->z;
    SELVAGE_CALL;
  }
}
SELVAGE_UNCHECKED void selvage_block(void) {
  const uint3 selvage_n = selvage_machine.block_extent;
  unsigned selvage_x, selvage_y, selvage_z;
  SELVAGE_ARGUMENTS
  for (selvage_z = 0; selvage_z < selvage_n.z; ++selvage_z) {
    selvage_machine.thread.z = selvage_z;
    for (selvage_y = 0; selvage_y < selvage_n.y; ++selvage_y) {
      selvage_machine.thread.y = selvage_y;
      for (selvage_x = 0; selvage_x < selvage_n.x; ++selvage_x) {
        selvage_machine.thread.x = selvage_x;
        SELVAGE_CALL;
      }
    }
  }
}
)";

// Stands after all variables of the kernel, so that shared memory lies between two edges, which no
// access may touch.
constexpr const char* kImage = R"(
SELVAGE_EDGE selvage_shared_end[1024];
SELVAGE_UNCHECKED void selvage_image(char** selvage_ends) {
  selvage_ends[0] = __ehdr_start;
  selvage_ends[1] = _end;
  selvage_ends[2] = selvage_shared_begin + sizeof selvage_shared_begin;
  selvage_ends[3] = selvage_shared_end;
}
)";

// #define SELVAGE_ARGUMENTS T0 selvage_0 = *(T0*)selvage_machine.arguments[0]; ...
// #define SELVAGE_CALL name(selvage_0, ...)
std::string call(const KernelSource& source) {
  std::string values = "#define SELVAGE_ARGUMENTS", call = "#define SELVAGE_CALL " + source.name;
  for (std::size_t i = 0; i < source.parameter_types.size(); ++i) {
    const std::string& type = source.parameter_types[i];
    const std::string n = std::to_string(i);
    values +=
        " " + type + " selvage_" + n + " = *(" + type + "*)selvage_machine.arguments[" + n + "];";
    call += (i == 0 ? "(selvage_" : ", selvage_") + n;
  }
  return values + "\n" + call + (source.parameter_types.empty() ? "()\n" : ")\n");
}

}  // namespace

std::string to_text(VirtualIndex i) { return fmt::format("({}, {}, {})", i.x, i.y, i.z); }

void refuse_run(const KernelSource& source, std::string code, std::string message,
                std::vector<std::string> notes, std::string help) {
  Diagnostic d;
  d.code = std::move(code);
  d.place.file = source.name;
  d.message = std::move(message);
  d.notes = std::move(notes);
  d.help = std::move(help);
  throw Error(std::move(d));
}

std::string virtual_text(const KernelSource& source, bool checked) {
  std::string text = checked ? "" : kPlain;
  text += kPrelude;
  if (checked) text += kChecked;
  text += kDeclarations;
  text += "#line 1 \"" + source.name + "\"\n";
  text += source.text;
  text += "\n#line 1 \"the call of " + source.name + "\"\n" + call(source);
  text += kRun;
  if (checked) text += kImage;
  return text;
}

}  // namespace selvage
