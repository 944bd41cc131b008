// Every call of a life of a driver fails in its turn.
#include <selvage/runtime/graph.h>
#include <selvage/runtime/stream.h>
#include <selvage/runtime/tensor_map.h>

#include <cstdio>
#include <set>

#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

// Uses everything once.
void live() {
  std::vector<std::byte> host(256);  // outlives the stream that writes into it
  EXPECT_EQ(Driver::device_count(kStub), 1);
  const auto driver = Driver::open(kStub);
  (void)driver->device_name();
  (void)driver->arch();
  (void)driver->multiprocessors();
  const Module module(*driver, cubin());
  const Module ptx(*driver, kPtx);
  DeviceBuffer buffer(*driver, 256);
  const Stream stream(*driver);
  const DeviceBuffer ordered(*driver, 256, stream.handle());
  buffer.copy_from(host);
  driver->copy_in(ordered.address(), host, stream.handle());
  driver->copy(buffer.address(), ordered.address(), 256, stream.handle());
  driver->fill(buffer.address(), std::byte{1}, 16, stream.handle());
  driver->copy_out(host, buffer.address(), stream.handle());
  const TensorMap map = encode(*driver, {.tensor = "T0",
                                         .type = 7,
                                         .address = buffer.address(),
                                         .sizes = {8, 8},
                                         .strides = {32},
                                         .box = {8, 8},
                                         .element_strides = {1, 1}});
  (void)map;
  Event start(*driver, Event::Timing::On);
  Event end(*driver, Event::Timing::On);
  start.record(stream.handle());
  std::uint64_t p = buffer.address();
  int n = 3;
  void* const arguments[] = {&p, &n};
  driver->launch(module.function("k"), {.shared_bytes = 100'000}, arguments, stream.handle());
  end.record(stream.handle());
  end.hold_up(nullptr);
  driver->launch(ptx.function("first"), {}, {});
  while (!end.is_done()) {}
  end.synchronize();
  (void)Event::milliseconds(start, end);
  Capture capture(*driver, stream.handle());
  (void)driver->is_capturing(stream.handle());
  driver->launch(module.function("second"), {}, {}, stream.handle());
  const Graph graph = capture.end();
  graph.launch(stream.handle());
  while (!stream.is_done()) {}
  stream.synchronize();
  driver->synchronize();
  buffer.copy_to(host);
}

// The call's name in a message: as in cuda.h, without the suffix of a symbol.
std::string told(std::string symbol) {
  for (const std::string suffix : {"_v2", "WithFlags"}) {
    if (symbol.ends_with(suffix)) symbol.resize(symbol.size() - suffix.size());
  }
  return symbol;
}

// May fail without anyone being told: what gives back, and what there is another way without.
bool may_fail_in_silence(const std::string& call) {
  static const std::set<std::string> calls{
      "cuCtxGetCurrent",    "cuModuleUnload",     "cuMemFree_v2",
      "cuMemFreeAsync",     "cuStreamDestroy_v2", "cuEventDestroy_v2",
      "cuGraphExecDestroy", "cuGraphDestroy",     "cuDevicePrimaryCtxRelease_v2"};
  return calls.contains(call);
}

class DriverFaults : public StubbedDriver {
 protected:
  // On a thread without a context.
  void begin() {
    stub.reset();
    Driver::open(kStub)->calls().CtxSetCurrent(nullptr);
    stub.reset();
  }
  // The calls of one undisturbed life, in order, and how often each is made.
  std::vector<std::pair<std::string, int>> calls_of_a_life() {
    begin();
    live();
    EXPECT_EQ(stub.held(), "");
    std::vector<std::pair<std::string, int>> calls;
    for (const std::string& line : stub.calls()) {
      const std::string call = line.substr(0, line.find('('));
      const bool is_known = std::ranges::any_of(calls, [&](auto& c) { return c.first == call; });
      if (!is_known) calls.emplace_back(call, stub.count(call));
    }
    for (const char* call : {"cuCtxGetCurrent", "cuCtxSetCurrent"}) {
      calls.emplace_back(call, stub.count(call));
    }
    return calls;
  }
};

TEST_F(DriverFaults, EachCallThatFailsOnceIsToldByItsNameOrDoneWithout) {
  int runs = 0;
  for (const auto& [call, times] : calls_of_a_life()) {
    for (int nth = 1; nth <= times; ++nth) {
      begin();
      stub.fail({.call = call, .nth = nth, .code = 3});
      const std::string text = refusal([] { live(); });
      ++runs;
      EXPECT_EQ(stub.held(), "") << call << " " << nth;
      if (text == "accepted") {
        EXPECT_TRUE(may_fail_in_silence(call)) << call << " " << nth;
        continue;
      }
      EXPECT_NE(text.find("E705]: " + told(call)), text.npos) << call << " " << nth << "\n" << text;
      EXPECT_NE(text.find("fails: initialization error (3)"), text.npos) << text;
    }
  }
  std::printf("[FIGURE] driver faults: %d runs of one failing call\n", runs);
  EXPECT_GT(runs, 60);
}

// A fault that stays, as a kernel's does: nothing is held in the end all the same.
TEST_F(DriverFaults, FromAnyCallOnAllMayFailForGood) {
  calls_of_a_life();
  const int all = stub.count("");
  for (const int code : {700, 2, 999}) {
    for (int nth = 1; nth <= all; ++nth) {
      begin();
      stub.fail({.nth = nth, .code = code, .is_sticky = true});
      const std::string text = refusal([] { live(); });
      EXPECT_EQ(stub.held(), "") << "call " << nth;
      const bool is_told = text.find(" fails: ") != text.npos;
      EXPECT_TRUE(is_told || text == "accepted") << text;
    }
  }
  std::printf("[FIGURE] driver faults: %d runs that fail for good\n", 3 * all);
}

// Every entry point that Driver binds is used above.
TEST_F(DriverFaults, TheLifeUsesEveryCall) {
  calls_of_a_life();
  std::string unused;
#define CALL(name, symbol, parameters) \
  if (stub.count(symbol) == 0) unused += symbol " ";
#define NEWER_CALL(name, symbol, parameters, since) CALL(name, symbol, parameters)
#include <selvage/runtime/driver_calls.def>
#undef NEWER_CALL
#undef CALL
  EXPECT_EQ(unused, "cuGetErrorString ");
}

TEST_F(DriverFaults, WithoutPoolsTheLifeGoesOn) {
  stub.fail({.call = "cuMemAllocAsync", .code = 801});
  EXPECT_EQ(refusal([] { live(); }), "accepted");
}

}  // namespace
}  // namespace selvage
