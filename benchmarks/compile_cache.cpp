// The time to get a compiled kernel: from NVRTC, from the disk, from memory; and for many at once,
// with and without helper processes. Kernels are those of an example, each with another constant.
#include <benchmark/benchmark.h>

#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/compile_helper.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace selvage {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "selvage-benchmark-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A pointwise kernel of vectors of four, with the functions that fusions use.
KernelSource kernel(int i) {
  const std::string name = "kernel_" + std::to_string(i);
  return {R"(
#define KERNEL(name) extern "C" __global__ void name
KERNEL()" + name +
              R"()(const float* a, const float* b, float* y, long long N) {
  const long long q = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (q < N) {
    const float4 a4 = *(const float4*)(a + q), b4 = *(const float4*)(b + q);
    float4 y4;
    y4.x = expf(a4.x) * tanhf(b4.x) + rsqrtf(a4.x) / b4.x + )" +
              std::to_string(i) + R"(.5f;
    y4.y = expf(a4.y) * tanhf(b4.y) + rsqrtf(a4.y) / b4.y;
    y4.z = expf(a4.z) * tanhf(b4.z) + rsqrtf(a4.z) / b4.z;
    y4.w = expf(a4.w) * tanhf(b4.w) + rsqrtf(a4.w) / b4.w;
    *(float4*)(y + q) = y4;
  }
}
)",
          name,
          {"const float*", "const float*", "float*", "long long"}};
}

// Differs at each call, so that no kernel is found in a cache.
int next_number() {
  static int number = 0;
  return number++;
}

bool skipped(benchmark::State& state) {
  if (Nvrtc::instance() != nullptr) return false;
  state.SkipWithError(Nvrtc::why_absent().c_str());
  return true;
}

void compile_kernel(benchmark::State& state) {
  if (skipped(state)) return;
  DiskCache none({});
  CompileCache cache(none);
  for (auto _ : state) benchmark::DoNotOptimize(cache.compile(kernel(next_number())));
}
BENCHMARK(compile_kernel)->Unit(benchmark::kMillisecond);

void compile_kernel_and_keep_it(benchmark::State& state) {
  if (skipped(state)) return;
  const TemporaryFolder folder;
  DiskCache disk(folder.path());
  CompileCache cache(disk);
  for (auto _ : state) benchmark::DoNotOptimize(cache.compile(kernel(next_number())));
}
BENCHMARK(compile_kernel_and_keep_it)->Unit(benchmark::kMillisecond);

void kernel_on_disk(benchmark::State& state) {
  if (skipped(state)) return;
  const TemporaryFolder folder;
  DiskCache disk(folder.path());
  const KernelSource source = kernel(0);
  CompileCache cache(disk);
  cache.compile(source);
  for (auto _ : state) {
    cache.clear_memory();
    benchmark::DoNotOptimize(cache.compile(source));
  }
  state.counters["bytes"] = double(disk.contents().bytes);
}
BENCHMARK(kernel_on_disk)->Unit(benchmark::kMicrosecond);

void kernel_in_memory(benchmark::State& state) {
  if (skipped(state)) return;
  DiskCache none({});
  CompileCache cache(none);
  const KernelSource source = kernel(0);
  cache.compile(source);
  for (auto _ : state) benchmark::DoNotOptimize(cache.compile(source));
  state.counters["bytes"] = double(cache.counts().held_bytes);
}
BENCHMARK(kernel_in_memory)->Unit(benchmark::kMicrosecond);

// range(0) kernels at once, each in a binary of its own; helpers take a share if range(1).
void compile_many(benchmark::State& state) {
  if (skipped(state)) return;
  DiskCache none({});
  KernelCompiler compiler = KernelCompiler::nvrtc();
  if (state.range(1) == 0) compiler.helper.clear();
  for (auto _ : state) {
    CompileCache cache(none, compiler);
    std::vector<CompileRequest> requests;
    for (int i = 0; i < state.range(0); ++i) requests.push_back({{kernel(next_number())}});
    benchmark::DoNotOptimize(cache.compile(requests));
  }
  state.SetLabel(compiler.helper.empty() ? "this process alone" : "with helpers");
}
BENCHMARK(compile_many)
    ->ArgsProduct({{2, 3, 4, 8, 16}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->ComputeStatistics("least",
                        [](const std::vector<double>& times) {
                          return *std::ranges::min_element(times);
                        })
    ->UseRealTime();

}  // namespace
}  // namespace selvage
