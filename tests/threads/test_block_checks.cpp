#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// Blocks that would have to wait for one another.
const std::string kBlocks =
    R"(arrays: {A: {shape: [2], dtype: int32}, B: {shape: [2, 4], dtype: int32}}
)";

TEST(BlockChecks, BlocksDoNotMeetInWhatOneThreadOfEachWrites) {
  expect_mended(
      kBlocks + R"(parallel: [{p: 2}]
body:
- A[0] = 1
- parallel: {levels: [{q: 4}], do: []}
)",
      "a.yaml:4:3: error[E815]: no barrier crosses blocks, and A[0] is written by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: write inthreads: {when: p == 0, async: true, do: [...]} in its "
      "place; or give A the shape [2, 2] and write A[p, ...] for A[...]",
      {"A[0]", "A[p]"});
}

TEST(BlockChecks, NoBlockReadsWhatAnotherWrites) {
  expect_mended(
      kBlocks + R"(parallel: [{p: 2}]
body:
- A[p] = 1
- parallel: {levels: [{q: 4}], do: ["B[p, q] = A[1 - p]"]}
)",
      "a.yaml:4:3: error[E815]: no barrier crosses blocks, and A[1] is written by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: give A the shape [2, 2] and write A[p, ...] for A[...]; or "
      "write inthreads: {when: p == 0, async: true, do: [...]} in its place\n"
      "a.yaml:5:37: error[E815]: no barrier crosses blocks, and A[0] is read by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: give A the shape [2, 2] and write A[p, ...] for A[...]; or make "
      "two kernels of it, the second from 5:3 on",
      {"A[1 - p]", "A[p]"});
}

// One thread of all, in a region that is there already.
TEST(BlockChecks, OneThreadIsNamedByAllLevelsAroundIt) {
  expect_mended(
      kBlocks + R"(parallel: [{block: {p: 2}}, {thread: {q: 4}}]
body:
- inthreads: {when: q == 0, do: ["A[0] = 1"]}
)",
      "a.yaml:4:34: error[E815]: no barrier crosses blocks, and A[0] is written by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: write inthreads: {when: p == 0 && q == 0, do: [...]} in its "
      "place; or give A the shape [2, 2] and write A[p, ...] for A[...]",
      {"\"A[0] = 1\"", "{inthreads: {when: p == 0 && q == 0, do: [\"A[0] = 1\"]}}"});
}

// Cut in two, its second half would still be wrong.
TEST(BlockChecks, TwoKernelsAreNamedWhereBothAreRight) {
  const auto help_for = [](const std::string& second) {
    return said(kBlocks + "parallel: [{p: 2}]\nbody:\n- A[p] = 1\n" +
                "- parallel: {levels: [{q: 4}], do: [\"" + second + "\"]}\n");
  };
  EXPECT_THAT(help_for("B[p, q] = A[1 - p]"), testing::HasSubstr("two kernels"));
  EXPECT_THAT(help_for("A[1 - p] = q"), testing::Not(testing::HasSubstr("two kernels")));
}

TEST(BlockChecks, WhatStandsOutsideOfAllLevelsIsReadByItsBlockAlone) {
  expect_mended(
      kBlocks + R"(body:
- A[0] = 1
- parallel: {levels: [{p: 2}, {q: 4}], do: ["B[p, q] = A[0]"]}
)",
      "a.yaml:4:45: error[E815]: no barrier crosses blocks, and A[0] is read by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: make two kernels of it, the second from 4:3 on",
      {"A[0]\"", "A[1]\""});
  expect_mended(
      kBlocks + R"(body:
- A[0] = 1
- parallel: {levels: [{p: 2}, {q: 4}], do: ["B[p, q] = A[0]"]}
)",
      "a.yaml:4:45: error[E815]: no barrier crosses blocks, and A[0] is read by one thread and "
      "accessed by another of another block: block (0, 0, 0), thread (0, 0, 0); and block (1, 0, "
      "0), thread (0, 0, 0); help: make two kernels of it, the second from 4:3 on",
      {"{p: 2}", "{p: 1}"});
}

}  // namespace

}  // namespace selvage
