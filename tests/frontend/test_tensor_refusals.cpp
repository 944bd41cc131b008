#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

// A tensor of 15 by 8, unless the keys say otherwise.
std::string with_keys(const std::string& keys) {
  const bool has_logical = keys.find("logical:") != std::string::npos;
  return tensor((has_logical ? "" : "    logical: {I0: 15, I1: 8}\n") + keys);
}

// clang-format off
const Refused kWrongTensors[] = {
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "      - split: {in: I0, factor: 3, out: [C, D]}\n",
     "a.yaml:7:21: error[E306]: the iterdomain I0 of T0 feeds two transforms; the "
     "first is at a.yaml:6:21; help: use what comes out of the first"},
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "    loop: [I0, A, B, I1]\n",
     "a.yaml:7:12: error[E307]: loop: I0 of T0 is taken by a transform; help: name what no transform takes: I1, A, B"},
    {"    transforms:\n"
     "      - split: {in: I0, factor: 6, out: [A, B]}\n"
     "    bind: {I0: TIDx}\n",
     "a.yaml:7:16: error[E313]: bind: I0 is no loop of T0; help: its loops are I1, A, B"},
    {"    loop: [I0]\n",
     "a.yaml:5:11: error[E307]: loop: I1 of T0 is missing; help: name every iterdomain that no transform takes: I0, I1"},
    {"    loop: [I0, I1, I0]\n",
     "a.yaml:5:20: error[E307]: loop: I0 stands there twice; help: name it once"},
    {"    loop: [I0, I1, I2]\n",
     "a.yaml:5:20: error[E205]: loop: T0 has no iterdomain 'I2'; help: did you mean "
     "'I0'?"},
    {"    bind: {I0: BIDq}\n",
     "a.yaml:5:16: error[E304]: bind.I0: 'BIDq' is none of Serial, BIDx, BIDy, BIDz, "
     "TIDx, TIDy, TIDz, DIDx, Vectorize, Unroll, Unswitch, Bulk, Group, CIDx, Multicast; help: did "
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
     "a.yaml:5:17: error[E308]: allocation: the index of I1 of T0 does not follow from these iterdomains; help: all follows from I0, I1"},
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
     "a.yaml:6:15: error[E307]: logical: I0 of T0 is taken by a transform; help: name what no transform takes: I2\n"
     "a.yaml:6:14: error[E307]: logical: I2 of T0 is missing; help: name every iterdomain that no transform takes: I2"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n"
     "    loop: [I0]\n",
     "a.yaml:7:11: error[E307]: loop: the index of I1 of T0 does not follow from these iterdomains; help: all follows from I2"},
    {"    root: {I0: 5, I1: 2}\n"
     "    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n"
     "    loop: [I0, I1, I2]\n",
     "a.yaml:7:11: error[E307]: loop: the index of I2 of T0 follows in two ways from these iterdomains; help: all follows from I2"},
    {"    root: {I0: 5}\n"
     "    logical: [I0]\n"
     "    loop: [I0]\n",
     "a.yaml:3:5: error[E110]: T0: the key 'view' is missing; help: add 'view: ...'"},
    {"    view: [{merge: {in: [I0, I1], out: I2}}]\n"
     "    logical: [I2]\n"
     "    loop: [I2]\n",
     "a.yaml:3:5: error[E110]: T0: the key 'root' is missing; help: add 'root: ...'"},
};

const Refused kIllegalTensors[] = {
    {"    bind: {I0: BIDx, I1: BIDx}\n",
     "a.yaml:5:26: error[E413]: BIDx of T0 is bound to I0 already, and now to I1; "
     "help: merge the two, or bind I1 to BIDy"},
    {"    bind: {I0: Group}\n",
     "a.yaml:5:16: error[E414]: binding I0 to Group is not supported yet; help: bind it to BIDx..z or TIDx..z; or leave it serial"},
};

// clang-format on

TEST(TensorRefusals, WhatMakesNoSenseIsWrong) {
  EXPECT_EQ(status(with_keys("    align: 16\n")), 0);
  for (const auto& [text, message] : kWrongTensors) {
    EXPECT_EQ(refusal(with_keys(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_keys(text)), 2) << text;
  }
}

TEST(TensorRefusals, BindingsThatCannotBeAreIllegal) {
  for (const auto& [text, message] : kIllegalTensors) {
    EXPECT_EQ(refusal(with_keys(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_keys(text)), 1) << text;
  }
  for (const char* type : {"Group", "DIDx"}) {
    const std::string text = with_keys("    bind: {I1: " + std::string(type) + "}\n");
    EXPECT_EQ(status(text), 1) << type;
    EXPECT_NE(refusal(text).find(std::string("error[E414]: binding I1 to ") + type),
              std::string::npos);
  }
}

}  // namespace
}  // namespace selvage
