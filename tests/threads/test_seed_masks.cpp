// The masks that the project's sources show, as entries of the JSON.
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <tests/support/json_value.h>

#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Entries of `masks`, one a line; what is wrong where there are none.
std::string masks(const std::string& text) {
  const Report report = report_on(text);
  if (!report.diagnostics.empty()) return said(text);
  std::string lines;
  for (const test::JsonValue& m : test::JsonValue::parse(to_json(report))["masks"].elements()) {
    lines += m.dump() + "\n";
  }
  return lines;
}

std::string groups(const std::string& text) {
  const test::JsonValue json = test::JsonValue::parse(to_json(report_on(text)));
  return json.contains("groups") ? json["groups"].dump() : "none";
}

// Blocks and threads of one, and the levels: "2 x 12, block a in 2, thread b in 3, thread c in 4".
std::string levels(const std::string& levels) {
  const std::string program = "parallel: [" + levels + "]\nbody: []\n";
  const Report report = report_on(program);
  if (!report.diagnostics.empty()) return said(program);
  const LevelChain& chain = report.threads->lowered.tree.chains.at(0);
  std::string text = std::to_string(chain.blocks()) + " x " + std::to_string(chain.threads());
  for (const ParallelLevel& level : chain.levels) {
    text += ", " + std::string(to_string(*level.kind));
    for (const MaskIndex& i : level.indices) {
      text += " " + std::string(i.symbol.name()) + " in " + std::to_string(i.extent);
    }
  }
  return text;
}

const std::string kSix = R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
)";
const std::string kThreeByFour = R"(arrays: {A: {shape: [3, 4], dtype: int32}}
parallel: [{p: 3}, {q: 4}]
body:
)";

TEST(SeedMasks, OneLevel) {
  EXPECT_EQ(
      masks(kSix + "- inthreads: {when: p <= 2, do: [\"A[p] = 1\"]}\n"),
      R"({"when":"p <= 2","implicit":false,"dynamic":false,"mask":"000111","product":true,"rows":null,"active":3})"
      "\n");
}

TEST(SeedMasks, TwoAsynchronousHalvesAreDisjointAndCoverAll) {
  const std::string text = kSix + R"(- inthreads: {when: p <= 2, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p > 2, async: true, do: ["A[p] = 2"]}
- sync: shared
)";
  EXPECT_EQ(
      masks(text),
      R"({"when":"p <= 2","implicit":false,"dynamic":false,"async":true,"mask":"000111","product":true,"rows":null,"active":3})"
      "\n"
      R"({"when":"p > 2","implicit":false,"dynamic":false,"async":true,"mask":"111000","product":true,"rows":null,"active":3})"
      "\n");
  EXPECT_EQ(groups(text), R"([{"masks":[0,1],"disjoint":true,"complete":true}])");
}

TEST(SeedMasks, AGroupThatIsNoPartitionSaysSo) {
  const std::string first = "- inthreads: {when: p < 3, async: true, do: [\"A[p] = 1\"]}\n";
  EXPECT_EQ(groups(kSix + first + "- inthreads: {when: p > 3, async: true, do: [\"A[p] = 2\"]}\n"),
            R"([{"masks":[0,1],"disjoint":true,"complete":false}])");
  EXPECT_EQ(groups(kSix + first + "- inthreads: {when: p > 1, async: true, do: [\"A[p] = 2\"]}\n"),
            R"([{"masks":[0,1],"disjoint":false,"complete":true}])");
  EXPECT_EQ(groups("symbols: {n: {min: 0, max: 9}}\n" + kSix + first +
                   "- inthreads: {when: p > n, async: true, do: [\"A[p] = 2\"]}\n"),
            R"([{"masks":[0,1],"disjoint":null,"complete":null}])");
  EXPECT_EQ(groups(kSix + first + "- sync: shared\n" + first), "none");
}

TEST(SeedMasks, ThePageSaysWhatIsDisjointAndComplete) {
  const std::string text =
      page(report_on(kSix + R"(- inthreads: {when: p < 3, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p > 1, async: true, do: ["A[p] = 2"]}
)"));
  const std::string wanted = R"(
Masks, bit 0 rightmost
  p < 3: asynchronous, 3 of 6 threads
    000111
  p > 1: asynchronous, 4 of 6 threads
    111100

Run side by side: p < 3, p > 1
  some thread is in two of them, which it runs one after the other
  every thread is in one of them
)";
  EXPECT_NE(text.find(wanted), std::string::npos) << text;
}

TEST(SeedMasks, TwoLevelsAreJoinedOuterLeft) {
  EXPECT_EQ(
      masks(kThreeByFour +
            R"(- inthreads: {when: "p < 2 && q == 0", async: true, do: ["A[p, q] = 1"]}
- inthreads: {when: q == 1, do: ["A[p, q] = 2"]}
)"),
      R"({"when":"p < 2 && q == 0","implicit":false,"dynamic":false,"async":true,"mask":"011-0001","product":true,"rows":null,"active":2})"
      "\n"
      R"({"when":"q == 1","implicit":false,"dynamic":false,"mask":"111-0010","product":true,"rows":null,"active":3})"
      "\n");
}

TEST(SeedMasks, AMaskThatIsNoProductIsRows) {
  EXPECT_EQ(
      masks(kThreeByFour + "- inthreads: {when: p == 0 || q == 3, do: [\"A[p, q] = 1\"]}\n"),
      R"({"when":"p == 0 || q == 3","implicit":false,"dynamic":false,"mask":null,"product":false,"rows":["1111","1000","1000"],"active":6})"
      "\n");
}

TEST(SeedMasks, CodeBesideAnInnerLevelHasAnImplicitMask) {
  EXPECT_EQ(
      masks(R"(arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6, 2], dtype: int32}}
parallel: [{p: 6}]
body:
- do: ["A[p] = 1", "A[p] += 1"]
- inthreads: {when: p > 2, do: ["A[p] = 3"]}
- parallel: {levels: [{q: 2}], do: ["B[p, q] = A[p]", {inthreads: {when: q == 1, do: ["B[p, q] = 0"]}}]}
- A[p] = 2
)"),
      R"({"when":"q == 0","implicit":true,"dynamic":false,"mask":"111111-01","product":true,"rows":null,"active":6})"
      "\n"
      R"({"when":"p > 2","implicit":false,"dynamic":false,"mask":"111000-01","product":true,"rows":null,"active":3})"
      "\n"
      R"({"when":"q == 1","implicit":false,"dynamic":false,"mask":"111111-10","product":true,"rows":null,"active":6})"
      "\n"
      R"({"when":"q == 0","implicit":true,"dynamic":false,"mask":"111111-01","product":true,"rows":null,"active":6})"
      "\n");
}

TEST(SeedMasks, ANestedMaskIsOfAllRegionsAround) {
  EXPECT_EQ(
      masks(kSix +
            "- inthreads: {when: p > 0, do: [{inthreads: {when: p < 3, do: [\"A[p] = 1\"]}}]}\n"),
      R"({"when":"p > 0","implicit":false,"dynamic":false,"mask":"111110","product":true,"rows":null,"active":5})"
      "\n"
      R"({"when":"p < 3","implicit":false,"dynamic":false,"mask":"000110","product":true,"rows":null,"active":2})"
      "\n");
}

// The figure of 13 chunks on 4 threads: bit 0, the rightmost, is thread 0, so that the last mask is
// 0001.
TEST(SeedMasks, ThirteenChunksOnFourThreads) {
  EXPECT_EQ(
      masks(R"(arrays: {A: {shape: [13], dtype: int32}}
parallel: [{p: 4}]
body:
- for: {index: i, in: 4, do: [{inthreads: {when: i * 4 + p < 13, do: ["A[i * 4 + p] = 1"]}}]}
)"),
      R"({"when":"i * 4 + p < 13","implicit":false,"dynamic":true,"mask":null,"product":null,"rows":null,"active":null,"iterations":[)"
      R"({"at":{"i":0},"mask":"1111","product":true,"rows":null,"active":4},)"
      R"({"at":{"i":1},"mask":"1111","product":true,"rows":null,"active":4},)"
      R"({"at":{"i":2},"mask":"1111","product":true,"rows":null,"active":4},)"
      R"({"at":{"i":3},"mask":"0001","product":true,"rows":null,"active":1}]})"
      "\n");
}

TEST(SeedMasks, AConditionalForeachIsMaskedAsAWhole) {
  EXPECT_EQ(
      masks(
          kSix +
          R"(- with: {indices: {q: 2}, do: [{foreach: {index: q, if: "p == 0", do: ["A[p] += q"]}}]}
- for: {index: i, in: 3, if: p <= i, do: ["A[p] += i"]}
)"),
      R"({"when":"p == 0","implicit":false,"dynamic":false,"mask":"000001","product":true,"rows":null,"active":1})"
      "\n"
      R"({"when":"p <= i","implicit":false,"dynamic":true,"mask":null,"product":null,"rows":null,"active":null,"iterations":[)"
      R"({"at":{"i":0},"mask":"000001","product":true,"rows":null,"active":1},)"
      R"({"at":{"i":1},"mask":"000011","product":true,"rows":null,"active":2},)"
      R"({"at":{"i":2},"mask":"000111","product":true,"rows":null,"active":3}]})"
      "\n");
}

TEST(SeedMasks, WhatHangsOnASymbolIsDynamic) {
  EXPECT_EQ(
      masks("symbols: {limit: {min: 0, max: 6}}\n" + kSix +
            "- inthreads: {when: p < limit, do: [\"A[p] = 1\"]}\n"),
      R"({"when":"p < limit","implicit":false,"dynamic":true,"mask":null,"product":null,"rows":null,"active":null})"
      "\n");
}

TEST(SeedMasks, KindsOfLevelsAreInferred) {
  EXPECT_EQ(levels("{p: 2}"), "1 x 2, thread p in 2");
  EXPECT_EQ(levels("{p: 2}, {q: 3}"), "2 x 3, block p in 2, thread q in 3");
  EXPECT_EQ(levels("{a: 2}, {b: 3}, {c: 4}"), "2 x 12, block a in 2, thread b in 3, thread c in 4");
  EXPECT_EQ(levels("{warp: [w: 5]}"), "1 x 160, warp w in 5, thread lane_of_w in 32");
  EXPECT_EQ(levels("{warpgroup: [w: 6]}"), "1 x 768, warpgroup w in 6, thread lane_of_w in 128");
  EXPECT_EQ(levels("{a: 2}, {warp: [w: 3]}"),
            "2 x 96, block a in 2, warp w in 3, thread lane_of_w in 32");
  EXPECT_EQ(levels("{warpgroup: [g: 2]}, {warp: [w: 4]}"),
            "1 x 256, warpgroup g in 2, warp w in 4, thread lane_of_w in 32");
  EXPECT_EQ(levels("{device: [d: 2]}, {a: 2}, {b: 3}"),
            "2 x 3, device d in 2, block a in 2, thread b in 3");
  EXPECT_EQ(levels("{block: [a: 2]}, {cluster: [c: 2]}, {thread: [x: 2, y: 4, z: 8]}"),
            "4 x 64, block a in 2, cluster c in 2, thread x in 2 y in 4 z in 8");
}

}  // namespace

}  // namespace selvage
