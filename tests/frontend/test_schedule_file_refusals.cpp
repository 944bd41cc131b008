#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

struct Case {
  const char* text;
  const char* message;
};

// Section 1. Every text is refused with exactly this message; what stands beside it in the file is
// known to be accepted.
std::string with_transform(const std::string& item) {
  return tensor("    logical: {I0: 15, I1: 8}\n    transforms:\n      - " + item + "\n");
}
std::string with_keys(const std::string& keys) {
  const bool has_logical = keys.find("logical:") != std::string::npos;
  return tensor((has_logical ? "" : "    logical: {I0: 15, I1: 8}\n") + keys);
}

// clang-format off
const Case kTransforms[] = {
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
     "swizzle; help: did you mean 'split'?"},
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
     "a.yaml:6:25: error[E304]: swizzle.kind: 'zor' is none of xor, cyclic_shift; "
     "help: did you mean 'xor'?"},
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
     "a.yaml:6:9: error[E311]: the factor of the split of I0: the divisor 0 of 4 "
     "/ 0 may be 0; help: divide by what the facts make positive"},
    {"split: {in: I0, factor: \"idx[3]\", out: [A, B]}",
     "a.yaml:6:33: error[E301]: split.factor: 'idx[3]' is no expression of sizes; "
     "help: use + - * / % min max ceilDiv, integers and symbols only"},
    {"split: {in: I0, factor: 9223372036854775808, out: [A, B]}",
     "a.yaml:6:33: error[E108]: split.factor: integer 9223372036854775808 does not "
     "fit in 64 bits in expression '9223372036854775808'; help: use a smaller integer"},
};

const Case kIllegalTransforms[] = {
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
};

const Case kTensors[] = {
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "      - split: {in: I0, factor: 3, out: [C, D]}\n",
     "a.yaml:7:21: error[E306]: the iterdomain I0 of T0 feeds two transforms; the "
     "first is at a.yaml:6:21; help: use what comes out of the first"},
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "    loop: [I0, A, B, I1]\n",
     "a.yaml:7:12: error[E307]: loop: I0 of T0 is taken by a transform; help: name "
     "what comes out of that transform"},
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "    bind: {I0: TIDx}\n",
     "a.yaml:7:16: error[E313]: bind: I0 is no loop of T0; help: bind an iterdomain "
     "of the loop domain"},
    {"    loop: [I0]\n",
     "a.yaml:5:11: error[E307]: loop: I1 of T0 is missing; help: name every iterdomain "
     "that no transform takes"},
    {"    loop: [I0, I1, I0]\n",
     "a.yaml:5:20: error[E307]: loop: I0 stands there twice; help: name it once"},
    {"    loop: [I0, I1, I2]\n",
     "a.yaml:5:20: error[E205]: loop: T0 has no iterdomain 'I2'; help: did you mean "
     "'I0'?"},
    {"    bind: {I0: BIDq}\n",
     "a.yaml:5:16: error[E304]: bind.I0: 'BIDq' is none of Serial, BIDx, BIDy, BIDz, "
     "TIDx, TIDy, TIDz, DIDx, Vectorize, Unroll, Unswitch, Bulk, Group; help: did "
     "you mean 'BIDx'?"},
    {"    bind: {I2: BIDx}\n",
     "a.yaml:5:12: error[E205]: bind: T0 has no iterdomain 'I2'; help: did you mean "
     "'I0'?"},
    {"    memory: sharde\n",
     "a.yaml:5:13: error[E304]: memory: 'sharde' is none of global, shared, local; "
     "help: did you mean 'shared'?"},
    {"    duplicates: yes\n",
     "a.yaml:5:17: error[E304]: duplicates: 'yes' is none of allowed; help: write "
     "one of them"},
    {"    align: 12\n",
     "a.yaml:5:12: error[E305]: align is 12, which is no power of two; help: give "
     "the bytes to which the base address is aligned, such as 16"},
    {"    align: 0\n",
     "a.yaml:5:12: error[E305]: align is 0; help: it is at least 1"},
    {"    contiguity: [true]\n",
     "a.yaml:5:17: error[E308]: contiguity has 1 entry for 2 allocation iterdomains; "
     "help: give one for each"},
    {"    contiguity: [yes, true]\n",
     "a.yaml:5:18: error[E109]: contiguity: 'yes' is not a boolean; help: write true "
     "or false, without quotes"},
    {"    strides: [9, 1]\n"
     "    contiguity: [true, true]\n",
     "a.yaml:5:15: error[E308]: the stride of I0 of T0 is 9, but contiguity says "
     "true, which is 8; help: write false under contiguity, or leave contiguity out"},
    {"    strides: [0, 1]\n",
     "a.yaml:5:15: error[E403]: the stride of I0 of T0 is 0; help: it is at least "
     "1; a size that may be 0 is a symbol with min: 0"},
    {"    strides: [9223372036854775807, 1]\n",
     "a.yaml:5:15: error[E402]: the stride of I0 of T0 is past 2^62; help: make it "
     "smaller"},
    {"    allocation: [I0]\n",
     "a.yaml:5:17: error[E308]: allocation: the index of I1 of T0 does not follow "
     "from these iterdomains; help: take a set from which all others follow"},
    {"    allocation: [I0, I1, I1]\n",
     "a.yaml:5:26: error[E307]: allocation: I1 stands there twice; help: name it "
     "once"},
    {"    read: {bind: {}}\n",
     "a.yaml:5:11: error[E313]: read: T0 is not in shared memory; help: write memory: "
     "shared, or leave read out"},
    {"    fill: zero\n",
     "a.yaml:5:11: error[E108]: fill: 'zero' is not an integer; help: write a whole "
     "number in decimal digits, such as 4"},
    {"    logical: {I0: 0}\n",
     "a.yaml:4:19: error[E403]: the extent of I0 of T0 is 0; help: it is at least "
     "1; a size that may be 0 is a symbol with min: 0"},
    {"    logical: {I0: -4}\n",
     "a.yaml:4:19: error[E403]: the extent of I0 of T0 is -4; help: it is at least "
     "1; a size that may be 0 is a symbol with min: 0"},
    {"    logical: {}\n",
     "a.yaml:4:14: error[E107]: logical has no iterdomains; help: name one, such "
     "as {I0: 15}"},
    {"    logical: [I0]\n",
     "a.yaml:4:14: error[E107]: logical: expected a map, found a sequence; help: "
     "write {key: value}, or one 'key: value' a line"},
    {"    logical: {I0: 4611686018427387904, I1: 4}\n",
     "a.yaml:2:3: error[E402]: the tensor T0 has more than 2^63 bytes; help: make "
     "its extents or strides smaller"},
    {"    logical: {I0: 4611686018427387905}\n",
     "a.yaml:4:19: error[E402]: the extent of I0 of T0 is past 2^62; help: make it "
     "smaller"},
    {"    logical: {I0: 9223372036854775807 * 4}\n",
     "a.yaml:4:19: error[E402]: the extent of I0 of T0: 9223372036854775807 * 4 does "
     "not fit in 64 bits; help: use smaller numbers"},
    {"    logical: {for: 4}\n",
     "a.yaml:4:15: error[E203]: 'for' is a keyword or built-in of C++ or CUDA; help: "
     "choose another name, such as 'for_'"},
    {"    logical: {'x; system(1)': 4}\n",
     "a.yaml:4:15: error[E201]: 'x; system(1)' is not a name; help: names consist "
     "of letters, digits and '_' and do not begin with a digit"},
    {"    logical: {threadIdx: 4}\n",
     "a.yaml:4:15: error[E203]: 'threadIdx' is a keyword or built-in of C++ or CUDA; "
     "help: choose another name, such as 'threadIdx_'"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n",
     "a.yaml:3:5: error[E110]: T0, a view: the key 'loop' is missing; help: add 'loop: "
     "...'"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I0]\n"
     "    loop: [I2]\n",
     "a.yaml:6:15: error[E307]: logical: I0 of T0 is taken by a transform; help: "
     "name what comes out of that transform\n"
     "a.yaml:6:14: error[E307]: logical: I2 of T0 is missing; help: name every iterdomain "
     "that no transform takes"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n"
     "    loop: [I0]\n",
     "a.yaml:7:11: error[E307]: loop: the index of I1 of T0 does not follow from "
     "these iterdomains; help: take a set from which all others follow"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n"
     "    loop: [I0, I1, I2]\n",
     "a.yaml:7:11: error[E307]: loop: the index of I2 of T0 follows in two ways from "
     "these iterdomains; help: leave out one that follows from the others"},
    {"    root: {I0: 5}\n"
     "    logical: [I0]\n"
     "    loop: [I0]\n",
     "a.yaml:3:5: error[E110]: T0: the key 'view' is missing; help: add 'view: ...'"},
};

const Case kIllegalTensors[] = {
    {"    bind: {I0: BIDx, I1: BIDx}\n",
     "a.yaml:5:26: error[E413]: BIDx of T0 is bound to I0 already, and now to I1; "
     "help: merge the two, or bind one of them to another type"},
    {"    bind: {I0: Vectorize}\n",
     "a.yaml:5:16: error[E414]: binding I0 to Vectorize is not supported yet; help: "
     "bind it to BIDx..z or TIDx..z, or leave it serial"},
};

const Case kFiles[] = {
    {"tensors:\n"
     "  T0:\n"
     "    logical: {I0: 4}\n",
     "a.yaml:3:5: error[E110]: T0: the key 'dtype' is missing; help: add 'dtype: "
     "...'"},
    {"tensors:\n"
     "  T0:\n"
     "    dtype: flaot\n"
     "    logical: {I0: 4}\n",
     "a.yaml:3:12: error[E304]: dtype: 'flaot' is none of bool, int8, int16, int32, "
     "int64, uint8, uint16, uint32, uint64, half, bfloat16, float, double; help: "
     "did you mean 'float'?"},
    {"tensors:\n"
     "  T0: {dtype: float, logical: {I0: 4}, logicl: 3}\n",
     "a.yaml:2:40: error[E106]: T0: unknown key 'logicl'; help: did you mean 'logical'?"},
    {"tensors: {}\n",
     "a.yaml:1:10: error[E107]: tensors: there is no tensor; help: describe one, "
     "such as T0"},
    {"symbols: {}\n",
     "a.yaml:1:1: error[E312]: the file has none of tensors, compute, einsum, parallel; "
     "help: write 'tensors:' to look at iterdomains, or 'compute:' for a fusion"},
    {"tensors: {}\n"
     "compute: []\n",
     "a.yaml:2:1: error[E312]: the file has both 'tensors' and 'compute'; help: write "
     "one file for each"},
    {"einsum: {}\n",
     "a.yaml:1:1: error[E390]: 'einsum' is not supported yet; help: write 'tensors' "
     "or 'compute'"},
    {"parallel: {}\n",
     "a.yaml:1:1: error[E390]: 'parallel' is not supported yet; help: write 'tensors' "
     "or 'compute'"},
    {"tensors: {}\n"
     "cache: 3\n",
     "a.yaml:2:1: error[E106]: the file: unknown key 'cache'; help: the known keys "
     "are symbols, facts, sizes, tensors, expect\n"
     "a.yaml:1:10: error[E107]: tensors: there is no tensor; help: describe one, "
     "such as T0"},
    {"just text\n",
     "a.yaml:1:1: error[E107]: the file: expected a map, found 'just text'; help: "
     "write {key: value}, or one 'key: value' a line"},
    {"symbols: {T0: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: 4}}\n",
     "a.yaml:3:3: error[E204]: the tensor T0 has the name of a symbol; the symbol "
     "is declared at a.yaml:1:11; help: rename one of the two"},
    {"symbols: {I0: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: 4}}\n",
     "a.yaml:3:32: error[E204]: the iterdomain I0 of T0 has the name of a symbol; "
     "the symbol is declared at a.yaml:1:11; help: rename one of the two"},
    {"symbols: {N: {min: 4, max: 3}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:1:28: error[E310]: no value of N is at least 4 and at most 3; help: "
     "give it a max that is not below its min; min is 1 by default"},
    {"symbols: {N: {min: -1}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:1:20: error[E305]: symbols: N.min is -1; help: it is at least 0"},
    {"symbols: {N: {multiple_of: 8, max: 7}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:1:36: error[E310]: no value of N from 1 to 7 is a multiple of 8; help: "
     "give it a larger max"},
    {"symbols: {N: {multiple_of: 8, value: 12}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:1:38: error[E310]: the value 12 of N is no multiple of 8; help: give "
     "it a value that multiple_of divides"},
    {"symbols: {N: {}}\n"
     "facts: [\"N <= 4\", \"5 <= N\"]\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:2:19: error[E310]: the fact '5 <= N' contradicts what is said of its "
     "symbols; help: correct it, or the symbols, sizes and facts before it"},
    {"symbols: {N: {}}\n"
     "facts: [\"N + 4\"]\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:2:9: error[E303]: facts: 'N + 4' is no condition; help: compare with "
     "<, <=, >, >=, == or !="},
    {"symbols: {N: {}}\n"
     "facts: [\"M < 4\"]\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N}}\n",
     "a.yaml:2:10: error[E302]: facts: unknown name 'M' in expression 'M < 4'; help: "
     "declare it under symbols"},
    {"symbols: {N: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N - 5}}\n",
     "a.yaml:3:36: error[E403]: the extent of I0 of T0, N - 5, is not proved to be "
     "at least 1; help: give its symbols a min that makes it so"},
    {"symbols: {N: {}, K: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N / (K - 1)}}\n",
     "a.yaml:3:36: error[E311]: the extent of I0 of T0: the divisor K - 1 of N / "
     "(K - 1) may be 0; help: divide by what the facts make positive"},
    {"symbols: {Nrows: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: Nrow}}\n",
     "a.yaml:3:36: error[E302]: logical.I0: unknown name 'Nrow' in expression 'Nrow'; "
     "help: did you mean 'Nrows'?"},
};

// clang-format on

TEST(ScheduleFileRefusals, TransformsThatMakeNoSenseAreWrong) {
  EXPECT_EQ(status(with_transform("split: {in: I0, factor: 6, out: [A, B]}")), 0);
  for (const auto& [text, message] : kTransforms) {
    EXPECT_EQ(refusal(with_transform(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_transform(text)), 2) << text;
  }
}

TEST(ScheduleFileRefusals, TransformsThatExtentsForbidAreIllegal) {
  for (const auto& [text, message] : kIllegalTransforms) {
    EXPECT_EQ(refusal(with_transform(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_transform(text)), 1) << text;
  }
}

TEST(ScheduleFileRefusals, TensorsThatMakeNoSenseAreWrong) {
  EXPECT_EQ(status(with_keys("    align: 16\n")), 0);
  for (const auto& [text, message] : kTensors) {
    EXPECT_EQ(refusal(with_keys(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_keys(text)), 2) << text;
  }
}

TEST(ScheduleFileRefusals, BindingsThatCannotBeAreIllegal) {
  for (const auto& [text, message] : kIllegalTensors) {
    EXPECT_EQ(refusal(with_keys(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_keys(text)), 1) << text;
  }
}

TEST(ScheduleFileRefusals, FilesThatMakeNoSenseAreWrong) {
  for (const auto& [text, message] : kFiles) {
    EXPECT_EQ(refusal(text), std::string(message) + "\n");
    EXPECT_EQ(status(text), 2) << text;
  }
}

}  // namespace
}  // namespace selvage
