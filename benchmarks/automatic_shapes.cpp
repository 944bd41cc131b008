// The rows that models normalize, of 34 lengths and six counts, in float and bfloat16: what share
// of the time of a copy of as many bytes the model predicts for the automatic schedule. Sources of
// the lengths: hidden sizes of GPT, Llama, Qwen2 and DeepSeek-V3, odd neighbours of them, and those
// at which other schedulers are known to be slow.
#include <benchmark/benchmark.h>

#include <selvage/ir/composites.h>

#include <array>
#include <functional>
#include <string>

#include "benchmarks/prediction.h"

namespace selvage {
namespace {

constexpr std::array kLengths{768,   1024,  1280,  1536,  1600,  2048,  2560,  3584,  4096,
                              5120,  6144,  6656,  7168,  7296,  8192,  10240, 12288, 12800,
                              15360, 16384, 18432, 25600, 30720, 49152, 65536, 4098,  4100,
                              4104,  4112,  1023,  3840,  25601, 43690, 54613};
constexpr std::array kRows{1, 16, 512, 2048, 8192, 16384};
constexpr double kFewBytes = 8 << 20;

using Build = std::function<void(Fusion&, Tensor, Expr)>;

void shapes(benchmark::State& state, const Build& build) {
  const Device& device = usual_device();
  int all = 0, near = 0, kernels = 0;
  double least = 1;
  std::string worst;
  for (auto _ : state) {
    all = near = kernels = 0;
    least = 1;
    for (const DataType type : {DataType::Float, DataType::BFloat16}) {
      for (const int n : kLengths) {
        for (const int m : kRows) {
          Fusion f;
          const Expr length = f.constant(n);
          build(f, f.input("x", {f.constant(m), length}, type), length);
          const benchmarks::Prediction p = benchmarks::predict(f, device);
          if (p.bytes <= kFewBytes) continue;
          kernels += p.kernels;
          ++all;
          near += p.share() >= 0.9;
          if (p.share() >= least) continue;
          least = p.share();
          worst = std::to_string(m) + " x " + std::to_string(n) + " " +
                  std::string(to_string(type)) + ": " + p.reason;
        }
      }
    }
  }
  state.SetLabel("worst: " + worst);
  state.counters["shapes"] = all;
  state.counters["kernels"] = kernels;
  state.counters["of_90_percent"] = near;
  state.counters["least_share"] = least;
  state.counters["us_a_schedule"] = benchmark::Counter(
      double(2 * kLengths.size() * kRows.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void register_all() {
  const std::pair<const char*, Build> kinds[] = {
      {"rms_norm",
       [](Fusion& f, Tensor x, Expr n) {
         f.output("y", rms_norm(x, {1}, f.input("w", {n}, x.type()), 1e-6), x.type());
       }},
      {"layer_norm",
       [](Fusion& f, Tensor x, Expr n) {
         f.output("y", layer_norm(x, {1}, f.input("w", {n}, x.type()), f.input("b", {n}, x.type())),
                  x.type());
       }},
      {"softmax", [](Fusion& f, Tensor x, Expr) { f.output("y", softmax(x, 1), x.type()); }},
  };
  for (const auto& [name, build] : kinds) {
    benchmark::RegisterBenchmark((std::string("automatic_shapes/") + name).c_str(), shapes, build)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace selvage
