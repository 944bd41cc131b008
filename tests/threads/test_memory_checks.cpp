#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Elements that are not there, hold nothing, or would not fit.
const std::string kRows = R"(arrays: {A: {shape: [6, 4], dtype: int32}}
symbols: {n: {min: 0, max: 6}}
parallel: [{p: 5}, {q: 4}]
body:
)";

TEST(MemoryChecks, AnElementThatTheArrayHasNot) {
  expect_mended(kSixThreads + R"(- A[p + 1] = 1
)",
                "a.yaml:4:3: error[E819]: A[6] is out of bounds: there are 6 elements: block (0, "
                "0, 0), thread (5, 0, 0); help: give A 7 elements, or mask the threads that "
                "have no element with inthreads",
                {"- A[p + 1] = 1", "- inthreads: {when: p < 5, do: [\"A[p + 1] = 1\"]}"});
  expect_mended(kSixThreads + R"(- A[p + 1] = 1
)",
                "a.yaml:4:3: error[E819]: A[6] is out of bounds: there are 6 elements: block (0, "
                "0, 0), thread (5, 0, 0); help: give A 7 elements, or mask the threads that "
                "have no element with inthreads",
                {"shape: [6]", "shape: [7]"});
  expect_mended(R"(symbols: {n: {min: 0, max: 6}}
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p == 0, do: ["A[n] = 1"]}
)",
                "a.yaml:5:34: error[E819]: A[6] is out of bounds: there are 6 elements: block (0, "
                "0, 0), thread (0, 0, 0); n = 6; help: give A 7 elements, or mask the threads "
                "that have no element with inthreads",
                {"shape: [6]", "shape: [7]"});
}

TEST(MemoryChecks, ASubscriptThatLeavesItsAxisIsNotInTheNextRow) {
  expect_mended(
      kRows + R"(- A[p, q + 1] = 1
)",
      "a.yaml:5:3: error[E819]: the subscript q + 1 of A leaves axis 1, which has the extent 4: q "
      "= 3; help: give axis 1 of A the extent 5, or mask the threads that have no element with "
      "inthreads",
      {"shape: [6, 4]", "shape: [6, 5]"});
  expect_mended(
      kRows + R"(- inthreads: {when: q == 0, do: ["A[p, n] = 1"]}
)",
      "a.yaml:5:34: error[E819]: the subscript n of A leaves axis 1, which has the extent 4: n = "
      "4; help: give axis 1 of A the extent 7, or mask the threads that have no element with "
      "inthreads",
      {"q == 0, do: [\"A[p, n] = 1\"]", "\"q == n\", do: [\"A[p, n] = 1\"]"});
  EXPECT_EQ(
      said(kRows + R"(- A[p - 1, 4] = 1
)"),
      "a.yaml:5:3: error[E819]: the subscript p - 1 of A leaves axis 0, which has the extent 6: p "
      "= 0; help: add 1 to the subscript and give axis 0 of A the extent 6, or mask the threads "
      "that have no element with inthreads");
}

TEST(MemoryChecks, SubscriptsThatSelectOrBreakKeepInTheirAxisAreLegal) {
  EXPECT_EQ(said(R"(arrays: {A: {shape: [6, 4], dtype: int32}, B: {shape: [5, 4], dtype: int32}}
symbols: {n: {min: 0, max: 6}}
parallel: [{p: 5}, {q: 4}]
body:
- B[p, q] = select(q < 3, A[p, q + 1], 0)
)"),
            "accepted");
  EXPECT_EQ(said(R"(arrays: {A: {shape: [6, 4], dtype: int32}}
symbols: {n: {min: 0, max: 6}}
parallel: [{p: 6}]
body:
- for:
    index: i
    in: 9
    do:
    - for: {index: j, in: 1, if: i == 4, do: [break: i]}
    - A[p, i] = 1
)"),
            "accepted");
}

TEST(MemoryChecks, ASubscriptThatIsNotDefined) {
  expect_mended(kSixThreads + R"(- A[p // 0] = 1
)",
                "a.yaml:4:3: error[E342]: the subscript 'p / 0' divides by '0'; help: divide by "
                "what is never 0, such as max(0, 1)",
                {"p // 0", "p // 1"});
  expect_mended(R"(arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- B[p] = A[p % p]
)",
                "a.yaml:4:3: error[E342]: the subscript 'p % p' divides by 'p', which may be 0; "
                "help: divide by what is never 0, such as max(p, 1)",
                {"p % p]", "p % max(p, 1)]"});
}

TEST(MemoryChecks, ALoopThatIsNotDefined) {
  expect_mended(kSixThreads + R"(- for: {index: i, in: "4 / p", do: ["A[p] = i"]}
)",
                "a.yaml:4:3: error[E342]: in: the extent '4 / p' divides by 'p', which may be 0; "
                "help: divide by what is never 0, such as max(p, 1)",
                {"4 / p", "4 / max(p, 1)"});
  expect_mended(kSixThreads + R"(- for: {index: i, in: 4, if: "p / i > 2", do: ["A[p] = i"]}
)",
                "a.yaml:4:3: error[E342]: if: the condition '2 < p / i' divides by 'i', which may "
                "be 0; help: divide by what is never 0, such as max(i, 1)",
                {"p / i", "p / max(i, 1)"});
}

TEST(MemoryChecks, SharedMemoryIsWrittenBeforeItIsRead) {
  expect_mended(
      R"(arrays: {A: {shape: [6], dtype: int32}, S: {shape: [6], dtype: int32, memory: shared}}
parallel: [{p: 6}]
body:
- A[p] = S[p]
)",
      "a.yaml:4:3: error[E824]: S[0] is read before anything is written there: block (0, 0, 0), "
      "thread (0, 0, 0); help: put \"S[p] = 0\" in front of 4:3",
      {"- A", "- S[p] = 1\n- A"});
}

TEST(MemoryChecks, LocalMemoryIsWrittenByEveryThreadThatReadsIt) {
  expect_mended(
      R"(arrays: {A: {shape: [6], dtype: int32}, S: {shape: [1], dtype: int32, memory: local}}
parallel: [{p: 6}]
body:
- inthreads: {when: p < 3, do: ["S[0] = 1"]}
- A[p] = S[0]
)",
      "a.yaml:5:3: error[E824]: S[0] is read before anything is written there: block (0, 0, 0), "
      "thread (3, 0, 0); help: put \"S[0] = 0\" in front of 4:3",
      {"- inthreads: {when: p < 3, do: [\"S[0] = 1\"]}", "- S[0] = 1"});
}

TEST(MemoryChecks, ABlockAndAThreadHaveSoMuchMemory) {
  expect_mended(R"(arrays: {A: {shape: [58113], dtype: int32, memory: shared}}
parallel: [{p: 2}]
body: []
)",
                "a.yaml:1:10: error[E820]: the shared arrays take 232452 bytes of each block, and "
                "there are 232448; help: give A the shape [58112]; or keep A in global memory",
                {"58113", "58112"});
  expect_mended(
      R"(arrays: {A: {shape: [8192], dtype: int32, memory: shared}, B: {shape: [49921], dtype: int32, memory: shared}}
parallel: [{p: 2}]
body: []
)",
      "a.yaml:1:60: error[E820]: the shared arrays take 232452 bytes of each block, and there are "
      "232448; help: give B the shape [49920]; or keep B in global memory",
      {"49921", "49920"});
  // The place is the largest's, in bytes.
  expect_mended(
      R"(arrays: {A: {shape: [16385], dtype: int8, memory: shared}, B: {shape: [27007], dtype: double, memory: shared}, C: {shape: [1], memory: shared}}
parallel: [{p: 2}]
body: []
)",
      "a.yaml:1:60: error[E820]: the shared arrays take 232468 bytes of each block, and there are "
      "232448; help: give B the shape [27004]; or keep B in global memory",
      {"27007", "27004"});
  expect_mended(R"(arrays: {A: {shape: [131073], dtype: int32, memory: local}}
parallel: [{p: 2}]
body: []
)",
                "a.yaml:1:10: error[E820]: the local arrays take 524292 bytes of each thread, and "
                "there are 524288; help: give A the shape [131072]; or keep A in global memory",
                {"131073", "131072"});
  expect_mended(
      R"(arrays: {A: {shape: [281474976710656, 281474976710656], dtype: int32, memory: shared}}
parallel: [{p: 2}]
body: []
)",
      "a.yaml:1:10: error[E820]: the shared arrays take 2^63 or more bytes of each block, and "
      "there are 232448; help: give A the shape [1, 58112]",
      {"[281474976710656, 281474976710656]", "[58112]"});
  expect_mended(R"(arrays: {A: {shape: [281474976710656, 281474976710656], dtype: int32}}
parallel: [{p: 2}]
body: []
)",
                "a.yaml:1:10: error[E820]: the array A takes 2^63 bytes or more; help: give A the "
                "shape [8191, 281474976710656]",
                {"281474976710656, 281474976710656", "281474976710656"});
}

TEST(MemoryChecks, ASubscriptThatMayLeaveItsAxisIsRefused) {
  expect_mended(R"(symbols: {n: {min: 0, max: 2000000}}
arrays: {A: {shape: [3, 1], dtype: int32}}
parallel: [{t: 2}]
body: ["A[t, (n * n) % 1000003 // 1000000] = 1"]
)",
                "a.yaml:4:8: error[E819]: the subscript n * n % 1000003 / 1000000 of A may leave "
                "axis 1, which has the extent 1, and that it does not is not proved; help: give "
                "axis 1 of A the extent 2, or mask the threads that have no element with inthreads",
                {"[3, 1]", "[3, 2]"});
}

TEST(MemoryChecks, ABreakOfALoopInsideDoesNotHideIt) {
  expect_mended(
      R"(arrays: {A: {shape: [5, 4], dtype: int32}}
parallel: [{t: 2}]
body:
- for:
    index: i
    in: 4
    do:
    - for: {index: j, in: 2, label: j, do: [{break: j}]}
    - "A[t, i + 1] = 1"
)",
      "a.yaml:9:7: error[E819]: the subscript i + 1 of A leaves axis 1, which has the "
      "extent 4: i = 3; help: give axis 1 of A the extent 5, or mask the threads that have no "
      "element with inthreads",
      {"[5, 4]", "[5, 5]"});
}

// The verifier finds races first.
TEST(MemoryChecks, WhatIsWrongIsToldInTheOrderOfTheFile) {
  EXPECT_EQ(
      said(R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- A[p + 1] = 1
- A[0] = 1
)"),
      "a.yaml:4:3: error[E819]: A[6] is out of bounds: there are 6 elements: block (0, 0, 0), "
      "thread (5, 0, 0); help: give A 7 elements, or mask the threads that have no element "
      "with inthreads\n"
      "a.yaml:5:3: error[E818]: A[0] is written by one thread and accessed by another with no "
      "barrier between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); "
      "help: give each thread elements of its own, or let one thread do it, inthreads: {when: p == "
      "0, async: true, do: [...]}");
}

}  // namespace

}  // namespace selvage
