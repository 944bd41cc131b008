// Whether a program races is told by the order that it asks for itself, never by a barrier that is
// there for somebody else.
#include <gtest/gtest.h>

#include <map>

#include "checked.h"
#include "tests/support/counts.h"
#include "tests/threads/racing_programs.h"

namespace selvage {

namespace {

using namespace threads;

// Lane 0 reads an element of G that lane 5 writes: that wants a barrier, and the one of the race
// has no right to it.
TEST(RaceOrder, ABarrierForSomebodyElseHidesNoRace) {
  const std::string program = R"(arrays:
  A: {shape: [32], dtype: int32}
  S: {shape: [4], dtype: int32, memory: shared}
  G: {shape: [32], dtype: int32}
parallel: [{warp: {w: 1}}]
body:
  - do: ["S[0] = G[5] + 3"]
  - parallel: {levels: [{thread: {lane: 32}}], do: ["A[lane] += 4", "G[lane] = A[31 - lane] + 3"]}
)";
  const auto message = [](const char* line) {
    return std::string("a.yaml:") + line +
           ":69: error[E818]: A[16] is read by one thread and accessed by another with no barrier "
           "between: block (0, 0, 0), thread (16, 0, 0); and block (0, 0, 0), thread (15, 0, 0); "
           "help: give each thread elements of its own, or put sync: shared between the two";
  };
  const Mend mend{"+= 4\", \"G", "+= 4\", sync: shared, \"G"};
  expect_mended(program, message("8"), mend);
  expect_mended(Mend{"  - do: [\"S[0] = G[5] + 3\"]\n", ""}(program), message("7"), mend);
}

// All threads that run the code around come together where an inner level begins and ends: what is
// done before it is done, whether or not the level has to do with it.
TEST(RaceOrder, AnInnerLevelPartsWhatStandsBeforeItFromWhatStandsBehind) {
  const auto program = [](const char* inner) {
    return std::string(R"(arrays: {S: {shape: [2], dtype: int32}, B: {shape: [2, 32], dtype: int32}}
parallel: [{warp: {w: 2}}]
body:
- S[w] = 1
)") + inner +
           "- S[1 - w] = 2\n";
  };
  const auto level = [](const char* body) {
    return "- parallel: {levels: [{thread: {l: 32}}], do: [" + std::string(body) + "]}\n";
  };
  EXPECT_EQ(said(program(level("\"B[w, l] = 1\"").c_str())), "accepted");
  EXPECT_EQ(said(program(level("\"B[w, l] = S[1 - w]\"").c_str())), "accepted");
  EXPECT_EQ(said(program(level("").c_str())), "accepted") << "nothing is run there";
  EXPECT_EQ(codes(said(program("- B[w, 0] = 1\n") + level("\"B[w, l] = 1\""))), "E818 ")
      << "both before it";
}

TEST(RaceOrder, StatementsOfOtherArraysChangeNothing) {
  std::map<std::string, int> seen;
  for (int k = 0; k < count(400, 20000); ++k) {
    RandomProgram program(std::uint64_t(k) + 1);
    const std::string before = program.text(), alone = said(before);
    program.add_bystanders();
    const std::string after = program.text(), together = said(after);
    SCOPED_TRACE("seed " + std::to_string(k + 1) + "\n" + before + alone + "\n" + after + together);
    const bool is_refused = !codes(alone).empty(), stays_refused = !codes(together).empty();
    ASSERT_TRUE(!is_refused || stays_refused);
    const bool is_of_bystanders =
        together.find(": U[") != together.npos || together.find(": V[") != together.npos;
    ASSERT_TRUE(is_refused || !stays_refused || is_of_bystanders);
    ++seen[!is_refused ? (stays_refused ? "bystanders race" : "accepted")
                       : codes(alone).substr(0, 4)];
  }
  std::string line;
  for (const auto& [what, n] : seen) line += " " + what + ": " + std::to_string(n);
  printf("[FIGURE] thread programs with bystanders:%s\n", line.c_str());
  EXPECT_GT(seen["accepted"], more_than(20));
  EXPECT_GT(seen["E818"], more_than(20));
}

}  // namespace

}  // namespace selvage
