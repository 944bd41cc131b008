#include <selvage/base/diagnostic.h>
#include <selvage/runtime/virtual_device.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;
using Bounds = std::vector<std::optional<VirtualBound>>;

// y[i + to] = x[i + from] for i < n.
KernelSource copy() {
  return {kHead + R"(
KERNEL(copy)(const float* x, float* y, int n, int from, int to) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i + to] = x[i + from];
}
)",
          "copy",
          {"const float*", "float*", "int", "int", "int"}};
}

class CheckedCopy : public testing::Test {
 protected:
  // What a launch of two blocks of four threads over eight floats is refused with. In memory y
  // follows x at once.
  std::string launch(int n, int from, int to, Bounds bounds = {}, std::uint64_t seed = 0) {
    if (bounds.empty()) bounds = {VirtualBound{32}, VirtualBound{32}, {}, {}, {}};
    std::fill_n(memory_, 8, 1.0F);
    std::fill_n(memory_ + 8, 8, 0.0F);
    const float* x = memory_;
    float* y = memory_ + 8;
    void* const arguments[] = {&x, &y, &n, &from, &to};
    return error_of([&] {
      kernel_.launch_checked({.grid = {2, 1, 1}, .block = {4, 1, 1}}, arguments, bounds, seed);
    });
  }
  VirtualKernel kernel_{copy()};
  float memory_[24] = {};
};

TEST_F(CheckedCopy, WhatStaysWithinItsBuffersRunsAsEver) {
  for (std::uint64_t seed : {0, 1}) {
    EXPECT_EQ(launch(8, 0, 0, {}, seed), "accepted");
    for (int i = 0; i < 8; ++i) EXPECT_EQ(memory_[8 + i], 1.0F);
    EXPECT_EQ(memory_[16], 0.0F);
  }
}

// The compiler of the CPU could load tile[0], which it knows to be there, in front of the loop.
TEST(CheckedLoads, AreThoseOfTheTextAlone) {
  VirtualKernel kernel({kHead + R"(
KERNEL(first)(const float* x, float* y) {
  __shared__ float tile[64];
  const int from = (int)blockIdx.x * 64 + (int)threadIdx.x * 4;
  if (from == 0) tile[0] = x[0];
  for (int v = 0; v < 4; ++v) {
    if (from + v < 1) y[0] = tile[0] + x[1];
  }
}
)",
                        "first",
                        {"const float*", "float*"}});
  const float given[] = {1, 2};
  float result = 0;
  const float* x = given;
  float* y = &result;
  void* const arguments[] = {&x, &y};
  const Bounds bounds = {VirtualBound{sizeof given}, VirtualBound{sizeof result}};
  EXPECT_EQ(error_of([&] {
              kernel.launch_checked({.grid = {3, 1, 1}, .block = {4, 1, 1}}, arguments, bounds, 0);
            }),
            "accepted");
  EXPECT_EQ(result, 3);
}

TEST_F(CheckedCopy, AReadPastTheEndIsToldAndIsNotMade) {
  EXPECT_EQ(launch(8, 1, 0),
            "copy: error[E721]: thread (3, 0, 0) of block (1, 0, 0) reads 4 bytes past the end of "
            "argument 0 (const float*); bytes 32 to 35 of 32; "
            "help: guard the access, or give the argument the bytes that it needs");
  EXPECT_EQ(memory_[14], 1.0F);  // what ran before is there
  EXPECT_EQ(memory_[15], 0.0F);
  EXPECT_EQ(launch(7, 1, 0), "accepted");  // guarded
  EXPECT_EQ(launch(8, 1, 0, {VirtualBound{36}, VirtualBound{32}, {}, {}, {}}), "accepted");
}

TEST_F(CheckedCopy, AReadBeforeTheBeginningIsTold) {
  EXPECT_EQ(launch(8, -1, 0),
            "copy: error[E721]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes before the "
            "beginning of argument 0 (const float*); bytes -4 to -1 of 32; "
            "help: guard the access, or give the argument the bytes that it needs");
  EXPECT_EQ(launch(7, 1, 0), "accepted");
}

TEST_F(CheckedCopy, AWritePastEitherEndIsTold) {
  EXPECT_EQ(launch(8, 0, 2),
            "copy: error[E721]: thread (2, 0, 0) of block (1, 0, 0) writes 4 bytes past the end of "
            "argument 1 (float*); bytes 32 to 35 of 32; "
            "help: guard the access, or give the argument the bytes that it needs");
  EXPECT_EQ(memory_[16], 0.0F);
  EXPECT_EQ(launch(6, 0, 2), "accepted");
  EXPECT_EQ(launch(8, 0, -2),
            "copy: error[E721]: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes before the "
            "beginning of argument 1 (float*); bytes -8 to -5 of 32; "
            "help: guard the access, or give the argument the bytes that it needs");
}

// Byte 33 is the last one that an access of 4 bytes at byte 30 would need.
TEST_F(CheckedCopy, AnAccessThatBeginsInsideMayEndOutside) {
  EXPECT_EQ(launch(8, 0, 0, {VirtualBound{32}, VirtualBound{30}, {}, {}, {}}),
            "copy: error[E721]: thread (3, 0, 0) of block (1, 0, 0) writes 4 bytes past the end of "
            "argument 1 (float*); bytes 28 to 31 of 30; "
            "help: guard the access, or give the argument the bytes that it needs");
}

TEST_F(CheckedCopy, AnAddressFarFromAllBuffersBelongsToNone) {
  EXPECT_EQ(launch(1, std::numeric_limits<int>::min(), 0),
            "copy: error[E721]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes that belong to "
            "no argument; help: read and write through the pointers that are passed");
}

TEST_F(CheckedCopy, AReadOfWhatNobodyHasWrittenIsTold) {
  const Bounds bounds = {VirtualBound{32, false}, VirtualBound{32, false}, {}, {}, {}};
  EXPECT_EQ(launch(8, 2, 0, bounds),
            "copy: error[E722]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes of argument 0 "
            "(const float*) that nobody has written; bytes 8 to 11 of 32; "
            "help: write them before they are read, or launch with a buffer that is filled");
  EXPECT_EQ(launch(6, 2, 0), "accepted");
}

TEST(VirtualCheck, OneBufferMayBeTwoArguments) {
  VirtualKernel kernel(copy());
  float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float* x = memory;
  float* y = memory + 2;  // the last six
  int n = 6, zero = 0;
  void* const arguments[] = {&x, &y, &n, &zero, &zero};
  const Bounds bounds = {VirtualBound{32}, VirtualBound{24}, {}, {}, {}};
  kernel.launch_checked({.block = {8, 1, 1}}, arguments, bounds);
  EXPECT_EQ(std::vector<float>(memory, memory + 8), (std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2}));
}

// The end of the first buffer is byte 32 of the second as well, which ended long before.
TEST(VirtualCheck, AnAccessPastTheEndIsOfTheBufferThatEndsNearest) {
  VirtualKernel kernel(copy());
  float memory[16] = {};
  const float* x = memory;
  float* y = memory;
  int n = 1, from = 8, to = 0;
  void* const arguments[] = {&x, &y, &n, &from, &to};
  const auto launch = [&](std::size_t first, std::size_t second) {
    const Bounds bounds = {VirtualBound{first}, VirtualBound{second}, {}, {}, {}};
    return error_of([&] { kernel.launch_checked({}, arguments, bounds); });
  };
  const std::string who =
      "copy: error[E721]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes past the end of ";
  const std::string help = "; help: guard the access, or give the argument the bytes that it needs";
  EXPECT_EQ(launch(32, 4), who + "argument 0 (const float*); bytes 32 to 35 of 32" + help);
  EXPECT_EQ(launch(4, 32), who + "argument 1 (float*); bytes 32 to 35 of 32" + help);
}

KernelSource sharing() {
  return {kHead + R"(
KERNEL(sharing)(float* y, int first, int second) {
  DYNAMIC_SHARED(float, pool);
  __shared__ float own[4];
  float mine[3];
  const int t = (int)threadIdx.x;
  mine[t % 3] = 1.0f;
  pool[t + first] = mine[t % 3];
  own[t] = 2.0f;
  __syncthreads();
  y[t] = pool[t] + own[t + second];
}
)",
          "sharing",
          {"float*", "int", "int"}};
}

TEST(VirtualCheck, SharedMemoryIsThatOfTheBlockAndUnwrittenAtFirst) {
  VirtualKernel kernel(sharing());
  float memory[4] = {};
  float* y = memory;
  const auto launch = [&](int first, int second, std::int64_t bytes) {
    void* const arguments[] = {&y, &first, &second};
    return error_of([&] {
      kernel.launch_checked({.grid = {2, 1, 1}, .block = {4, 1, 1}, .shared_bytes = bytes},
                            arguments, Bounds{VirtualBound{16, false}, {}, {}});
    });
  };
  EXPECT_EQ(launch(0, 0, 16), "accepted");
  EXPECT_EQ(memory[3], 3.0F);
  EXPECT_EQ(launch(0, 0, 12),
            "sharing: error[E721]: thread (3, 0, 0) of block (0, 0, 0) writes 4 bytes past the end "
            "of the shared memory of the launch; bytes 12 to 15 of 12; "
            "help: guard the access, or give the block the bytes that it needs");
  EXPECT_EQ(launch(1, 0, 20),
            "sharing: error[E722]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes of the shared "
            "memory of the launch that nobody has written; bytes 0 to 3 of 20; "
            "help: write them before they are read");
  EXPECT_EQ(launch(0, -1, 16),
            "sharing: error[E721]: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes before the "
            "beginning of the kernel's shared memory; bytes -4 to -1 of 16; "
            "help: guard the access, or give the block the bytes that it needs");
  EXPECT_EQ(launch(0, 1, 16),
            "sharing: error[E721]: thread (3, 0, 0) of block (0, 0, 0) reads 4 bytes past the end "
            "of the kernel's shared memory; bytes 16 to 19 of 16; "
            "help: guard the access, or give the block the bytes that it needs");
  EXPECT_EQ(launch(0, 0, 16), "accepted");  // nothing of it stays behind
}

TEST(VirtualCheck, AKernelWithoutBuffersIsCheckedToo) {
  VirtualKernel kernel({kHead + R"(
KERNEL(alone)(int first) {
  __shared__ int own[4];
  own[(int)threadIdx.x + first] = 1;
}
)",
                        "alone",
                        {"int"}});
  const auto launch = [&](int first) {
    void* const arguments[] = {&first};
    return error_of([&] {
      kernel.launch_checked({.block = {4, 1, 1}}, arguments, Bounds{std::nullopt});
    });
  };
  EXPECT_EQ(launch(0), "accepted");
  EXPECT_EQ(
      launch(1),
      "alone: error[E721]: thread (3, 0, 0) of block (0, 0, 0) writes 4 bytes past the end of "
      "the kernel's shared memory; bytes 16 to 19 of 16; "
      "help: guard the access, or give the block the bytes that it needs");
}

TEST(VirtualCheck, AccessesOfEveryWidthAreSeen) {
  for (const auto& [type, bytes] : {std::pair{"unsigned char", 1},
                                    {"unsigned short", 2},
                                    {"unsigned", 4},
                                    {"double", 8},
                                    {"uint2", 8},
                                    {"uint4", 16}}) {
    const std::string t(type);
    VirtualKernel kernel({kHead + "KERNEL(wide)(const " + t + "* x, " + t +
                              "* y, int i) {\n  y[i] = __ldcs(&x[0]);\n}\n",
                          "wide",
                          {"const " + t + "*", t + "*", "int"}});
    alignas(16) unsigned char memory[64] = {};
    const void* x = memory;
    void* y = memory + 16;
    const auto launch = [&](std::size_t readable, int i) {
      void* const arguments[] = {&x, &y, &i};
      return error_of([&] {
        kernel.launch_checked({}, arguments, Bounds{VirtualBound{readable}, VirtualBound{16}, {}});
      });
    };
    EXPECT_EQ(launch(std::size_t(bytes), 16 / bytes - 1), "accepted") << type;
    EXPECT_NE(launch(std::size_t(bytes) - 1, 0).find("E721"), std::string::npos) << type;
    EXPECT_NE(launch(std::size_t(bytes), 16 / bytes).find("E721"), std::string::npos) << type;
  }
}

TEST(VirtualCheck, AnInputMayLieWhereNothingCanBeWritten) {
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  VirtualKernel kernel(copy());
  float memory[4] = {1, 1, 1, 1};
  const void* x = page;
  float* y = memory;
  int n = 4, zero = 0;
  void* const arguments[] = {&x, &y, &n, &zero, &zero};
  kernel.launch_checked({.block = {4, 1, 1}}, arguments,
                        Bounds{VirtualBound{16}, VirtualBound{16, false}, {}, {}, {}});
  EXPECT_EQ(std::vector<float>(memory, memory + 4), std::vector<float>(4, 0.0F));
  munmap(page, 4096);
}

TEST(VirtualCheck, ALaunchOfNoBlocksTouchesNoBuffer) {
  VirtualKernel kernel(copy());
  const float* x = nullptr;
  float* y = nullptr;
  int n = 8, zero = 0;
  void* const arguments[] = {&x, &y, &n, &zero, &zero};
  const Bounds bounds = {VirtualBound{32}, VirtualBound{32}, {}, {}, {}};
  kernel.launch_checked({.grid = {0, 1, 1}, .block = {8, 1, 1}}, arguments, bounds);
}

TEST(VirtualCheck, AnUncheckedLaunchIsNotChecked) {
  VirtualKernel kernel(copy());
  float memory[4] = {1, 2, 0, 0};
  const float* x = memory;
  float* y = memory + 1;
  int n = 1, from = 1, to = 1;
  void* const arguments[] = {&x, &y, &n, &from, &to};
  kernel.launch({}, arguments);
  EXPECT_EQ(memory[2], 2.0F);
}

}  // namespace
}  // namespace selvage
