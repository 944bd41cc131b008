// Executables over the stand-in of the driver: what is launched there runs on the virtual device,
// so results are seen, and any call of the driver can be made to fail.
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/graph.h>
#include <selvage/runtime/stream.h>
#include <selvage/runtime/virtual_device.h>
#include <selvage/runtime/virtual_map.h>
#include <selvage/scheduler/pointwise.h>

#include <cstdio>
#include <map>

#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;
using Shape = std::vector<std::int64_t>;

// "Compiles" to the names and parameters of the kernels, which is all that the stand-in reads.
CompiledKernels compiled_for_stub(std::span<const KernelSource> sources,
                                  const NvrtcOptions& options) {
  std::string text = ".version 8.0\n.target " + options.arch + "\n.address_size 64\n";
  for (const KernelSource& s : sources) {
    text += ".visible .entry " + s.name + "(";
    for (std::size_t k = 0; k < s.parameter_types.size(); ++k) {
      const std::string& type = s.parameter_types[k];
      const bool is_wide = type.ends_with("*") || type == "long long";
      const bool is_map = type == "tensor_map";
      text += std::string(k > 0 ? ", " : "") + ".param " +
              (is_map    ? ".align 64 .b8"
               : is_wide ? ".u64"
                         : ".u32") +
              " p" + std::to_string(k) + (is_map ? "[128]" : "");
    }
    text += ") { ret; }\n";
  }
  CompiledKernels kernels;
  kernels.cubin = cubin(text);
  if (options.ptx) kernels.ptx = text;
  return kernels;
}

class ExecutableOnStub : public StubbedDriver {
 protected:
  void SetUp() override {
    StubbedDriver::SetUp();
    stub.on_run([this](const driver_stub::Run& run) { execute(run); });
  }
  void TearDown() override {
    stub.on_run({});
    StubbedDriver::TearDown();
  }

  void execute(const driver_stub::Run& run) {
    const auto source = sources_.find(run.kernel);
    if (source == sources_.end()) return;
    auto [kernel, is_new] = kernels_.try_emplace(run.kernel);
    if (is_new) kernel->second = std::make_unique<VirtualKernel>(source->second);
    std::vector<std::vector<std::byte>> values = run.arguments;
    std::vector<void*> arguments;
    for (auto& v : values) {
      if (v.size() == sizeof(TensorMap)) v = as_virtual(v);
      arguments.push_back(v.data());
    }
    const auto wide = [](const std::uint32_t(&n)[3]) {
      return std::array<std::int64_t, 3>{n[0], n[1], n[2]};
    };
    kernel->second->launch({wide(run.grid), wide(run.block), run.shared_bytes}, arguments);
  }

  // A tensor map of the stand-in as the virtual device reads it.
  std::vector<std::byte> as_virtual(const std::vector<std::byte>& map) {
    const driver_stub::EncodedMap m = stub.decode(map.data());
    const TensorMap own = virtual_map({.tensor = "x",
                                       .type = m.type,
                                       .address = m.address,
                                       .sizes = m.sizes,
                                       .strides = m.strides,
                                       .box = m.box,
                                       .element_strides = m.element_strides,
                                       .swizzle = TmaSwizzle(m.swizzle)});
    return {own.bytes.begin(), own.bytes.end()};
  }

  // y = x - its row's maximum: two kernels with memory between them.
  struct Centred {
    Fusion f;
    const Expr m = f.extent("M", 0), n = f.extent("N", 0);
    const Tensor x = f.input("x", {m, n}, DataType::Float);
    const Tensor most = max(x, {1});
    const Tensor y = f.output("y", x - unsqueeze(most, 1));
    Program program() const {
      Schedule s(f);
      schedule_pointwise(s, most.id());
      schedule_pointwise(s, y.id());
      return lower(f, s);
    }
  };

  Executable compile_for(const Driver& driver, const Program& program) {
    for (const ProgramStep& step : program.steps) {
      for (const Kernel& k : step.variants) sources_[k.name] = source_of(k);
    }
    return compile(program, {.driver = &driver, .cache = &cache_});
  }

  // Through device memory and back.
  Array result_of(const Driver& driver, const Executable& run, const Array& x,
                  Driver::Stream stream = nullptr) {
    DeviceBuffer in(driver, x.bytes.size()), out(driver, x.bytes.size());
    in.copy_from(x.bytes);
    run({{reinterpret_cast<void*>(in.address()), DataType::Float, x.shape},
         {reinterpret_cast<void*>(out.address()), DataType::Float, x.shape}},
        {.stream = stream});
    driver.synchronize();
    Array y(DataType::Float, x.shape);
    out.copy_to(y.bytes);
    return y;
  }

  static Array numbers(Shape shape) {
    Array a(DataType::Float, std::move(shape));
    for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, double(k * 37 % 101) - 50);
    return a;
  }
  static Array expected(const Centred& c, const Array& x) {
    return run_reference(c.f, {{"M", x.shape[0]}, {"N", x.shape[1]}}, {{"x", x}})[0];
  }

  CompileCache cache_{DiskCache::instance(),
                      {.toolkit =
                           [] {
                             return Toolkit{13000, ""};
                           },
                       .compile = compiled_for_stub}};

 private:
  std::map<std::string, KernelSource> sources_;
  std::map<std::string, std::unique_ptr<VirtualKernel>> kernels_;
};

// Tensor maps are encoded at a launch, and again where the memory is another one.
TEST_F(ExecutableOnStub, EncodesTensorMapsForTheMemoryThatItIsGiven) {
  Fusion f;
  const Expr m = f.extent("M", 0), n = f.extent("N", 0);
  const Tensor x = f.input("x", {m, n}, DataType::Float), y = f.output("y", relu(x));
  Schedule s(f);
  const TensorId tile = s.cache(x, "tile", Memory::Shared);
  const auto cut = [&](TensorId t) {
    const auto [row, column] = s.loops<2>(t);
    s.bind(row, ParallelType::BIDx);
    return s.split(column, 32);
  };
  const auto [no, ni] = cut(y.id());
  s.bind(ni, ParallelType::TIDx);
  s.bind(s.split(cut(tile).second, 32).second, ParallelType::Bulk);
  s.compute_at(tile, no).stages(tile, 3).copy(tile, CopyBy::Tma);
  const auto driver = Driver::open(kStub);
  const Executable run = compile_for(*driver, lower(f, s));
  const auto encodings = [&] { return stub.count("cuTensorMapEncodeTiled"); };
  const Array given = numbers({3, 100});
  Array right = given;
  for (std::int64_t k = 0; k < right.size(); ++k) right.set(k, std::max(0.0, given.get(k)));
  DeviceBuffer in(*driver, given.bytes.size()), other(*driver, given.bytes.size()),
      out(*driver, given.bytes.size());
  const auto runs_from = [&](DeviceBuffer& memory) {
    memory.copy_from(given.bytes);
    run({{reinterpret_cast<void*>(memory.address()), DataType::Float, given.shape},
         {reinterpret_cast<void*>(out.address()), DataType::Float, given.shape}});
    driver->synchronize();
    Array result(DataType::Float, given.shape);
    out.copy_to(result.bytes);
    EXPECT_EQ(result.bytes, right.bytes);
  };
  const int before = encodings();
  runs_from(in);
  EXPECT_EQ(encodings(), before + 1);
  runs_from(in);
  EXPECT_EQ(encodings(), before + 1);
  runs_from(other);
  EXPECT_EQ(encodings(), before + 2);
}

TEST_F(ExecutableOnStub, LaunchesWhatTheVirtualDeviceComputes) {
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  EXPECT_EQ(run.target(), Target::Gpu);
  for (const Shape& shape : {Shape{3, 5}, {1, 1}, {129, 33}, {3, 5}}) {
    const Array x = numbers(shape);
    EXPECT_EQ(result_of(*driver, run, x), expected(c, x));
  }
  EXPECT_EQ(run.kept(), 3U);
  EXPECT_EQ(stub.count("cuModuleLoadData"), 1);  // both kernels in one
}

// Once a plan is there, a call is the driver's launches and nothing else.
TEST_F(ExecutableOnStub, ARepeatedCallLaunchesAndNothingElse) {
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  const Array x = numbers({7, 9});
  DeviceBuffer in(*driver, x.bytes.size()), out(*driver, x.bytes.size());
  const auto call = [&] {
    run({{reinterpret_cast<void*>(in.address()), DataType::Float, x.shape},
         {reinterpret_cast<void*>(out.address()), DataType::Float, x.shape}});
  };
  call();
  stub.forget_calls();
  call();
  std::string names;
  for (const std::string& line : stub.calls()) names += line.substr(0, line.find(',')) + "\n";
  EXPECT_EQ(names, "cuLaunchKernel(kernel_t0\ncuLaunchKernel(kernel_y\n");
}

TEST_F(ExecutableOnStub, WithoutItemsLaunchesNothing) {
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  run({{nullptr, DataType::Float, Shape{0, 5}}, {nullptr, DataType::Float, Shape{0, 5}}});
  EXPECT_EQ(stub.count("cuLaunchKernel"), 0);
}

TEST_F(ExecutableOnStub, EachStreamHasItsMemoryAndAGraphReplaysACall) {
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  const Array x = numbers({4, 6});
  const Stream a(*driver), b(*driver, Stream::Order::Independent);
  EXPECT_EQ(result_of(*driver, run, x, a.handle()), expected(c, x));
  EXPECT_EQ(result_of(*driver, run, x, b.handle()), expected(c, x));
  DeviceBuffer in(*driver, x.bytes.size()), out(*driver, x.bytes.size());
  const auto call = [&] {
    run({{reinterpret_cast<void*>(in.address()), DataType::Float, x.shape},
         {reinterpret_cast<void*>(out.address()), DataType::Float, x.shape}},
        {.stream = a.handle()});
  };
  Capture capture(*driver, a.handle());
  call();
  const Graph graph = capture.end();
  for (const int shift : {1, 2}) {
    Array moved = x;
    for (std::int64_t k = 0; k < x.size(); ++k) moved.set(k, x.get(k) * shift);
    in.copy_from(moved.bytes);
    graph.launch(a.handle());
    driver->synchronize();
    Array y(DataType::Float, x.shape);
    out.copy_to(y.bytes);
    EXPECT_EQ(y, expected(c, moved));
  }
}

// A driver of CUDA 12 refuses what a toolkit of CUDA 13 makes, and compiles its PTX.
TEST_F(ExecutableOnStub, ADriverThatRefusesTheBinaryGetsPtx) {
  stub.set_driver_version(12040);
  stub.set_cubin_version(13000);
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  const Array x = numbers({5, 3});
  EXPECT_EQ(result_of(*driver, run, x), expected(c, x));
  EXPECT_EQ(stub.count("cuModuleLoadDataEx"), 1);
}

TEST_F(ExecutableOnStub, AFaultOfAKernelIsToldAtTheNextCallWithItsName) {
  const auto driver = Driver::open(kStub);
  const Centred c;
  const Executable run = compile_for(*driver, c.program());
  stub.set_kernel_fault("kernel_t0", 700);
  const Array x = numbers({2, 2});
  const std::string first = refusal([&] { result_of(*driver, run, x); });
  EXPECT_NE(first.find("error[E715]"), first.npos) << first;
  EXPECT_NE(first.find("kernel_t0"), first.npos) << first;
  const std::string then = refusal([&] { result_of(*driver, run, x); });
  EXPECT_NE(then.find("error[E715]"), then.npos) << then;
  stub.set_kernel_fault("kernel_t0", 0);
}

// Whatever call of the driver fails: an error or the right answer, and nothing is left behind.
TEST_F(ExecutableOnStub, AnyCallThatFailsEndsInAnErrorOrTheRightAnswer) {
  const Centred c;
  const Program program = c.program();
  const Array x = numbers({3, 4}), wanted = expected(c, x);
  const auto live = [&] {
    const auto driver = Driver::open(kStub);
    const Executable run = compile_for(*driver, program);
    const Stream stream(*driver);
    EXPECT_EQ(result_of(*driver, run, x, stream.handle()), wanted);
    EXPECT_EQ(result_of(*driver, run, x), wanted);
  };
  live();
  const int calls = stub.count("");
  int refused = 0;
  for (int nth = 1; nth <= calls; ++nth) {
    for (const bool is_sticky : {false, true}) {
      stub.reset();
      stub.on_run([this](const driver_stub::Run& run) { execute(run); });
      stub.fail({.nth = nth, .code = is_sticky ? 700 : 3, .is_sticky = is_sticky});
      refused += refusal(live) != "accepted";
      stub.fail_none();
      EXPECT_EQ(stub.held(), "") << "call " << nth;
    }
  }
  std::printf("[FIGURE] executable faults: %d calls, each failing once and for good, %d errors\n",
              calls, refused);
  EXPECT_GT(refused, calls);
}

}  // namespace
}  // namespace selvage
