// Emitted kernels on the virtual device: a launch from entry to return, by compiler and by cores.
#include <benchmark/benchmark.h>

#include <selvage/runtime/virtual_device.h>

#include <numeric>
#include <string>
#include <vector>

namespace selvage {
namespace {

const std::string kHead = "#ifndef KERNEL\n#define KERNEL(name) void name\n#endif\n";

// y = x * 0.5 + b, one item a thread.
KernelSource pointwise() {
  return {kHead + R"(
KERNEL(pointwise)(const float* __restrict__ x, const float* __restrict__ b, float* __restrict__ y,
                  int n) {
  const int i = (int)blockIdx.x * 256 + (int)threadIdx.x;
  if (i < n) y[i] = x[i] * 0.5f + b[i];
}
)",
          "pointwise",
          {"const float*", "const float*", "float*", "int"}};
}

// A tree through shared memory, nine barriers.
KernelSource tree() {
  return {kHead + R"(
KERNEL(tree)(const float* __restrict__ x, const float* __restrict__ b, float* __restrict__ y,
             int n) {
  __shared__ float part[256];
  const int t = (int)threadIdx.x;
  part[t] = x[(int)blockIdx.x * 256 + t];
  __syncthreads();
  for (int width = 128; width > 0; width /= 2) {
    if (t < width) part[t] += part[t + width];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
)",
          "tree",
          {"const float*", "const float*", "float*", "int"}};
}

// Within warps by shuffles, between them through shared memory.
KernelSource shuffles() {
  return {kHead + R"(
KERNEL(shuffles)(const float* __restrict__ x, const float* __restrict__ b, float* __restrict__ y,
                 int n) {
  __shared__ float part[8];
  const int t = (int)threadIdx.x;
  float sum = x[(int)blockIdx.x * 256 + t];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    for (int w = 1; w < 8; ++w) sum += part[w];
    y[blockIdx.x] = sum;
  }
}
)",
          "shuffles",
          {"const float*", "const float*", "float*", "int"}};
}

enum class How { OneCore, AllCores, Checked };

void launch(benchmark::State& state, const KernelSource& source, VirtualCompiler compiler,
            int blocks, How how) {
  VirtualKernel kernel(source, compiler);
  int n = blocks * 256;
  std::vector<float> x(std::size_t(n), 1.25F), b(x), y(x);
  const float* px = x.data();
  const float* pb = b.data();
  float* py = y.data();
  void* const arguments[] = {&px, &pb, &py, &n};
  const VirtualBound bound{x.size() * sizeof(float)};
  const std::optional<VirtualBound> bounds[] = {bound, bound, bound, {}};
  const LaunchShape shape{.grid = {blocks, 1, 1}, .block = {256, 1, 1}};
  for (auto _ : state) {
    if (how == How::Checked) {
      kernel.launch_checked(shape, arguments, bounds);
    } else {
      kernel.launch(shape, arguments, {0, how == How::OneCore ? 1 : 0});
    }
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void compile(benchmark::State& state, const KernelSource& source, VirtualCompiler compiler) {
  for (auto _ : state) VirtualKernel kernel(source, compiler);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (VirtualCompiler compiler : {VirtualCompiler::Tcc, VirtualCompiler::Gcc}) {
    if (compiler == VirtualCompiler::Tcc && !has_tcc()) continue;
    const std::string by = compiler == VirtualCompiler::Tcc ? "tcc" : "gcc";
    const auto add = [&](const std::string& name, const KernelSource& source, int blocks, How how) {
      benchmark::RegisterBenchmark(("virtual/" + name + "/" + by).c_str(), launch, source, compiler,
                                   blocks, how)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    };
    add("pointwise_1M", pointwise(), 4096, How::OneCore);
    add("pointwise_1M_all_cores", pointwise(), 4096, How::AllCores);
    add("tree_1024x256", tree(), 1024, How::OneCore);
    add("tree_1024x256_all_cores", tree(), 1024, How::AllCores);
    add("shuffles_1024x256", shuffles(), 1024, How::OneCore);
    add("shuffles_1024x256_all_cores", shuffles(), 1024, How::AllCores);
    add("pointwise_one_block", pointwise(), 1, How::AllCores);
    if (compiler == VirtualCompiler::Gcc) {
      add("pointwise_1M_checked", pointwise(), 4096, How::Checked);
      add("tree_1024x256_checked", tree(), 1024, How::Checked);
    }
    benchmark::RegisterBenchmark(("virtual/compile/" + by).c_str(), compile, pointwise(), compiler)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
