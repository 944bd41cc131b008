// What stands beside an inner level is run once for each outer instance; a break there is one of
// all threads of the instance.
#include <selvage/driver/run_threads.h>

#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// The array A of 3 x 32 elements after a run, by rows, each of which has one value.
std::vector<std::int64_t> rows(const std::string& before, const std::string& body) {
  const std::string text = R"(arrays: {A: {shape: [3, 32], dtype: int32}, )" + before + R"(}
parallel: [{warp: {w: 3}}]
body:
- for:
    index: i
    in: 5
    label: i
    do:
)" + body;
  EXPECT_EQ(said(text), "accepted") << text;
  const ScheduleFile file = read_schedule_text(text, "a.yaml", {});
  std::vector<std::int64_t> out;
  for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const ThreadRun run = run_threads(*file.threads, {.on = machine});
    EXPECT_TRUE(run.passed());
    const Array& a = run.outputs.at("A");
    std::vector<std::int64_t> rows;
    for (std::int64_t w = 0; w < 3; ++w) rows.push_back(a.get_int(w * 32));
    for (std::int64_t k = 0; k < 96; ++k) EXPECT_EQ(a.get_int(k), rows[std::size_t(k / 32)]) << k;
    EXPECT_TRUE(out.empty() || out == rows);
    out = rows;
  }
  return out;
}

const std::string kUnused = "B: {shape: [1], dtype: int32, memory: local}";
const std::string kEach = "    - parallel: {levels: [{l: 32}], do: [\"A[w, l] += 1\"]}\n";
using Rows = std::vector<std::int64_t>;

TEST(BreaksBesideLevels, InALoopWithACondition) {
  EXPECT_EQ(rows(kUnused, "    - for: {index: k, in: 1, if: i == w, do: [{break: i}]}\n" + kEach),
            (Rows{0, 1, 2}));
  EXPECT_EQ(
      rows(kUnused, "    - for: {index: k, in: 1, if: i == w, do: [{continue: i}]}\n" + kEach),
      (Rows{4, 4, 4}));
}

TEST(BreaksBesideLevels, InAMask) {
  EXPECT_EQ(
      rows(kUnused, "    - inthreads: {when: w == 2, do: [{break: i}], async: true}\n" + kEach),
      (Rows{5, 5, 0}));
}

TEST(BreaksBesideLevels, InADo) {
  EXPECT_EQ(rows(kUnused, kEach + "    - do: [{break: i}]\n"), (Rows{1, 1, 1}));
}

// One thread of a warp writes what all of them read, until they leave.
TEST(BreaksBesideLevels, WithValuesThatAreHandedOver) {
  EXPECT_EQ(rows("S: {shape: [3], dtype: int32, memory: shared}",
                 "    - for: {index: k, in: 1, if: i > w, do: [{break: i}]}\n"
                 "    - \"S[w] = i\"\n"
                 "    - parallel: {levels: [{l: 32}], do: [\"A[w, l] += S[w]\"]}\n"),
            (Rows{0, 1, 3}));
}

// A loop that is left by itself is one thread's.
TEST(BreaksBesideLevels, OfALoopThatStandsThereAsAWhole) {
  EXPECT_EQ(rows("S: {shape: [3], dtype: int32, memory: shared}",
                 "    - for: {index: k, in: 9, label: k, do: [\"S[w] = k\", {for: {index: m, in: "
                 "1, if: k == w, do: [{break: k}]}}]}\n"
                 "    - parallel: {levels: [{l: 32}], do: [\"A[w, l] += S[w]\"]}\n"),
            (Rows{0, 5, 10}));
}

}  // namespace

}  // namespace selvage
