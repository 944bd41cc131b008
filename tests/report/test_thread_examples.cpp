// The thread programs of examples/: their masks are those that their comments and the tutorial
// name, they run alike everywhere, and do what they are said to do.
#include <selvage/report/run_file.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "thread_files.h"

namespace selvage {
namespace {

using test::ThreadExample;
using testing::ElementsAre;

// What each region's mask is, rows and iterations apart by a comma.
std::vector<std::string> masks_of(const LoweredThreads& lowered) {
  std::vector<std::string> out;
  const auto append = [&](const ThreadMask& mask) {
    for (const std::string& row : mask.is_product() ? std::vector{mask.text()} : mask.rows(100)) {
      out.back() += (out.back().empty() ? "" : ",") + row;
    }
  };
  for (const ThreadRegion& region : lowered.regions) {
    out.emplace_back();
    if (region.who.mask) append(*region.who.mask);
    for (const ThreadMask& mask : region.who.iterations) append(mask);
  }
  return out;
}

TEST(ThreadExamples, MasksAreThoseThatTheirCommentsName) {
  const std::string warp_on(32, '1'), warp_off(32, '0');
  const auto masks = [](const char* name) { return masks_of(ThreadExample(name).lowered()); };
  EXPECT_THAT(masks("threads_masks.yaml"), ElementsAre("000111-0001", "111000-1111", "111000-0010",
                                                       "1111,1000,1000,1000,1000,1000"));
  EXPECT_THAT(masks("threads_async.yaml"), ElementsAre(warp_off + warp_on, warp_on + warp_off));
  EXPECT_THAT(masks("threads_chunks.yaml"), ElementsAre("1111,1111,1111,0001"));
  EXPECT_THAT(masks("threads_levels.yaml"),
              ElementsAre("11-1111-00000000000000000000000000000001"));
  EXPECT_THAT(masks("threads_pipeline.yaml"),
              ElementsAre(warp_off + warp_off + warp_on, warp_on + warp_on + warp_off));
  EXPECT_THAT(masks("threads_events.yaml"),
              ElementsAre(warp_off + warp_off + warp_on, warp_on + warp_on + warp_off));
  const AsyncGroup halves = ThreadExample("threads_async.yaml").lowered().groups.at(0);
  EXPECT_EQ(halves.is_disjoint, true);
  EXPECT_EQ(halves.is_complete, true);
}

// The input x is 0, 1, 2, ...
std::map<std::string, Array> run(const std::string& name, Machine machine) {
  const ThreadExample e(name);
  ThreadRunRequest request{.on = machine};
  for (const ThreadArray& a : e.file.threads->arrays) {
    if (a.memory != Memory::Global) continue;
    std::vector<std::int64_t> shape;
    for (Expr n : a.shape) shape.push_back(n.value());
    Array numbers(a.type, shape);
    for (std::int64_t k = 0; k < numbers.size(); ++k) numbers.set(k, double(k));
    if (a.name == "x" || a.name == "source") request.inputs[a.name] = numbers;
  }
  const ThreadRun run = run_threads(*e.file.threads, request);
  EXPECT_TRUE(run.passed()) << name;
  return run.outputs;
}

void expect_items(const std::string& name, const std::string& array,
                  const std::function<std::int64_t(std::int64_t)>& item) {
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const Array found = run(name, machine).at(array);
    for (std::int64_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(std::int64_t(found.get(k)), item(k)) << array << " " << k;
    }
  }
}

TEST(ThreadExamples, DoWhatTheySay) {
  expect_items("threads_masks.yaml", "A", [](std::int64_t k) {
    const std::int64_t p = k / 4, q = k % 4;
    return (p <= 2 && q == 0 ? 2 : p > 2 && q == 1 ? 3 : 1) + (p == 0 || q == 3 ? 10 : 0);
  });
  expect_items("threads_async.yaml", "B",
               [](std::int64_t t) { return t <= 31 ? 163 - t : 63 - t; });
  expect_items("threads_chunks.yaml", "target", [](std::int64_t k) { return k; });
  expect_items("threads_levels.yaml", "A",
               [](std::int64_t k) { return 1000 * (k / 128) + 100 * (k / 32 % 4) + k % 32; });
  expect_items("threads_pipeline.yaml", "total", [](std::int64_t t) {
    std::int64_t total = 0;
    for (std::int64_t row = 0; row < 4; ++row) total += 2 * (row * 64 + 63 - t);
    return total;
  });
  expect_items("threads_ring.yaml", "y",
               [](std::int64_t k) { return k / 64 * 64 + 63 - k % 64 + 1; });
  expect_items("threads_events.yaml", "y",
               [](std::int64_t k) { return k / 64 * 64 + 63 - k % 64 + 1; });
}

// x and w are small integers, whose products are exact.
TEST(ThreadExamples, MultiplyMatrices) {
  const ThreadExample e("threads_mma.yaml");
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    ThreadRunRequest request{.on = machine};
    Array x(DataType::Half, {8, 64, 8}), w(DataType::Half, {8, 32, 8});
    for (std::int64_t k = 0; k < x.size(); ++k) x.set(k, double(k * k % 23 - 11));
    for (std::int64_t k = 0; k < w.size(); ++k) w.set(k, double(k * k % 19 - 9));
    request.inputs = {{"x", x}, {"w", w}};
    const ThreadRun run = run_threads(*e.file.threads, request);
    ASSERT_TRUE(run.passed());
    for (std::int64_t m = 0; m < 64; ++m) {
      for (std::int64_t n = 0; n < 32; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < 64; ++k) {
          sum += x.get((k / 8 * 64 + m) * 8 + k % 8) * w.get((k / 8 * 32 + n) * 8 + k % 8);
        }
        ASSERT_EQ(run.outputs.at("y").get(m * 32 + n), sum) << m << ", " << n;
      }
    }
  }
}

// No barrier but these: text of the emitted kernels.
TEST(ThreadExamples, HaveExactlyTheBarriersThatTheyAskFor) {
  const auto barriers = [](const char* name) {
    const std::string text = ThreadExample(name).report.threads->cuda->text;
    std::vector<std::string> found;
    for (const std::string& line : lines_of(text.substr(text.find("\nKERNEL(")))) {
      const std::size_t at = line.find_first_not_of(' ');
      if (at == line.npos) continue;
      const std::string word = line.substr(at);
      if (word.starts_with("__sync") || word.starts_with("sync_threads(")) found.push_back(word);
    }
    return found;
  };
  EXPECT_THAT(barriers("threads_async.yaml"), ElementsAre("__syncthreads();"));
  EXPECT_THAT(barriers("threads_chunks.yaml"), ElementsAre());
  EXPECT_THAT(barriers("threads_levels.yaml"), ElementsAre("__syncwarp();"));
  EXPECT_THAT(barriers("threads_pipeline.yaml"),
              ElementsAre("__syncthreads();", "sync_threads(1, 64);"));
  // That the events are there for all; the roles meet at these alone.
  EXPECT_THAT(barriers("threads_events.yaml"), ElementsAre("__syncthreads();"));
}

TEST(ThreadExamples, CompileForSm90aWithoutLocalMemory) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("threads_")) continue;
    const ThreadExample e(name);
    ASSERT_TRUE(e.report.threads && e.report.threads->cuda) << name;
    const CudaText& text = *e.report.threads->cuda;
    const KernelSource source{text.text, text.name, text.parameter_types};
    const CompiledKernels compiled = nvrtc->compile(std::span(&source, 1), {});
    const KernelResources& used = compiled.kernel(text.name);
    EXPECT_EQ(used.stack_bytes + used.spill_load_bytes + used.spill_store_bytes, 0) << name;
    const StaticCounts c = count_sass(compiled.cubin).at(text.name);
    EXPECT_EQ(c.local_loads + c.local_stores, 0) << name;
    ++kernels;
  }
  EXPECT_EQ(kernels, 8);
}

}  // namespace
}  // namespace selvage
