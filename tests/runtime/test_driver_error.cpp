// Faults that come to light later than they happen, and what is known of their cause.
#include <selvage/runtime/graph.h>
#include <selvage/runtime/stream.h>

#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

const std::string kHelp =
    "; help: start the process anew; run the same on the virtual device, or under "
    "compute-sanitizer, to see where the kernel goes wrong";

struct Kernels {
  explicit Kernels(const Driver& d, int n = 12) : driver(d), module(d, text(n)) {}
  static std::string text(int n) {
    std::string text = ".version 8.0\n";
    for (int i = 0; i < n; ++i) text += ".entry k" + std::to_string(i) + "() {}\n";
    return text;
  }
  void launch(int i, Driver::Stream stream = nullptr) const {
    driver.launch(module.function("k" + std::to_string(i)), {}, {}, stream);
  }
  const Driver& driver;
  const Module module;
};

TEST_F(StubbedDriver, AFaultNamesTheKernelsThatMayHaveCausedItLastFirst) {
  const auto driver = Driver::open(kStub);
  const Kernels kernels(*driver);
  kernels.launch(0);
  driver->synchronize();
  kernels.launch(1);
  kernels.launch(2);
  kernels.launch(3);
  stub.set_kernel_fault("k2", 700);
  EXPECT_EQ(refusal([&] { driver->synchronize(); }),
            "selvage: error[E715]: cuCtxSynchronize fails: an illegal memory access was "
            "encountered (700); launched and not known to have finished, last first: k3, k2, k1" +
                kHelp);
}

TEST_F(StubbedDriver, AfterAFaultEveryCallSaysSoAndNothingCrashes) {
  const auto driver = Driver::open(kStub);
  {
    const Kernels kernels(*driver);
    const Stream stream(*driver);
    DeviceBuffer buffer(*driver, 16);
    stub.set_kernel_fault("k1", 719);
    kernels.launch(1, stream.handle());
    EXPECT_EQ(refusal([&] { stream.synchronize(); }),
              "selvage: error[E715]: cuStreamSynchronize fails: unspecified launch failure (719); "
              "launched and not known to have finished, last first: k1" +
                  kHelp);
    const std::string later =
        " fails: unspecified launch failure (719); the GPU is lost to this process: "
        "cuStreamSynchronize fails: unspecified launch failure (719); launched and not known to "
        "have finished, last first: k1" +
        kHelp;
    std::vector<std::byte> host(16);
    EXPECT_EQ(refusal([&] { kernels.launch(2); }),
              "selvage: error[E715]: cuModuleGetFunction of k2" + later);
    EXPECT_EQ(refusal([&] { kernels.launch(1); }),
              "selvage: error[E715]: cuLaunchKernel of k1" + later);
    EXPECT_EQ(refusal([&] { buffer.copy_to(host); }), "selvage: error[E715]: cuMemcpyDtoH" + later);
    EXPECT_EQ(refusal([&] { DeviceBuffer(*driver, 8); }),
              "selvage: error[E715]: cuMemAlloc of 8 bytes" + later);
    EXPECT_EQ(refusal([&] { (void)stream.is_done(); }),
              "selvage: error[E715]: cuStreamQuery" + later);
    EXPECT_EQ(driver->arch(), "sm_90a");
  }
  EXPECT_EQ(stub.held(), "1 context");
}

TEST_F(StubbedDriver, AtMostEightAreNamedTheLastOnes) {
  const auto driver = Driver::open(kStub);
  const Kernels kernels(*driver);
  for (int i = 0; i < 12; ++i) kernels.launch(i);
  stub.fail({.call = "cuCtxSynchronize", .code = 716});
  EXPECT_EQ(refusal([&] { driver->synchronize(); }),
            "selvage: error[E715]: cuCtxSynchronize fails: misaligned address (716); launched and "
            "not known to have finished, last first: k11, k10, k9, k8, k7, k6, k5, k4" +
                kHelp);
}

TEST_F(StubbedDriver, WhatAStreamOrAnEventIsKnownToHaveFinishedIsNotNamed) {
  const auto driver = Driver::open(kStub);
  const Kernels kernels(*driver);
  const Stream a(*driver, Stream::Order::Independent);
  const Stream b(*driver, Stream::Order::Independent);
  Event event(*driver);
  kernels.launch(1, a.handle());
  kernels.launch(2, b.handle());
  event.record(b.handle());
  kernels.launch(3, b.handle());
  kernels.launch(4, a.handle());
  event.synchronize();  // k2
  stub.set_kernel_fault("k3", 700);
  EXPECT_NO_THROW(a.synchronize());  // k1 and k4
  EXPECT_EQ(refusal([&] { b.synchronize(); }),
            "selvage: error[E715]: cuStreamSynchronize fails: an illegal memory access was "
            "encountered (700); launched and not known to have finished, last first: k3" +
                kHelp);
}

TEST_F(StubbedDriver, AGraphIsNamedByWhatIsInIt) {
  const auto driver = Driver::open(kStub);
  const Kernels kernels(*driver);
  const Stream stream(*driver);
  Capture capture(*driver, stream.handle());
  kernels.launch(1, stream.handle());
  kernels.launch(2, stream.handle());
  const Graph graph = capture.end();
  EXPECT_EQ(graph.name(), "graph of k1, k2");
  kernels.launch(3, stream.handle());
  stub.set_kernel_fault("k2", 700);
  graph.launch(stream.handle());
  EXPECT_EQ(refusal([&] { stream.synchronize(); }),
            "selvage: error[E715]: cuStreamSynchronize fails: an illegal memory access was "
            "encountered (700); launched and not known to have finished, last first: graph of k1, "
            "k2, k3" +
                kHelp);
}

TEST_F(StubbedDriver, AFailureThatIsNoFaultOfAKernelLeavesTheDeviceUsable) {
  const auto driver = Driver::open(kStub);
  const Kernels kernels(*driver);
  kernels.launch(1);
  stub.fail({.call = "cuLaunchKernel", .code = 701});
  EXPECT_EQ(refusal([&] { kernels.launch(2); }),
            "selvage: error[E705]: cuLaunchKernel of k2 fails: too many resources requested for "
            "launch (701); help: give a block fewer threads, or compile for fewer registers");
  EXPECT_EQ(refusal([&] { kernels.launch(2); }), "accepted");
  driver->synchronize();
  EXPECT_EQ(stub.runs("k2"), 1);
}

TEST_F(StubbedDriver, ACodeWithoutWordsIsToldByItsNumber) {
  const auto driver = Driver::open(kStub);
  stub.fail({.call = "cuCtxSynchronize", .code = 12345});
  EXPECT_EQ(refusal([&] { driver->synchronize(); }),
            "selvage: error[E705]: cuCtxSynchronize fails: unknown error (12345); help: run on the "
            "virtual device, or start the process anew");
  stub.fail({.call = "cuCtxSynchronize", .code = 2});
  stub.fail({.call = "cuGetErrorString", .code = 1});
  EXPECT_EQ(refusal([&] { driver->synchronize(); }).substr(0, 67),
            "selvage: error[E705]: cuCtxSynchronize fails: unknown error (2); he");
}

}  // namespace
}  // namespace selvage
