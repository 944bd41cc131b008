// Fusions at which other automatic schedulers are known to be slow, by their own issue trackers:
// what the model predicts for ours, beside a copy of as many bytes, and what is counted in the
// kernels.
#include <benchmark/benchmark.h>

#include <selvage/ir/composites.h>
#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "benchmarks/prediction.h"

namespace selvage {
namespace {

constexpr DataType kFloat = DataType::Float, kBFloat16 = DataType::BFloat16;

using Extents = std::vector<std::int64_t>;

Tensor input(Fusion& f, const char* name, const Extents& extents, DataType type = kBFloat16) {
  std::vector<Expr> shape;
  for (std::int64_t n : extents) shape.push_back(f.constant(n));
  return f.input(name, shape, type);
}

struct BadCase {
  const char* of;     // whose
  const char* where;  // the issue or the change that says so
  const char* name;
  std::function<void(Fusion&)> add;
};

std::function<void(Fusion&)> softmax_of(Extents extents, int axis) {
  return [=](Fusion& f) { f.output("y", softmax(input(f, "x", extents), axis), kBFloat16); };
}

std::function<void(Fusion&)> rms_norm_of(std::int64_t rows, std::int64_t length) {
  return [=](Fusion& f) {
    const Tensor w = input(f, "w", {length});
    f.output("y", rms_norm(input(f, "x", {rows, length}), {1}, w, 1e-6), kBFloat16);
  };
}

std::function<void(Fusion&)> layer_norm_of(std::int64_t rows, std::int64_t length) {
  return [=](Fusion& f) {
    const Tensor w = input(f, "w", {length}), b = input(f, "b", {length});
    f.output("y", layer_norm(input(f, "x", {rows, length}), {1}, w, b), kBFloat16);
  };
}

std::function<void(Fusion&)> layer_norm_backward_of(std::int64_t rows, std::int64_t length) {
  return [=](Fusion& f) {
    const Tensor dy = input(f, "dy", {rows, length}), x = input(f, "x", {rows, length});
    const Tensor m = input(f, "mean", {rows, 1}, kFloat), r = input(f, "rstd", {rows, 1}, kFloat);
    const Tensor normal = (x - m) * r, dnormal = dy * input(f, "w", {length});
    const Tensor along = mean(dnormal * normal, {1}, keepdim);
    f.output("dx", (dnormal - mean(dnormal, {1}, keepdim) - normal * along) * r, kBFloat16);
    f.output("dw", sum(dy * normal, {0}), kFloat);
    f.output("db", sum(dy, {0}), kFloat);
  };
}

std::function<void(Fusion&)> transpose_of(std::int64_t m, std::int64_t n, DataType type) {
  return [=](Fusion& f) { f.output("y", transpose(input(f, "x", {m, n}, type), {1, 0})); };
}

std::function<void(Fusion&)> sum_of(Extents extents, int axis) {
  return [=](Fusion& f) { f.output("y", sum(input(f, "x", extents), {axis}), kBFloat16); };
}

std::function<void(Fusion&)> batch_norm_of(Extents extents, int channels, DataType type) {
  return [=](Fusion& f) {
    const Tensor x = input(f, "x", extents, type);
    Axes axes;
    for (int k = 0; k < 4; ++k) {
      if (k != channels) axes.push_back(k);
    }
    Extents own(std::size_t(4 - channels), 1);
    own[0] = extents[std::size_t(channels)];
    const Tensor m = mean(x, axes, keepdim), v = variance(x, axes, keepdim, 0);
    const Tensor w = input(f, "w", own, kFloat), b = input(f, "b", own, kFloat);
    f.output("y", (x - m) * rsqrt(v + 1e-5) * w + b, type);
  };
}

void add_group_norm(Fusion& f) {
  const Tensor x = input(f, "x", {1, 320, 64, 64});
  const Tensor w = input(f, "w", {320, 1, 1}), b = input(f, "b", {320, 1, 1});
  const Tensor y = layer_norm(reshape(x, {1, 32, 10 * 64 * 64}), {2});
  f.output("y", reshape(y, {1, 320, 64, 64}) * w + b, kBFloat16);
}

void add_group_norm_channels_last(Fusion& f) {
  const Tensor x = input(f, "x", {16, 64, 64, 320});
  const Tensor w = input(f, "w", {32, 10}), b = input(f, "b", {32, 10});
  const Tensor y = layer_norm(reshape(x, {16, 4096, 32, 10}), {1, 3}) * w + b;
  f.output("y", reshape(y, {16, 64, 64, 320}), kBFloat16);
}

void add_rotary(Fusion& f) {
  const Tensor cos = input(f, "cos", {2048, 128}), sin = input(f, "sin", {2048, 128});
  const auto turned = [&](Tensor x) {
    return x * cos + concatenate({-slice(x, 3, 64), slice(x, 3, 0, 64)}, 3) * sin;
  };
  f.output("q_turned", turned(input(f, "q", {4, 28, 2048, 128})), kBFloat16);
  f.output("k_turned", turned(input(f, "k", {4, 4, 2048, 128})), kBFloat16);
}

void add_cross_entropy(Fusion& f) {
  const Tensor x = input(f, "x", {4096, 152'064});
  const Tensor label = unsqueeze(input(f, "label", {4096}, DataType::Int64), 1);
  f.output("loss", logsumexp(x, {1}) - squeeze(take_along(x, label, 1), {1}));
}

void add_entropy(Fusion& f) {
  const Tensor p = log_softmax(input(f, "x", {1, 1 << 20}), 1);
  f.output("y", -sum(exp(p) * p, {1}));
}

void add_norm_of_sum(Fusion& f) {
  const Tensor x = input(f, "x", {64, 8192}) + input(f, "residual", {64, 8192});
  f.output("sum", x, kBFloat16);
  f.output("y", rms_norm(x, {1}, input(f, "w", {8192}), 1e-6), kBFloat16);
}

void add_slices(Fusion& f) {
  const Tensor x = input(f, "x", {16'384, 8192});
  f.output("y", silu(slice(x, 1, 0, 4096)) * slice(x, 1, 4096), kBFloat16);
}

void add_turned_sum(Fusion& f) {
  const Tensor a = input(f, "a", {8192, 4096}, kFloat), b = input(f, "b", {8192, 4096}, kFloat);
  f.output("y", transpose(a + b, {1, 0}));
}

void add_scaled_rows(Fusion& f) {
  f.output("y", input(f, "a", {262'144, 5120}) * input(f, "b", {262'144, 1}), kBFloat16);
}

std::vector<BadCase> bad_cases() {
  const char* n = "nvFuser";
  const char* i = "Inductor";
  const char* t = "by Triton";
  return {
      {n, "#5883", "[262144, 5120] times a column", add_scaled_rows},
      {n, "#4172", "outer sum of [28, 2048, 128]", sum_of({28, 2048, 128}, 1)},
      {n, "PR 566", "layer norm backward, 7168", layer_norm_backward_of(8192, 7168)},
      {n, "PR 566", "layer norm backward, 7296", layer_norm_backward_of(8192, 7296)},
      {n, "#1876", "softmax, 2048", softmax_of({16'384, 2048}, 1)},
      {n, "#1876", "softmax, 6144", softmax_of({16'384, 6144}, 1)},
      {n, "#1876", "softmax, 16384", softmax_of({16'384, 16'384}, 1)},
      {n, "#1548", "softmax, 33024", softmax_of({8192, 33'024}, 1)},
      {n, "#1548", "softmax, 40448", softmax_of({8192, 40'448}, 1)},
      {n, "#2125", "softmax of [2, 64, 512, 512]", softmax_of({2, 64, 512, 512}, 3)},
      {n, "#1576", "layer norm, 12288", layer_norm_of(8192, 12'288)},
      {n, "csarofeen PR 2435", "batch norm, 200 channels",
       batch_norm_of({256, 200, 28, 28}, 1, kFloat)},
      {n, "csarofeen PR 2435", "batch norm, bfloat16 with float weights",
       batch_norm_of({256, 256, 28, 28}, 1, kBFloat16)},
      {n, "PR 1779", "batch norm, channels last", batch_norm_of({256, 28, 28, 128}, 3, kBFloat16)},
      {n, "thunder #1552", "cross entropy, 4096 x 152064", add_cross_entropy},
      {n, "PR 5281", "RMS norm of a sum, 64 rows", add_norm_of_sum},
      {n, "PR 5909", "transpose of 8192 x 8192", transpose_of(8192, 8192, kBFloat16)},
      {n, "PR 4650", "softmax, 131072", softmax_of({2048, 131'072}, 1)},
      {n, "csarofeen #880", "softmax of one row, 2^20", softmax_of({1, 1 << 20}, 1)},
      {n, "#1597", "rotary, queries and keys", add_rotary},
      {n, "#540", "gate of two slices", add_slices},
      {n, "csarofeen PR 1930", "transpose of [1e8, 2]", transpose_of(100'000'000, 2, kFloat)},
      {i, "#188578", "group norm of one image", add_group_norm},
      {i, "#179697", "entropy of one row, 2^20", add_entropy},
      {i, "PR 168335", "sum of rows of 512", sum_of({1 << 18, 512}, 1)},
      {i, "#130015", "transposed output", add_turned_sum},
      {i, "#93718", "softmax of columns", softmax_of({16'384, 4096}, 0)},
      {i, "#111824", "group norm, channels last", add_group_norm_channels_last},
      {i, "#141916", "RMS norm, 131072", rms_norm_of(4096, 131'072)},
      {t, "FlagGems PR 76", "layer norm, 43690", layer_norm_of(8192, 43'690)},
      {t, "FlagGems PR 76", "layer norm, 54613", layer_norm_of(8192, 54'613)},
      {t, "Liger", "softmax, 65536", softmax_of({8192, 65'536}, 1)},
      {t, "Liger PR 1188", "RMS norm, 256", rms_norm_of(131'072, 256)},
      {t, "Fast-LLM PR 546", "layer norm backward, 4096", layer_norm_backward_of(16'384, 4096)},
      {t, "FlashInfer PR 5305", "norm of heads, 128", rms_norm_of(1 << 19, 128)},
  };
}

void known_bad_cases(benchmark::State& state) {
  constexpr double kNear = 0.9;
  const Device& device = usual_device();
  int all = 0, shared = 0;
  for (auto _ : state) {
    for (const BadCase& bad : bad_cases()) {
      Fusion f;
      bad.add(f);
      const AutomaticSchedule s = filled_in(Schedule(f), {}, device);
      const benchmarks::Prediction p = benchmarks::predict(f, s, device);
      const std::optional<ProgramCost> cost = cost_of(lower(s.schedule), {}, device);
      const double counted = cost ? p.copy / cost->seconds : p.share();
      ++all;
      shared += counted < kNear;
      std::printf("| %s, %s | %s | %s | %d | %.2f | %.2f | %.2f | %s |\n", bad.of, bad.where,
                  bad.name, counted < kNear ? "shared" : "no", p.kernels, p.over_floor, p.share(),
                  counted, p.reason.c_str());
    }
  }
  state.counters["cases"] = all;
  state.counters["shared"] = shared;
}
BENCHMARK(known_bad_cases)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace selvage
