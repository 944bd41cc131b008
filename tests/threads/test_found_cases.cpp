// What random thread programs have found, each by the smallest program that shows it.
#include <gtest/gtest.h>

#include <selvage/driver/run_threads.h>
#include <selvage/kernel/verify.h>

#include "tests/threads/engine_side.h"
#include "tests/threads/random_threads.h"

namespace selvage::thread_oracle {
namespace {

ThreadRun emulated(const std::string& yaml, std::map<std::string, std::int64_t> symbols = {}) {
  const ScheduleFile file = read_schedule_text(yaml, "found.yaml");
  return run_threads(*file.threads, {.symbols = std::move(symbols), .on = Machine::Emulate});
}

std::string errors(const std::string& yaml) {
  const EngineCase engine = engine_case(yaml);
  std::string text;
  for (const Diagnostic& d : engine.lowered.diagnostics) {
    if (d.severity == Severity::Error) text += to_text(d) + "\n";
  }
  return text;
}

TEST(FoundThreadCases, AnInthreadsThatDoesNothingIsRunByItsThreads) {
  const ThreadRun run = emulated(R"(
arrays: {G: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
  - do: ["G[p] = 1"]
  - inthreads: {when: "p < 3", do: [{let: {x: p}}]}
)");
  EXPECT_EQ(run.executed, (std::vector<std::vector<std::int64_t>>{{1, 1, 1, 0, 0, 0}}));
  EXPECT_TRUE(run.passed());
}

TEST(FoundThreadCases, AsynchronousRegionsOfLevelsSideBySideArePutTogetherByThread) {
  const EngineCase engine = engine_case(R"(
arrays: {A: {shape: [2, 6], dtype: int32}}
parallel: [{p: 2}]
body:
  - parallel: {levels: [{x: 2, y: 3}], do: [{inthreads: {when: x == 0, async: true, do: ["A[p, x * 3 + y] = 1"]}}]}
  - parallel: {levels: [{q: 6}], do: [{inthreads: {when: q >= 3, async: true, do: ["A[p, q] = 2"]}}]}
)");
  ASSERT_EQ(engine.failure + engine.refusal, "");
  ASSERT_EQ(engine.lowered.groups.size(), 1u);
  EXPECT_EQ(engine.lowered.groups[0].is_disjoint, true);
  EXPECT_EQ(engine.lowered.groups[0].is_complete, true);
}

// One lane of each warp: the hardware would count all of the warp, and the others wait elsewhere.
TEST(FoundThreadCases, PartsOfSeveralWarpsCannotWaitForOneAnother) {
  const std::string before = R"(
arrays: {G: {shape: [64], dtype: int32}}
parallel: [{p: 64}]
body:
  - inthreads: {when: )",
                    after = R"(, do: [{inthreads: {when: p != 1, do: ["G[p] = 1"]}}]}
)";
  EXPECT_EQ(errors(before + "p < 40" + after),
            "random.yaml:5:37: error[E816]: 40 threads of several warps wait for one another, and "
            "warp 1 has others beside: a warp meets other warps as a whole; help: write for: "
            "{index: once, in: 1, if: p != 1, do: [...]} in its place\n");
  EXPECT_EQ(errors(before + "p < 64" + after), "");
  EXPECT_EQ(errors(before + "p < 32" + after), "");
}

// Beside inner levels they meet with all the others, who have come as well.
TEST(FoundThreadCases, ThreadsBesideInnerLevelsMeetWithAllWhoGetThere) {
  const EngineCase engine = engine_case(R"(
arrays: {G: {shape: [4], dtype: int32}, H: {shape: [4, 32], dtype: int32}}
parallel: [{warpgroup: [g: 1]}]
body:
  - parallel:
      levels: [{warp: [w: 4]}]
      do:
        - inthreads: {when: w > 0, do: ["G[w] = 1"]}
        - parallel: {levels: [{t: 32}], do: [{do: ["H[w, t] = G[w]"]}]}
)");
  ASSERT_EQ(engine.failure + engine.refusal, "");
  const Kernel& kernel = *engine.lowered.kernel;
  EXPECT_EQ(barrier_count(kernel), 1u);
  EXPECT_TRUE(is_refuted(verify(without_barrier(kernel, 0)).verdicts[std::size_t(Hazard::Race)]));
}

TEST(FoundThreadCases, ABarrierInALoopThatMayBeEmptyIsNoneForWhatStandsAround) {
  const ThreadRun run = emulated(R"(
symbols: {n: {min: 0, max: 3}}
arrays: {H: {shape: [2], dtype: int32}, G: {shape: [2, 40], dtype: int32}}
parallel: [{p: 2}]
body:
  - do: ["H[p] = p"]
  - parallel:
      levels: [{q: 40}]
      do:
        - for: {index: i, in: n, do: [{inthreads: {when: "q < 3", do: ["G[p, q] += i"]}}]}
        - do: ["G[p, q] += H[p]"]
)",
                                 {{"n", 0}});
  EXPECT_TRUE(run.passed());
  EXPECT_EQ(run.outputs.at("G").get_int(79), 1);
}

// Block 0 does not run the loop at all; the others do.
TEST(FoundThreadCases, ALoopWhoseExtentHangsOnTheBlockIsProvedForEveryBlock) {
  const EngineCase engine = engine_case(R"(
arrays: {G: {shape: [2], dtype: int32}, H: {shape: [2, 5], dtype: int32}}
parallel: [{p: 2}]
body:
  - do: ["G[p] = p"]
  - parallel: {levels: [{q: 5}], do: [{for: {index: i, in: p, do: [{do: ["H[p, q] = G[p]"]}]}}]}
)");
  ASSERT_EQ(engine.failure + engine.refusal, "");
  const Kernel& kernel = *engine.lowered.kernel;
  ASSERT_EQ(barrier_count(kernel), 1u);
  EXPECT_TRUE(is_refuted(verify(without_barrier(kernel, 0)).verdicts[std::size_t(Hazard::Race)]));
}

// A race that is only not proved has no two threads to be named.
TEST(FoundThreadCases, ARaceThatIsNotProvedIsSaidWithoutThreads) {
  const EngineCase engine = engine_case(random_threads(203).yaml());
  EXPECT_EQ(engine.failure, "");
  EXPECT_EQ(engine.refusal, "E818 ");
  EXPECT_TRUE(engine.is_unproved);
}

// There is one thread to ask, and no mask.
TEST(FoundThreadCases, ALoopWithAConditionNeedsNoLevels) {
  EXPECT_EQ(errors(R"(symbols: {n: {min: 0, max: 6}}
arrays: {A: {shape: [6], dtype: int32}}
body:
- for: {index: i, in: 6, if: i < n, do: ["A[i] = 1"]}
)"),
            "");
}

}  // namespace
}  // namespace selvage::thread_oracle
