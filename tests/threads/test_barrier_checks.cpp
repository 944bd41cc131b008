#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Barriers that part of their threads cannot reach, or for which there is none.
const std::string kWarpsAndSymbol = R"(symbols: {n: {min: 0, max: 64}}
arrays: {A: {shape: [64], dtype: int32}}
parallel: [{p: 64}]
body:
)";
const std::string kTwoWarps = R"(arrays: {A: {shape: [64], dtype: int32}}
parallel: [{p: 64}]
body:
)";
const std::string kFourWarps = R"(arrays: {A: {shape: [128], dtype: int32}}
parallel: [{p: 128}]
body:
)";

TEST(BarrierChecks, OneOfTheBlockInARegion) {
  expect_mended(
      kTwoWarps + R"(- inthreads: {when: p < 32, do: [sync: shared]}
)",
      "a.yaml:4:34: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "it stands where p < 32 holds, 32 threads of a block of 64; help: write sync: region in its "
      "place; or write sync: shared behind the inthreads at 4:3 instead",
      {"sync: shared", "sync: region"});
  expect_mended(
      kWarpsAndSymbol + R"(- inthreads: {when: p < n, async: true, do: ["A[p] = 1", sync: shared]}
)",
      "a.yaml:5:58: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "it stands where p < n, and which threads run it is known only at run time; help: write "
      "sync: shared behind the inthreads at 5:3 instead; or close the inthreads at 5:3 in front of "
      "it, write sync: shared, and open it again behind",
      {", sync: shared]}", "]}\n- sync: shared"});
}

TEST(BarrierChecks, OneOfTheWarpInARegionThatHasPartOfIt) {
  expect_mended(
      kTwoWarps + R"(- inthreads: {when: p < 31, do: [sync: warp]}
)",
      "a.yaml:4:34: error[E814]: sync: warp is a barrier that part of its threads cannot reach: it "
      "stands where p < 31 holds, 31 threads of a block of 64; help: write sync: region in its "
      "place; or write sync: warp behind the inthreads at 4:3 instead",
      {"sync: warp", "sync: region"});
  expect_mended(
      kTwoWarps + R"(- inthreads: {when: p < 31, do: [sync: warp]}
)",
      "a.yaml:4:34: error[E814]: sync: warp is a barrier that part of its threads cannot reach: it "
      "stands where p < 31 holds, 31 threads of a block of 64; help: write sync: region in its "
      "place; or write sync: warp behind the inthreads at 4:3 instead",
      {"p < 31", "p < 32"});
}

TEST(BarrierChecks, OneInALoopThatOnlySomeThreadsRun) {
  expect_mended(
      kTwoWarps + R"(- for: {index: i, in: 2, if: p < 32, do: ["A[p] = 1", sync: shared]}
)",
      "a.yaml:4:55: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "it stands where p < 32 holds, 32 threads of a block of 64; help: write sync: region in its "
      "place; or write sync: shared behind the for at 4:3 instead",
      {", sync: shared]}", "]}\n- sync: shared"});
  expect_mended(kTwoWarps + R"(- for: {index: i, in: 64, if: p < i, do: ["A[p] = 1", sync: shared]}
)",
                "a.yaml:4:55: error[E814]: sync: shared is a barrier that part of its threads "
                "cannot reach: it stands where p < i, and the threads that run it are not the same "
                "in every iteration; help: write sync: shared behind the for at 4:3 instead",
                {", sync: shared]}", "]}\n- sync: shared"});
  expect_mended(
      kTwoWarps + R"(- for: {index: i, in: p, do: ["A[p] = 1", sync: shared]}
)",
      "a.yaml:4:43: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "block (0, 0, 0), thread (1, 0, 0), i = 0 comes there, and block (0, 0, 0), thread (0, 0, "
      "0), i = 0 does not; help: write sync: shared behind the for at 4:3 instead",
      {", sync: shared]}", "]}\n- sync: shared"});
  expect_mended(kTwoWarps + R"(- for: {index: i, in: 2, if: p < 40, do: [sync: warp, "A[p] = 1"]}
)",
                "a.yaml:4:43: error[E814]: sync: warp is a barrier that part of its threads cannot "
                "reach: it stands where p < 40 holds, 40 threads of a block of 64; help: write "
                "sync: warp behind the for at 4:3 instead",
                {"sync: warp, \"A[p] = 1\"]}", "\"A[p] = 1\"]}\n- sync: warp"});
  expect_mended(kTwoWarps + R"(- for: {index: i, in: 2, if: p < 40, do: [sync: region, "A[p] = 1"]}
)",
                "a.yaml:4:43: error[E816]: 40 threads of several warps wait for one another, and "
                "warp 1 has others beside: a warp meets other warps as a whole; help: write sync: "
                "shared behind the for at 4:3 instead",
                {"p < 40", "p < 32"});
}

TEST(BarrierChecks, TheEndOfInthreadsInALoopThatOnlySomeThreadsRun) {
  expect_mended(
      kTwoWarps +
          R"(- for: {index: i, in: 2, if: p < 40, do: [{inthreads: {when: p > 20, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:44: error[E816]: 40 threads of several warps wait for one another, and warp 1 has "
      "others beside: a warp meets other warps as a whole; help: make it asynchronous, async: "
      "true; or write for: {index: once, in: 1, if: p > 20, do: [...]} in its place",
      {"p > 20,", "p > 20, async: true,"});
}

TEST(BarrierChecks, OneBehindABreakOfSomeThreads) {
  expect_mended(
      kTwoWarps + R"(- for:
    index: i
    in: 4
    do:
    - inthreads: {when: p < 32, async: true, do: [{break: i}]}
    - sync: shared
)",
      "a.yaml:9:7: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "block (0, 0, 0), thread (32, 0, 0), i = 0 comes there, and block (0, 0, 0), thread (0, 0, "
      "0), i = 0 does not; help: write sync: shared behind the for at 4:3 instead",
      {"    - sync: shared", "- sync: shared"});
  expect_mended(
      kTwoWarps + R"(- for:
    index: i
    in: 4
    do:
    - inthreads: {when: p < 32, async: true, do: [{continue: i}]}
    - sync: shared
)",
      "a.yaml:9:7: error[E814]: sync: shared is a barrier that part of its threads cannot reach: "
      "block (0, 0, 0), thread (32, 0, 0), i = 0 comes there, and block (0, 0, 0), thread (0, 0, "
      "0), i = 0 does not; help: write sync: shared behind the for at 4:3 instead",
      {"    - sync: shared", "- sync: shared"});
}

// Nobody wrote it: what the levels inside share is in order by it.
TEST(BarrierChecks, OneThatLevelsInsideNeedBehindABreakOfSomeThreads) {
  expect_mended(
      R"(arrays:
  A: {shape: [2, 32], dtype: int32}
  U: {shape: [2], dtype: int32, memory: shared}
parallel: [{warp: {w: 2}}]
body:
  - "U[w] = 0"
  - for:
      index: k
      in: 3
      do:
        - inthreads: {when: w == 1, async: true, do: [{break: k}]}
        - parallel: {levels: [{thread: {l: 32}}], do: ["A[w, l] = U[1 - w]"]}
        - "U[w] = k"
)",
      "a.yaml:12:56: error[E814]: in front of this is a barrier that part of its threads cannot "
      "reach: block (0, 0, 0), thread (0, 0, 0), k = 0 comes there, and block (0, 0, 0), thread "
      "(0, 1, 0), k = 0 does not; help: levels inside wait for one another there: let the threads "
      "leave the loop together, or mask what they do with inthreads instead",
      {"        - inthreads: {when: w == 1, async: true, do: [{break: k}]}\n", ""});
}

TEST(BarrierChecks, OneInCodeThatRunsOnceForEachOuterInstance) {
  expect_mended(R"(arrays: {A: {shape: [2], dtype: int32}}
parallel: [{p: 2}]
body:
- do: ["A[p] = 1", sync: shared]
- parallel: {levels: [{q: 32}], do: []}
)",
                "a.yaml:4:20: error[E814]: sync: shared is a barrier that part of its threads "
                "cannot reach: it stands where q == 0 holds, 1 thread of a block of 32; help: "
                "write sync: region in its place",
                {"[\"A[p] = 1\", sync: shared]", "[\"A[p] = 1\"]\n- sync: shared"});
}

TEST(BarrierChecks, OneOfARegionThatIsKnownOnlyAtRunTime) {
  expect_mended(kWarpsAndSymbol + R"(- inthreads: {when: p < n, do: [sync: region]}
)",
                "a.yaml:5:33: error[E816]: the threads around cannot wait for one another at sync: "
                "region: which threads run it is known only at run time; help: write sync: shared "
                "behind the inthreads at 5:3 instead; or close the inthreads at 5:3 in front of "
                "it, write sync: shared, and open it again behind",
                {"p < n", "p < 32"});
  expect_mended(
      kWarpsAndSymbol +
          R"(- inthreads: {when: p < n, do: [{inthreads: {when: p > 3, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:5:34: error[E816]: the threads around cannot wait for one another at the end of "
      "inthreads: which threads run it is known only at run time; help: write for: {index: once, "
      "in: 1, if: p > 3, do: [...]} in its place",
      {"p < n", "p < 32"});
}

TEST(BarrierChecks, OneOfARegionThatIsNotAlikeInEveryBlock) {
  expect_mended(R"(arrays: {A: {shape: [2, 64], dtype: int32}}
parallel: [{p: 2}, {q: 64}]
body:
- inthreads: {when: "p * 8 + q < 48", do: [sync: region]}
)",
                "a.yaml:4:44: error[E816]: the threads around cannot wait for one another at sync: "
                "region: the threads that run it are not the same in every block; help: write "
                "sync: shared behind the inthreads at 4:3 instead; or close the inthreads at 4:3 "
                "in front of it, write sync: shared, and open it again behind",
                {"p * 8 + q < 48", "q < 32"});
}

TEST(BarrierChecks, OneOfARegionThatIsNotAlikeInEveryIteration) {
  expect_mended(
      kTwoWarps +
          R"(- for: {index: i, in: 2, do: [{inthreads: {when: p < 40 + i, do: [sync: region]}}]}
)",
      "a.yaml:4:67: error[E816]: the threads around cannot wait for one another at sync: region: "
      "the threads that run it are not the same in every iteration; help: write sync: shared "
      "behind the inthreads at 4:32 instead; or write sync: shared behind the for at 4:3 instead",
      {"40 + i", "32"});
}

TEST(BarrierChecks, OneOfSeveralWarpsInARegionThatSharesAWarp) {
  const std::string text =
      kFourWarps + R"(- inthreads: {when: p < 64, async: true, do: ["A[p] = 1", sync: region]}
- inthreads: {when: p > 31, async: true, do: []}
)";
  const std::string message =
      "a.yaml:4:59: error[E816]: the threads of p < 64 wait for one another across warps, and "
      "share warp 1 with the threads of p > 31, which run at the same time; help: write sync: "
      "shared behind the inthreads at 4:3 instead; or close the inthreads at 4:3 in front of it, "
      "write sync: shared, and open it again behind";
  expect_mended(text, message,
                {"- inthreads: {when: p > 31", "- sync: shared\n- inthreads: {when: p > 31"});
  expect_mended(text, message, {"p > 31", "p > 63"});
}

TEST(BarrierChecks, OneOfSeveralWarpsOfWhichOneIsNotWhole) {
  expect_mended(kFourWarps + R"(- inthreads: {when: p < 48, do: ["A[p] = 1", sync: region]}
)",
                "a.yaml:4:46: error[E816]: 48 threads of several warps wait for one another, and "
                "warp 1 has others beside: a warp meets other warps as a whole; help: write sync: "
                "shared behind the inthreads at 4:3 instead; or close the inthreads at 4:3 in "
                "front of it, write sync: shared, and open it again behind",
                {"p < 48", "p < 64"});
}

// The regions overlap although a barrier stands between them: the loop leads from one to the other.
TEST(BarrierChecks, OneThatSharesAWarpWithARegionOfTheNextIteration) {
  expect_mended(
      R"(arrays: {x: {shape: [4, 96], dtype: int32}, part: {shape: [64], dtype: int32, memory: shared}}
parallel: [{thread: {t: 96}}]
body:
  - for:
      index: k
      in: 4
      do:
        - inthreads: {when: t < 48, async: true, do: ["x[k, t] += 1"]}
        - sync: shared
        - inthreads: {when: t >= 32, async: true, do: ["part[t - 32] = k", {sync: region}]}
)",
      "a.yaml:10:77: error[E816]: the threads of t >= 32 wait for one another across warps, and "
      "share warp 1 with the threads of t < 48, which run at the same time; help: write sync: "
      "shared behind the inthreads at 10:11 instead; or write sync: shared behind the for at 4:5 "
      "instead",
      {"{sync: region}]}\n", "{sync: region}]}\n        - sync: shared\n"});
}

}  // namespace

}  // namespace selvage
