#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// What a file says wrong of loops, their labels, and what leaves them.
TEST(LoopFiles, ALoopHasAnExtent) {
  expect_mended(kSixThreads + R"(- for: {index: i, do: ["A[p] = 1"]}
)",
                "a.yaml:4:16: error[E110]: for: i has no extent; help: say how often it runs, such "
                "as in: 4, or bind it by a with around",
                {"index: i,", "index: i, in: 2,"});
  expect_mended(kSixThreads + R"(- for: {index: i, do: ["A[p] = 1"]}
)",
                "a.yaml:4:16: error[E110]: for: i has no extent; help: say how often it runs, such "
                "as in: 4, or bind it by a with around",
                {"for: {index: i, do: [\"A[p] = 1\"]}",
                 "with: {indices: {i: 2}, do: [{for: {index: i, do: [\"A[p] = 1\"]}}]}"});
}

TEST(LoopFiles, BreakAndContinueDoNotLeaveAParallelLevel) {
  expect_mended(kSixThreads + R"(- break: p
)",
                "a.yaml:4:3: error[E826]: break: p would leave a parallel level: only serial loops "
                "are left; help: put for: {index: once, in: 1, do: [...]} around the body, and "
                "write break: once in its place",
                {"break: p", "inthreads: {when: p > 3, do: [\"A[p] = 1\"]}"});
  expect_mended(R"(parallel: [{p: 6}]
body:
- for: {index: i, in: 2, do: [{parallel: {levels: [{q: 4}], do: [break: i]}}]}
)",
                "a.yaml:3:66: error[E826]: break: i would leave a parallel level, whose instances "
                "all come to its end; help: put for: {index: once, in: 1, do: [...]} around what "
                "stands in the parallel at 3:32, and write break: once in its place",
                {"break: i", "for: {index: j, in: 2, do: [break: j]}"});
}

TEST(LoopFiles, BreakAndContinueNameALoopAround) {
  expect_mended(kSixThreads + R"(- for: {index: i, in: 2, label: outer, do: [{continue: inner}]}
)",
                "a.yaml:4:46: error[E826]: no loop around is called inner; help: write continue: "
                "outer in its place; or put for: {index: once, in: 1, do: [...]} around the body, "
                "and write continue: once in its place",
                {"label: outer", "label: inner"});
  expect_mended(kSixThreads + R"(- for: {index: i, in: 2, do: ["A[p] = i", {break: j}]}
)",
                "a.yaml:4:44: error[E826]: no loop around is called j; help: write break: i in its "
                "place; or put for: {index: once, in: 1, do: [...]} around the body, and write "
                "break: once in its place",
                {"break: j", "break: i"});
}

TEST(LoopFiles, ALabelHidesNoneAround) {
  const std::string around =
      " is that of a loop around; help: give it another label: nothing "
      "hides what is around it";
  expect_mended(
      kSixThreads +
          R"(- for: {index: i, in: 4, label: L, do: [{for: {index: j, in: 3, label: L, do: [break: L]}}]}
)",
      "a.yaml:4:72: error[E204]: the label L" + around,
      {"j, in: 3, label: L", "j, in: 3, label: K"});
  // A loop without a label is called by its index.
  expect_mended(
      kSixThreads +
          R"(- for: {index: i, in: 4, label: j, do: [{for: {index: j, in: 3, do: [break: j]}}]}
)",
      "a.yaml:4:55: error[E204]: the label j" + around, {"label: j", "label: L"});
  expect_mended(
      kSixThreads +
          R"(- for: {index: i, in: 4, do: [{inthreads: {when: p < 3, async: true, do: [{for: {index: j, in: 3, label: i, do: []}}]}}]}
)",
      "a.yaml:4:106: error[E204]: the label i" + around, {"label: i", "label: k"});
  EXPECT_EQ(said(kSixThreads + R"(- for: {index: i, in: 4, label: L, do: [break: L]}
- for: {index: i, in: 4, label: L, do: [break: L]}
)"),
            "accepted")
      << "one after the other";
}

// What a refused item has defined is gone behind it.
TEST(LoopFiles, ARefusedLoopLeavesNoNamesBehind) {
  EXPECT_EQ(
      said(kSixThreads + R"(- with:
    indices: {m: 4}
    do:
      - for: {index: i, in: 4, label: 2, do: []}
      - for: {index: i, in: 4, if: i, label: L, do: []}
      - for: {index: m, if: m}
      - for: {index: m, if: m < 2, do: []}
      - for: {index: i, in: 4, label: L, do: []}
)"),
      "a.yaml:7:39: error[E201]: label: '2' is not a name; help: names consist of letters, digits "
      "and '_' and do not begin with a digit\n"
      "a.yaml:8:36: error[E303]: if: 'i' is no condition; help: compare with <, <=, >, >=, "
      "== or !=\n"
      "a.yaml:9:29: error[E303]: if: 'm' is no condition; help: compare with <, <=, >, >=, "
      "== or !=");
}

}  // namespace

}  // namespace selvage
