#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// What a file of a thread program says wrong.
TEST(ProgramFiles, InfAndNanAreNumbersUnlessSomethingIsCalledSo) {
  const std::string head = "parallel: [{p: 6}]\narrays:\n  A: {shape: [6], dtype: float}\n";
  EXPECT_EQ(said(head + "body: [\"A[p] = select(p < 3, -inf, nan)\"]\n"), "accepted");
  EXPECT_EQ(said(head + "  inf: {shape: [6], dtype: float}\nbody: [\"A[p] = inf\"]\n"),
            "a.yaml:5:16: error[E302]: inf is an array and stands without subscripts; help: write "
            "inf[...]");
}

TEST(ProgramFiles, EachPlaceDividesWithItsSign) {
  const std::string halves = R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
)";
  expect_mended(halves + R"(- "A[p / 2 * 2 + p % 2] = 1"
)",
                "a.yaml:4:8: error[E316]: the subscript divides with /, which need not give an "
                "integer; help: write //, which does",
                {"p / 2", "p // 2"});
  expect_mended(halves + R"(- inthreads: {when: p // 2 == 1, do: []}
)",
                "a.yaml:4:23: error[E301]: when: unexpected '//' in expression 'p // 2 == 1'; "
                "help: write /, which divides integers in an expression",
                {"p // 2", "p / 2"});
  expect_mended(halves + R"(- let: {h: p // 2}
)",
                "a.yaml:4:14: error[E301]: h: unexpected '//' in expression 'p // 2'; help: write "
                "/, which divides integers in an expression",
                {"p // 2", "p / 2"});
}

TEST(ProgramFiles, AMessageShowsWholeCharacters) {
  EXPECT_EQ(said(kSixThreads + "- A[é] = 1\n"),
            "a.yaml:4:5: error[E314]: unexpected 'é' in the statement 'A[é] = 1'; help: write a "
            "statement such as y[m, n] = relu(a[m, n] + b[n])");
}

TEST(ProgramFiles, EveryBindingThatIsWrongIsTold) {
  EXPECT_EQ(said(kSixThreads +
                 R"(- with: {indices: {m: 4, n: 8, n_p: 7}, where: {n_p: n, m: zz, p: m}, do: []}
)"),
            "a.yaml:4:49: error[E825]: n_p has the extent 7 and n 8: they cannot be one index; "
            "help: give n the extent 7\n"
            "a.yaml:4:60: error[E302]: zz is no index of this with; help: bind indices that stand "
            "under indices of the same with\n"
            "a.yaml:4:64: error[E302]: p is no index of this with; help: bind indices that stand "
            "under indices of the same with");
}

TEST(ProgramFiles, BoundIndicesHaveOneExtent) {
  expect_mended(kSixThreads + R"(- with: {indices: {m: 4, n: 8, n_p: 7}, where: {n_p: n}, do: []}
)",
                "a.yaml:4:49: error[E825]: n_p has the extent 7 and n 8: they cannot be one index; "
                "help: give n the extent 7",
                {"n_p: 7", "n_p: 8"});
}

TEST(ProgramFiles, BoundIndicesStandInTheirWith) {
  expect_mended(kSixThreads + R"(- with: {indices: {m: 4}, where: {m: n}, do: []}
)",
                "a.yaml:4:38: error[E302]: n is no index of this with; help: bind indices that "
                "stand under indices of the same with",
                {"{m: 4}", "{m: 4, n: 4}"});
  expect_mended(kSixThreads + R"(- with: {indices: {m: 0}, do: []}
)",
                "a.yaml:4:23: error[E305]: the bound index m has the extent 0; help: give it an "
                "extent of 1 or more",
                {"m: 0", "m: 1"});
  expect_mended(
      kSixThreads +
          R"(- with: {indices: {m: 4, n: 4}, do: [{for: {index: m, do: [{for: {index: m, do: []}}]}}]}
)",
      "a.yaml:4:74: error[E204]: a for over m stands in another over it; help: go over another "
      "index",
      {"[{for: {index: m, do: []}}]", "[{for: {index: n, do: []}}]"});
}

TEST(ProgramFiles, NothingHidesANameAround) {
  expect_mended(kSixThreads + R"(- for: {index: p, in: 2, do: []}
)",
                "a.yaml:4:16: error[E204]: the name p is taken here; help: give it another name: "
                "nothing hides what is around it",
                {"index: p", "index: i"});
  expect_mended(kSixThreads + R"(- let: {A: p + 1}
)",
                "a.yaml:4:9: error[E204]: the name A is taken here; help: give it another name: "
                "nothing hides what is around it",
                {"A: p + 1", "a: p + 1"});
  expect_mended(R"(symbols: {A: {min: 1}}
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body: []
)",
                "a.yaml:2:10: error[E204]: the name A is taken; help: give the array another name",
                {"symbols: {A", "symbols: {N"});
  expect_mended(R"(parallel: [{p: 2}, {p: 3}]
body: []
)",
                "a.yaml:1:21: error[E204]: the name p is taken here; help: give it another name: "
                "nothing hides what is around it",
                {"p: 3", "q: 3"});
  expect_mended(R"(parallel: [{p: 2}]
body:
- parallel: {levels: [{p: 3}], do: []}
)",
                "a.yaml:3:24: error[E204]: the name p is taken here; help: give it another name: "
                "nothing hides what is around it",
                {"p: 3", "q: 3"});
}

TEST(ProgramFiles, AKindOfLevelIsNoName) {
  expect_mended(R"(parallel: [{thread: [warp: 3]}]
body: []
)",
                "a.yaml:1:22: error[E202]: warp is a kind of level, and no name of an index; help: "
                "name the index otherwise",
                {"warp: 3", "w: 3"});
  expect_mended(R"(parallel: [{thread: [t: 3], p: 2}]
body: []
)",
                "a.yaml:1:13: error[E107]: the level has the kind thread and other keys beside it; "
                "help: write its indices as a list, such as {thread: [x: 2, y: 128]}",
                {"{thread: [t: 3], p: 2}", "{thread: [t: 3, p: 2]}"});
}

TEST(ProgramFiles, AKindThatIsMisspeltIsGuessed) {
  expect_mended(R"(parallel: [{thraed: [t: 8]}]
body: []
)",
                "a.yaml:1:13: error[E304]: the kind of a level: 'thraed' is none of device, block, "
                "cluster, warpgroup, warp, thread; help: did you mean 'thread'?",
                {"thraed", "thread"});
  expect_mended(R"(body:
- parallel: {levels: [{wrap: {w: 2}}], do: []}
)",
                "a.yaml:2:24: error[E304]: the kind of a level: 'wrap' is none of device, block, "
                "cluster, warpgroup, warp, thread; help: did you mean 'warp'?",
                {"wrap", "warp"});
  // A number stands under the name of an index.
  EXPECT_EQ(said("parallel: [{thraed: 8}]\nbody: []\n"), "accepted");
}

// Nothing that is left out is made up in silence.
TEST(ProgramFiles, WhatStandsThereMustSaySomething) {
  expect_mended(kSixThreads + R"(- inthreads: {when: p < 2}
)",
                "a.yaml:4:14: error[E110]: inthreads: the key 'do' is missing; help: add 'do: ...'",
                {"p < 2", "p < 2, do: [\"A[p] = 1\"]"});
  const std::string none = R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: []
body:
- A[0] = 1
)";
  const std::string message =
      "a.yaml:2:11: error[E107]: parallel: there is no level in it; help: name one, such as [{t: "
      "32}], or leave 'parallel' out: one thread runs the body then";
  expect_mended(none, message, {"parallel: []\n", ""});
  EXPECT_EQ(said(Mend{"A[0]", "A[t % 6]"}(Mend{"[]", "[{t: 6}]"}(none))), "accepted");
  expect_mended(
      "body:\n- parallel: {levels: [], do: []}\n",
      "a.yaml:2:22: error[E107]: levels: there is no level in it; help: name one, such as "
      "[{t: 32}], or write a do in its place",
      {"parallel: {levels: [], do: []}", "do: []"});
  expect_mended(
      "arrays: {A: {shape: [1], dtype: int32}}\nbody: []\n",
      "a.yaml:2:7: error[E107]: body: nothing stands in it, and there are no levels; help: "
      "write what is run, such as ['A[0] = 1'], and under 'parallel' by which threads",
      {"[]\n", "['A[0] = 1']\n"});
}

TEST(ProgramFiles, ArraysAreDeclared) {
  expect_mended(kSixThreads + R"(- B[p] = 1
)",
                "a.yaml:4:3: error[E205]: there is no array 'B'; help: declare it under arrays",
                {"B[p]", "A[p]"});
  expect_mended(kSixThreads + R"(- A[p] = AA[p]
)",
                "a.yaml:4:10: error[E205]: there is no array 'AA'; help: declare it under arrays",
                {"AA[p]", "A[p]"});
  expect_mended(R"(parallel: [{p: 2}]
body:
- B[p] = 1
)",
                "a.yaml:3:3: error[E205]: there is no array 'B'; help: declare it under arrays",
                {"parallel", "arrays: {B: {shape: [2], dtype: int32}}\nparallel"});
}

TEST(ProgramFiles, AnElementHasASubscriptForEachAxis) {
  expect_mended(kSixThreads + R"(- A[p, 0] = 1
)",
                "a.yaml:4:3: error[E503]: A has rank 1 and stands with 2 subscripts; help: give "
                "one subscript for each axis",
                {"A[p, 0]", "A[p]"});
  expect_mended(kSixThreads + R"(- A[p] = A[p, 0]
)",
                "a.yaml:4:10: error[E503]: A has rank 1 and stands with 2 subscripts; help: give "
                "one subscript for each axis",
                {"A[p, 0]", "A[p]"});
  expect_mended(
      kSixThreads + R"(- A[p] = A
)",
      "a.yaml:4:10: error[E302]: A is an array and stands without subscripts; help: write A[...]",
      {"= A", "= A[p]"});
}

TEST(ProgramFiles, NamesAreKnown) {
  expect_mended(kSixThreads + R"(- A[p] = q
)",
                "a.yaml:4:10: error[E302]: nothing is called 'q' here; help: use an index, a named "
                "value or a symbol",
                {"= q", "= p"});
  expect_mended(kSixThreads + R"(- inthreads: {when: q < 3, do: ["A[p] = 1"]}
)",
                "a.yaml:4:21: error[E302]: when: unknown name 'q' in expression 'q < 3'; help: use "
                "an index, a named value or a symbol",
                {"q < 3", "p < 3"});
  expect_mended(kSixThreads + R"(- for: {index: i, in: 2, do: ["A[p] = i"]}
- A[p] = i
)",
                "a.yaml:5:10: error[E302]: nothing is called 'i' here; help: use an index, a named "
                "value or a symbol",
                {"- A[p] = i\n", "- A[p] = p\n"});
}

TEST(ProgramFiles, ConditionsAndNumbersStandWhereTheyMay) {
  expect_mended(kSixThreads + R"(- let: {f: p < 3}
- A[f] = 1
)",
                "a.yaml:5:5: error[E303]: f is a condition, no number; help: write a number",
                {"A[f]", "A[p]"});
  expect_mended(kSixThreads + R"(- for: {index: i, in: 2, if: p, do: ["A[p] = 1"]}
)",
                "a.yaml:4:30: error[E303]: if: 'p' is no condition; help: compare with <, <=, >, "
                ">=, == or !=",
                {"if: p", "if: p > 0"});
  expect_mended(kSixThreads + R"(- for: {index: i, in: p < 3, do: ["A[p] = 1"]}
)",
                "a.yaml:4:23: error[E303]: in: 'p < 3' is a condition, no number; help: write a "
                "number, such as p - 1",
                {"in: p < 3", "in: 3"});
}

TEST(ProgramFiles, WhatBelongsToFusionsIsRefused) {
  expect_mended(kSixThreads + R"(- A[p] = sum(A[p])
)",
                "a.yaml:4:10: error[E314]: a reduction stands in a thread program; help: write the "
                "loop: for: {index: i, in: N, do: [\"y[p] += x[p, i]\"]}",
                {"sum(A[p])", "A[p]"});
  expect_mended(kSixThreads + R"(- A[p] = A[mirror(p)]
)",
                "a.yaml:4:12: error[E314]: an access mode stands in a thread program; help: mask "
                "what is out of bounds with inthreads, or for ... if",
                {"mirror(p)", "p"});
  expect_mended(kSixThreads + R"(- A[1.5] = 1
)",
                "a.yaml:4:5: error[E316]: the subscript is no expression of integers; help: use + "
                "- * // %, min and max, indices, named values, symbols and integers",
                {"- A[1.5] = 1", "- A[p] = 1"});
}

TEST(ProgramFiles, ArraysHaveATypeAMemoryAndAShape) {
  expect_mended(
      R"(arrays: {A: {shape: [6], dtype: int3}}
parallel: [{p: 6}]
body: []
)",
      "a.yaml:1:33: error[E304]: arrays: A: 'int3' is none of bool, int8, int16, int32, int64, "
      "uint8, uint16, uint32, uint64, half, bfloat16, float, double; help: did you mean 'int8'?",
      {"int3", "int32"});
  expect_mended(R"(arrays: {A: {shape: [6], dtype: int32, memory: register}}
parallel: [{p: 6}]
body: []
)",
                "a.yaml:1:48: error[E304]: arrays: A: 'register' is none of global, shared, local; "
                "help: write one of them",
                {"register", "local"});
  expect_mended(
      R"(arrays: {A: {dtype: int32}}
parallel: [{p: 6}]
body: []
)",
      "a.yaml:1:13: error[E110]: arrays: A: the key 'shape' is missing; help: add 'shape: ...'",
      {"dtype", "shape: [6], dtype"});
  expect_mended(R"(symbols: {n: {min: 1, max: 4}}
arrays: {A: {shape: [n], dtype: int32, memory: shared}}
parallel: [{p: 6}]
body: []
)",
                "a.yaml:2:22: error[E305]: the extent n of A, which is not global, is not known "
                "before launch; help: write a number, or give the symbol a value",
                {"[n]", "[4]"});
  expect_mended(R"(arrays: {A: {shape: [0], dtype: int32}}
parallel: [{p: 6}]
body: []
)",
                "a.yaml:1:22: error[E305]: the extent 0 of A is not between 1 and 2^48; help: "
                "write a number in between",
                {"[0]", "[1]"});
}

TEST(ProgramFiles, ItemsOfABodyAreKnown) {
  expect_mended(kSixThreads + R"(- meet: shared
)",
                "a.yaml:4:3: error[E304]: an item of a body: 'meet' is none of let, do, inthreads, "
                "for, foreach, with, sync, parallel, copy, await, mma, await_mma, fence, arrive, "
                "wait, break, continue; help: write one of them",
                {"meet", "sync"});
  expect_mended(kSixThreads + R"(- sync: block
)",
                "a.yaml:4:9: error[E304]: sync: 'block' is none of shared, warp, region; help: "
                "write one of them",
                {"block", "shared"});
  expect_mended(
      kSixThreads + R"(- inthreads: {do: []}
)",
      "a.yaml:4:14: error[E110]: inthreads: the key 'when' is missing; help: add 'when: ...'",
      {"{do", "{when: p < 3, do"});
  expect_mended(kSixThreads + R"(- inthreads: {when: p < 3, async: yes, do: []}
)",
                "a.yaml:4:35: error[E109]: async: 'yes' is not a boolean; help: write true or "
                "false, without quotes",
                {"yes", "true"});
  expect_mended(kSixThreads + R"(- {sync: shared, let: {a: 1}}
)",
                "a.yaml:4:18: error[E107]: an item of a body: expected a map of one key, found 2; "
                "help: write one '- key: ...' for each",
                {"- {sync: shared, let: {a: 1}}", "- sync: shared\n- let: {a: 1}"});
}

TEST(ProgramFiles, NamedValuesOfNamedValuesStaySmall) {
  std::string text = kSixThreads + "- let: {a0: p}\n";
  for (int k = 1; k < 10; ++k) {
    const std::string before = "a" + std::to_string(k - 1);
    text += "- let: {a" + std::to_string(k) + ": \"" + before + " * " + before + " % " +
            std::to_string(k + 6) + "\"}\n";
  }
  EXPECT_EQ(said(text + "- inthreads: {when: a8 < 3, async: true, do: [\"A[p] = a8\"]}\n"),
            "a.yaml:13:13: error[E104]: a9: more than 2000 parts, named values written out; help: "
            "store a part of it in an array first");
  text.resize(text.rfind("- let"));
  EXPECT_EQ(said(text + "- A[a8 * a8] = 1\n"),
            "a.yaml:13:8: error[E104]: the subscript: more than 2000 parts, named values written "
            "out; help: store a part of it in an array first");
  EXPECT_EQ(said(text + "- inthreads: {when: a8 < 3, async: true, do: [\"A[p] = a8\"]}\n"),
            "accepted");
}

TEST(ProgramFiles, EveryMistakeOfAFileIsTold) {
  EXPECT_EQ(said(kSixThreads + R"(- A[q] = 1
- B[p] = 1
- inthreads: {when: p, do: []}
- sync: block
)"),
            "a.yaml:4:5: error[E302]: nothing is called 'q' here; help: use an index, a named "
            "value or a symbol\n"
            "a.yaml:5:3: error[E205]: there is no array 'B'; help: declare it under arrays\n"
            "a.yaml:6:21: error[E303]: when: 'p' is no condition; help: compare with <, <=, >, >=, "
            "== or !=\n"
            "a.yaml:7:9: error[E304]: sync: 'block' is none of shared, warp, region; help: write "
            "one of them");
}

TEST(ProgramFiles, EveryMistakeOfAProgramIsTold) {
  EXPECT_EQ(said(kSixThreads + R"(- break: outer
- inthreads: {when: p < p + 1, do: []}
- A[p // 0] = 1
- inthreads: {when: p > 6, do: [sync: shared]}
)"),
            "a.yaml:4:3: error[E826]: no loop around is called outer; help: put for: {index: once, "
            "in: 1, do: [...]} around the body, and write break: once in its place\n"
            "a.yaml:5:3: error[E812]: the predicate p < p + 1 is not strictly divergent: both "
            "sides depend on parallel indices; help: write for: {index: once, in: 1, if: p < p + "
            "1, do: [...]} in its place\n"
            "a.yaml:6:3: error[E342]: the subscript 'p / 0' divides by '0'; help: divide by what "
            "is never 0, such as max(0, 1)\n"
            "a.yaml:7:3: warning[E813]: no thread runs this: p > 6 never holds here; help: take it "
            "out; or write when: p == 0, which holds for one that gets here\n"
            "a.yaml:7:33: error[E814]: sync: shared is a barrier that part of its threads cannot "
            "reach: it stands where p > 6 holds, 0 threads of a block of 6; help: write sync: "
            "region in its place; or write sync: shared behind the inthreads at 7:3 instead");
  EXPECT_EQ(
      said(kSixThreads + R"(- A[0] = 1
- A[p + 1] = 1
)"),
      "a.yaml:4:3: error[E818]: A[0] is written by one thread and accessed by another with no "
      "barrier between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); "
      "help: give each thread elements of its own, or let one thread do it, inthreads: {when: p == "
      "0, async: true, do: [...]}\n"
      "a.yaml:5:3: error[E819]: A[6] is out of bounds: there are 6 elements: block (0, 0, 0), "
      "thread (5, 0, 0); help: give A 7 elements, or mask the threads that have no element "
      "with inthreads");
}

}  // namespace

}  // namespace selvage
