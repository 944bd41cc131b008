// From the text of a schedule file to CUDA text and JSON: what a user waits for.
#include <benchmark/benchmark.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/report.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "benchmarks/schedule_files.h"

namespace selvage {
namespace {

using benchmarks::Chain;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void to_cuda(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    const ScheduleFile file = read_schedule_text(text, "benchmark.yaml");
    const Report report = inspect(file);
    benchmark::DoNotOptimize(report.fusions.size());
  }
}

void to_cuda_and_json(benchmark::State& state, Chain chain) {
  const std::string text = benchmarks::chain_file(chain, int(state.range(0)));
  std::size_t kept = 0, json_bytes = 0;
  Minimality minimal = Minimality::Unknown;
  for (auto _ : state) {
    const ScheduleFile file = read_schedule_text(text, "benchmark.yaml");
    const Report report = inspect(file);
    const std::string json = to_json(report);
    benchmark::DoNotOptimize(json.data());
    json_bytes = json.size();
    if (!report.tensors.empty()) {
      kept = report.tensors[0].analysis.predicates.kept.size();
      minimal = report.tensors[0].analysis.predicates.minimal;
    }
  }
  state.SetComplexityN(state.range(0));
  state.counters["kept"] = double(kept);
  state.counters["json_kB"] = double(json_bytes) / 1000;
  state.SetLabel(minimal == Minimality::Proved        ? "minimal: proved"
                 : minimal == Minimality::Irredundant ? "minimal: irredundant"
                                                      : "minimal: unknown");
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = "file_to_cuda/" + entry.path().stem().string();
    benchmark::RegisterBenchmark(name.c_str(), to_cuda, read_text(entry.path()))
        ->Unit(benchmark::kMicrosecond);
  }
  const std::pair<const char*, Chain> chains[] = {{"chain/straight", Chain::Straight},
                                                  {"chain/crossed", Chain::Crossed},
                                                  {"chain/mixed", Chain::Mixed},
                                                  {"chain/symbolic", Chain::Symbolic}};
  for (const auto& [name, chain] : chains) {
    benchmark::RegisterBenchmark(name, to_cuda_and_json, chain)
        ->Arg(10)
        ->Arg(100)
        ->Arg(1'000)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace selvage
