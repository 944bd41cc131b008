#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

// The one transform of a tensor of 15 by 8.
std::string with_transform(const std::string& item) {
  return tensor("    logical: {I0: 15, I1: 8}\n    transforms:\n      - " + item + "\n");
}

// clang-format off
const Refused kWrongTransforms[] = {
    {"split: {in: I2, factor: 6, out: [A, B]}",
     "a.yaml:6:21: error[E205]: split.in: T0 has no iterdomain 'I2'; help: did you "
     "mean 'I0'?"},
    {"split: {in: I0, factor: 6, out: [A, A]}",
     "a.yaml:6:45: error[E204]: T0 has two iterdomains A; the first is at a.yaml:6:42; "
     "help: rename one of the two"},
    {"split: {in: I0, factor: 6, out: [I1, A]}",
     "a.yaml:6:42: error[E204]: T0 has two iterdomains I1; the first is at a.yaml:4:23; "
     "help: rename one of the two"},
    {"split: {in: I0, factor: 6, out: A}",
     "a.yaml:6:41: error[E107]: split.out: expected a sequence, found 'A'; help: "
     "write [a, b], or one '- item' a line"},
    {"split: {in: [I0, I1], factor: 6, out: [A, B]}",
     "a.yaml:6:21: error[E309]: split.in has 2 names; help: name one iterdomain"},
    {"split: {in: I0, out: [A, B]}",
     "a.yaml:6:16: error[E110]: split: the key 'factor' is missing; help: add 'factor: "
     "...'"},
    {"splt: {in: I0, factor: 2, out: [A, B]}",
     "a.yaml:6:9: error[E304]: transform: 'splt' is none of split, merge, resize, "
     "swizzle, skew; help: did you mean 'split'?"},
    {"{split: {in: I0, factor: 2, out: [A, B]}, merge: {in: [A, B], out: C}}",
     "a.yaml:6:51: error[E107]: transforms: expected a map of one key, found 2; help: "
     "write one '- key: ...' for each"},
    {"merge: {in: [I0], out: A}",
     "a.yaml:6:21: error[E309]: merge.in has 1 name; help: name two iterdomains, "
     "such as [I1, I2]"},
    {"merge: {in: [I0, I0], out: A}",
     "a.yaml:6:26: error[E306]: the iterdomain I0 of T0 feeds two transforms; the "
     "first is at a.yaml:6:22; help: use what comes out of the first"},
    {"swizzle: {kind: zor, in: [I0, I1], out: [A, B]}",
     "a.yaml:6:25: error[E304]: swizzle.kind: 'zor' is none of xor, cyclic_shift, "
     "hilbert; help: did you mean 'xor'?"},
    {"skew: {in: I0, along: I2, by: 8, modulo: 4, out: A}",
     "a.yaml:6:31: error[E205]: skew.along: T0 has no iterdomain 'I2'; help: did you "
     "mean 'I0'?"},
    {"skew: {in: I0, by: 8, modulo: 4, out: A}",
     "a.yaml:6:15: error[E110]: skew: the key 'along' is missing; help: add 'along: ...'"},
    {"resize: {in: I0, left: 1, out: A}",
     "a.yaml:6:17: error[E110]: resize: the key 'right' is missing; help: add 'right: "
     "...'"},
    {"split: {in: I0, factor: K, out: [A, B]}",
     "a.yaml:6:33: error[E302]: split.factor: unknown name 'K' in expression 'K'; "
     "help: declare it under symbols"},
    {"split: {in: I0, factor: \"4 <\", out: [A, B]}",
     "a.yaml:6:37: error[E301]: split.factor: something is missing at the end in "
     "expression '4 <'; help: write an integer expression with + - * / % min max "
     "ceilDiv, e.g. \"ceilDiv(N, 4) * 2\""},
    {"split: {in: I0, factor: 4 < 5, out: [A, B]}",
     "a.yaml:6:33: error[E303]: split.factor: '4 < 5' is a condition, no number; "
     "help: write a number, such as N / 4"},
    {"split: {in: I0, factor: 4 / 0, out: [A, B]}",
     "a.yaml:6:9: error[E311]: the factor of the split of I0: the divisor 0 of 4 / 0 may be 0; help: divide by what is never 0, such as 1"},
    {"split: {in: I0, factor: \"idx[3]\", out: [A, B]}",
     "a.yaml:6:33: error[E301]: split.factor: 'idx[3]' is no expression of sizes; "
     "help: use + - * / % min max ceilDiv, integers and symbols only"},
    {"split: {in: I0, factor: 9223372036854775808, out: [A, B]}",
     "a.yaml:6:33: error[E108]: split.factor: integer 9223372036854775808 does not "
     "fit in 64 bits in expression '9223372036854775808'; help: use a smaller integer"},
};

const Refused kIllegalTransforms[] = {
    {"split: {in: I0, factor: 0, out: [A, B]}",
     "a.yaml:6:9: error[E401]: the factor of the split of I0 is 0; help: a factor "
     "is at least 1"},
    {"split: {in: I0, factor: -3, out: [A, B]}",
     "a.yaml:6:9: error[E401]: the factor of the split of I0 is -3; help: a factor "
     "is at least 1"},
    {"split: {in: I0, factor: 9223372036854775807, out: [A, B]}",
     "a.yaml:6:9: error[E402]: the factor of the split of I0 is past 2^62; help: "
     "use a smaller factor"},
    {"resize: {in: I0, left: -8, right: -7, out: A}",
     "a.yaml:6:9: error[E403]: the resize of I0 by -8 and -7 leaves an extent of "
     "0; help: resize by more; an extent is at least 1"},
    {"swizzle: {kind: xor, in: [I0, I1], out: [A, B]}",
     "a.yaml:6:9: error[E404]: the xor swizzle of I0 (15) and I1 (8) leaves its index "
     "space: the least power of two that holds I0 is 16, which does not divide 8; "
     "help: make the extent of I1 a multiple of it, or use kind: cyclic_shift"},
    {"skew: {in: I0, along: I1, by: 8, modulo: 0, out: A}",
     "a.yaml:6:9: error[E401]: the modulus 0 of the skew of I0 along I1 is below 1; help: a "
     "modulus is at least 1"},
    {"skew: {in: I0, along: I0, by: 8, modulo: 4, out: A}",
     "a.yaml:6:9: error[E404]: the skew of I0 along I0 moves each point by its own index; help: "
     "skew it along another iterdomain"},
};

// clang-format on

TEST(TransformRefusals, WhatMakesNoSenseIsWrong) {
  EXPECT_EQ(status(with_transform("split: {in: I0, factor: 6, out: [A, B]}")), 0);
  for (const auto& [text, message] : kWrongTransforms) {
    EXPECT_EQ(refusal(with_transform(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_transform(text)), 2) << text;
  }
}

TEST(TransformRefusals, WhatTheExtentsForbidIsIllegal) {
  for (const auto& [text, message] : kIllegalTransforms) {
    EXPECT_EQ(refusal(with_transform(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_transform(text)), 1) << text;
  }
}

TEST(TransformRefusals, AViewHasNoSkew) {
  EXPECT_EQ(refusal(tensor("    root: {I0: 4, I1: 8}\n"
                           "    view: [{skew: {in: I1, along: I0, by: 8, modulo: 4, out: A}}]\n"
                           "    logical: [I0, A]\n")),
            "a.yaml:5:13: error[E304]: a view has no skew; help: take split, merge, resize or "
            "swizzle; a skew moves the rows of loops\n");
}

TEST(TransformRefusals, OneMistakeIsToldOnceAndHidesNoOther) {
  EXPECT_EQ(
      refusal(tensor("    logical: {I0: 15}\n    transforms:\n"
                     "      - split: {in: IO, factor: 6, out: [A, B]}\n"
                     "      - merge: {in: [A, B], out: C}\n"
                     "      - split: {in: C, factor: 2, outer: [D, E]}\n")),
      "a.yaml:6:21: error[E205]: split.in: T0 has no iterdomain 'IO'; help: did you mean "
      "'I0'?\n"
      "a.yaml:8:35: error[E106]: split: unknown key 'outer'; help: it may also have out, inner\n"
      "a.yaml:8:16: error[E110]: split: the key 'out' is missing; help: add 'out: ...'\n");
}

TEST(TransformRefusals, AnIllegalTensorHidesNoOther) {
  const ScheduleFile file = read(
      "tensors:\n"
      "  T0: {dtype: float, logical: {I0: 4}, transforms: [{split: {in: I0, factor: 0, out: [A, "
      "B]}}]}\n"
      "  T1: {dtype: float, logical: {I0: 4}}\n");
  ASSERT_EQ(file.tensors.size(), 1U);
  EXPECT_EQ(file.tensors[0].name, "T1");
  EXPECT_EQ(to_text(file.illegal),
            "a.yaml:2:54: error[E401]: the factor of the split of I0 is 0; help: a factor is at "
            "least 1\n");
}

}  // namespace
}  // namespace selvage
