// Host time of a launch through Driver, over the stand-in of the driver library: what is left when
// the stand-in's own time (the same raw calls) is taken away is ours.
#include <benchmark/benchmark.h>

#include <selvage/base/check.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/stream.h>
#include <tests/driver_stub/driver_stub.h>

#include <memory>

namespace selvage {
namespace {

struct Launches {
  Launches() {
    const std::string path = SELVAGE_DRIVER_STUB_PATH;
    std::string why;
    library = SharedLibrary::open({&path, 1}, why);
    SELVAGE_CHECK(library.has_value());
    auto& control =
        *reinterpret_cast<driver_stub::Control* (*)()>(library->symbol("driver_stub_control"))();
    control.reset();
    control.list_calls(false);
    driver = Driver::open(path);
    module = std::make_unique<Module>(
        *driver, ".version 8.0\n.entry k(.param .u64 p, .param .u64 q, .param .u32 n) {}");
    stream = std::make_unique<Stream>(*driver);
    function = module->function("k");
  }

  std::optional<SharedLibrary> library;
  std::unique_ptr<const Driver> driver;
  std::unique_ptr<Module> module;
  std::unique_ptr<Stream> stream;
  Driver::Function function = nullptr;
  std::uint64_t p = 0, q = 0;
  int n = 7;
  void* arguments[3] = {&p, &q, &n};
  LaunchShape shape{.grid = {64, 4, 1}, .block = {128, 1, 1}};
};

void launch_raw(benchmark::State& state) {
  Launches l;
  const DriverCalls& calls = l.driver->calls();
  for (auto _ : state) {
    ContextHandle context = nullptr;
    calls.CtxGetCurrent(&context);
    benchmark::DoNotOptimize(calls.LaunchKernel(l.function->handle, 64, 4, 1, 128, 1, 1, 0,
                                                l.stream->handle(), l.arguments, nullptr));
  }
}
BENCHMARK(launch_raw);

void launch_checked(benchmark::State& state) {
  Launches l;
  for (auto _ : state) {
    l.driver->launch_checked(l.function, l.shape, l.arguments, l.stream->handle());
  }
}
BENCHMARK(launch_checked);

void launch(benchmark::State& state) {
  Launches l;
  for (auto _ : state) l.driver->launch(l.function, l.shape, l.arguments, l.stream->handle());
}
BENCHMARK(launch);

// Each of the two ways to make a context current, as the stand-in has them.
void context_asked_for(benchmark::State& state) {
  Launches l;
  ContextHandle context = nullptr;
  for (auto _ : state) benchmark::DoNotOptimize(l.driver->calls().CtxGetCurrent(&context));
}
BENCHMARK(context_asked_for);

void context_set(benchmark::State& state) {
  Launches l;
  ContextHandle context = nullptr;
  l.driver->calls().CtxGetCurrent(&context);
  for (auto _ : state) benchmark::DoNotOptimize(l.driver->calls().CtxSetCurrent(context));
}
BENCHMARK(context_set);

// Only what is remembered of a launch, for the message of a fault.
void launch_recorded(benchmark::State& state) {
  LaunchRecord record;
  const std::string name = "k";
  for (auto _ : state) record.launched(&record, &name);
}
BENCHMARK(launch_recorded);

}  // namespace
}  // namespace selvage
