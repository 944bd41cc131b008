#include <selvage/runtime/virtual_prelude.h>

namespace selvage {

namespace {

// C only. Words that qualify a declaration vanish; __shared__ is static storage, since one block
// runs at a time; a half or bfloat16 is the text's own unsigned short. A kernel is static: its name
// may be one that the C library has.
constexpr const char* kPrelude = R"(
#define SELVAGE_VIRTUAL_DEVICE 1
#define KERNEL(name) static void name
#define __global__
#define __device__
#define __host__
#define __forceinline__ __inline__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static
#define __shared__ static
#define bool _Bool
#define true 1
#define false 0
typedef struct { unsigned x, y, z; } uint3;
typedef uint3 dim3;
static struct {
  uint3 thread, block, block_extent, grid_extent;
  char* shared;
  void (*barrier)(int line);
  void (*warp_barrier)(int line);
  void (*shuffle)(void* value, unsigned bytes, int lanes, int line);
  void* const* arguments;
} selvage_machine;
#define threadIdx (selvage_machine.thread)
#define blockIdx (selvage_machine.block)
#define blockDim (selvage_machine.block_extent)
#define gridDim (selvage_machine.grid_extent)
#define warpSize 32
#define DYNAMIC_SHARED(type, name) type* name = (type*)selvage_machine.shared
#define __ldcs(p) (*(p))
#define __syncthreads() \
  (selvage_machine.barrier(__LINE__), selvage_after_barrier())
#define __syncwarp() \
  (selvage_machine.warp_barrier(__LINE__), selvage_after_barrier())
#define __shfl_xor_sync(selvage_mask, selvage_from, selvage_lanes) ({ \
  __typeof__((selvage_from) + 0) selvage_value = (selvage_from); \
  selvage_machine.shuffle(&selvage_value, sizeof selvage_value, selvage_lanes, __LINE__); \
  selvage_value; })
static void selvage_after_barrier(void) { __asm__ __volatile__("" ::: "memory"); }
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

// A GPU's fmin and fmax take -0.0 for less than 0.0; those of a C library may do as they like.
#define SELVAGE_EXTREMUM(type, name, sign, bits, or_a, or_b)   \
  "static " #type " " #name "(" #type " a, " #type             \
  " b) {\n"                                                    \
  "  if (a == b) return " #bits "(a) < 0 ? " #or_a " : " #or_b \
  ";\n"                                                        \
  "  return a != a || b " #sign " a ? b : a;\n}\n"

constexpr const char* kDeclarations =
#define SELVAGE_MATH_1(name) "double " #name "(double); float " #name "f(float);\n"
#define SELVAGE_MATH_2(name) "double " #name "(double, double); float " #name "f(float, float);\n"
#define SELVAGE_MATH_3(name) \
  "double " #name "(double, double, double); float " #name "f(float, float, float);\n"
#include <selvage/runtime/math_functions.def>
    "static float rsqrtf(float x) { return 1.0f / sqrtf(x); }\n"
    "static double rsqrt(double x) { return 1.0 / sqrt(x); }\n" SELVAGE_EXTREMUM(
        float, fminf, <, __float_as_int, a, b)
        SELVAGE_EXTREMUM(double, fmin, <, __double_as_longlong, a, b)
            SELVAGE_EXTREMUM(float, fmaxf, >, __float_as_int, b, a)
                SELVAGE_EXTREMUM(double, fmax, >, __double_as_longlong, b, a);
#undef SELVAGE_EXTREMUM

// Its own names begin with selvage_, so that none hides the kernel's.
constexpr const char* kRun = R"(
void* selvage_machine_address(void) { return &selvage_machine; }
void selvage_thread(void) { SELVAGE_CALL; }
void selvage_threads(const uint3* selvage_first, unsigned selvage_count) {
  const uint3* const selvage_end = selvage_first + selvage_count;
  for (; selvage_first != selvage_end; ++selvage_first) {
    selvage_machine.thread = *selvage_first;
    SELVAGE_CALL;
  }
}
)";

// name(*(T0*)selvage_machine.arguments[0], *(T1*)selvage_machine.arguments[1], ...)
std::string call(const KernelSource& source) {
  std::string text = source.name + "(";
  for (std::size_t i = 0; i < source.parameter_types.size(); ++i) {
    if (i > 0) text += ", ";
    text +=
        "*(" + source.parameter_types[i] + "*)selvage_machine.arguments[" + std::to_string(i) + "]";
  }
  return text + ")";
}

}  // namespace

std::string virtual_text(const KernelSource& source) {
  std::string text = kPrelude;
  text += kDeclarations;
  text += "#line 1 \"" + source.name + "\"\n";
  text += source.text;
  text +=
      "\n#line 1 \"the call of " + source.name + "\"\n#define SELVAGE_CALL " + call(source) + "\n";
  text += kRun;
  return text;
}

}  // namespace selvage
