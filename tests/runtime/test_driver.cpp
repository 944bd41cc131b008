#include <selvage/base/diagnostic.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/stream.h>
#include <selvage/runtime/virtual_device.h>

#include <thread>
#include <vector>

#include "kernels.h"
#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

TEST_F(StubbedDriver, ALaunchPassesItsShapeAndWhatIsOwnedIsGivenBack) {
  {
    const auto driver = Driver::open(kStub);
    EXPECT_EQ(driver->device_name(), "Stub");
    EXPECT_EQ(driver->arch(), "sm_90a");
    EXPECT_EQ(driver->multiprocessors(), 132);
    EXPECT_EQ(driver->version(), 13000);
    stub.forget_calls();
    const Module module(*driver, cubin());
    const DeviceBuffer buffer(*driver, 64);
    std::uint64_t p = buffer.address();
    int n = 42;
    void* const arguments[] = {&p, &n};
    const auto function = module.function("k");
    EXPECT_EQ(module.function("k"), function);
    driver->launch(function, {.grid = {7, 5, 3}, .block = {32, 4, 2}}, arguments);
    driver->launch(function, {.grid = {0, 5, 3}}, arguments);  // empty: no call
    driver->launch(function, {.shared_bytes = 65536}, arguments);
    driver->launch(function, {.shared_bytes = 65536}, arguments);  // asked for once
    driver->synchronize();
    EXPECT_EQ(stub.runs("k"), 3);
    EXPECT_EQ(stub.held(), "1 allocation of 64 bytes, 1 module, 1 context");
  }
  EXPECT_EQ(calls(),
            "cuModuleLoadData()\n"
            "cuMemAlloc_v2(64)\n"
            "cuModuleGetFunction(module 1, k)\n"
            "cuFuncGetAttribute(8, k)\n"
            "cuLaunchKernel(k, grid 7 5 3, block 32 4 2, shared 0, default stream, arguments "
            "[64 bytes + 0] 42)\n"
            "cuFuncSetAttribute(k, 8 = 65536)\n"
            "cuLaunchKernel(k, grid 1 1 1, block 1 1 1, shared 65536, default stream, arguments "
            "[64 bytes + 0] 42)\n"
            "cuLaunchKernel(k, grid 1 1 1, block 1 1 1, shared 65536, default stream, arguments "
            "[64 bytes + 0] 42)\n"
            "cuCtxSynchronize()\n"
            "cuMemFree_v2(64 bytes + 0)\n"
            "cuModuleUnload(module 1)\n"
            "cuDevicePrimaryCtxRelease_v2(0)\n");
}

TEST_F(StubbedDriver, ADeviceWithLessSharedMemoryThanIsAskedForSaysHowMuchItHas) {
  stub.set_capability(8, 6);
  const auto driver = Driver::open(kStub);
  const Module module(*driver, cubin());
  driver->launch(module.function("second"), {.shared_bytes = 99 << 10}, {});
  try {
    driver->launch(module.function("second"), {.shared_bytes = (99 << 10) + 16}, {});
    FAIL() << "it was launched";
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, "E703");
    EXPECT_EQ(
        e.diagnostic().message,
        "a block of second asks for 101392 bytes of shared memory; this device allows 101376");
  }
  driver->synchronize();
  EXPECT_EQ(stub.runs("second"), 1);
}

TEST_F(StubbedDriver, ABufferKeepsItsBytesAndMoves) {
  const auto driver = Driver::open(kStub);
  {
    const std::vector<std::byte> in(100, std::byte{7});
    std::vector<std::byte> out(100);
    DeviceBuffer a(*driver, 100);
    a.copy_from(in);
    DeviceBuffer b = std::move(a);
    DeviceBuffer c(*driver, 0);
    c = std::move(b);
    c.copy_to(out);
    EXPECT_EQ(out, in);
    EXPECT_EQ(c.size(), 100u);
    EXPECT_EQ(stub.held(), "1 allocation of 100 bytes, 1 context");
  }
  EXPECT_EQ(stub.held(), "1 context");
}

TEST_F(StubbedDriver, WhatFailsIsToldInTheDriversWordsWithWhatWouldMendIt) {
  stub.set_memory(1 << 20);
  const auto driver = Driver::open(kStub);
  const Module module(*driver, cubin());
  EXPECT_EQ(refusal([&] { Module(*driver, cubin("no kernels")); }),
            "selvage: error[E705]: cuModuleLoadData fails: device kernel image is invalid (200); "
            "help: compile for sm_90a, which this GPU is");
  EXPECT_EQ(refusal([&] { module.function("absent"); }),
            "selvage: error[E705]: cuModuleGetFunction of absent fails: named symbol not found "
            "(500); help: ask for a kernel by the name in its text, declared extern \"C\"");
  EXPECT_EQ(refusal([&] { module.function("first"); }), "accepted");
  EXPECT_EQ(refusal([&] { DeviceBuffer(*driver, 1 << 21); }),
            "selvage: error[E705]: cuMemAlloc of 2097152 bytes fails: out of memory (2); help: use "
            "smaller sizes, or free memory on the GPU");
  EXPECT_EQ(refusal([&] { DeviceBuffer(*driver, 1 << 20); }), "accepted");
  EXPECT_EQ(refusal([&] {
              driver->launch(module.function("k"), {.block = {2048, 1, 1}}, {});
            }).substr(0, 20),
            "selvage: error[E703]");
}

TEST_F(StubbedDriver, ALibraryWithoutADeviceOrACallIsRefused) {
  stub.set_devices(0);
  EXPECT_EQ(refusal([&] { Driver::open(kStub); }),
            "selvage: error[E705]: cuInit fails: no CUDA-capable device is detected (100); help: "
            "make a GPU visible (CUDA_VISIBLE_DEVICES), or run on the virtual device");
  stub.set_devices(1);
  EXPECT_EQ(refusal([&] { Driver::open(kStub); }), "accepted");
  EXPECT_EQ(refusal([&] { Driver::open("libm.so.6"); }),
            "selvage: error[E705]: libm.so.6 has no cuInit; help: install a driver of CUDA 10.1 or "
            "later, or run on the virtual device");
  EXPECT_EQ(refusal([&] { Driver::open("libno_such.so.1"); }),
            "selvage: error[E705]: libno_such.so.1: cannot open shared object file: No such file "
            "or directory; help: install NVIDIA's driver, or run on the virtual device");
}

TEST_F(StubbedDriver, EachDeviceHasADriverAndWhatIsItsOwnStaysWithIt) {
  stub.set_devices(2);
  EXPECT_EQ(Driver::device_count(kStub), 2);
  const auto zero = Driver::open(kStub, 0);
  const auto one = Driver::open(kStub, 1);
  EXPECT_EQ(one->device_name(), "Stub 1");
  EXPECT_EQ(one->ordinal(), 1);
  {
    const Module of_zero(*zero, cubin());
    const Module of_one(*one, cubin());
    const DeviceBuffer a(*zero, 10);
    DeviceBuffer b(*one, 20);
    // Calls of the two in turn, each in its own context.
    for (int i = 0; i < 3; ++i) {
      zero->launch(of_zero.function("first"), {}, {});
      one->launch(of_one.function("first"), {}, {});
    }
    zero->synchronize();
    EXPECT_EQ(stub.runs("first"), 3);
    one->synchronize();
    EXPECT_EQ(stub.runs("first"), 6);
    EXPECT_EQ(refusal([&] { zero->launch(of_one.function("first"), {}, {}); }),
              "selvage: error[E705]: cuLaunchKernel of first fails: invalid device context (201); "
              "help: use what was made by this device's driver and is not yet destroyed");
  }
  EXPECT_EQ(stub.held(), "2 contexts");
  EXPECT_EQ(refusal([&] { Driver::open(kStub, 2); }),
            "selvage: error[E705]: cuDeviceGet of device 2 fails: invalid device ordinal (101); "
            "help: use a device from 0 to device_count() - 1, or run on the virtual device");
  EXPECT_EQ(refusal([&] { Driver::open(kStub, -1); }).substr(0, 55),
            "selvage: error[E705]: cuDeviceGet of device -1 fails: i");
}

TEST_F(StubbedDriver, ACallFindsItsContextWhoeverChangedTheThreads) {
  const auto driver = Driver::open(kStub);
  const Module module(*driver, cubin());
  const auto function = module.function("first");
  const int before = stub.count("cuCtxSetCurrent");
  driver->launch(function, {}, {});
  EXPECT_EQ(stub.count("cuCtxSetCurrent"), before);  // it is still there
  driver->calls().CtxSetCurrent(nullptr);
  driver->launch(function, {}, {});
  std::thread([&] { driver->launch(function, {}, {}); }).join();
  driver->synchronize();
  EXPECT_EQ(stub.runs("first"), 3);
}

TEST_F(StubbedDriver, ManyThreadsUseOneDriverAtOnce) {
  const auto driver = Driver::open(kStub);
  const Module module(*driver, cubin());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Stream stream(*driver, Stream::Order::Independent);
      const std::string name = t % 2 == 0 ? "first" : "second";
      std::vector<std::byte> host(64);
      for (int i = 0; i < 100; ++i) {
        const DeviceBuffer buffer(*driver, 64, stream.handle());
        driver->fill(buffer.address(), std::byte(t), 64, stream.handle());
        driver->launch(module.function(name), {.shared_bytes = 50'000 + 16 * i}, {},
                       stream.handle());
        driver->copy_out(host, buffer.address(), stream.handle());
        stream.synchronize();
        EXPECT_EQ(host, std::vector<std::byte>(64, std::byte(t)));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(stub.runs("first"), 200);
  EXPECT_EQ(stub.runs("second"), 200);
  EXPECT_TRUE(driver->record().pending().empty());
}

TEST_F(StubbedDriver, OrdinalsOfTheSystemsDriverPastItsDevicesAreAbsent) {
  for (const int ordinal : {-1, 63, 64, 1 << 30}) {
    EXPECT_EQ(Driver::instance(ordinal), nullptr);
    EXPECT_NE(Driver::why_absent(ordinal), "");
  }
  EXPECT_EQ(Driver::device_count() > 0, Driver::instance() != nullptr);
}

// y of a launch over M x N, by whoever runs it.
struct Grid {
  long long M = 257, N = 1031;
  LaunchShape shape() const {
    return {.grid = {(N + 31) / 32, (M + 3) / 4, 1}, .block = {32, 4, 1}};
  }
};

TEST(Gpu, APointwiseKernelEqualsTheVirtualDevice) {
  const Driver* driver = Driver::instance();
  if (driver == nullptr) GTEST_SKIP() << Driver::why_absent();
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();

  Grid grid;
  std::vector<float> a(static_cast<std::size_t>(grid.M * grid.N));
  std::vector<float> b(static_cast<std::size_t>(grid.N));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 997) * 0.01F - 5.0F;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i) * 0.25F;
  std::vector<float> y(a.size());
  std::vector<float> expected(a.size());

  const float* pa = a.data();
  const float* pb = b.data();
  float* py = expected.data();
  void* const host[] = {&pa, &pb, &py, &grid.M, &grid.N};
  VirtualKernel(pointwise()).launch(grid.shape(), host);

  const Module module(*driver, nvrtc->compile(pointwise(), {.arch = driver->arch()}).cubin);
  DeviceBuffer da(*driver, a.size() * 4);
  DeviceBuffer db(*driver, b.size() * 4);
  DeviceBuffer dy(*driver, y.size() * 4);
  da.copy_from(std::as_bytes(std::span(a)));
  db.copy_from(std::as_bytes(std::span(b)));
  std::uint64_t ra = da.address();
  std::uint64_t rb = db.address();
  std::uint64_t ry = dy.address();
  void* const device[] = {&ra, &rb, &ry, &grid.M, &grid.N};
  driver->launch(module.function("pointwise"), grid.shape(), device);
  driver->synchronize();
  dy.copy_to(std::as_writable_bytes(std::span(y)));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-6F * 300) << i;
}

}  // namespace
}  // namespace selvage
