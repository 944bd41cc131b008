#include <selvage/runtime/graph.h>
#include <selvage/runtime/stream.h>

#include <mutex>

#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

class Streams : public StubbedDriver {
 protected:
  void SetUp() override {
    StubbedDriver::SetUp();
    stub.on_run([this](const driver_stub::Run& run) { order += run.kernel + " "; });
    driver = Driver::open(kStub);
    module = std::make_unique<Module>(*driver, kPtx);
  }
  void TearDown() override {
    module.reset();
    driver.reset();
    stub.on_run(nullptr);
    StubbedDriver::TearDown();
  }
  void launch(const std::string& name, const Stream& stream) {
    driver->launch(module->function(name), {}, {}, stream.handle());
  }

  std::string order;  // of the kernels that have run
  std::unique_ptr<const Driver> driver;
  std::unique_ptr<Module> module;
};

TEST_F(Streams, CopiesAndFillsKeepTheStreamsOrder) {
  const Stream stream(*driver);
  DeviceBuffer a(*driver, 8);
  const DeviceBuffer b(*driver, 8, stream.handle());
  const std::vector<std::byte> ones(8, std::byte{1});
  std::vector<std::byte> out(8);
  driver->copy_in(a.address(), ones, stream.handle());
  driver->copy(b.address(), a.address(), 8, stream.handle());
  driver->fill(b.address() + 6, std::byte{9}, 2, stream.handle());
  driver->copy_out(out, b.address(), stream.handle());
  EXPECT_EQ(out, std::vector<std::byte>(8));  // nothing has waited yet
  stream.synchronize();
  std::vector<std::byte> wanted = ones;
  wanted[6] = wanted[7] = std::byte{9};
  EXPECT_EQ(out, wanted);
  driver->copy(0, 0, 0, stream.handle());  // of no bytes: no call
  EXPECT_EQ(stub.count("cuMemcpyDtoDAsync_v2"), 1);
  EXPECT_EQ(refusal([&] { driver->fill(b.address(), std::byte{}, 9, stream.handle()); }),
            "selvage: error[E705]: cuMemsetD8Async of 9 bytes fails: invalid argument (1); help: "
            "use what was made by this device's driver and is not yet destroyed");
  EXPECT_EQ(refusal([&] { driver->fill(b.address(), std::byte{}, 8, stream.handle()); }),
            "accepted");
}

TEST_F(Streams, AnEventHoldsAnotherStreamUp) {
  const Stream a(*driver, Stream::Order::Independent);
  const Stream b(*driver, Stream::Order::Independent);
  Event event(*driver);
  event.hold_up(b.handle());  // not recorded: nothing
  launch("first", a);
  event.record(a.handle());
  launch("third", a);
  event.hold_up(b.handle());
  launch("second", b);
  b.synchronize();
  EXPECT_EQ(order, "first second ");
  EXPECT_TRUE(event.is_done());
  EXPECT_FALSE(a.is_done());
}

TEST_F(Streams, QueriesDoNotWait) {
  const Stream stream(*driver);
  Event event(*driver);
  EXPECT_TRUE(stream.is_done());
  launch("first", stream);
  launch("second", stream);
  event.record(stream.handle());
  EXPECT_FALSE(event.is_done());
  EXPECT_EQ(stub.count("cuStreamSynchronize") + stub.count("cuEventSynchronize"), 0);
  int queries = 0;
  while (!event.is_done()) ASSERT_LT(++queries, 10);
  EXPECT_EQ(order, "first second ");
  EXPECT_EQ(driver->record().pending().size(), 0u);
}

TEST_F(Streams, EventsMeasureTime) {
  const Stream stream(*driver);
  Event start(*driver, Event::Timing::On);
  Event end(*driver, Event::Timing::On);
  start.record(stream.handle());
  launch("first", stream);
  end.record(stream.handle());
  EXPECT_EQ(refusal([&] { Event::milliseconds(start, end); }),
            "selvage: error[E705]: cuEventElapsedTime fails: device not ready (600); help: wait "
            "for it first");
  end.synchronize();
  EXPECT_GT(Event::milliseconds(start, end), 0);
  const Event untimed(*driver);
  EXPECT_NE(refusal([&] { Event::milliseconds(start, untimed); }), "accepted");
}

TEST_F(Streams, TheDefaultStreamAndThoseOrderedWithItWaitForEachOther) {
  const Stream with(*driver);
  const Stream without(*driver, Stream::Order::Independent);
  DeviceBuffer buffer(*driver, 4);
  launch("first", with);
  launch("second", without);
  std::vector<std::byte> host(4);
  buffer.copy_to(host);
  EXPECT_EQ(order, "first ");
}

TEST_F(Streams, BuffersInAStreamsOrderComeFromThePoolWhereThereIsOne) {
  const Stream stream(*driver);
  { const DeviceBuffer buffer(*driver, 32, stream.handle()); }
  EXPECT_EQ(calls("cuMem"),
            "cuMemAllocAsync(32, stream 1)\n"
            "cuMemFreeAsync(32 bytes + 0, stream 1)\n");
  stub.set_pools(false);
  stub.forget_calls();
  { const DeviceBuffer buffer(*driver, 32, stream.handle()); }
  EXPECT_EQ(calls("cuMem"),
            "cuMemAllocAsync(32, stream 1)\n"
            "cuMemAlloc_v2(32)\n"
            "cuMemFree_v2(32 bytes + 0)\n");
}

TEST_F(Streams, ACapturedStreamRunsNothingUntilItsGraphIsLaunched) {
  const Stream stream(*driver);
  Capture capture(*driver, stream.handle());
  EXPECT_TRUE(driver->is_capturing(stream.handle()));
  EXPECT_FALSE(driver->is_capturing(nullptr));
  launch("first", stream);
  launch("second", stream);
  Graph graph = capture.end();
  EXPECT_FALSE(driver->is_capturing(stream.handle()));
  stream.synchronize();
  EXPECT_EQ(order, "");
  Graph moved = std::move(graph);
  for (int i = 0; i < 3; ++i) moved.launch(stream.handle());
  stream.synchronize();
  EXPECT_EQ(order, "first second first second first second ");
  EXPECT_EQ(stub.count("cuGraphLaunch"), 3);
}

TEST_F(Streams, WhatCannotBeCapturedIsRefusedAndTheStreamIsWellAgain) {
  const Stream stream(*driver);
  EXPECT_EQ(refusal([&] { Capture(*driver, nullptr); }),
            "selvage: error[E705]: cuStreamBeginCapture fails: operation not permitted when stream "
            "is capturing (900); help: while a stream is captured, give it launches, copies and "
            "fills only, and wait for it after the capture's end");
  EXPECT_EQ(refusal([&] {
              Capture capture(*driver, stream.handle());
              EXPECT_NE(refusal([&] { stream.synchronize(); }), "accepted");
              capture.end();
            }),
            "selvage: error[E705]: cuStreamEndCapture fails: operation failed due to a previous "
            "error during capture (901); help: while a stream is captured, give it launches, "
            "copies and fills only, and wait for it after the capture's end");
  EXPECT_EQ(refusal([&] {
              Capture capture(*driver, stream.handle());
              launch("first", stream);
              capture.end();
            }),
            "accepted");
  { Capture dropped(*driver, stream.handle()); }
  launch("second", stream);
  stream.synchronize();
  EXPECT_EQ(order, "second ");
}

}  // namespace
}  // namespace selvage
