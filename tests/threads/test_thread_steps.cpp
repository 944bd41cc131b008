// One thing after the other: what a picture of a thread program's time shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/threads/checked.h"

namespace selvage::threads {
namespace {

using testing::ElementsAre;

// The labels of a program's steps.
std::vector<std::string> steps_of(const std::string& text) {
  const Report report = report_on(text);
  EXPECT_EQ(to_text(report.diagnostics), "");
  std::vector<std::string> labels;
  for (const ThreadStep& step : report.threads->lowered.steps) {
    labels.push_back(step.label + (step.is_async ? " async" : ""));
  }
  return labels;
}

std::string arrays(int n) {
  std::string text = "arrays: {";
  for (int k = 0; k < n; ++k) {
    text += std::string(k > 0 ? ", " : "") + char('A' + k) + ": {shape: [8], dtype: int32}";
  }
  return text + "}\nparallel: [{thread: {t: 8}}]\nbody:\n";
}

TEST(ThreadSteps, CodeNamesEachArrayOnce) {
  EXPECT_THAT(steps_of(arrays(2) + R"(
  - do: ["A[t] = 1", "B[t] = 1", "A[t] = 2", "B[t] = 2"]
)"),
              ElementsAre("A, B"));
}

TEST(ThreadSteps, CodeOfManyArraysNamesTheFirst) {
  const std::string six =
      R"(  - do: ["A[t] = 1", "B[t] = 1", "C[t] = 1", "D[t] = 1", "E[t] = 1", "F[t] = 1"]
)";
  EXPECT_THAT(steps_of(arrays(8) + six), ElementsAre("A, B, C, D, E, F"));
  EXPECT_THAT(steps_of(arrays(8) + six + R"(  - do: ["A[t] = 2", "G[t] = 1", "H[t] = 1"]
)"),
              ElementsAre("A, B, C, D, E, F, ..."));
}

// What is not waited for, and what is.
TEST(ThreadSteps, ASynchronousRegionIsNoPartOfAnAsynchronousOne) {
  EXPECT_THAT(steps_of(arrays(1) + R"(
  - inthreads: {when: t < 5, async: true, do: ["A[t] = 1"]}
  - inthreads: {when: t < 5, async: true, do: ["A[t] += 1"]}
  - inthreads: {when: t < 5, do: ["A[t] += 1"]}
)"),
              ElementsAre("t < 5 async", "A", "t < 5", "A", "the end of inthreads, the block"));
}

TEST(ThreadSteps, ABarrierSaysWhoMeets) {
  EXPECT_THAT(steps_of(R"(
arrays: {A: {shape: [96], dtype: int32}}
parallel: [{thread: {t: 96}}]
body:
  - "A[t] = 1"
  - sync: warp
  - "A[t] = 2"
  - inthreads: {when: t < 64, async: true, do: ["A[t] = 3", {sync: region}, "A[t] = 3"]}
  - inthreads: {when: t >= 90, async: true, do: ["A[t] = 3", {sync: region}, "A[t] = 3"]}
  - sync: shared
)"),
              ElementsAre("A", "sync: warp, each warp", "A", "t < 64 async", "A",
                          "sync: region, 2 warps", "A", "t >= 90 async", "A",
                          "sync: region, 6 threads of a warp", "A", "sync: shared, the block"));
}

TEST(ThreadSteps, BarriersBetweenLevelsSayWhoMeets) {
  const std::vector<std::string> steps = steps_of(R"(
arrays: {A: {shape: [4, 32], dtype: int32}, S: {shape: [4], dtype: int32, memory: shared}}
parallel: [{block: {b: 1}}]
body:
  - parallel:
      levels: [{warp: {w: 4}}]
      do:
        - "S[w] = w"
        - parallel: {levels: [{thread: {l: 32}}], do: ["A[w, l] = S[w]"]}
        - "S[3 - w] = 5"
)");
  EXPECT_THAT(steps, testing::Contains("between levels, each warp"));
  EXPECT_THAT(steps, testing::Contains("between levels, the block"));
}

}  // namespace
}  // namespace selvage::threads
