// Images of kernels: cubins and PTX, whole and broken.
#include <selvage/runtime/nvrtc.h>

#include <random>

#include "kernels.h"
#include "stub_driver.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using namespace test;

TEST_F(StubbedDriver, PtxIsCompiledByTheDriver) {
  const auto driver = Driver::open(kStub);
  const Module module(*driver, kPtx);
  driver->launch(module.function("second"), {}, {});
  driver->synchronize();
  EXPECT_EQ(stub.runs("second"), 1);
  // A span of characters that no zero ends is as good.
  const std::string longer = kPtx + "!!";
  EXPECT_NO_THROW(Module(*driver, std::string_view(longer).substr(0, kPtx.size())));
}

TEST_F(StubbedDriver, PtxThatIsRefusedComesWithTheDriversLog) {
  const auto driver = Driver::open(kStub);
  EXPECT_EQ(refusal([&] { Module(*driver, kPtx + "!!\n"); }),
            "selvage: error[E705]: cuModuleLoadDataEx of PTX fails: a PTX JIT compilation failed "
            "(218); ptxas application ptx input, line 8; error   : Parsing error near '!!'; ptxas "
            "fatal   : Ptx assembly aborted due to errors; help: compile for sm_90a, which this "
            "GPU is");
  EXPECT_EQ(refusal([&] { Module(*driver, kPtx + "\n"); }), "accepted");
}

TEST_F(StubbedDriver, ADriverOlderThanThePtxSaysWhichItIs) {
  stub.set_driver_version(11080);
  const auto driver = Driver::open(kStub);
  EXPECT_EQ(refusal([&] { Module(*driver, kPtx); }),
            "selvage: error[E705]: cuModuleLoadDataEx of PTX fails: the provided PTX was compiled "
            "with an unsupported toolchain. (222); ptxas application ptx input, line 1; fatal   : "
            "Unsupported .version 8.0; help: install a driver at least as new as the CUDA toolkit; "
            "this one is of CUDA 11.8");
  stub.set_driver_version(12000);
  EXPECT_EQ(refusal([&] { Module(*driver, kPtx); }), "accepted");
}

TEST_F(StubbedDriver, ADriverThatRefusesACubinMayTakeThePtx) {
  stub.set_driver_version(12040);
  stub.set_cubin_version(13000);
  const auto driver = Driver::open(kStub);
  EXPECT_EQ(refusal([&] { Module(*driver, cubin()); }),
            "selvage: error[E705]: cuModuleLoadData fails: device kernel image is invalid (200); "
            "help: compile for sm_90a, which this GPU is");
  EXPECT_EQ(refusal([&] { Module(*driver, kPtx); }), "accepted");
}

TEST_F(StubbedDriver, AnEmptyImageNeverReachesTheDriver) {
  const auto driver = Driver::open(kStub);
  stub.forget_calls();
  EXPECT_EQ(refusal([&] { Module(*driver, std::string_view()); }),
            "selvage: error[E705]: a module's image is empty; help: compile the kernel anew");
  EXPECT_EQ(calls(), "");
}

// Cut off anywhere, a cubin is refused without a look past its end (ASan sees it); and one with
// any byte of its headers changed is refused or loaded.
TEST_F(StubbedDriver, ARealCubinIsLoadedAndACutOneIsRefused) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  const auto compiled = nvrtc->compile(pointwise(), {.ptx = true});
  const auto driver = Driver::open(kStub);
  std::uint64_t pointers[3] = {0, 0, 0};
  long long m = 3;
  long long n = -4;
  void* const arguments[] = {&pointers[0], &pointers[1], &pointers[2], &m, &n};
  const std::string wanted =
      "cuLaunchKernel(pointwise, grid 1 1 1, block 1 1 1, shared 0, default stream, arguments 0 0 "
      "0 3 18446744073709551612)\n";
  {
    const Module module(*driver, compiled.cubin);
    const Module from_ptx(*driver, compiled.ptx);
    driver->launch(module.function("pointwise"), {}, arguments);
    driver->launch(from_ptx.function("pointwise"), {}, arguments);
    EXPECT_EQ(calls("cuLaunchKernel"), wanted + wanted);
  }
  std::mt19937_64 rng(7);
  stub.forget_calls();
  for (int i = 0; i < count(200, 5000); ++i) {
    const std::size_t bytes = i < 70 ? std::size_t(i) : rng() % compiled.cubin.size();
    const std::vector<std::byte> cut(compiled.cubin.begin(),
                                     compiled.cubin.begin() + std::ptrdiff_t(bytes));
    if (bytes >= 4) {
      EXPECT_EQ(refusal([&] { Module(*driver, cut); }),
                "selvage: error[E705]: a module's image of " + std::to_string(bytes) +
                    " bytes is cut off: its headers speak of more; help: compile the kernel anew");
    } else {
      EXPECT_NE(refusal([&] { Module(*driver, cut); }), "accepted");
    }
  }
  EXPECT_EQ(calls("cuModuleLoadData("), "");
}

}  // namespace
}  // namespace selvage
