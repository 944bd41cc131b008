// The time NVRTC takes for an emitted kernel, for the same one written by hand, and for the emitted
// one behind a prelude of 12,000 lines such as engines put before every kernel. They are compiled
// in turn and their least processor times compared, since single times are noisy.
#include <benchmark/benchmark.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>
#include <selvage/runtime/nvrtc.h>

#include <algorithm>
#include <ctime>

namespace selvage {
namespace {

constexpr char kBiasRelu[] = R"(
extern "C" __global__ void kernel_y(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ y) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 792844) y[i] = fmaxf(__ldcs(a + i) + b[i % 772], 0.0f);
}
)";

constexpr char kVectors[] = R"(
struct __align__(16) Lanes { unsigned short at[8]; };
__device__ float wide(unsigned short h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
__device__ unsigned short narrow(float x) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
extern "C" __global__ void kernel_y(const unsigned short* __restrict__ a,
                                    const unsigned short* __restrict__ b,
                                    unsigned short* __restrict__ y) {
  int lane = threadIdx.x, i = blockIdx.x * 1000 + lane * 8;
  if (lane >= 125) return;
  Lanes s, out;
  *(uint4*)&s = __ldcs((const uint4*)(a + i));
  Lanes t = *(const Lanes*)(b + lane * 8);
#pragma unroll
  for (int v = 0; v < 8; ++v) out.at[v] = narrow(fmaxf(wide(s.at[v]) + wide(t.at[v]), 0.0f));
  *(Lanes*)(y + i) = out;
}
)";

std::string prelude() {
  std::string text;
  for (int i = 0; i < 2'400; ++i) {
    const std::string n = std::to_string(i);
    text += "__device__ inline float prelude_" + n +
            "(float a, float b, int k) {\n  float c = a * " + n + ".0f + b;\n  if (k > " + n +
            ") c -= b;\n  return c * c;\n}\n";
  }
  return text;
}

KernelSource emitted(const std::string& example) {
  const ScheduleFile file = read_schedule_file("examples/" + example + ".yaml");
  const CudaText text = inspect(file).fusions.at(0).cuda.at(0).at(0);
  return {text.text, text.name, text.parameter_types};
}

double processor_ms(const KernelSource& source) {
  const std::clock_t begin = std::clock();
  benchmark::DoNotOptimize(Nvrtc::instance()->compile(source));
  return double(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC;
}

void compile_time(benchmark::State& state, const char* example, const char* by_hand) {
  if (Nvrtc::instance() == nullptr) return state.SkipWithError(Nvrtc::why_absent().c_str());
  const KernelSource own = emitted(example);
  KernelSource hand = own, behind_prelude = own;
  hand.text = by_hand;
  behind_prelude.text = prelude() + own.text;
  double least[3] = {1e9, 1e9, 1e9};
  for (auto _ : state) {
    least[0] = std::min(least[0], processor_ms(own));
    least[1] = std::min(least[1], processor_ms(hand));
    least[2] = std::min(least[2], processor_ms(behind_prelude));
  }
  state.counters["emitted_ms"] = least[0];
  state.counters["over_hand"] = least[0] / least[1];
  state.counters["of_prelude"] = least[0] / least[2];
}
BENCHMARK_CAPTURE(compile_time, bias_relu, "bias_relu", kBiasRelu)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40);
BENCHMARK_CAPTURE(compile_time, vectors, "vectors", kVectors)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40);

}  // namespace
}  // namespace selvage
