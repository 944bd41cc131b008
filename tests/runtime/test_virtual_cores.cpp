#include <selvage/base/diagnostic.h>
#include <selvage/runtime/virtual_device.h>
#include <tests/support/refusal.h>
#include <tests/support/this_build.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

// What the variable says for as long as this lives.
class ThreadsVariable {
 public:
  explicit ThreadsVariable(const char* value) {
    if (const char* before = std::getenv(kName)) before_ = before;
    setenv(kName, value, 1);
  }
  ~ThreadsVariable() { setenv(kName, before_.c_str(), 1); }
  ThreadsVariable(const ThreadsVariable&) = delete;

 private:
  static constexpr const char* kName = "SELVAGE_VIRTUAL_THREADS";
  std::string before_;
};

class VirtualCores : public testing::TestWithParam<VirtualCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == VirtualCompiler::Tcc && !has_tcc()) GTEST_SKIP() << "built without libtcc";
  }
  VirtualKernel compile(const KernelSource& source) { return VirtualKernel(source, GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Runs, VirtualCores,
                         testing::Values(VirtualCompiler::Tcc, VirtualCompiler::Gcc),
                         [](const auto& i) {
                           return i.param == VirtualCompiler::Tcc ? "Tcc" : "Gcc";
                         });

// y[b] = the sum of x over block b, on the way through shared memory; `skipped` names a block whose
// first thread leaves before the barrier.
KernelSource sums() {
  return {kHead + R"(KERNEL(sums)(const float* x, float* y, int skipped) {
  __shared__ float part[64];
  const int t = (int)threadIdx.x;
  const int b = (int)blockIdx.x;
  float sum = x[b * 64 + t];
  int lanes, width;
  if (b >= skipped && t == 0) return;
  for (lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  part[t] = sum;
  __syncthreads();
  if (t == 0) y[b] = part[0] + part[32];
})",
          "sums",
          {"const float*", "float*", "int"}};
}

TEST_P(VirtualCores, ValuesDoNotDependOnTheNumberOfCores) {
  VirtualKernel kernel = compile(sums());
  const int blocks = 2000;
  std::vector<float> x(std::size_t(blocks) * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(float(i)) * 100;
  const float* px = x.data();
  int skipped = blocks;
  const auto run = [&](VirtualOrder order) {
    std::vector<float> y(std::size_t(blocks), -1.0F);
    float* py = y.data();
    void* const arguments[] = {&px, &py, &skipped};
    kernel.launch({.grid = {blocks, 1, 1}, .block = {64, 1, 1}}, arguments, order);
    return y;
  };
  const std::vector<float> one = run({0, 1});
  EXPECT_EQ(std::count(one.begin(), one.end(), -1.0F), 0);
  for (int threads : {0, 2, 5, kMaxVirtualThreads}) {
    for (int round = 0; round < 3; ++round) ASSERT_EQ(run({0, threads}), one) << threads;
  }
  EXPECT_EQ(run({7, 5}), one);
}

// The last block but one waits for the last to begin, which it does on another core alone. Those
// before take their time.
TEST_P(VirtualCores, BlocksRunAtTheSameTime) {
  VirtualKernel kernel = compile({kHead + R"(
KERNEL(meeting)(volatile int* flag, int* met, long long patience) {
  const int behind = (int)(gridDim.x - blockIdx.x) - 1;
  if (behind == 0) {
    *flag = 1;
  } else {
    if (behind > 1) patience = 100000;
    while (!*flag && patience > 0) --patience;
    if (behind == 1) *met = *flag;
  }
}
)",
                                  "meeting",
                                  {"volatile int*", "int*", "long long"}});
  const auto meets = [&](std::int64_t blocks, int threads, long long patience) {
    int flag = 0, met = -1;
    int *pf = &flag, *pm = &met;
    void* const arguments[] = {&pf, &pm, &patience};
    kernel.launch({.grid = {blocks, 1, 1}}, arguments, {0, threads});
    return met;
  };
  EXPECT_EQ(meets(2, 1, 1000), 0);
  EXPECT_EQ(meets(2, 2, 1LL << 36), 1);
  // Where no number of cores is asked for, a long launch calls for more by itself.
  const ThreadsVariable two("2");
  EXPECT_EQ(meets(200, 0, 1LL << 36), 1);
}

TEST_P(VirtualCores, TheFirstBlockInWhichThreadsPartIsToldOnce) {
  VirtualKernel kernel = compile(sums());
  std::vector<float> x(64 * 1000, 1.0F);
  const float* px = x.data();
  for (int threads : {1, 2, 5}) {
    for (int skipped : {0, 1, 100, 537, 999}) {
      std::vector<float> y(1000);
      float* py = y.data();
      void* const arguments[] = {&px, &py, &skipped};
      const auto launch = [&] {
        kernel.launch({.grid = {1000, 1, 1}, .block = {64, 1, 1}}, arguments, {0, threads});
      };
      ASSERT_EQ(error_of(launch),
                "sums: error[E702]: the threads of warp 0 of block (" + std::to_string(skipped) +
                    ", 0, 0) part at a shuffle; thread (0, 0, 0) left the kernel; "
                    "thread (1, 0, 0) and 30 more at line 11: for (lanes = 16; lanes > 0; lanes /= "
                    "2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);; "
                    "help: move the shuffle out of the branch, so that every thread reaches it");
      EXPECT_EQ(std::count(y.begin(), y.begin() + skipped, 64.0F), skipped) << threads;
      skipped = 1000;  // now no thread leaves early
      ASSERT_EQ(error_of(launch), "accepted");
      EXPECT_EQ(std::count(y.begin(), y.end(), 64.0F), 1000);
    }
  }
}

// They add one after the other, so the sum of floats has one value.
TEST_P(VirtualCores, ATextWithAtomicsStaysOnOneCore) {
  VirtualKernel kernel = compile({kHead + R"(
static __device__ __forceinline__ void atomic_add_float(float* p, float v) { *p = *p + v; }
KERNEL(total)(const float* x, float* y, int* last) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  atomic_add_float(y, x[i]);
  *last = *last == i - 1 ? i : -1;
}
)",
                                  "total",
                                  {"const float*", "float*", "int*"}});
  std::vector<float> x(64 * 2000);
  float expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(float(i));
    expected += x[i];
  }
  for (int threads : {0, 1, 5}) {
    float y = 0;
    int last = -1;
    const float* px = x.data();
    float* py = &y;
    int* pl = &last;
    void* const arguments[] = {&px, &py, &pl};
    kernel.launch({.grid = {2000, 1, 1}, .block = {64, 1, 1}}, arguments, {0, threads});
    EXPECT_EQ(y, expected);
    EXPECT_EQ(last, 64 * 2000 - 1);
  }
}

TEST_P(VirtualCores, OneKernelIsLaunchedFromSeveralThreads) {
  VirtualKernel kernel = compile(sums());
  std::atomic<int> right = 0;
  std::vector<std::thread> hosts;
  for (int host = 0; host < 6; ++host) {
    hosts.emplace_back([&, host] {
      const std::vector<float> x(64 * 50, float(host));
      const float* px = x.data();
      int skipped = 50;
      for (int round = 0; round < 20; ++round) {
        std::vector<float> y(50);
        float* py = y.data();
        void* const arguments[] = {&px, &py, &skipped};
        kernel.launch({.grid = {50, 1, 1}, .block = {64, 1, 1}}, arguments, {0, round % 4});
        right += std::count(y.begin(), y.end(), 64.0F * float(host)) == 50;
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(right, 120);
}

long resident_pages() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

TEST_P(VirtualCores, AThousandLaunchesLeaveNothingBehind) {
  if (is_address_sanitized()) {
    GTEST_SKIP() << "AddressSanitizer keeps what is freed, and looks for leaks itself";
  }
  VirtualKernel kernel = compile(sums());
  const std::vector<float> x(64 * 40, 1.0F);
  const float* px = x.data();
  std::vector<float> y(40);
  float* py = y.data();
  int skipped = 40;
  void* const arguments[] = {&px, &py, &skipped};
  const auto launch = [&](int k) {
    skipped = k % 10 == 0 ? 20 : 40;
    error_of([&] {
      kernel.launch({.grid = {40, 1, 1}, .block = {64, 1, 1}, .shared_bytes = 40000}, arguments,
                    {0, 1 + k % 3});
    });
  };
  // Stacks are touched one by one, by as many threads as the machine has time for; a leak would
  // grow every time.
  long growth = std::numeric_limits<long>::max();
  for (int round = 0; round < 16 && growth >= 64; ++round) {
    const long before = resident_pages();
    for (int k = 0; k < 1000; ++k) launch(k);
    growth = resident_pages() - before;
  }
  EXPECT_LT(growth, 64);
}

TEST_P(VirtualCores, AForkedChildLaunches) {
  VirtualKernel kernel = compile(sums());
  const std::vector<float> x(64 * 500, 1.0F);
  const float* px = x.data();
  std::vector<float> y(500);
  float* py = y.data();
  int skipped = 500;
  void* const arguments[] = {&px, &py, &skipped};
  const auto launches = [&](VirtualKernel& launched) {
    std::fill(y.begin(), y.end(), 0.0F);
    launched.launch({.grid = {500, 1, 1}, .block = {64, 1, 1}}, arguments, {0, 3});
    return std::count(y.begin(), y.end(), 64.0F) == 500;
  };
  EXPECT_TRUE(launches(kernel));  // the parent has threads that the child will not have
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    bool right = launches(kernel);
    VirtualKernel another = compile(sums());
    right = launches(another) && right;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(launches(kernel));
}

TEST(VirtualThreads, AreWhatTheVariableSays) {
  const auto with = [](const char* value) {
    const ThreadsVariable variable(value);
    int n = 0;
    const std::string said = error_of([&] { n = virtual_threads(); });
    return said == "accepted" ? std::to_string(n) : said;
  };
  EXPECT_EQ(with("1"), "1");
  EXPECT_EQ(with("16"), "16");
  EXPECT_EQ(with(""), std::to_string(std::clamp(int(std::thread::hardware_concurrency()), 1,
                                                kMaxVirtualThreads)));
  for (const char* bad : {"0", "17", "-1", "two", "1x", "99999999999"}) {
    EXPECT_EQ(with(bad), "selvage: error[E723]: SELVAGE_VIRTUAL_THREADS is '" + std::string(bad) +
                             "', not a number from 1 to 16; help: unset it, or set it to 1: one "
                             "core");
  }
}

}  // namespace
}  // namespace selvage
