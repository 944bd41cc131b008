#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Levels of parallel threads that make no launch.

TEST(LevelChecks, ABlockHas1024Threads) {
  expect_mended(R"(parallel: [{p: 1025}]
body: []
)",
                "a.yaml:1:12: error[E820]: 1025 threads in a block, and there are 1024 at most; "
                "help: give p the extent 1024; or write {block: [p: 1025]} in its place",
                {"1025", "1024"});
  expect_mended(R"(parallel: [{p: 1025}]
body: []
)",
                "a.yaml:1:12: error[E820]: 1025 threads in a block, and there are 1024 at most; "
                "help: give p the extent 1024; or write {block: [p: 1025]} in its place",
                {"{p: 1025}", "{block: [p: 1025]}"});
  expect_mended(R"(parallel: [{warp: [w: 33]}, {thread: [t: 32]}]
body: []
)",
                "a.yaml:1:12: error[E820]: 1056 threads in a block, and there are 1024 at most; "
                "help: give w the extent 32; or write {block: [w: 33]} in its place",
                {"33", "32"});
}

TEST(LevelChecks, AWarpHas32ThreadsAndAWarpgroup128) {
  expect_mended(
      R"(parallel: [{warp: [w: 2]}, {thread: [t: 33]}]
body: []
)",
      "a.yaml:1:12: error[E821]: the level w is of kind warp, which is 32 threads, and 33 stand "
      "inside; help: give t the extent 32; or write {thread: [w: 2]} in its place",
      {"33", "32"});
  expect_mended(
      R"(parallel: [{warp: [g: 1]}, {thread: [x: 8, y: 3]}]
body: []
)",
      "a.yaml:1:12: error[E821]: the level g is of kind warp, which is 32 threads, and 24 stand "
      "inside; help: give y the extent 4; or write {thread: [g: 1]} in its place",
      {"y: 3", "y: 4"});
  expect_mended(
      R"(parallel: [{warp: [w: 2]}, {thread: [t: 33]}]
body: []
)",
      "a.yaml:1:12: error[E821]: the level w is of kind warp, which is 32 threads, and 33 stand "
      "inside; help: give t the extent 32; or write {thread: [w: 2]} in its place",
      {", {thread: [t: 33]}", ""});
  expect_mended(
      R"(parallel: [{warpgroup: [w: 2]}, {thread: [t: 64]}]
body: []
)",
      "a.yaml:1:12: error[E821]: the level w is of kind warpgroup, which is 128 threads, and 64 "
      "stand inside; help: give t the extent 128; or write {thread: [w: 2]} in its place",
      {"64", "128"});
  expect_mended(
      R"(parallel: [{warpgroup: [g: 2]}, {warp: [w: 3]}]
body: []
)",
      "a.yaml:1:12: error[E821]: the level g is of kind warpgroup, which is 128 threads, and 96 "
      "stand inside; help: give w the extent 4",
      {"w: 3", "w: 4"});
}

TEST(LevelChecks, AClusterHas8BlocksAndAGridAHardwareLimit) {
  expect_mended(R"(parallel: [{block: [b: 2]}, {cluster: [c: 9]}, {thread: [t: 32]}]
body: []
)",
                "a.yaml:1:29: error[E820]: 9 blocks in a cluster, and there are 8 at most; help: "
                "give c the extent 8",
                {"c: 9", "c: 8"});
  expect_mended(R"(parallel: [{block: [b: 2147483648]}, {thread: [t: 32]}]
body: []
)",
                "a.yaml:1:12: error[E820]: 2147483648 blocks in a grid, and there are 2147483647 "
                "at most; help: give b the extent 2147483647",
                {"2147483648", "2147483647"});
  expect_mended(
      R"(parallel: [{block: [b: 9223372036854775807]}, {block: [c: 9223372036854775807]}, {thread: [t: 32]}]
body: []
)",
      "a.yaml:1:12: error[E820]: more than 2^63 blocks in a grid, and there are 2147483647 at "
      "most; help: give c the extent 2147483647 and b the extent 1",
      {"9223372036854775807]}, {block: [c: 9223372036854775807", "2]}, {block: [c: 2"});
}

TEST(LevelChecks, AProgramRunsOnSoManyDevices) {
  expect_mended(R"(parallel: [{device: [d: 1025]}, {block: [b: 2]}, {thread: [t: 32]}]
body: []
)",
                "a.yaml:1:12: error[E820]: 1025 devices in a launch, and there are 1024 at most; "
                "help: give d the extent 1024",
                {"1025", "1024"});
}

TEST(LevelChecks, EveryLimitThatIsPassedIsTold) {
  EXPECT_EQ(
      said(R"(arrays: {S: {shape: [58113], dtype: int32, memory: shared}}
parallel: [{device: {d: 1025}}, {block: {b: 4294967296}}, {cluster: {c: 9}}, {thread: {t: 1025}}]
body: []
)"),
      "a.yaml:1:10: error[E820]: the shared arrays take 232452 bytes of each block, and there "
      "are 232448; help: give S the shape [58112]; or keep S in global memory\n"
      "a.yaml:2:12: error[E820]: 1025 devices in a launch, and there are 1024 at most; help: "
      "give d the extent 1024\n"
      "a.yaml:2:33: error[E820]: 38654705664 blocks in a grid, and there are 2147483647 at "
      "most; help: give b the extent 238609294\n"
      "a.yaml:2:59: error[E820]: 9 blocks in a cluster, and there are 8 at most; help: give "
      "c the extent 8\n"
      "a.yaml:2:78: error[E820]: 1025 threads in a block, and there are 1024 at most; help: "
      "give t the extent 1024");
}

TEST(LevelChecks, LevelsSideBySideMakeOneBlock) {
  expect_mended(R"(parallel: [{p: 2}]
body:
- parallel: {levels: [{q: 4}], do: []}
- parallel: {levels: [{r: 8}], do: []}
)",
                "a.yaml:4:23: error[E822]: the levels down to r make 8 threads in a block, and "
                "those down to q beside them 4; help: give q the extent 8 and put inthreads: "
                "{when: q < 4, do: [...]} around what stands in the parallel at 3:3",
                {"r: 8", "r: 4"});
  expect_mended(R"(body:
- parallel: {levels: [{b: 2}, {q: 4}], do: []}
- parallel: {levels: [{c: 3}, {r: 4}], do: []}
)",
                "a.yaml:3:31: error[E822]: the levels down to r make 3 blocks, and those down to q "
                "beside them 2; help: give b the extent 3 and put inthreads: {when: b < 2, do: "
                "[...]} around what stands in the parallel at 2:3",
                {"c: 3", "c: 2"});
}

TEST(LevelChecks, KindsStandFromTheOutsideIn) {
  expect_mended(R"(parallel: [{thread: [t: 4]}, {block: [b: 2]}]
body: []
)",
                "a.yaml:1:30: error[E823]: a level of kind block stands in one of kind thread; "
                "help: write the levels there as {block: [b: 2]}, {thread: [t: 4]}",
                {"{thread: [t: 4]}, {block: [b: 2]}", "{block: [b: 2]}, {thread: [t: 4]}"});
  expect_mended(R"(parallel: [{warp: [w: 4]}, {warpgroup: [g: 1]}]
body: []
)",
                "a.yaml:1:28: error[E823]: a level of kind warpgroup stands in one of kind warp; "
                "help: write the levels there as {warpgroup: [g: 1]}, {warp: [w: 4]}",
                {"{warp: [w: 4]}, {warpgroup: [g: 1]}", "{warpgroup: [g: 1]}, {warp: [w: 4]}"});
  expect_mended(R"(parallel: [{warp: [w: 4]}, {warp: [v: 1]}]
body: []
)",
                "a.yaml:1:28: error[E823]: a level of kind warp stands in another; help: write the "
                "levels there as {warp: [w: 4, v: 1]}",
                {"{warp: [w: 4]}, {warp: [v: 1]}", "{warp: [w: 4, v: 1]}"});
  expect_mended(R"(parallel: [{thread: [t: 4]}]
body:
- parallel: {levels: [{block: [b: 2]}], do: []}
)",
                "a.yaml:3:23: error[E823]: a level of kind block stands in one of kind thread; "
                "help: write {block: [t: 4]} for the level at 1:12",
                {"thread: [t: 4]}]\nbody:\n- parallel: {levels: [{block: [b: 2]",
                 "block: [t: 4]}]\nbody:\n- parallel: {levels: [{block: [b: 2]"});
  expect_mended(
      R"(parallel: [{p: 2}, {block: [b: 2]}, {thread: [t: 2]}]
body: []
)",
      "a.yaml:1:12: error[E823]: the level p has no kind and stands outside of b, a level of kind "
      "block; help: write the levels there as {block: [p: 2]}, {block: [b: 2]}, {thread: [t: 2]}",
      {"{p: 2}", "{block: [p: 2]}"});
}

TEST(LevelChecks, ALevelHasOneToThreeIndices) {
  expect_mended(
      R"(parallel: [{a: 2, b: 2, c: 2, d: 2}]
body: []
)",
      "a.yaml:1:12: error[E823]: the level {a, b, c, d} has 4 indices, and a level has three at "
      "most; help: write {thread: [a: 2]}, {thread: [b: 2, c: 2, d: 2]} in its place",
      {"{a: 2, b", "{a: 2}, {b"});
  expect_mended(R"(parallel: [{}]
body: []
)",
                "a.yaml:1:12: error[E823]: a level has no index; help: write {p: 1} in its place",
                {"{}", "{p: 6}"});
  expect_mended(
      R"(parallel: [{thread: []}]
body: []
)",
      "a.yaml:1:12: error[E823]: a level has no index; help: write {thread: [p: 1]} in its place",
      {"{thread: []}", "{thread: [p: 6]}"});
}

TEST(LevelChecks, AnExtentIsAtLeast1) {
  expect_mended(R"(parallel: [{p: 0}]
body: []
)",
                "a.yaml:1:12: error[E823]: the parallel index p has the extent 0, and nobody would "
                "run what stands inside; help: give p the extent 1",
                {"0", "1"});
  expect_mended(R"(parallel: [{p: -3}]
body: []
)",
                "a.yaml:1:12: error[E823]: the parallel index p has the extent -3, and nobody "
                "would run what stands inside; help: give p the extent 1",
                {"-3", "3"});
  expect_mended(R"(parallel: [{p: 1 - 1}]
body: []
)",
                "a.yaml:1:12: error[E823]: the parallel index p has the extent 0, and nobody would "
                "run what stands inside; help: give p the extent 1",
                {"1 - 1", "1"});
}

TEST(LevelChecks, AnExtentIsKnownBeforeLaunch) {
  expect_mended(
      R"(symbols: {n: {min: 1}}
parallel: [{p: n}]
body: []
)",
      "a.yaml:2:16: error[E305]: the extent n of the parallel index p is not known before launch, "
      "and masks list its threads; help: write a number, or give the symbol a value with --size",
      {"{min: 1}", "{value: 1}"});
}

TEST(LevelChecks, EveryWrongLevelIsTold) {
  EXPECT_EQ(said(R"(arrays: {A: {shape: [131073], dtype: int32, memory: local}}
parallel: [{p: 0}, {a: 1, b: 1, c: 1, d: 1}]
body:
- parallel: {levels: [{q: 0}], do: []}
)"),
            "a.yaml:1:10: error[E820]: the local arrays take 524292 bytes of each thread, and "
            "there are 524288; help: give A the shape [131072]; or keep A in global memory\n"
            "a.yaml:2:12: error[E823]: the parallel index p has the extent 0, and nobody would run "
            "what stands inside; help: give p the extent 1\n"
            "a.yaml:2:20: error[E823]: the level {a, b, c, d} has 4 indices, and a level has three "
            "at most; help: write {thread: [a: 1]}, {thread: [b: 1, c: 1, d: 1]} in its place\n"
            "a.yaml:4:23: error[E823]: the parallel index q has the extent 0, and nobody would run "
            "what stands inside; help: give q the extent 1");
  EXPECT_EQ(said(R"(body:
- parallel: {levels: [{q: 1025}], do: []}
- parallel: {levels: [{warp: [x: 2]}, {thread: [t: 33]}], do: []}
)"),
            "a.yaml:2:23: error[E820]: 1025 threads in a block, and there are 1024 at most; help: "
            "give q the extent 1024\n"
            "a.yaml:3:23: error[E821]: the level x is of kind warp, which is 32 threads, and 33 "
            "stand inside; help: give t the extent 32");
}

}  // namespace

}  // namespace selvage
