// Whole calls of Executables on a GPU: the bytes that a kernel moves in a second, and those of a
// copy of as many bytes within the device, which is timed in turn with it. Skipped without a GPU;
// scripts/gpu runs these elsewhere.
#include <benchmark/benchmark.h>

#include <selvage/lower/program.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/ptxas_log.h>
#include <selvage/runtime/stream.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "examples/cpp/examples.h"

namespace selvage {
namespace {

constexpr int kCalls = 10;  // between two events, so that the time of the first call is a tenth

// y = relu(x + bias), eight items a thread in one access.
Example bias_relu() {
  auto f = std::make_shared<Fusion>();
  const Expr B = f->extent("B", 0), H = f->extent("H");
  const Tensor x = f->input("x", {B, H}, DataType::Half);
  const Tensor bias = f->input("bias", {H}, DataType::Half);
  const Tensor y = f->output("y", relu(x + bias));

  Schedule s(*f);
  const auto [b, h] = s.loops<2>(y);
  const auto [vectors, lane] = s.split(h, 8);
  const auto [block, thread] = s.split(vectors, 128);
  s.bind(b, ParallelType::BIDx).bind(block, ParallelType::BIDy);
  s.bind(thread, ParallelType::TIDx).bind(lane, ParallelType::Vectorize);
  return {"bias_relu", f, s, {"B", "H"}};
}

// An input or output in the memory of the GPU.
struct Operand {
  DataType type;
  std::vector<std::int64_t> shape;
  DeviceBuffer memory;

  Argument argument() const { return {reinterpret_cast<void*>(memory.address()), type, shape}; }
};

// Fills memory with values between 0 and 1 as halves, near 0 as floats: no pattern easy to move.
void fill(DeviceBuffer& memory) {
  std::vector<std::byte> bytes(memory.size());
  std::uint64_t h = 1;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    h = h * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto bits = static_cast<std::uint16_t>((h >> 33) % 0x3C00);
    std::memcpy(bytes.data() + at, &bits, sizeof bits);
  }
  memory.copy_from(bytes);
}

// Inputs, then outputs, in order of declaration, for B rows of H items.
std::vector<Operand> operands(const Driver& driver, const Fusion& fusion, std::int64_t B,
                              std::int64_t H) {
  std::vector<Operand> all;
  for (const bool outputs : {false, true}) {
    for (std::size_t i = 0; i < fusion.size(); ++i) {
      const TensorInfo& tensor = fusion[TensorId(i)];
      if (outputs ? !tensor.is_output : !tensor.is_input) continue;
      std::vector<std::int64_t> shape;
      std::int64_t bytes = size_of(tensor.type);
      for (Expr n : fusion.shape(TensorId(i))) {
        shape.push_back(n.name() == "B" ? B : H);
        bytes *= shape.back();
      }
      all.push_back({tensor.type, shape, DeviceBuffer(driver, std::size_t(bytes))});
      if (!outputs) fill(all.back().memory);
    }
  }
  return all;
}

// Seconds that the stream takes for one of kCalls calls.
double seconds(const Driver& driver, const Stream& stream, const auto& call) {
  Event start(driver, Event::Timing::On), end(driver, Event::Timing::On);
  start.record(stream.handle());
  for (int i = 0; i < kCalls; ++i) call();
  end.record(stream.handle());
  end.synchronize();
  return double(Event::milliseconds(start, end)) / 1e3 / kCalls;
}

void run(benchmark::State& state, const std::function<Example()>& make) {
  const Driver* driver = Driver::instance();
  if (driver == nullptr) {
    return state.SkipWithError(("skipped, there is no GPU: " + Driver::why_absent()).c_str());
  }
  if (Nvrtc::instance() == nullptr) {
    return state.SkipWithError(("skipped, there is no NVRTC: " + Nvrtc::why_absent()).c_str());
  }
  const Example example = make();
  const std::vector<Operand> all =
      operands(*driver, *example.fusion, state.range(0), state.range(1));
  std::vector<Argument> arguments;
  std::size_t bytes = 0;
  for (const Operand& operand : all) {
    arguments.push_back(operand.argument());
    bytes += operand.memory.size();
  }
  const DeviceBuffer from(*driver, bytes / 2), to(*driver, bytes / 2);

  const Executable executable = compile(lower(*example.fusion, example.schedule));
  const Stream stream(*driver, Stream::Order::Independent);
  const CallOptions on{.stream = stream.handle()};
  const auto call = [&] { executable(arguments, on); };
  const auto copy = [&] { driver->copy(to.address(), from.address(), bytes / 2, stream.handle()); };
  call();
  copy();
  driver->synchronize();
  double calls = 0, copies = 0;
  for (auto _ : state) {
    const double time = seconds(*driver, stream, call);
    copies += seconds(*driver, stream, copy);
    calls += time;
    state.SetIterationTime(time);
  }
  const auto moved = double(bytes) * double(state.iterations());
  state.counters["GB/s"] = moved / calls / 1e9;
  state.counters["copy_GB/s"] = moved / copies / 1e9;
  state.counters["of_copy"] = copies / calls;
  for (const KernelResources& used : executable.resources()) {
    state.counters["registers"] = used.registers;
    state.counters["spilled"] = double(used.spill_store_bytes);
  }
  state.SetLabel(driver->device_name());
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* name, const std::function<Example()>& make, std::int64_t rows,
                      std::int64_t columns) {
    benchmark::RegisterBenchmark(name, run, make)
        ->Args({rows, columns})
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("gpu_bias_relu", bias_relu, 16'384, 8'192);
  add("gpu_transpose", static_cast<Example (*)()>(transpose), 8'192, 8'192);
  add(
      "gpu_softmax", [] { return softmax(Row::Kept); }, 16'384, 8'192);
  return true;
}();

}  // namespace
}  // namespace selvage
