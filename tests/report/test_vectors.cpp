// Vectors of schedule files: each refusal by its whole message, and beside it the smallest change
// that makes it legal.
#include <selvage/expr/text.h>
#include <selvage/report/report.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/schedule_files.h"

namespace selvage {
namespace {

using namespace schedule_files;

struct Seen {
  std::string diagnostics;
  std::vector<VectorAccess> vectors;
  int status;
  std::vector<std::string> conditions;
};
Seen look(const std::string& text) {
  const ScheduleFile file = read(text);
  const Report report = inspect(file);
  Seen seen{to_text(report.diagnostics), {}, report.exit_status(), {}};
  for (const TensorReport& t : report.tensors) {
    if (!t.analysis.vector) continue;
    seen.vectors.push_back(*t.analysis.vector);
    for (Expr c : t.analysis.vector->finding.conditions) seen.conditions.push_back(to_string(c));
  }
  return seen;
}

struct VectorCase {
  const char* wrong;
  const char* message;  // without its place
  const char* mended;
};

// clang-format off
const VectorCase kCases[] = {
    {"    logical: {I0: 12}\n    transforms: [{split: {in: I0, factor: 3, out: [I1, I2]}}]\n    bind: {I2: Vectorize}\n",
     "error[E450]: the vector I2 of T0, 3 x float, is no access of 2, 4, 8 or 16 bytes; help: "
     "leave I2 serial, or make it the inner result of a split by a power of two\n",
     "    logical: {I0: 12}\n    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n    bind: {I2: Vectorize}\n"},
    {"    logical: {I0: 16}\n    transforms: [{split: {in: I0, factor: 8, out: [I1, I2]}}]\n    bind: {I2: Vectorize}\n",
     "error[E450]: the vector I2 of T0, 8 x float, is no access of 2, 4, 8 or 16 bytes; help: "
     "split I2 by 4 and bind the inner loop\n",
     "    logical: {I0: 16}\n    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n    bind: {I2: Vectorize}\n"},
    {"    logical: {I0: N}\n    bind: {I0: Vectorize}\n",
     "error[E450]: the width of the vector I0 of T0, N, is no number; help: split I0 by 4 and bind "
     "the inner loop\n",
     "    logical: {I0: N}\n    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n    bind: {I2: Vectorize}\n"},
    // Law F: 4 does not divide the 10 that are contiguous, 2 does; nor does it if A is 1.
    {"    logical: {I0: 2, I1: 10}\n    strides: [16, 1]\n    transforms: [{merge: {in: [I0, I1], out: I2}}, {split: {in: I2, factor: 4, out: [I3, I4]}}]\n    bind: {I4: Vectorize}\n",
     "error[E451]: the vector I4 of T0, 4 x float, is not contiguous: at I3 = 2, I4 = 2 its element "
     "2 lies at 16, not at 10; help: law F: 4 must divide 10, the extent of I1, which is all that is "
     "contiguous; split by 2 instead\n",
     "    logical: {I0: 2, I1: 10}\n    strides: [16, 1]\n    transforms: [{merge: {in: [I0, I1], out: I2}}, {split: {in: I2, factor: 2, out: [I3, I4]}}]\n    bind: {I4: Vectorize}\n"},
    {"    logical: {I0: 3, I1: 5}\n    strides: [8, 1]\n    transforms: [{merge: {in: [I0, I1], out: I2}}, {split: {in: I2, factor: 4, out: [I3, I4]}}]\n    bind: {I4: Vectorize}\n",
     "error[E451]: the vector I4 of T0, 4 x float, is not contiguous: at I3 = 1, I4 = 1 its element "
     "1 lies at 8, not at 5; help: law F: 4 must divide 5, the extent of I1, which is all that is "
     "contiguous; leave I4 serial\n",
     "    logical: {I0: 1, I1: 5}\n    strides: [8, 1]\n    transforms: [{merge: {in: [I0, I1], out: I2}}, {split: {in: I2, factor: 4, out: [I3, I4]}}]\n    bind: {I4: Vectorize}\n"},
    {"    logical: {I0: 4, I1: 8}\n    bind: {I0: Vectorize}\n",
     "error[E451]: the vector I0 of T0, 4 x float, is not contiguous: at I0 = 1, I1 = 0 its "
     "element 1 lies at 8, not at 1; help: take the vector out of I1, whose elements lie side "
     "by side, as the inner result of a split by 4\n",
     "    logical: {I0: 4, I1: 8}\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n"},
    {"    logical: {I0: 4, I1: 8}\n    strides: [16, 2]\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n",
     "error[E451]: the vector I3 of T0, 4 x float, is not contiguous: at I0 = 0, I2 = 0, I3 = "
     "1 its element 1 lies at 2, not at 1; help: no axis of T0 has stride 1: leave I3 serial, "
     "or allocate it with one\n",
     "    logical: {I0: 4, I1: 8}\n    strides: [8, 1]\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n"},
    {"    logical: {I0: 3, I1: 10}\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n",
     "error[E452]: the vector I3 of T0, 4 x float, is not aligned: at I0 = 1, I2 = 0, I3 = 0 "
     "it begins at element 10, no multiple of 4; help: make the strides multiples of 4, "
     "strides: [12, 1]; or split by 2 instead\n",
     "    logical: {I0: 3, I1: 10}\n    strides: [12, 1]\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n"},
    {"    logical: {I0: 3, I1: 10}\n    memory: shared\n    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n",
     "error[E452]: the vector I3 of T0, 4 x float, is not aligned: at I0 = 1, I2 = 0, I3 = 0 "
     "it begins at element 10, no multiple of 4; help: make the strides multiples of 4, "
     "strides: [12, 1]; or split by 2 instead\n",
     "    logical: {I0: 3, I1: 10}\n    memory: shared\n    transforms: [{split: {in: I1, factor: 2, out: [I2, I3]}}]\n    bind: {I3: Vectorize}\n"},
};
// clang-format on

TEST(Vectors, WhatIsIllegalSaysWhereAndWhatWouldMendIt) {
  for (const VectorCase& c : kCases) {
    const std::string head = "symbols: {N: {max: 1000}}\n";
    const Seen wrong = look(head + tensor(c.wrong));
    EXPECT_EQ(wrong.diagnostics, std::string("a.yaml:3:3: ") + c.message);
    EXPECT_EQ(wrong.status, 1);
    ASSERT_EQ(wrong.vectors.size(), 1u);
    EXPECT_FALSE(wrong.vectors[0].finding.is_legal());
    const Seen mended = look(head + tensor(c.mended));
    EXPECT_EQ(mended.diagnostics, "") << c.mended;
    ASSERT_EQ(mended.vectors.size(), 1u);
    EXPECT_TRUE(mended.vectors[0].finding.is_legal()) << mended.vectors[0].finding.reason;
  }
}

TEST(Vectors, WhatIsNotProvedIsRefusedUntilAFactProvesIt) {
  const auto text = [](const std::string& more) {
    return "symbols: {N: {" + more + "}, S: {}, K: {}}\nfacts: [\"S * K == N * K\"]\n" +
           tensor(
               "    logical: {I0: 7, I1: N}\n    strides: [S, 1]\n"
               "    transforms: [{merge: {in: [I0, I1], out: I2}}, {split: {in: I2, factor: 4, "
               "out: [I3, I4]}}]\n    bind: {I4: Vectorize}\n");
  };
  EXPECT_EQ(look(text("")).diagnostics,
            "a.yaml:4:3: error[E453]: it is not proved that the vector I4 of T0, 4 x float, is "
            "contiguous; help: law F: 4 must divide N, the extent of I1, which is all that is "
            "contiguous; leave I4 serial\n");
  EXPECT_EQ(look(text("value: 12")).diagnostics, "");
}

std::string split_by_four(const std::string& keys) {
  return tensor(keys +
                "    transforms: [{split: {in: I1, factor: 4, out: [I2, I3]}}]\n"
                "    bind: {I3: Vectorize}\n");
}

TEST(Vectors, WhatIsKnownAtLaunchOnlyIsAConditionThere) {
  using testing::ElementsAre;
  EXPECT_THAT(look(split_by_four("    logical: {I0: 3, I1: 12}\n")).conditions, ElementsAre());
  EXPECT_THAT(look(split_by_four("    logical: {I0: 3, I1: 12}\n    align: 8\n")).conditions,
              ElementsAre("T0 % 16 == 0"));
  EXPECT_THAT(look(split_by_four("    logical: {I0: 3, I1: 12}\n    contiguity: [false, true]\n"))
                  .conditions,
              ElementsAre("T0_stride_I0 % 4 == 0"));
  EXPECT_THAT(look(split_by_four("    logical: {I0: 3, I1: 12}\n    contiguity: [false, false]\n"))
                  .conditions,
              ElementsAre("T0_stride_I1 == 1", "T0_stride_I0 % 4 == 0"));
  EXPECT_THAT(
      look("symbols: {N: {}}\n" + split_by_four("    logical: {I0: 3, I1: N}\n")).conditions,
      ElementsAre("N % 4 == 0"));
  EXPECT_THAT(
      look("symbols: {N: {multiple_of: 8}}\n" + split_by_four("    logical: {I0: 3, I1: N}\n"))
          .conditions,
      ElementsAre());
}

TEST(Vectors, CrossASwizzleThatMovesWholeGroups) {
  // Columns in groups of 4, the groups permuted row by row: a group stays together.
  const std::string rows =
      "    logical: {I0: 8, I1: 32}\n"
      "    transforms:\n"
      "      - split: {in: I1, factor: 4, out: [I2, I3]}\n"
      "      - swizzle: {kind: xor, in: [I0, I2], out: [I4, I5]}\n";
  EXPECT_TRUE(look(tensor(rows + "    loop: [I4, I5, I3]\n    bind: {I3: Vectorize}\n"))
                  .vectors.at(0)
                  .finding.is_legal());
  // Single columns permuted: their neighbours are elsewhere.
  const Seen wrong =
      look(tensor("    logical: {I0: 8, I1: 32}\n"
                  "    transforms:\n"
                  "      - swizzle: {kind: xor, in: [I0, I1], out: [I2, I3]}\n"
                  "      - split: {in: I3, factor: 4, out: [I4, I5]}\n"
                  "    bind: {I5: Vectorize}\n"));
  EXPECT_THAT(wrong.diagnostics, testing::HasSubstr("E451"));
}

TEST(Vectors, GroupsThatArePartlyValidAreStoredElementByElement) {
  const Seen whole = look(split_by_four("    logical: {I0: 1, I1: 1000}\n"));
  EXPECT_TRUE(is_proved(whole.vectors.at(0).is_whole));
  const Seen partial = look(split_by_four("    logical: {I0: 1, I1: 1001}\n"));
  EXPECT_TRUE(partial.vectors.at(0).finding.is_legal());
  EXPECT_TRUE(std::holds_alternative<Refuted>(partial.vectors.at(0).is_whole));
}

TEST(Vectors, AreAsWideAsWhatIsKept) {
  // Between two kernels a half is kept as it was computed, a float: eight are no access.
  const auto with_vectors_of = [](const std::string& width) {
    return R"(
sizes: {M: 64, N: 64}
inputs: {a: {shape: [M, N], dtype: half}}
outputs: {y: {dtype: half}}
compute:
  - t[m, n] = a[m, n] * a[m, n]
  - y[m, n] = t[m, n] + 1
schedule:
  t: [{split: {in: n, factor: )" +
           width + R"(, out: [q, v]}}, {bind: {v: Vectorize}}]
  y: [{split: {in: n, factor: 8, out: [q, v]}}, {bind: {v: Vectorize}}]
)";
  };
  EXPECT_THAT(look(with_vectors_of("8")).diagnostics,
              testing::HasSubstr(
                  "error[E450]: the vector v of t, 8 x float, is no access of 2, 4, 8 or 16 bytes; "
                  "help: split v by 4 and bind the inner loop\n"));
  const Seen mended = look(with_vectors_of("4"));
  EXPECT_EQ(mended.diagnostics, "");
  ASSERT_EQ(mended.vectors.size(), 2u);
  EXPECT_EQ(mended.vectors[0].bytes, 16);
}

}  // namespace
}  // namespace selvage
