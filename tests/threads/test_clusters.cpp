// Blocks of a cluster level are clusters of the hardware, for GPUs that have them.
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;
using testing::HasSubstr;
using testing::Not;

// Each thread stores its own number.
std::string numbers(const std::string& levels, const std::string& number) {
  return "arrays: {A: {shape: [192], dtype: int32}}\nparallel: [" + levels + "]\nbody: [\"A[" +
         number + "] = " + number + "\"]\n";
}
const std::string kFours =
    numbers("{block: [b: 3]}, {cluster: [c: 4]}, {t: 16}", "(b * 4 + c) * 16 + t");
const std::string kTwos =
    numbers("{block: [b: 3]}, {cluster: [c: 2]}, {t: 32}", "(b * 2 + c) * 32 + t");
const std::string kClusterBlocks = numbers("{block: [b: 12]}, {t: 16}", "b * 16 + t");

KernelSource source(const std::string& text, const char* name) {
  EXPECT_EQ(said(text), "accepted");
  Kernel kernel = *report_on(text).threads->lowered.kernel;
  kernel.name = name;
  CudaText emitted = cuda(kernel);
  return {emitted.text, emitted.name, emitted.parameter_types};
}

TEST(Clusters, TheTextNamesThem) {
  EXPECT_THAT(source(kFours, "fours").text, HasSubstr("KERNEL(CLUSTER(4) fours)("));
  EXPECT_THAT(source(kClusterBlocks, "blocks").text, Not(HasSubstr("CLUSTER")));
}

TEST(Clusters, OfOneBlockAreNone) {
  const std::string one = numbers("{block: [b: 6]}, {cluster: [c: 1]}, {t: 32}", "b * 32 + t + c");
  EXPECT_THAT(source(one, "one").text, Not(HasSubstr("CLUSTER")));
}

TEST(Clusters, ReachTheMachineTextOfGpusThatHaveThem) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  // One text with kernels of other clusters, and of none.
  const KernelSource sources[] = {source(kFours, "fours"), source(kClusterBlocks, "blocks"),
                                  source(kTwos, "twos")};
  const std::string ptx = nvrtc->compile(sources, {.arch = "sm_90a", .ptx = true}).ptx;
  const auto entry = [&](const std::string& name) {
    const std::size_t at = ptx.find(".entry " + name + "(");
    return at == ptx.npos ? "" : ptx.substr(at, ptx.find('{', at) - at);
  };
  EXPECT_THAT(entry("fours"), HasSubstr(".reqnctapercluster 4, 1, 1"));
  EXPECT_THAT(entry("twos"), HasSubstr(".reqnctapercluster 2, 1, 1"));
  EXPECT_THAT(entry("blocks"), HasSubstr(".entry blocks("));
  EXPECT_THAT(entry("blocks"), Not(HasSubstr("cluster")));
  EXPECT_THAT(nvrtc->compile(sources, {.arch = "sm_80", .ptx = true}).ptx,
              Not(HasSubstr("cluster")));
}

TEST(Clusters, AreSaidOfTheLaunch) {
  const Report report = report_on(kFours);
  EXPECT_THAT(to_json(report), HasSubstr("\"cluster\": \"4\""));
  EXPECT_THAT(page(report, {.loops = true}),
              HasSubstr("12 blocks, in clusters of 4, of 16 threads"));
}

}  // namespace

}  // namespace selvage
