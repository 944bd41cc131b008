#include <selvage/base/diagnostic.h>
#include <selvage/runtime/nvrtc.h>

#include <gtest/gtest.h>

#include <cstring>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  }
  const Nvrtc* nvrtc = Nvrtc::instance();
};

bool is_elf(const std::vector<std::byte>& bytes) {
  return bytes.size() > 4 && std::memcmp(bytes.data(),
                                         "\x7f"
                                         "ELF",
                                         4) == 0;
}

TEST_F(NvrtcTest, TheVersionIsOneThatKnowsHopper) { EXPECT_GE(nvrtc->version(), 12000); }

TEST_F(NvrtcTest, TheTextOfTheVirtualDeviceCompilesForHopperWithoutSpills) {
  for (const KernelSource& source : {pointwise(), reversal(), half_increment()}) {
    const CompiledKernels compiled = nvrtc->compile(source);
    EXPECT_TRUE(is_elf(compiled.cubin));
    EXPECT_EQ(compiled.ptx, "");
    const KernelResources& used = compiled.kernel(source.name);
    EXPECT_GT(used.registers, 0) << compiled.log;
    EXPECT_EQ(used.spill_store_bytes + used.spill_load_bytes + used.stack_bytes, 0);
    EXPECT_EQ(used.shared_bytes, source.name == "reversal" ? 1024 : 0) << compiled.log;
    EXPECT_EQ(used.barriers, source.name == "reversal" ? 1 : 0);
  }
}

TEST_F(NvrtcTest, SeveralKernelsWithHelpersOfOneNameCompileTogether) {
  KernelSource twin = half_increment();
  twin.name = "twin";
  twin.text.replace(twin.text.find("half_increment"), 14, "twin");
  const KernelSource sources[] = {pointwise(), half_increment(), twin, reversal()};
  const CompiledKernels compiled = nvrtc->compile(sources, {.ptx = true});
  EXPECT_EQ(compiled.kernels.size(), 4u);
  for (const KernelSource& source : sources) {
    EXPECT_GT(compiled.kernel(source.name).registers, 0);
    EXPECT_NE(compiled.ptx.find(".entry " + source.name + "("), std::string::npos);
  }
}

TEST_F(NvrtcTest, ContractionIsOffUnlessAskedFor) {
  const KernelSource source{kHead + "KERNEL(sum)(float* y, float a, float b) { *y = *y * a + b; }",
                            "sum",
                            {"float*", "float", "float"}};
  EXPECT_EQ(nvrtc->compile(source, {.ptx = true}).ptx.find("fma."), std::string::npos);
  EXPECT_NE(nvrtc->compile(source, {.fmad = true, .ptx = true}).ptx.find("fma."),
            std::string::npos);
}

TEST_F(NvrtcTest, SpillsAreReported) {
  std::string text = kHead + "KERNEL(spill)(const float* x, float* y, int n) {\n  float v[128];\n";
  text += "  int i;\n#pragma unroll\n  for (i = 0; i < 128; ++i) v[i] = x[i * n];\n";
  text +=
      "  __syncthreads();\n#pragma unroll\n  for (i = 0; i < 128; ++i) y[i * n] = v[127 - i] * "
      "v[(i * 37) % 128];\n}\n";
  const CompiledKernels compiled = nvrtc->compile(
      {text, "spill", {"const float*", "float*", "int"}}, {.more = {"--maxrregcount=32"}});
  EXPECT_GT(compiled.kernel("spill").spill_store_bytes, 0) << compiled.log;
  EXPECT_GT(compiled.kernel("spill").spill_load_bytes, 0);
}

TEST_F(NvrtcTest, ACompileErrorNamesTheKernelAndTheEmittedLine) {
  const KernelSource sources[] = {
      pointwise(), {kHead + "KERNEL(bad)(float* y) {\n  y[0] = wrong;\n}\n", "bad", {"float*"}}};
  try {
    nvrtc->compile(sources);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "bad:5:0: error[E704]: NVRTC refuses the emitted text: identifier \"wrong\" is "
                 "undefined; line 5: y[0] = wrong;");
  }
}

TEST_F(NvrtcTest, AnUnknownArchitectureIsRefused) {
  try {
    nvrtc->compile(pointwise(), {.arch = "sm_1"});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().code, "E704");
  }
}

TEST_F(NvrtcTest, AGpuThatIsNewerThanAllItKnowsGetsPtxOfTheNewest) {
  ASSERT_FALSE(nvrtc->architectures().empty());
  const int newest = nvrtc->architectures().back();
  const CompiledKernels compiled =
      nvrtc->compile(reversal(), {.arch = "sm_" + std::to_string(newest + 1)});
  EXPECT_TRUE(compiled.cubin.empty());
  EXPECT_NE(compiled.ptx.find(".target sm_" + std::to_string(newest) + "\n"), std::string::npos);
  EXPECT_NE(compiled.ptx.find(".entry reversal("), std::string::npos);
}

TEST(PtxasLog, ResourcesAreReadPerKernel) {
  const auto kernels = parse_ptxas_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
      "ptxas info    : Function properties for first\n"
      "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, "
      "1024 bytes smem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
      "ptxas info    : Function properties for a_callee\n"
      "    64 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Function properties for other\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].registers, 255);
  EXPECT_EQ(kernels[0].barriers, 1);
  EXPECT_EQ(kernels[0].stack_bytes, 16);
  EXPECT_EQ(kernels[0].spill_store_bytes, 12);
  EXPECT_EQ(kernels[0].spill_load_bytes, 20);
  EXPECT_EQ(kernels[0].shared_bytes, 1024);
  EXPECT_EQ(kernels[1].name, "other");
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_EQ(kernels[1].spill_store_bytes, 0);
}

}  // namespace
}  // namespace selvage
