#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Threads of a block that meet with no barrier between.
const std::string kTwoArrays =
    R"(arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
)";

TEST(RaceChecks, TwoAsynchronousRegionsMeetInGlobalMemory) {
  expect_mended(
      kTwoArrays + R"(- inthreads: {when: p < 3, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p > 2, async: true, do: ["B[p] = A[p - 3]"]}
)",
      "a.yaml:5:46: error[E817]: the asynchronous regions p < 3 and p > 2 meet with no sync "
      "between: A[0] is read by one thread and accessed by another with no barrier between: block "
      "(0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (3, 0, 0); help: give each thread "
      "elements of its own, or put sync: shared between the two",
      {"- inthreads: {when: p > 2", "- sync: shared\n- inthreads: {when: p > 2"});
  expect_mended(
      kTwoArrays + R"(- inthreads: {when: p < 2, async: true, do: ["A[p] = 1"]}
- inthreads: {when: "p > 1 && p < 4", async: true, do: ["B[p] = 1"]}
- inthreads: {when: p > 3, async: true, do: ["A[p - 4] = 1"]}
)",
      "a.yaml:6:46: error[E817]: the asynchronous regions p < 2 and p > 3 meet with no sync "
      "between: A[0] is written by one thread and accessed by another with no barrier between: "
      "block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (4, 0, 0); help: give each "
      "thread elements of its own, or put sync: shared between the two",
      {"A[p - 4]", "A[p]"});
}

TEST(RaceChecks, TwoAsynchronousRegionsMeetInSharedMemory) {
  expect_mended(
      R"(arrays: {A: {shape: [6], dtype: int32, memory: shared}}
parallel: [{p: 6}]
body:
- inthreads: {when: p < 3, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p > 2, async: true, do: ["A[p - 3] = 2"]}
)",
      "a.yaml:5:46: error[E817]: the asynchronous regions p < 3 and p > 2 meet with no sync "
      "between: A[0] is written by one thread and accessed by another with no barrier between: "
      "block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (3, 0, 0); help: give each "
      "thread elements of its own, or put sync: shared between the two",
      {"A[p - 3]", "A[p]"});
}

TEST(RaceChecks, AnAsynchronousRegionMeetsWhatComesBehindIt) {
  expect_mended(
      kTwoArrays + R"(- inthreads: {when: p < 3, async: true, do: ["A[p] = 1"]}
- B[p] = A[0]
)",
      "a.yaml:5:3: error[E818]: A[0] is read by one thread and accessed by another with no barrier "
      "between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); help: "
      "give each thread elements of its own, or put sync: shared between the two",
      {"- B", "- sync: shared\n- B"});
}

TEST(RaceChecks, ThreadsOfOneAsynchronousRegionMeet) {
  expect_mended(
      kTwoArrays + R"(- inthreads: {when: p < 3, async: true, do: ["A[p] = 1", "B[p] = A[2 - p]"]}
)",
      "a.yaml:4:58: error[E818]: A[2] is read by one thread and accessed by another with no "
      "barrier between: block (0, 0, 0), thread (2, 0, 0); and block (0, 0, 0), thread (0, 0, 0); "
      "help: give each thread elements of its own, or put sync: region between the two",
      {"\"B", "sync: region, \"B"});
}

TEST(RaceChecks, TwoUniformStatementsMeet) {
  expect_mended(
      kTwoArrays + R"(- A[p] = 1
- B[p] = A[5 - p]
)",
      "a.yaml:5:3: error[E818]: A[3] is read by one thread and accessed by another with no barrier "
      "between: block (0, 0, 0), thread (3, 0, 0); and block (0, 0, 0), thread (2, 0, 0); help: "
      "give each thread elements of its own, or put sync: shared between the two",
      {"- B", "- sync: shared\n- B"});
  expect_mended(
      kTwoArrays + R"(- A[p] = 1
- B[p] = A[5 - p]
)",
      "a.yaml:5:3: error[E818]: A[3] is read by one thread and accessed by another with no barrier "
      "between: block (0, 0, 0), thread (3, 0, 0); and block (0, 0, 0), thread (2, 0, 0); help: "
      "give each thread elements of its own, or put sync: shared between the two",
      {"5 - p", "p"});
}

TEST(RaceChecks, ThreadsMeetInOneStatement) {
  expect_mended(
      kTwoArrays + R"(- A[0] = p
)",
      "a.yaml:4:3: error[E818]: A[0] is written by one thread and accessed by another with no "
      "barrier between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); "
      "help: give each thread elements of its own, or let one thread do it, inthreads: {when: p == "
      "0, async: true, do: [...]}",
      {"A[0]", "A[p]"});
  expect_mended(
      kTwoArrays + R"(- A[0] += 1
)",
      "a.yaml:4:3: error[E818]: A[0] is read by one thread and accessed by another with no barrier "
      "between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); help: "
      "give each thread elements of its own, or let one thread do it, inthreads: {when: p == 0, "
      "async: true, do: [...]}",
      {"A[0]", "A[p]"});
}

TEST(RaceChecks, DynamicRegionsOfARaceAreNamed) {
  expect_mended(
      R"(symbols: {n: {min: 2, max: 4}}
arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p < n, async: true, do: ["A[p] = 1"]}
- inthreads: {when: "p >= n && p < 5", async: true, do: ["B[p] = A[p - 2]"]}
)",
      "a.yaml:6:58: error[E817]: the asynchronous regions p < n and p >= n && p < 5 meet with no "
      "sync between: A[0] is read by one thread and accessed by another with no barrier between: "
      "block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (2, 0, 0); n = 2; help: give "
      "each thread elements of its own, or put sync: shared between the two",
      {"A[p - 2]", "A[p]"});
}

TEST(RaceChecks, SymbolsOfARaceAreNamed) {
  expect_mended(
      R"(symbols: {n: {min: 0, max: 6}}
arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p < n, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p >= n, async: true, do: ["A[0] = 1"]}
)",
      "a.yaml:6:47: error[E818]: A[0] is written by one thread and accessed by another with no "
      "barrier between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (1, 0, 0); "
      "n = 0; help: give each thread elements of its own: syncs alone do not mend this",
      {"A[0]", "A[p]"});
}

TEST(RaceChecks, WhatIsNotProvedIsRefused) {
  expect_mended(
      R"(arrays: {A: {shape: [128], dtype: int32}, B: {shape: [128], dtype: int32}}
parallel: [{thread: [p: 128]}]
body:
- inthreads: {when: p < 64, async: true, do: ["A[p] = 1", sync: region, "B[p] = A[63 - p]"]}
- inthreads: {when: p >= 64, async: true, do: ["A[p] = 1"]}
- sync: shared
- for: {index: i, in: 9223372036854775807, do: ["A[p] += i"]}
)",
      "a.yaml:4:73: error[E818]: it is not proved that no two threads meet with no barrier "
      "between, one writing A, the other reading A; help: give each thread elements of its own, or "
      "make loops and levels smaller: what is small is gone through step by step",
      {"9223372036854775807", "4"});
}

// What one iteration ends with runs beside what the next begins with.
TEST(RaceChecks, AsynchronousRegionsOfTwoIterations) {
  expect_mended(
      R"(arrays: {x: {shape: [4, 64], dtype: int32}, y: {shape: [4, 64], dtype: int32}, stage: {shape: [64], dtype: int32, memory: shared}}
parallel: [{thread: {t: 128}}]
body:
  - for:
      index: k
      in: 4
      do:
        - inthreads: {when: t < 64, async: true, do: ["stage[t] = x[k, t]"]}
        - sync: shared
        - inthreads: {when: t >= 64, async: true, do: ["y[k, t - 64] = stage[t - 64]"]}
)",
      "a.yaml:8:55: error[E817]: the asynchronous regions t >= 64 and t < 64 meet with "
      "no sync between: stage[0] is written by one thread and accessed by another with "
      "no barrier between: block (0, 0, 0), thread (64, 0, 0), k = 0; and block (0, 0, "
      "0), thread (0, 0, 0), k = 1; help: give each thread elements of its own, or put "
      "sync: shared between the two",
      {"stage[t - 64]\"]}\n", "stage[t - 64]\"]}\n        - sync: shared\n"});
}

}  // namespace

}  // namespace selvage
