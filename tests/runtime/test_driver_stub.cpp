// What the stand-in itself refuses, as a driver would: else a test over it proves little.
#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

class DriverStub : public StubbedDriver {
 protected:
  void SetUp() override {
    StubbedDriver::SetUp();
    driver = Driver::open(kStub);
    driver->make_current();
  }
  void TearDown() override {
    driver.reset();
    StubbedDriver::TearDown();
  }
  const DriverCalls& cu() const { return driver->calls(); }

  std::unique_ptr<const Driver> driver;
};

TEST_F(DriverStub, NothingIsDoneBeforeInitOrWithoutAContext) {
  DeviceAddress address = 0;
  cu().CtxSetCurrent(nullptr);
  EXPECT_EQ(cu().MemAlloc(&address, 8), 201);
  EXPECT_EQ(cu().CtxSetCurrent(reinterpret_cast<ContextHandle>(64)), 201);
  stub.reset();
  int count = 0;
  EXPECT_EQ(cu().DeviceGetCount(&count), 3);
  EXPECT_EQ(cu().Init(1), 1);
  cu().Init(0);
  ContextHandle context = nullptr;
  EXPECT_EQ(cu().DevicePrimaryCtxRetain(&context, 0), 0);  // the driver's destructor gives it back
}

TEST_F(DriverStub, MemoryIsUsedWithinItsBoundsAndFreedOnce) {
  DeviceAddress address = 0;
  EXPECT_EQ(cu().MemAlloc(&address, 0), 1);
  EXPECT_EQ(cu().MemAlloc(&address, 64), 0);
  EXPECT_EQ(address % 256, 0u);
  const char host[65] = {};
  EXPECT_EQ(cu().MemcpyHtoD(address, host, 64), 0);
  EXPECT_EQ(cu().MemcpyHtoD(address, host, 65), 1);
  EXPECT_EQ(cu().MemcpyHtoD(address + 60, host, 5), 1);
  EXPECT_EQ(cu().MemcpyHtoD(address - 1, host, 1), 1);
  EXPECT_EQ(cu().MemcpyHtoD(address, host, SIZE_MAX), 1);
  EXPECT_EQ(cu().MemcpyHtoD(address, nullptr, 8), 1);
  EXPECT_EQ(cu().MemFree(address + 1), 1);
  EXPECT_EQ(cu().MemFree(address), 0);
  EXPECT_EQ(cu().MemFree(address), 1);
  EXPECT_EQ(cu().MemcpyHtoD(address, host, 8), 1);
}

TEST_F(DriverStub, ALaunchIsHeldAgainstTheLimits) {
  const Module module(*driver, cubin());
  FunctionHandle k = module.function("first")->handle;
  const auto launch = [&](std::array<unsigned, 3> g, std::array<unsigned, 3> b, unsigned bytes,
                          FunctionHandle f) {
    return cu().LaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], bytes, nullptr, nullptr,
                             nullptr);
  };
  EXPECT_EQ(launch({2147483647, 65535, 65535}, {1024, 1, 1}, 48 << 10, k), 0);
  for (const std::array<unsigned, 3> grid :
       {std::array{0U, 1U, 1U}, {2147483648U, 1U, 1U}, {1U, 65536U, 1U}, {1U, 1U, 0U}}) {
    EXPECT_EQ(launch(grid, {1, 1, 1}, 0, k), 1);
  }
  for (const std::array<unsigned, 3> block :
       {std::array{0U, 1U, 1U}, {1025U, 1U, 1U}, {1U, 1U, 65U}, {32U, 33U, 1U}}) {
    EXPECT_EQ(launch({1, 1, 1}, block, 0, k), 1);
  }
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, (48 << 10) + 1, k), 1);
  EXPECT_EQ(cu().FuncSetAttribute(k, 8, (227 << 10) + 1), 1);
  EXPECT_EQ(cu().FuncSetAttribute(k, 8, 227 << 10), 0);
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, 227 << 10, k), 0);
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, 0, nullptr), 400);
  // Parameters and no arguments.
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, 0, module.function("k")->handle), 1);
}

TEST_F(DriverStub, WhatIsDestroyedOrOfAnotherKindIsUnknown) {
  StreamHandle stream = nullptr;
  EventHandle event = nullptr;
  EXPECT_EQ(cu().StreamCreate(&stream, 0), 0);
  EXPECT_EQ(cu().EventCreate(&event, 0), 0);
  EXPECT_EQ(stub.held(), "1 stream, 1 event, 1 context");
  EXPECT_EQ(cu().StreamSynchronize(reinterpret_cast<StreamHandle>(event)), 400);
  EXPECT_EQ(cu().StreamDestroy(nullptr), 400);
  EXPECT_EQ(cu().StreamDestroy(stream), 0);
  EXPECT_EQ(cu().StreamDestroy(stream), 400);
  EXPECT_EQ(cu().StreamSynchronize(stream), 400);
  EXPECT_EQ(cu().EventDestroy(event), 0);
  EXPECT_EQ(cu().EventRecord(event, nullptr), 400);
  FunctionHandle function = nullptr;
  {
    const Module module(*driver, cubin());
    function = module.function("first")->handle;
  }
  EXPECT_EQ(cu().LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), 400);
}

TEST_F(DriverStub, WhatWaitsIsRefusedWhileThisThreadCaptures) {
  StreamHandle stream = nullptr;
  GraphHandle graph = nullptr;
  DeviceAddress address = 0;
  cu().StreamCreate(&stream, 0);
  const auto spoilt_by = [&](const auto& call) {
    EXPECT_EQ(cu().StreamBeginCapture(stream, 1), 0);
    EXPECT_EQ(call(), 900);
    EXPECT_EQ(cu().StreamEndCapture(stream, &graph), 901);
    EXPECT_EQ(graph, nullptr);
  };
  spoilt_by([&] { return cu().CtxSynchronize(); });
  spoilt_by([&] { return cu().StreamSynchronize(stream); });
  spoilt_by([&] { return cu().StreamQuery(stream); });
  spoilt_by([&] { return cu().MemAlloc(&address, 8); });
  EXPECT_EQ(cu().StreamEndCapture(stream, &graph), 1);  // none was begun
  EXPECT_EQ(cu().StreamBeginCapture(stream, 1), 0);
  EXPECT_EQ(cu().StreamBeginCapture(stream, 1), 1);
  EXPECT_EQ(cu().StreamEndCapture(stream, &graph), 0);
  EXPECT_EQ(stub.held(), "1 stream, 1 graph, 1 context");
  cu().GraphDestroy(graph);
  cu().StreamDestroy(stream);
}

TEST_F(DriverStub, ItFailsWhereItIsToldTo) {
  stub.fail({.call = "cuCtxSynchronize", .nth = 2, .code = 5});
  EXPECT_EQ(cu().CtxSynchronize(), 0);
  EXPECT_EQ(cu().CtxSynchronize(), 5);
  EXPECT_EQ(cu().CtxSynchronize(), 0);
  stub.fail({.nth = 2, .code = 6, .is_sticky = true});
  int value = 0;
  EXPECT_EQ(cu().CtxSynchronize(), 0);
  EXPECT_EQ(cu().DriverGetVersion(&value), 6);
  EXPECT_EQ(cu().CtxSynchronize(), 6);
  stub.fail_none();
  EXPECT_EQ(cu().CtxSynchronize(), 0);
  EXPECT_EQ(stub.count("cuCtxSynchronize"), 6);
}

}  // namespace
}  // namespace selvage
