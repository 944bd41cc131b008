// 101 shapes of models, in float and bfloat16, those that have rows with six counts of them: what
// the model of a device predicts for their automatic schedules, beside a copy of as many bytes, and
// one line for each that moves more than 8 MiB and reaches less than 0.90 of that.
#include <benchmark/benchmark.h>

#include <selvage/lower/cost.h>
#include <selvage/lower/program.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "benchmarks/prediction.h"
#include "tests/support/model_shapes.h"

namespace selvage {
namespace {

using benchmarks::Prediction;
using test::ModelShape;

constexpr double kFewBytes = 8 << 20, kNear = 0.9, kBehindNeighbour = 0.97;

Prediction predicted(const ModelShape& shape, DataType type, std::int64_t rows,
                     const Device& device) {
  Fusion f;
  shape.add(f, type, rows);
  return benchmarks::predict(f, device);
}

struct KindFigures {
  int all = 0, near = 0, behind = 0, neighbours = 0;
  double least = 1, least_beside = 1;
  std::string worst = {};
};

class Shapes {
 public:
  explicit Shapes(const Device& device) : device_(device) {}

  void run() {
    for (const ModelShape& shape : test::model_shapes()) {
      for (const DataType type : {DataType::Float, DataType::BFloat16}) {
        for (const std::int64_t rows : test::kModelRows) {
          add(shape, type, rows);
          if (!shape.has_rows) break;
        }
      }
    }
  }
  const std::map<std::string, KindFigures>& kinds() const { return kinds_; }
  const std::vector<std::string>& lines() const { return lines_; }
  int schedules() const { return schedules_; }

 private:
  void add(const ModelShape& shape, DataType type, std::int64_t rows) {
    const Prediction p = predicted(shape, type, rows, device_);
    ++schedules_;
    if (p.bytes <= kFewBytes) return;
    const std::string name = (shape.has_rows ? std::to_string(rows) + " x " : "") + shape.shape +
                             " " + std::string(to_string(type));
    KindFigures& kind = kinds_[shape.kind];
    ++kind.all;
    kind.near += p.share() >= kNear;
    if (p.share() < kind.least) {
      kind.least = p.share();
      kind.worst = name + ": " + p.reason;
    }
    if (p.share() < kNear) add_line(shape.kind + " " + name, p.share(), p.reason);
    if (!shape.aligned) return;
    const Prediction beside =
        predicted(test::with_length(shape, *shape.aligned), type, rows, device_);
    const double share = p.bandwidth() / beside.bandwidth();
    ++kind.neighbours;
    kind.behind += share < kBehindNeighbour;
    kind.least_beside = std::min(kind.least_beside, share);
    if (share < kBehindNeighbour) {
      add_line(shape.kind + " " + name + " beside " + std::to_string(*shape.aligned), share,
               p.reason);
    }
  }

  void add_line(const std::string& name, double share, const std::string& reason) {
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", share);
    lines_.push_back(name + ": " + text + ", " + reason);
  }

  const Device& device_;
  std::map<std::string, KindFigures> kinds_;
  std::vector<std::string> lines_;
  int schedules_ = 0;
};

void model_shapes(benchmark::State& state, const Device& device) {
  std::optional<Shapes> shapes;
  for (auto _ : state) {
    shapes.emplace(device);
    shapes->run();
  }
  int all = 0, near = 0;
  for (const std::string& line : shapes->lines()) std::printf("%s\n", line.c_str());
  for (const auto& [name, kind] : shapes->kinds()) {
    std::printf("| %s | %d | %d | %.2f, %s | %d of %d | %.2f |\n", name.c_str(), kind.all,
                kind.near, kind.least, kind.worst.c_str(), kind.behind, kind.neighbours,
                kind.least_beside);
    all += kind.all;
    near += kind.near;
  }
  state.counters["schedules"] = shapes->schedules();
  state.counters["above_8_MiB"] = all;
  state.counters["of_90_percent"] = near;
}

// The plans' time beside what is counted in the kernels, of some shapes of each kind.
void counted_shapes(benchmark::State& state) {
  constexpr int kOfEachKind = 2;
  constexpr std::int64_t kRows = 2048;
  const Device& device = usual_device();
  int all = 0, alike = 0;
  for (auto _ : state) {
    std::map<std::string, int> taken;
    for (const ModelShape& shape : test::model_shapes()) {
      if (++taken[shape.kind] > kOfEachKind) continue;
      for (const DataType type : {DataType::Float, DataType::BFloat16}) {
        Fusion f;
        shape.add(f, type, kRows);
        const AutomaticSchedule s = filled_in(Schedule(f), {}, device);
        const Prediction p = benchmarks::predict(f, s, device);
        const std::optional<ProgramCost> cost = cost_of(lower(s.schedule), {}, device);
        if (!cost) continue;
        const double ratio = p.seconds / cost->seconds;
        ++all;
        alike += std::abs(ratio - 1) <= 0.15;
        std::printf("| %s %s %s | %.1f | %.1f | %.2f |\n", shape.kind.c_str(), shape.shape.c_str(),
                    std::string(to_string(type)).c_str(), p.seconds * 1e6, cost->seconds * 1e6,
                    ratio);
      }
    }
  }
  state.counters["shapes"] = all;
  state.counters["within_15_percent"] = alike;
}
BENCHMARK(counted_shapes)
    ->Name("model_shapes/counted")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void register_all() {
  for (const char* name : {"h100", "h200"}) {
    benchmark::RegisterBenchmark((std::string("model_shapes/") + name).c_str(), model_shapes,
                                 *find_device(name))
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace selvage
