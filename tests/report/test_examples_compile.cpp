// Every kernel of every example compiles for sm_90a, where there is a toolkit; no GPU is needed.
#include <gtest/gtest.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>
#include <selvage/runtime/nvrtc.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(Examples, CompileForSm90aWithoutSpills) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  int kernels = 0, seen = 0;
  std::vector<std::filesystem::directory_entry> entries(
      std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/examples"), {});
  std::ranges::sort(entries);
  for (const auto& entry : entries) {
    if (entry.path().extension() != ".yaml") continue;
    if (!is_sample_large() && seen++ % 8 != 0) continue;
    const ScheduleFile file = read_schedule_file(entry.path().string());
    const Report report = inspect(file);
    if (report.threads) continue;  // test_thread_examples.cpp
    // One compilation for all kernels of a file, whose names differ.
    std::vector<KernelSource> sources;
    for (const FusionReport& fusion : report.fusions) {
      for (const std::vector<CudaText>& variants : fusion.cuda) {
        for (const CudaText& text : variants) {
          sources.push_back({text.text, text.name, text.parameter_types});
        }
      }
    }
    if (sources.empty()) continue;
    const CompiledKernels compiled = nvrtc->compile(sources, {});
    for (const KernelSource& source : sources) {
      EXPECT_EQ(compiled.kernel(source.name).spill_store_bytes, 0) << entry.path();
    }
    kernels += int(sources.size());
  }
  EXPECT_GT(kernels, 5);
}

}  // namespace
}  // namespace selvage
