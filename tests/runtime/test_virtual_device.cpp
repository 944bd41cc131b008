#include <selvage/base/diagnostic.h>
#include <selvage/runtime/virtual_device.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

class VirtualDevice : public testing::TestWithParam<VirtualCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == VirtualCompiler::Tcc && !has_tcc()) GTEST_SKIP() << "built without libtcc";
  }
  VirtualKernel compile(const KernelSource& source) { return VirtualKernel(source, GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Runs, VirtualDevice,
                         testing::Values(VirtualCompiler::Tcc, VirtualCompiler::Gcc),
                         [](const auto& i) {
                           return i.param == VirtualCompiler::Tcc ? "Tcc" : "Gcc";
                         });

std::vector<float> ramp(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i) * 0.125F - 3.0F;
  return x;
}

TEST_P(VirtualDevice, AGuardedPointwiseKernelEqualsPlainCode) {
  VirtualKernel kernel = compile(pointwise());
  for (long long M : {1, 3, 4, 5, 7, 33}) {
    for (long long N : {1, 2, 31, 32, 37, 65}) {
      const auto a = ramp(static_cast<std::size_t>(M * N));
      const auto b = ramp(static_cast<std::size_t>(N));
      std::vector<float> y(a.size() + 1, -99.0F);
      const float* pa = a.data();
      const float* pb = b.data();
      float* py = y.data();
      void* const arguments[] = {&pa, &pb, &py, &M, &N};
      kernel.launch({.grid = {(N + 31) / 32, (M + 3) / 4, 1}, .block = {32, 4, 1}}, arguments);
      for (long long i = 0; i < M * N; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const float half = std::tanh(a[k]) * 0.5F;
        ASSERT_EQ(y[k], half + b[static_cast<std::size_t>(i % N)]) << M << " x " << N;
      }
      ASSERT_EQ(y.back(), -99.0F);  // past the end: guarded
    }
  }
}

TEST_P(VirtualDevice, IndicesHave64Bits) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(wide)(long long* y, unsigned long long* q, long long base) {
  const long long i = base * blockDim.x + threadIdx.x;
  y[threadIdx.x] = i / 3 % 1000000007;
  q[threadIdx.x] = (unsigned long long)((double)(unsigned long long)i * 2.0);
}
)",
                                  "wide",
                                  {"long long*", "unsigned long long*", "long long"}});
  std::vector<long long> y(5);
  std::vector<unsigned long long> q(5);
  long long* py = y.data();
  unsigned long long* pq = q.data();
  long long base = 1LL << 40;
  void* const arguments[] = {&py, &pq, &base};
  kernel.launch({.block = {5, 1, 1}}, arguments);
  for (long long t = 0; t < 5; ++t) {
    EXPECT_EQ(y[static_cast<std::size_t>(t)], (base * 5 + t) / 3 % 1000000007);
    EXPECT_EQ(q[static_cast<std::size_t>(t)], static_cast<unsigned long long>(base * 5 + t) * 2);
  }
}

TEST_P(VirtualDevice, HalfIsSixteenBitsOfStorage) {
  VirtualKernel kernel = compile(half_increment());
  const std::vector<unsigned short> x = {0x0000, 0x3c00, 0xc000, 0x4900, 0x3800};  // 0 1 -2 10 .5
  std::vector<unsigned short> y(x.size());
  const unsigned short* px = x.data();
  unsigned short* py = y.data();
  int n = 5;
  void* const arguments[] = {&px, &py, &n};
  kernel.launch({.grid = {2, 1, 1}, .block = {4, 1, 1}}, arguments);
  EXPECT_EQ(y, (std::vector<unsigned short>{0x3c00, 0x4000, 0xbc00, 0x4980, 0x3e00}));
}

TEST_P(VirtualDevice, VectorsMathematicsAndDynamicSharedMemory) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(mixed)(const float* x, float* y, double z) {
  DYNAMIC_SHARED(float4, tile);
  const int t = threadIdx.x;
  tile[t] = ((const float4*)x)[t];
  __syncthreads();
  float4 v = tile[blockDim.x - 1 - t];
  v.x = isnan(v.x) ? -1.0f : isinf(v.x) ? -2.0f : rsqrtf(v.x);
  v.y = fmaf(v.y, 2.0f, (float)fmax(z, pow(z, 2.0)));
  ((float4*)y)[t] = v;
}
)",
                                  "mixed",
                                  {"const float*", "float*", "double"}});
  struct alignas(16) Row {
    float x, y, z, w;
    bool operator==(const Row&) const = default;
  };
  const Row x[] = {{4, 1, 2, 3}, {NAN, 5, 6, 7}, {INFINITY, 9, 10, 11}};
  Row y[3] = {};
  const Row* px = x;
  Row* py = y;
  double z = 3;
  void* const arguments[] = {&px, &py, &z};
  kernel.launch({.block = {3, 1, 1}, .shared_bytes = sizeof x}, arguments);
  EXPECT_EQ(y[0], (Row{-2, 27, 10, 11}));
  EXPECT_EQ(y[1], (Row{-1, 19, 6, 7}));
  EXPECT_EQ(y[2], (Row{0.5F, 11, 2, 3}));
}

TEST_P(VirtualDevice, EveryThreadRunsOnceInAnyOrder) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(visit)(int* count, int* order, int* clock) {
  const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int i = b * (blockDim.x * blockDim.y * blockDim.z) + t;
  count[i] += 1;
  order[(*clock)++] = i;
}
)",
                                  "visit",
                                  {"int*", "int*", "int*"}});
  const auto order_of = [&](std::uint64_t seed) {
    std::vector<int> count(360);
    std::vector<int> order(360);
    int clock = 0;
    int* pc = count.data();
    int* po = order.data();
    int* pt = &clock;
    void* const arguments[] = {&pc, &po, &pt};
    kernel.launch({.grid = {2, 3, 5}, .block = {3, 2, 2}}, arguments, {seed, 1});
    EXPECT_EQ(count, std::vector<int>(360, 1)) << "seed " << seed;
    return order;
  };
  std::vector<int> in_order(360);
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_EQ(order_of(0), in_order);
  EXPECT_NE(order_of(1), in_order);
  EXPECT_NE(order_of(1), order_of(2));
  EXPECT_EQ(order_of(2), order_of(2));
}

TEST_P(VirtualDevice, AnEmptyGridLaunchesNothing) {
  VirtualKernel kernel = compile({kHead + "KERNEL(one)(int* y) { *y = 1; }", "one", {"int*"}});
  int y = 0;
  int* py = &y;
  void* const arguments[] = {&py};
  kernel.launch({.grid = {4, 0, 1}}, arguments);
  EXPECT_EQ(y, 0);
  kernel.launch({}, arguments);
  EXPECT_EQ(y, 1);
}

TEST_P(VirtualDevice, ABarrierMakesSharedMemoryVisibleInAnyOrder) {
  VirtualKernel kernel = compile(reversal());
  const auto x = ramp(3 * 200);
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    std::vector<float> y(x.size());
    const float* px = x.data();
    float* py = y.data();
    void* const arguments[] = {&px, &py};
    kernel.launch({.grid = {3, 1, 1}, .block = {200, 1, 1}}, arguments, seed);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], x[i / 200 * 200 + 199 - i % 200]) << "seed " << seed;
    }
  }
}

TEST_P(VirtualDevice, ABarrierMayStandInALoop) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(total)(const int* x, int* y) {
  __shared__ int part[1024];
  const int t = threadIdx.x;
  int width;
  part[t] = x[t];
  __syncthreads();
  for (width = blockDim.x / 2; width > 0; width /= 2) {
    if (t < width) part[t] += part[t + width];
    __syncthreads();
  }
  if (t == 0) *y = part[0];
}
)",
                                  "total",
                                  {"const int*", "int*"}});
  std::vector<int> x(1024);
  std::iota(x.begin(), x.end(), 1);
  int y = 0;
  const int* px = x.data();
  int* py = &y;
  void* const arguments[] = {&px, &py};
  kernel.launch({.block = {1024, 1, 1}}, arguments, 7);
  EXPECT_EQ(y, 1024 * 1025 / 2);
}

TEST_P(VirtualDevice, ABarrierThatSomeThreadsLeaveBehindIsRefused) {
  VirtualKernel kernel = compile({kHead + R"(KERNEL(early)(int n) {
  if ((int)(blockIdx.x * blockDim.x + threadIdx.x) >= n) return;
  __syncthreads();
})",
                                  "early",
                                  {"int"}});
  int n = 13;
  void* const arguments[] = {&n};
  const LaunchShape shape{.grid = {2, 1, 1}, .block = {8, 1, 1}};
  const std::string message =
      "early: error[E702]: the threads of block (1, 0, 0) part at a barrier; "
      "thread (0, 0, 0) and 4 more at line 6: __syncthreads();; "
      "thread (5, 0, 0) and 2 more left the kernel; "
      "help: move the barrier out of the branch, so that every thread reaches it";
  EXPECT_EQ(error_of([&] { kernel.launch(shape, arguments); }), message);
  EXPECT_EQ(error_of([&] {
              kernel.launch({.block = {16, 1, 1}}, arguments, 5);
            }),
            "early: error[E702]: the threads of block (0, 0, 0) part at a barrier; "
            "thread (0, 0, 0) and 12 more at line 6: __syncthreads();; "
            "thread (13, 0, 0) and 2 more left the kernel; "
            "help: move the barrier out of the branch, so that every thread reaches it");
  n = 16;  // now every thread reaches it, and what was dropped half-way does no harm
  EXPECT_EQ(error_of([&] { kernel.launch(shape, arguments); }), "accepted");
}

TEST_P(VirtualDevice, TwoBarriersInTwoBranchesAreRefused) {
  VirtualKernel kernel = compile({kHead + R"(KERNEL(branches)(void) {
  if (threadIdx.x % 2) {
    __syncthreads();
  } else {
    __syncthreads();
  }
})",
                                  "branches",
                                  {}});
  EXPECT_EQ(error_of([&] {
              kernel.launch({.block = {2, 1, 1}}, {});
            }),
            "branches: error[E702]: the threads of block (0, 0, 0) part at a barrier; "
            "thread (0, 0, 0) at line 8: __syncthreads();; "
            "thread (1, 0, 0) at line 6: __syncthreads();; "
            "help: move the barrier out of the branch, so that every thread reaches it");
}

// Each warp at its own pace: the first one takes three rounds more than the second.
TEST_P(VirtualDevice, WarpsMeetOnTheirOwn) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(rotate)(const int* x, int* y) {
  __shared__ int tile[80];
  const int t = threadIdx.x;
  const int first = t / 32 * 32;
  const int size = t < 64 ? 32 : 16;
  int round;
  int v = x[t];
  for (round = 0; round < 5 - t / 32 * 2; ++round) {
    tile[t] = v;
    __syncwarp();
    v = tile[first + (t + 1) % size];
    __syncwarp();
  }
  if (t < 32) {
    __syncwarp();
    y[t] = v;
  } else {
    y[t] = v;
  }
}
)",
                                  "rotate",
                                  {"const int*", "int*"}});
  std::vector<int> x(80);
  std::iota(x.begin(), x.end(), 100);
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    std::vector<int> y(80);
    const int* px = x.data();
    int* py = y.data();
    void* const arguments[] = {&px, &py};
    kernel.launch({.block = {80, 1, 1}}, arguments, seed);
    for (int t = 0; t < 80; ++t) {
      const int first = t / 32 * 32, size = t < 64 ? 32 : 16, rounds = 5 - t / 32 * 2;
      EXPECT_EQ(y[std::size_t(t)], 100 + first + (t - first + rounds) % size) << "seed " << seed;
    }
  }
}

TEST_P(VirtualDevice, AShuffleIsOfTheTypeOfItsValue) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(shuffles)(const double* x, double* y, unsigned short* h, int lanes) {
  const int t = threadIdx.x;
  const unsigned short own = (unsigned short)(60000 + t);
  y[t] = __shfl_xor_sync(0xffffffffu, x[t], 3);
  y[t] += __shfl_xor_sync(0xffffffffu, (float)t, lanes) * 1000;
  y[t] += (double)__shfl_xor_sync(0xffffffffu, (long long)t << 40, 1);
  h[t] = __shfl_xor_sync(0xffffffffu, own, lanes);
}
)",
                                  "shuffles",
                                  {"const double*", "double*", "unsigned short*", "int"}});
  std::vector<double> x(64), y(64);
  std::iota(x.begin(), x.end(), 0.25);
  std::vector<unsigned short> h(64);
  const double* px = x.data();
  double* py = y.data();
  unsigned short* ph = h.data();
  int lanes = 16;
  void* const arguments[] = {&px, &py, &ph, &lanes};
  kernel.launch({.block = {64, 1, 1}}, arguments, 9);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(y[std::size_t(t)],
              (t ^ 3) + 0.25 + (t ^ 16) * 1000 + double((long long)(t ^ 1) << 40));
    EXPECT_EQ(h[std::size_t(t)], 60000 + (t ^ 16));
  }
}

TEST_P(VirtualDevice, AWarpWhoseThreadsPartIsRefused) {
  VirtualKernel kernel = compile({kHead + R"(KERNEL(parts)(int n, int* y) {
  const int t = threadIdx.x;
  if (t < n) {
    y[t] = __shfl_xor_sync(0xffffffffu, t, 1);
  } else if (t < 50) {
    __syncwarp();
  }
  __syncthreads();
})",
                                  "parts",
                                  {"int", "int*"}});
  std::vector<int> y(64);
  int n = 40;
  int* py = y.data();
  void* const arguments[] = {&n, &py};
  const auto launch = [&](int threads) {
    return error_of([&] { kernel.launch({.block = {threads, 1, 1}}, arguments); });
  };
  EXPECT_EQ(launch(64),
            "parts: error[E702]: the threads of warp 1 of block (0, 0, 0) part at a shuffle; "
            "thread (32, 0, 0) and 7 more at line 7: y[t] = __shfl_xor_sync(0xffffffffu, t, 1);; "
            "thread (40, 0, 0) and 9 more at line 9: __syncwarp();; "
            "thread (50, 0, 0) and 13 more at line 11: __syncthreads();; "
            "help: move the shuffle out of the branch, so that every thread reaches it");
  n = 32;
  EXPECT_EQ(launch(64),
            "parts: error[E702]: the threads of warp 1 of block (0, 0, 0) part at a barrier; "
            "thread (32, 0, 0) and 17 more at line 9: __syncwarp();; "
            "thread (50, 0, 0) and 13 more at line 11: __syncthreads();; "
            "help: move the barrier out of the branch, so that every thread reaches it");
  EXPECT_EQ(launch(50), "accepted");
  EXPECT_EQ(y[31], 30);
  n = 50;
  EXPECT_EQ(launch(50),
            "parts: error[E702]: a warp of 18 threads of block (0, 0, 0) shuffles; "
            "thread (32, 0, 0) and 17 more at line 7: y[t] = __shfl_xor_sync(0xffffffffu, t, 1);; "
            "help: give the block a multiple of 32 threads, and guard what the added ones do");
  n = 64;
  EXPECT_EQ(launch(64), "accepted");
}

TEST_P(VirtualDevice, ACompileErrorNamesTheEmittedLine) {
  const KernelSource source{
      kHead + "KERNEL(bad)(float* y) {\n  y[0] = wrong;\n}\n", "bad", {"float*"}};
  const bool tcc = GetParam() == VirtualCompiler::Tcc;
  EXPECT_EQ(error_of([&] { compile(source); }),
            tcc ? "bad:5:0: error[E701]: tcc refuses the emitted text: 'wrong' undeclared; "
                  "line 5: y[0] = wrong;"
                : "bad:5:10: error[E701]: gcc refuses the emitted text: 'wrong' undeclared (first "
                  "use in this function); line 5: y[0] = wrong;");
}

TEST_P(VirtualDevice, AnUnknownFunctionIsNoIntFunction) {
  const KernelSource source{
      kHead + "KERNEL(bad)(float* y) {\n  y[0] = gamma_of(1.0f);\n}\n", "bad", {"float*"}};
  const std::string message = error_of([&] { compile(source); });
  EXPECT_NE(message.find("bad:5:"), std::string::npos) << message;
  EXPECT_NE(message.find("gamma_of"), std::string::npos) << message;
}

TEST_P(VirtualDevice, ParameterTypesThatDoNotFitTheTextAreRefused) {
  const KernelSource source{kHead + "KERNEL(one)(float* y) { *y = 1; }", "one", {"double*"}};
  const std::string message = error_of([&] { compile(source); });
  EXPECT_NE(message.find("incompatible pointer type"), std::string::npos) << message;
  EXPECT_NE(message.find("in the call of one"), std::string::npos) << message;
}

TEST_P(VirtualDevice, AKernelMayBearAnyName) {
  for (const std::string name : {"getpid", "k", "count", "threads", "thread", "y"}) {
    VirtualKernel kernel =
        compile({kHead + "KERNEL(" + name + ")(int* y) { *y = -1; }", name, {"int*"}});
    int y = 0;
    int* py = &y;
    void* const arguments[] = {&py};
    kernel.launch({}, arguments);
    EXPECT_EQ(y, -1) << name;
  }
}

TEST_P(VirtualDevice, KernelsCompileAndRunFromSeveralThreads) {
  std::vector<int> sums(4);
  std::vector<std::thread> workers;
  for (int& sum : sums) {
    workers.emplace_back([&sum] {
      for (int round = 0; round < 5; ++round) {
        VirtualKernel kernel(reversal(), GetParam());
        const auto x = ramp(64);
        std::vector<float> y(64);
        const float* px = x.data();
        float* py = y.data();
        void* const arguments[] = {&px, &py};
        kernel.launch({.block = {64, 1, 1}}, arguments);
        std::ranges::reverse(y);
        sum += y == x ? 1 : 0;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(sums, std::vector<int>(4, 5));
}

}  // namespace
}  // namespace selvage
