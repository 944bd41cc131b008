// NVRTC that is older than the GPU, or lacks calls: over the stand-ins of tests/nvrtc_stub/.
#include <selvage/ir/ops.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/scheduler/pointwise.h>

#include <gmock/gmock.h>

#include <tests/support/temporary_folder.h>
#include <tests/support/this_build.h>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels.h"
#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

std::string folder_of(const std::string& stub) { return SELVAGE_NVRTC_STUBS "/" + stub; }
std::string file_of(const std::string& stub) { return folder_of(stub) + "/libnvrtc.so.13"; }

class OldNvrtc : public testing::Test {
 protected:
  const std::unique_ptr<const Nvrtc> nvrtc = Nvrtc::open(file_of("nvrtc_stub"));
};

TEST_F(OldNvrtc, ItSaysWhichArchitecturesItKnowsInOrder) {
  EXPECT_EQ(nvrtc->version(), 11008);
  EXPECT_EQ(nvrtc->architectures(), (std::vector<int>{70, 75, 80, 90}));
}

TEST_F(OldNvrtc, WhatItKnowsIsCompiledToABinary) {
  const CompiledKernels compiled = nvrtc->compile(reversal(), {.arch = "sm_80"});
  EXPECT_FALSE(compiled.cubin.empty());
  EXPECT_EQ(compiled.ptx, "");
  EXPECT_EQ(compiled.kernel("reversal").registers, 8);
}

TEST_F(OldNvrtc, ALetterThatItDoesNotKnowIsLeftOut) {
  const CompiledKernels compiled = nvrtc->compile(reversal(), {.arch = "sm_90a", .ptx = true});
  EXPECT_FALSE(compiled.cubin.empty());
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_90\n"));
}

TEST_F(OldNvrtc, ForANewerGpuItMakesPtxOfTheNewestThatItKnows) {
  const auto target = [&](const std::string& arch) {
    const CompiledKernels compiled = nvrtc->compile(reversal(), {.arch = arch});
    EXPECT_TRUE(compiled.cubin.empty()) << arch;
    EXPECT_TRUE(compiled.kernels.empty()) << arch;
    const auto at = compiled.ptx.find(".target ") + 8;
    return compiled.ptx.substr(at, compiled.ptx.find('\n', at) - at);
  };
  EXPECT_EQ(target("sm_120a"), "sm_90");
  EXPECT_EQ(target("sm_100a"), "sm_90");
  EXPECT_EQ(target("sm_89"), "sm_80");
  EXPECT_EQ(target("sm_72"), "sm_70");
}

TEST_F(OldNvrtc, AGpuThatIsOlderThanAllItKnowsIsRefused) {
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(reversal(), {.arch = "sm_62"}); }),
            "selvage: error[E704]: " + file_of("nvrtc_stub") +
                ", NVRTC 11.8, no longer knows sm_62: its oldest architecture is sm_70; help: "
                "install the NVRTC of an older CUDA toolkit, or compile for sm_70");
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(reversal(), {.arch = "sm_70"}); }), "accepted");
}

TEST_F(OldNvrtc, AnOptionThatItDoesNotKnowIsToldWithItsWords) {
  EXPECT_EQ(refusal_by<Error>([&] {
              nvrtc->compile(reversal(), {.arch = "sm_80", .more = {"--split-compile=0"}});
            }),
            "selvage: error[E704]: " + file_of("nvrtc_stub") +
                " refuses to compile for sm_80: nvrtc: error: unrecognized option "
                "--split-compile=0 found; help: install an NVRTC that knows sm_80 and the options");
}

TEST(NvrtcWithoutBinaries, ItCompilesToPtx) {
  const auto nvrtc = Nvrtc::open(file_of("nvrtc_stub_without_binaries"));
  EXPECT_TRUE(nvrtc->architectures().empty());
  const CompiledKernels compiled = nvrtc->compile(reversal(), {.arch = "sm_80"});
  EXPECT_TRUE(compiled.cubin.empty());
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_80\n"));
  EXPECT_EQ(refusal_by<Error>([&] { nvrtc->compile(reversal(), {.arch = "sm_100"}); }),
            "selvage: error[E704]: " + file_of("nvrtc_stub_without_binaries") +
                " refuses to compile for compute_100: nvrtc: error: invalid value for "
                "--gpu-architecture (-arch); help: install an NVRTC that knows sm_100 and the "
                "options");
}

TEST(NvrtcThatLacksACall, IsRefusedByTheCallsNameAndItsOwn) {
  EXPECT_EQ(refusal_by<Error>([] { Nvrtc::open(file_of("nvrtc_stub_broken")); }),
            "selvage: error[E713]: there is no NVRTC to compile for the GPU: " +
                file_of("nvrtc_stub_broken") +
                " has no nvrtcGetPTX; help: name the libnvrtc.so of a CUDA toolkit, or run "
                "on the virtual device");
  EXPECT_EQ(refusal_by<Error>([] { Nvrtc::open(file_of("nvrtc_stub")); }), "accepted");
  EXPECT_THAT(refusal_by<Error>([] { Nvrtc::open("/nowhere/libnvrtc.so"); }),
              HasSubstr("E713]: there is no NVRTC to compile for the GPU: /nowhere/libnvrtc.so"));
}

// The whole program, with a stand-in where the loader looks first.
std::string inspect_with(const std::string& stub, const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const std::string command = "LD_LIBRARY_PATH=" + folder_of(stub) +
                              " SELVAGE_CACHE_DIR= " + test::inspect_path() +
                              " " SELVAGE_SOURCE_DIR "/" + arguments + " >" + out + " 2>&1";
  EXPECT_GE(std::system(command.c_str()), 0);
  std::ifstream file(out);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OldNvrtcOfTheLoader, ArchSaysThatItDoesNotKnowTheGpu) {
  EXPECT_THAT(inspect_with("nvrtc_stub", "examples/bias_relu.yaml --arch sm_80"),
              HasSubstr("\nCompiled for sm_80\n  kernel_y: 8 registers, no spills\n"));
  EXPECT_EQ(inspect_with("nvrtc_stub", "examples/bias_relu.yaml --arch sm_120a"),
            "selvage: error[E704]: this NVRTC does not know sm_120a: it makes PTX of an older "
            "architecture, and what its kernels use is decided by the driver of the GPU; help: "
            "name an older architecture, such as --arch sm_80, or install a newer NVRTC\n");
}

TEST(OldNvrtcOfTheLoader, OneThatLacksACallIsPassedOverForTheNext) {
  const std::string out = inspect_with("nvrtc_stub_broken", "examples/bias_relu.yaml --arch sm_80");
  if (Nvrtc::instance() == nullptr) {
    EXPECT_THAT(out, HasSubstr("libnvrtc.so.13 has no nvrtcGetPTX"));
  } else {
    EXPECT_THAT(out, HasSubstr("\nCompiled for sm_80\n  kernel_y: "));
    EXPECT_THAT(out, Not(HasSubstr("E7")));
  }
}

// y = x + 1 over the stand-in of a driver.
class OldNvrtcOnADriver : public StubbedDriver {
 protected:
  // Of a GPU of this compute capability.
  void run(const std::string& stub_name, int major) {
    stub.set_capability(major, 0);
    const auto driver = Driver::open(kStub);
    const auto nvrtc = Nvrtc::open(file_of(stub_name));
    const KernelCompiler compiler = {
        .toolkit =
            [&] {
              return Toolkit{nvrtc->version(), nvrtc->library()};
            },
        .compile = [&](auto sources,
                       const auto& options) { return nvrtc->compile(sources, options); }};
    DiskCache none({});
    CompileCache cache(none, compiler);
    Fusion f;
    const Expr n = f.extent("N");
    const Tensor x = f.input("x", {n}, DataType::Float);
    const Tensor y = f.output("y", x + x);
    Schedule s(f);
    schedule_pointwise(s, y.id());
    const Executable executable = compile(lower(f, s), {.driver = driver.get(), .cache = &cache});
    const std::array<std::int64_t, 1> shape{64};
    DeviceBuffer in(*driver, 256), out(*driver, 256);
    executable({{reinterpret_cast<void*>(in.address()), DataType::Float, shape},
                {reinterpret_cast<void*>(out.address()), DataType::Float, shape}});
    driver->synchronize();
    EXPECT_EQ(stub.runs("kernel_y"), 1);
    resources = executable.resources();
  }
  std::vector<KernelResources> resources;
};

TEST_F(OldNvrtcOnADriver, TheDriverCompilesThePtxOfAnOlderArchitecture) {
  run("nvrtc_stub", 12);
  EXPECT_EQ(stub.count("cuModuleLoadDataEx"), 1);  // PTX
  EXPECT_EQ(stub.count("cuModuleLoadData"), 0);
  ASSERT_EQ(resources.size(), 1U);  // as the driver says
  EXPECT_EQ(resources[0].name, "kernel_y");
  EXPECT_EQ(resources[0].registers, 24);
  EXPECT_EQ(resources[0].stack_bytes, 16);
}

TEST_F(OldNvrtcOnADriver, WhatItKnowsIsLoadedAsABinary) {
  run("nvrtc_stub", 9);
  EXPECT_EQ(stub.count("cuModuleLoadDataEx"), 0);
  EXPECT_EQ(stub.count("cuModuleLoadData"), 1);
  ASSERT_EQ(resources.size(), 1U);  // as the compiler's log says
  EXPECT_EQ(resources[0].registers, 8);
  EXPECT_EQ(resources[0].stack_bytes, 0);
}

TEST_F(OldNvrtcOnADriver, WithoutBinariesTheGpusOwnPtxIsLoaded) {
  run("nvrtc_stub_without_binaries", 9);
  EXPECT_EQ(stub.count("cuModuleLoadDataEx"), 1);
}

}  // namespace
}  // namespace selvage
