// Host time of a launch through Driver, on the stand-in of the driver library. Subtract the time of
// the same raw calls to the stand-in: the rest is the cost of Driver.
#include <benchmark/benchmark.h>

#include <selvage/base/check.h>
#include <selvage/ir/ops.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/stream.h>
#include <selvage/scheduler/pointwise.h>
#include <tests/driver_stub/driver_stub.h>

#include <memory>

namespace selvage {
namespace {

struct Launches {
  Launches() {
    const std::string path = SELVAGE_DRIVER_STUB_PATH;
    std::string why;
    library = SharedLibrary::open(path, why);
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

// A cubin as the stand-in accepts it: an empty ELF header, and PTX. Kernels take three pointers and
// two sizes.
std::vector<std::byte> stub_cubin(const std::string& kernel) {
  std::string image(
      "\x7F"
      "ELF\2");
  image.resize(64, '\0');
  image += ".version 8.0\n.entry " + kernel +
           "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 m, .param .u32 n) {}";
  image += '\0';
  const auto bytes = std::as_bytes(std::span(image));
  return {bytes.begin(), bytes.end()};
}

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

// The cost of the two calls about the current context: asking for it and setting it.
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

// Only the record of a launch, which is kept for the message of a fault.
void launch_recorded(benchmark::State& state) {
  LaunchRecord record;
  const std::string name = "k";
  for (auto _ : state) record.launched(&record, &name);
}
BENCHMARK(launch_recorded);

// A call of an Executable whose plan is known, y = x + row over halves in one kernel, as a user
// makes it. Compare with launch_raw, the same launch by the driver alone.
void executable_call(benchmark::State& state) {
  Launches l;
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N");
  const Tensor x = f.input("x", {m, n}, DataType::Half), row = f.input("row", {n}, DataType::Half);
  const Tensor y = f.output("y", x + row);
  Schedule s(f);
  schedule_pointwise(s, y.id());
  CompileCache cache(DiskCache::instance(), {.toolkit =
                                                 [] {
                                                   return Toolkit{13000, ""};
                                                 },
                                             .compile =
                                                 [](auto sources, const auto&) {
                                                   CompiledKernels k;
                                                   k.cubin = stub_cubin(sources[0].name);
                                                   return k;
                                                 }});
  const Executable run = compile(lower(f, s), {.driver = l.driver.get(), .cache = &cache});
  DeviceBuffer memory(*l.driver, 1 << 20);
  const auto result = reinterpret_cast<void*>(memory.address() + (1 << 19));
  const auto data = reinterpret_cast<void*>(memory.address());
  std::array<std::int64_t, 2> shape{64, 128};
  const std::array<std::int64_t, 1> columns{128};
  const CallOptions on{.stream = l.stream->handle()};
  const auto call = [&] {
    run({{data, DataType::Half, shape},
         {data, DataType::Half, columns},
         {result, DataType::Half, shape}},
        on);
  };
  // Plans for range(0) shapes are kept while one shape is called again and again.
  for (shape[0] = 1; shape[0] <= state.range(0); ++shape[0]) call();
  shape[0] = 1;
  for (auto _ : state) call();
  state.counters["kept"] = double(run.kept());
}
BENCHMARK(executable_call)->Arg(1)->Arg(1'000);

}  // namespace
}  // namespace selvage
