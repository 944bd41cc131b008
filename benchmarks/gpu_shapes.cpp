// The shapes of models on a GPU, scheduled automatically: the time that was measured, that which
// the model predicts, and that of a copy of as many bytes within the device. Rows of shapes are
// timed one after the other, each beside its copy. Skipped without a GPU; scripts/gpu runs these
// elsewhere. SELVAGE_SHAPES: the file to write, by tabs, that benchmarks/beside_torch/shapes.py
// reads. SELVAGE_ONLY: "KIND SHAPE TYPE ROWS", or the beginning of it, of what is timed.
#include <benchmark/benchmark.h>

#include <selvage/base/diagnostic.h>
#include <selvage/driver/kernel_timer.h>
#include <selvage/driver/tune.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/stream.h>
#include <selvage/scheduler/typical_sizes.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/prediction.h"
#include "tests/support/known_fusions.h"
#include "tests/support/model_shapes.h"

namespace selvage {
namespace {

using test::ModelShape;

constexpr double kFewBytes = 8 << 20;
constexpr int kRuns = 15;

// A fusion to time.
struct Case {
  std::string kind, shape;
  DataType type = DataType::Float;
  std::int64_t rows = 0;  // 0: of no meaning
  std::shared_ptr<Fusion> fusion;
  double bytes = 0;  // of inputs and outputs
};

// A case with its kernels.
struct Scheduled {
  const Case* of;
  AutomaticSchedule made;
  Program program;
  double predicted = 0;  // seconds
};

bool is_asked_for(const Case& c) {
  const char* only = std::getenv("SELVAGE_ONLY");
  const std::string name =
      c.kind + " " + c.shape + " " + std::string(to_string(c.type)) + " " + std::to_string(c.rows);
  return only == nullptr || name.starts_with(only);
}

void add_case(std::vector<Case>& cases, Case c, double least_bytes) {
  if (!is_asked_for(c)) return;
  const test::FloorBytes floor = test::floor_bytes(*c.fusion);
  c.bytes = floor.read + floor.stored;
  if (c.bytes > least_bytes) cases.push_back(std::move(c));
}

// Those shapes that move more than 8 MiB and, if `rows` is not 0, have so many rows or none.
std::vector<Case> cases_of_models(std::int64_t only_rows) {
  std::vector<Case> cases;
  for (const ModelShape& shape : test::model_shapes()) {
    for (const DataType type : {DataType::Float, DataType::BFloat16}) {
      for (const std::int64_t rows : test::kModelRows) {
        const bool is_wanted = !shape.has_rows || only_rows == 0 || rows == only_rows;
        if (is_wanted) {
          Case c{shape.kind, shape.shape, type, shape.has_rows ? rows : 0,
                 std::make_shared<Fusion>()};
          shape.add(*c.fusion, type, rows);
          add_case(cases, std::move(c), kFewBytes);
        }
        if (!shape.has_rows) break;
      }
    }
  }
  return cases;
}

std::vector<Case> known_cases() {
  std::vector<Case> cases;
  for (const test::KnownFusion& known : test::known_fusions()) {
    add_case(cases, {known.name, "", DataType::Float, 0, known.fusion}, 0);
  }
  return cases;
}

class Shapes {
 public:
  Shapes(const Driver& driver, std::vector<Case> cases)
      : driver_(driver),
        device_(gpu_device(driver.calls(), driver.ordinal())),
        cases_(std::move(cases)),
        flushed_(driver, 2 * std::size_t(device_.l2_bytes)) {}

  // Writes a line a case to `file`, unless that is null.
  void run(std::FILE* file) {
    if (file != nullptr) {
      std::fprintf(file,
                   "kind\tshape\ttype\trows\tbytes\tkernels\tpredicted_us\tmeasured_us\tcopy_us\t"
                   "plans\n");
    }
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t from = 0; from < cases_.size(); from += kAtOnce) {
      const std::size_t to = std::min(cases_.size(), from + kAtOnce);
      for (const Scheduled& s : compiled(from, to)) time(s, file);
    }
  }

  int count() const { return int(cases_.size()); }
  int timed() const { return timed_; }
  int near() const { return near_; }
  int foretold() const { return foretold_; }

 private:
  // Compiles many kernels at once, by several processes.
  std::vector<Scheduled> compiled(std::size_t from, std::size_t to) {
    std::vector<Scheduled> all;
    for (std::size_t k = from; k < to; ++k) {
      AutomaticSchedule made = filled_in(Schedule(*cases_[k].fusion), {}, device_);
      Program program = lower(made.schedule);
      const double predicted = benchmarks::predict(*cases_[k].fusion, made, device_).seconds;
      all.push_back({&cases_[k], std::move(made), std::move(program), predicted});
    }
    std::vector<const Program*> programs;
    for (const Scheduled& s : all) programs.push_back(&s.program);
    const TypicalSizes sizes(*all[0].of->fusion, {});
    KernelTimer(driver_, nullptr, sizes.all(), kRuns).compile(programs);
    return all;
  }

  void time(const Scheduled& s, std::FILE* file) {
    const Case& c = *s.of;
    std::vector<double> times;
    double copy = 0;
    try {
      const TypicalSizes sizes(*c.fusion, {});
      times = KernelTimer(driver_, nullptr, sizes.all(), kRuns).times(s.program);
      copy = copy_seconds(std::size_t(c.bytes / 2));
    } catch (const Error& error) {
      std::printf("%s %s: %s\n", c.kind.c_str(), c.shape.c_str(), error.what());
      return;
    }
    double measured = 0;
    std::string plans;
    for (double t : times) {
      measured += t;
      plans += (plans.empty() ? "" : ", ") + std::to_string(t * 1e6);
    }
    for (const AutomaticKernel& kernel : s.made.kernels) {
      plans +=
          "; " + std::to_string(kernel.taken.time.seconds * 1e6) + ": " + kernel.taken.plan.text();
    }
    ++timed_;
    near_ += measured * 0.95 <= copy;
    foretold_ += std::abs(s.predicted / measured - 1) <= 0.15;
    if (file == nullptr) return;
    std::fprintf(file, "%s\t%s\t%s\t%lld\t%.0f\t%zu\t%.2f\t%.2f\t%.2f\t%s\n", c.kind.c_str(),
                 c.shape.c_str(), std::string(to_string(c.type)).c_str(),
                 static_cast<long long>(c.rows), c.bytes, times.size(), s.predicted * 1e6,
                 measured * 1e6, copy * 1e6, plans.c_str());
    std::fflush(file);
  }

  // The median time in which the driver copies so many bytes, as KernelTimer takes it of kernels.
  double copy_seconds(std::size_t bytes) {
    if (const auto found = copies_.find(bytes); found != copies_.end()) return found->second;
    const DeviceBuffer from(driver_, bytes), to(driver_, bytes);
    const Stream stream(driver_);
    Event start(driver_, Event::Timing::On), end(driver_, Event::Timing::On);
    std::vector<double> times;
    for (int run = 0; run < kRuns; ++run) {
      driver_.fill(flushed_.address(), std::byte(run), flushed_.size(), stream.handle());
      start.record(stream.handle());
      driver_.copy(to.address(), from.address(), bytes, stream.handle());
      end.record(stream.handle());
      end.synchronize();
      times.push_back(1e-3 * double(Event::milliseconds(start, end)));
    }
    std::ranges::nth_element(times, times.begin() + kRuns / 2);
    return copies_[bytes] = times[kRuns / 2];
  }

  const Driver& driver_;
  const Device device_;
  const std::vector<Case> cases_;
  DeviceBuffer flushed_;
  std::map<std::size_t, double> copies_ = {};
  int timed_ = 0, near_ = 0, foretold_ = 0;
};

// The driver; null after the benchmark was told why there is none.
const Driver* driver_for(benchmark::State& state) {
  const Driver* driver = Driver::instance();
  if (driver == nullptr) {
    state.SkipWithError(("skipped, there is no GPU: " + Driver::why_absent()).c_str());
  } else if (Nvrtc::instance() == nullptr) {
    state.SkipWithError(("skipped, there is no NVRTC: " + Nvrtc::why_absent()).c_str());
    return nullptr;
  }
  return driver;
}

void print(const Device& d) {
  std::printf("%s: %lld multiprocessors at %.0f MHz, %.0f GB/s, L2 %lld MiB\n", d.name.c_str(),
              static_cast<long long>(d.multiprocessors), d.clock / 1e6, d.dram_bandwidth / 1e9,
              static_cast<long long>(d.l2_bytes >> 20));
}

void shapes(benchmark::State& state, const char* suffix, const std::vector<Case>& cases) {
  const Driver* driver = driver_for(state);
  if (driver == nullptr) return;
  print(gpu_device(driver->calls(), driver->ordinal()));
  const char* path = std::getenv("SELVAGE_SHAPES");
  std::FILE* file =
      path == nullptr ? nullptr : std::fopen((path + std::string(suffix)).c_str(), "w");
  for (auto _ : state) {
    Shapes all(*driver, cases);
    all.run(file);
    state.counters["shapes"] = all.count();
    state.counters["timed"] = all.timed();
    state.counters["of_95_percent"] = all.near();
    state.counters["foretold_by_15_percent"] = all.foretold();
  }
  if (file != nullptr) std::fclose(file);
  state.SetLabel(driver->device_name());
}

// How far the plan that the model takes is behind the fastest of eight, and how far the model is
// off for each.
void tuned(benchmark::State& state) {
  const Driver* driver = driver_for(state);
  if (driver == nullptr) return;
  const char* path = std::getenv("SELVAGE_SHAPES");
  std::FILE* file =
      path == nullptr ? nullptr : std::fopen((path + std::string(".tuned")).c_str(), "w");
  DiskCache nowhere("");
  double behind = 0;
  int kernels = 0;
  for (auto _ : state) {
    std::vector<Case> cases = known_cases();
    constexpr std::size_t kEach = 2;
    const std::vector<Case> models = cases_of_models(2048);
    for (std::size_t k = 0; k < models.size(); k += kEach) cases.push_back(models[k]);
    for (const Case& c : cases) {
      TuneRequest request;
      request.runs = kRuns;
      request.kept = &nowhere;
      for (const TunedKernel& kernel : tune(*c.fusion, request).kernels) {
        for (const TriedPlan& p : kernel.plans) {
          if (file == nullptr) continue;
          std::fprintf(file, "%s\t%s\t%s\t%lld\t%s\t%.2f\t%.2f\t%s\n", c.kind.c_str(),
                       c.shape.c_str(), std::string(to_string(c.type)).c_str(),
                       static_cast<long long>(c.rows), kernel.root.c_str(), p.predicted * 1e6,
                       p.measured * 1e6, p.plan.text().c_str());
        }
        const auto taken = std::ranges::min_element(kernel.plans, {}, &TriedPlan::predicted);
        if (taken->measured == 0) continue;  // there is nothing to do
        ++kernels;
        behind += taken->measured / kernel.plans[0].measured - 1;
      }
      if (file != nullptr) std::fflush(file);
    }
  }
  if (file != nullptr) std::fclose(file);
  state.counters["kernels"] = kernels;
  state.counters["behind_the_best"] = behind / std::max(kernels, 1);
  state.SetLabel(driver->device_name());
}
BENCHMARK(tuned)->Name("gpu_tuned")->Unit(benchmark::kMillisecond)->Iterations(1);

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* name, const char* suffix, const auto& cases) {
    benchmark::RegisterBenchmark(name,
                                 [=](benchmark::State& state) { shapes(state, suffix, cases()); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  };
  add("gpu_shapes/known", ".known", known_cases);
  add("gpu_shapes/2048_rows", ".2048", [] { return cases_of_models(2048); });
  add("gpu_shapes/all", ".all", [] { return cases_of_models(0); });
  return true;
}();

}  // namespace
}  // namespace selvage
