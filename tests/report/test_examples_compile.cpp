// Every kernel of every example compiles for sm_90a, where there is a toolkit; no GPU is needed.
#include <gtest/gtest.h>

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>
#include <selvage/runtime/nvrtc.h>

#include <filesystem>

namespace selvage {
namespace {

TEST(Examples, CompileForSm90aWithoutSpills) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const ScheduleFile file = read_schedule_file(entry.path().string());
    const Report report = inspect(file);
    if (report.threads) continue;  // test_thread_examples.cpp
    for (const FusionReport& fusion : report.fusions) {
      for (const std::vector<CudaText>& variants : fusion.cuda) {
        for (const CudaText& text : variants) {
          const KernelSource source{text.text, text.name, text.parameter_types};
          const CompiledKernels compiled = nvrtc->compile(std::span(&source, 1), {});
          EXPECT_EQ(compiled.kernel(text.name).spill_store_bytes, 0) << entry.path();
          ++kernels;
        }
      }
    }
  }
  EXPECT_GT(kernels, 5);
}

}  // namespace
}  // namespace selvage
