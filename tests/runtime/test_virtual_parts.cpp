// Threads of a block that wait for one another in parts, on the virtual device.
#include <selvage/base/diagnostic.h>
#include <selvage/runtime/virtual_device.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <numeric>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

class VirtualParts : public testing::TestWithParam<VirtualCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == VirtualCompiler::Tcc && !has_tcc()) GTEST_SKIP() << "built without libtcc";
  }
  // The kernel parts(y), by so many threads; y, or why it is refused.
  std::vector<int> run(const std::string& body, std::int64_t threads, VirtualOrder order = 0) {
    VirtualKernel kernel({kHead + "KERNEL(parts)(int* y) {\n" + body + "}\n", "parts", {"int*"}},
                         GetParam());
    std::vector<int> y(std::size_t(threads), -1);
    int* pointer = y.data();
    void* const arguments[] = {&pointer};
    kernel.launch({.block = {threads, 1, 1}}, arguments, order);
    return y;
  }
  std::string refusal(const std::string& body, std::int64_t threads, VirtualOrder order = 0) {
    return refusal_by<Error>([&] { run(body, threads, order); });
  }
};

INSTANTIATE_TEST_SUITE_P(Runs, VirtualParts,
                         testing::Values(VirtualCompiler::Tcc, VirtualCompiler::Gcc),
                         [](const auto& i) {
                           return i.param == VirtualCompiler::Tcc ? "Tcc" : "Gcc";
                         });

TEST_P(VirtualParts, RegionsGoOnEachByItself) {
  // Each region meets more often than the other.
  const std::string body = R"(
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 64) {
    for (int i = 0; i < 5; ++i) {
      sync_threads(1, 64);
      const int next = s[(t + 1) % 64];
      sync_threads(1, 64);
      s[t] = next;
    }
  } else {
    for (int i = 0; i < 2; ++i) {
      sync_threads(2, 64);
      const int next = s[64 + (t + 3) % 64];
      sync_threads(2, 64);
      s[t] = next;
    }
  }
  __syncthreads();
  y[t] = s[127 - t];
)";
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<int> y = run(body, 128, seed);
    for (int t = 0; t < 64; ++t) {
      EXPECT_EQ(y[std::size_t(127 - t)], (t + 5) % 64) << seed;
      EXPECT_EQ(y[std::size_t(63 - t)], 64 + (t + 6) % 64) << seed;
    }
  }
}

TEST_P(VirtualParts, LanesWaitForOneAnother) {
  const std::string body = R"(
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t % 32 < 8) {
    __syncwarp(0x000000ffu);
    const int next = s[t / 8 * 8 + (t + 1) % 8];
    __syncwarp(0x000000ffu);
    s[t] = next;
  } else {
    __syncwarp(0xffffff00u);
    s[t] = -t;
  }
  __syncwarp();
  y[t] = s[t ^ 31];
)";
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<int> y = run(body, 40, seed);  // of the second warp lanes 0 to 7
    for (int t = 0; t < 40; ++t) {
      const int from = t ^ 31;
      if (from >= 40) continue;
      const int expected = from % 32 < 8 ? from / 8 * 8 + (from + 1) % 8 : -from;
      EXPECT_EQ(y[std::size_t(t)], expected) << t << " seed " << seed;
    }
  }
}

// Part of a warp counts for all of it.
TEST_P(VirtualParts, AWarpCountsOnceHoweverManyOfItComeTo) {
  const std::string body = R"(
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 40) {
    sync_members(1, 64, 40, 0);
    y[t] = s[39 - t];
  }
)";
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<int> y = run(body, 64, seed);
    for (int t = 0; t < 40; ++t) EXPECT_EQ(y[std::size_t(t)], 39 - t);
  }
}

TEST_P(VirtualParts, BarriersThatNobodyCanPassAreRefused) {
  const char* const help =
      "help: let those threads get to each barrier that it names or counts, and nobody else";
  EXPECT_EQ(refusal("  if (threadIdx.x < 40) sync_threads(1, 96);\n", 96),
            std::string("parts: error[E702]: the threads of block (0, 0, 0) part at a barrier; "
                        "thread (0, 0, 0) and 39 more at line 5: if (threadIdx.x < 40) "
                        "sync_threads(1, 96);; thread (40, 0, 0) and 55 more left the kernel; ") +
                help);
  EXPECT_EQ(refusal("  if (threadIdx.x < 40) sync_members(1, 64, 40, 0);\n", 96), "accepted");
  for (const char* wrong : {"threads(1, 64", "members(1, 64, 39, 0", "members(1, 64, 41, 0",
                            "members(1, 32, 40, 0", "members(1, 96, 40, 0"}) {
    const std::string body = "  if (threadIdx.x < 40) sync_" + std::string(wrong) + ");\n";
    EXPECT_NE(refusal(body, 96).find("part at a barrier"), std::string::npos) << wrong;
  }
  // Two regions at one number.
  const auto regions = [](int second) {
    return "  if (threadIdx.x < 32)\n    sync_threads(1, 32);\n  else\n    sync_threads(" +
           std::to_string(second) + ", 32);\n";
  };
  EXPECT_EQ(refusal(regions(1), 64),
            std::string("parts: error[E702]: the threads of block (0, 0, 0) part at a barrier; "
                        "thread (0, 0, 0) and 31 more at line 6: sync_threads(1, 32);; "
                        "thread (32, 0, 0) and 31 more at line 8: sync_threads(1, 32);; ") +
                help);
  EXPECT_EQ(refusal(regions(2), 64), "accepted");
  // The first half waits for the block, the other for all threads at a number.
  EXPECT_EQ(refusal("  if (threadIdx.x < 32)\n    __syncthreads();\n  else\n    sync_threads(1, "
                    "64);\n",
                    64),
            std::string("parts: error[E702]: the threads of block (0, 0, 0) part at a barrier; "
                        "thread (0, 0, 0) and 31 more at line 6: __syncthreads();; "
                        "thread (32, 0, 0) and 31 more at line 8: sync_threads(1, 64);; ") +
                help);
  // Lanes of which one does not come, or is none of them.
  const auto lanes = [](const std::string& below) {
    return "  if (threadIdx.x < " + below + ") __syncwarp(0x0000000fu);\n";
  };
  for (const char* below : {"3", "5"}) {
    EXPECT_NE(refusal(lanes(below), 32, 3).find("part at a barrier"), std::string::npos) << below;
  }
  EXPECT_EQ(refusal(lanes("4"), 32, 3), "accepted");
}

TEST_P(VirtualParts, ShufflesAndBarriersOfTheBlockGoOnAsBefore) {
  const std::string body = R"(
  const int t = threadIdx.x;
  int x = t;
  if (t < 32) {
    x = __shfl_xor_sync(0xffffffffu, x, 1);
    sync_threads(1, 32);
    x = __shfl_xor_sync(0xffffffffu, x, 2);
  }
  __syncthreads();
  y[t] = x;
)";
  const std::vector<int> y = run(body, 64, 2);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(y[std::size_t(t)], t < 32 ? (t ^ 3) : t);
}

}  // namespace
}  // namespace selvage
