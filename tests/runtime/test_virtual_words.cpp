// Every word of CUDA that emitted text may use, in every type that it is used with.
#include <selvage/runtime/virtual_device.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

class VirtualWords : public testing::TestWithParam<VirtualCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == VirtualCompiler::Tcc && !has_tcc()) GTEST_SKIP() << "built without libtcc";
  }
  // Runs a kernel (const void* x, void* y) of 64 threads on 1,024 bytes of x that are all
  // different, and returns as many of y.
  std::vector<unsigned char> run(const std::string& text) {
    VirtualKernel kernel({kHead + text, "words", {"const void*", "void*"}}, GetParam());
    alignas(16) unsigned char x[1024], y[1024] = {};
    for (std::size_t i = 0; i < sizeof x; ++i) x[i] = (unsigned char)(i * 7 + i / 256);
    input_.assign(x, x + sizeof x);
    const void* px = x;
    void* py = y;
    void* const arguments[] = {&px, &py};
    kernel.launch({.block = {64, 1, 1}, .shared_bytes = 2048}, arguments, 3);
    return {y, y + sizeof y};
  }
  // gcc takes long to compile.
  bool is_thorough() const { return GetParam() == VirtualCompiler::Tcc; }
  std::vector<unsigned char> input_;
};

INSTANTIATE_TEST_SUITE_P(Runs, VirtualWords,
                         testing::Values(VirtualCompiler::Tcc, VirtualCompiler::Gcc),
                         [](const auto& i) {
                           return i.param == VirtualCompiler::Tcc ? "Tcc" : "Gcc";
                         });

const std::vector<std::pair<std::string, std::size_t>> kTypes = {
    {"unsigned char", 1}, {"signed char", 1}, {"short", 2},  {"unsigned short", 2},
    {"int", 4},           {"unsigned", 4},    {"float", 4},  {"long long", 8},
    {"double", 8},        {"uint2", 8},       {"uint4", 16}, {"unsigned long long", 8}};

TEST_P(VirtualWords, ALoadPastTheCachesIsALoadOfItsType) {
  for (const auto& [type, bytes] : kTypes) {
    const auto y =
        run("KERNEL(words)(const void* x, void* y) {\n  const " + type + "* from = (const " + type +
            "*)x;\n  ((" + type + "*)y)[threadIdx.x] = __ldcs(&from[63 - (int)threadIdx.x]);\n}\n");
    for (std::size_t i = 0; i < 64 * bytes; ++i) {
      ASSERT_EQ(y[i], input_[(63 - i / bytes) * bytes + i % bytes]) << type;
    }
  }
}

// As Helpers::definitions() writes them.
TEST_P(VirtualWords, AVectorOfAnyTypeIsMovedAsAWhole) {
  for (const auto& [type, bytes] : kTypes) {
    for (std::size_t n = is_thorough() ? 1 : 16 / bytes; n * bytes <= 16; n *= 2) {
      const std::string size = std::to_string(n * bytes);
      const auto y =
          run("typedef struct __align__(" + size + ") { " + type + " at[" + std::to_string(n) +
              "]; } lanes;\n"
              "KERNEL(words)(const void* x, void* y) {\n"
              "  __shared__ __align__(16) lanes tile[64];\n"
              "  DYNAMIC_SHARED(unsigned char, pool);\n"
              "  lanes* const more = (lanes*)(pool + 1024);\n"
              "  const int t = (int)threadIdx.x;\n"
              "  lanes v = *(const lanes*)((const " +
              type + "*)x + t * " + std::to_string(n) +
              ");\n"
              "  tile[t] = v;\n"
              "  __syncthreads();\n"
              "  *(lanes*)&more[t] = tile[63 - t];\n"
              "  __syncwarp();\n"
              "  v.at[0] = more[t].at[0];\n"
              "  *(lanes*)&((lanes*)y)[t] = more[t];\n"
              "}\n");
      for (std::size_t i = 0; i < 64 * n * bytes; ++i) {
        const std::size_t each = n * bytes;
        ASSERT_EQ(y[i], input_[(63 - i / each) * each + i % each]) << type << " x " << n;
      }
    }
  }
}

TEST_P(VirtualWords, AShuffleMovesAnyScalar) {
  for (const auto& [type, bytes] : kTypes) {
    if (type.starts_with("uint")) continue;
    for (std::size_t lanes : {5, 1, 16, 31}) {
      if (lanes != 5 && !is_thorough()) continue;
      const auto y =
          run("KERNEL(words)(const void* x, void* y) {\n  const int t = (int)threadIdx.x;"
              "\n  ((" +
              type + "*)y)[t] = __shfl_xor_sync(0xffffffffu, ((const " + type + "*)x)[t], " +
              std::to_string(lanes) + ");\n}\n");
      for (std::size_t i = 0; i < 64 * bytes; ++i) {
        const std::size_t t = i / bytes;
        ASSERT_EQ(y[i], input_[(t ^ lanes) * bytes + i % bytes]) << type << ", lanes " << lanes;
      }
    }
  }
}

TEST_P(VirtualWords, BitsAndNumbersAreReadAsOneAnother) {
  const auto y = run(R"(KERNEL(words)(const void* x, void* y) {
  float* const f = (float*)y;
  if (threadIdx.x > 0) return;
  f[0] = __int_as_float(__float_as_int(-1.5f));
  f[1] = __uint_as_float(0x7f800000u);
  f[2] = (float)(__float_as_uint(1.0f) >> 23);
  f[3] = (float)__longlong_as_double(__double_as_longlong(2.5));
  f[4] = (float)(isnan(__uint_as_float(0x7fc00000u)) + 2 * isinf(f[1]) + 4 * isfinite(1.0f));
  f[5] = (float)fmin(-0.0, 0.0);
  f[6] = fmaxf(-0.0f, 0.0f);
}
)");
  float f[7];
  std::memcpy(f, y.data(), sizeof f);
  EXPECT_EQ(f[0], -1.5F);
  EXPECT_EQ(f[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(f[2], 127.0F);
  EXPECT_EQ(f[3], 2.5F);
  EXPECT_EQ(f[4], 7.0F);
  EXPECT_TRUE(std::signbit(f[5]));
  EXPECT_FALSE(std::signbit(f[6]));
}

}  // namespace
}  // namespace selvage
