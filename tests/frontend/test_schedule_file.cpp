#include <tests/frontend/schedule_files.h>

#include <selvage/expr/text.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

// All iterdomains of a tensor in file order: name {extent}.
std::string iterdomains(const FileTensor& t) {
  std::string text;
  for (const NamedDomain& d : t.iterdomains) {
    text += (text.empty() ? "" : ", ") + d.name + " {" +
            to_string(t.schedule->graph()[d.domain].extent) + "}";
  }
  return text;
}

std::string loops(const FileTensor& t) {
  std::string text;
  for (DomainId d : t.schedule->loop_domains(t.tensor)) {
    text += (text.empty() ? "" : " ") + t.schedule->name(t.tensor, d);
  }
  return text;
}

std::string strides(const FileTensor& t) {
  std::string text;
  for (Expr e : (*t.fusion)[t.tensor].strides) text += (text.empty() ? "" : ", ") + to_string(e);
  return text;
}

// The one tensor of a file.
FileTensor one(const std::string& text, const Sizes& sizes = {}) {
  ScheduleFile file = read(text, sizes);
  EXPECT_EQ(file.tensors.size(), 1U);
  return std::move(file.tensors.at(0));
}

TEST(ScheduleFile, EachTensorIsAKernelOfItsOwn) {
  const ScheduleFile file = read(
      "symbols: {N: {min: 0, max: 100, multiple_of: 4}, K: {}}\n"
      "tensors:\n  T0: {dtype: float, logical: {I0: 4}, bind: {I0: TIDx}}\n"
      "  T1: {dtype: half, logical: {I0: N}, bind: {I0: TIDx}}\n");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_NE(file.tensors[0].fusion, file.tensors[1].fusion);
  EXPECT_TRUE(file.tensors[0].fusion->sizes().empty());
  EXPECT_EQ(to_string(file.tensors[1].fusion->possibly_empty()[0]), "N");
  EXPECT_EQ(file.tensors[1].place.line, 4);
}

TEST(ScheduleFile, ATensorIsOfFloatUnlessItSaysOtherwise) {
  const FileTensor t = one("tensors: {T0: {logical: {I0: 15}}}\n");
  EXPECT_EQ((*t.fusion)[t.tensor].type, DataType::Float);
  const FileTensor of_half = one("tensors: {T0: {dtype: half, logical: {I0: 15}}}\n");
  EXPECT_EQ((*of_half.fusion)[of_half.tensor].type, DataType::Half);
}

TEST(ScheduleFile, AnItemIsItsRowMajorNumber) {
  const FileTensor t = one(tensor("    logical: {I0: 3, I1: N, I2: 5}\nsymbols: {N: {}}\n"));
  const TensorInfo& info = (*t.fusion)[t.tensor];
  EXPECT_TRUE(info.is_output);
  const ValueNode& cast = t.fusion->values()[*info.definition];
  EXPECT_EQ(to_string(t.fusion->values()[cast.operands.at(0)].index), "(I0 * N + I1) * 5 + I2");
}

TEST(ScheduleFile, TransformsAndTheirNames) {
  const FileTensor t =
      one(tensor("    logical: {I0: 15, I7: 8, I8: 8}\n"
                 "    transforms:\n"
                 "      - split:   {in: I0, factor: 6, out: [I1, I2]}\n"
                 "      - split:   {in: I1, factor: 2, out: [I3, I4], inner: false}\n"
                 "      - merge:   {in: [I4, I2], out: I5}\n"
                 "      - resize:  {in: I5, left: 1, right: 2, out: I6}\n"
                 "      - swizzle: {kind: xor, in: [I7, I8], out: [I9, I10]}\n"
                 "    loop: [I9, I3, I6, I10]\n"));
  EXPECT_EQ(iterdomains(t),
            "I0 {15}, I7 {8}, I8 {8}, I1 {3}, I2 {6}, I3 {2}, I4 {2}, I5 {12}, I6 {15}, I9 {8}, "
            "I10 {8}");
  EXPECT_EQ(loops(t), "I9 I3 I6 I10");
}

TEST(ScheduleFile, TheLoopsAreTheLeavesInTheOrderDeclared) {
  EXPECT_EQ(loops(one(tensor("    logical: {I0: 15, I1: 4}\n    transforms:\n"
                             "      - split: {in: I0, factor: 6, out: [I2, I3]}\n"
                             "      - split: {in: I2, factor: 2, out: [I4, I5]}\n"))),
            "I1 I3 I4 I5");
}

TEST(ScheduleFile, ALoopMayBeCalledNoOrNull) {
  EXPECT_EQ(loops(one(tensor("    logical: {no: 4, null: 3, yes: 2, on: 1}\n"))), "no null yes on");
}

TEST(ScheduleFile, ContiguityAndStrides) {
  const std::string logical = "    logical: {I0: 15, I1: 4, I2: 8}\n";
  EXPECT_EQ(strides(one(tensor(logical))), "");
  EXPECT_EQ(strides(one(tensor(logical + "    contiguity: [true, false, true]\n"))),
            "T0_stride_I1 * 4, T0_stride_I1, 1");
  EXPECT_EQ(strides(one(tensor(logical + "    contiguity: [true, false, true]\n"),
                        {{"T0_stride_I1", 9}})),
            "36, 9, 1");
  EXPECT_EQ(strides(one(tensor(logical + "    strides: [64, 9, 1]\n"))), "64, 9, 1");
  EXPECT_EQ(strides(one(tensor(logical + "    strides: [64, 9, 1]\n"
                                         "    contiguity: [false, false, true]\n"))),
            "64, 9, 1");
  EXPECT_EQ(strides(one(tensor(logical + "    strides: [S, 8, 1]\nsymbols: {S: {min: 32}}\n"))),
            "S, 8, 1");
  // An axis of extent 1 never disagrees, and is passed over.
  EXPECT_EQ(strides(one(tensor("    logical: {I0: 15, I1: 1, I2: 8}\n    strides: [8, 77, 1]\n"
                               "    contiguity: [true, true, true]\n"))),
            "8, 77, 1");
}

TEST(ScheduleFile, AViewIsIteratedOverAnySetThatTellsTheRest) {
  const std::string view =
      "    root: {I0: 6, I1: 4}\n    view: [{merge: {in: [I0, I1], out: I2}}]\n"
      "    logical: [I2]\n";
  EXPECT_EQ(loops(one(tensor(view + "    loop: [I0, I1]\n"))), "I0 I1");
  const FileTensor t = one(tensor(view + "    transforms:\n"
                                         "      - split: {in: I0, factor: 4, out: [I3, I4]}\n"
                                         "    loop: [I3, I1, I4]\n"));
  EXPECT_EQ(loops(t), "I3 I1 I4");
  EXPECT_EQ((*t.fusion)[t.tensor].root.size(), 2U);
  EXPECT_EQ((*t.fusion)[t.tensor].logical.size(), 1U);
  // What the view has done already may be done again, under another name.
  const FileTensor twice =
      one(tensor(view + "    transforms: [{merge: {in: [I0, I1], out: I3}}]\n    loop: [I3]\n"));
  EXPECT_EQ(iterdomains(twice), "I0 {6}, I1 {4}, I2 {24}, I3 {24}");
  EXPECT_EQ(loops(twice), "I3");
}

TEST(ScheduleFile, AnAllocationMayBeWhatTransformsMake) {
  const FileTensor t =
      one(tensor("    logical: {I0: 16, I1: 8}\n    transforms:\n"
                 "      - split: {in: I0, factor: 4, out: [I2, I3]}\n"
                 "    allocation: [I2, I1, I3]\n    loop: [I2, I3, I1]\n"));
  const TensorInfo& info = (*t.fusion)[t.tensor];
  ASSERT_EQ(info.allocation.size(), 3U);
  EXPECT_EQ(t.fusion->domains()[info.allocation[0]].name, "I2");
}

TEST(ScheduleFile, MemoryAlignmentDuplicatesFillAndReading) {
  const ScheduleFile file =
      read(tensor("    logical: {I0: 8, I1: 8}\n    memory: shared\n    align: 128\n"
                  "    duplicates: allowed\n    fill: 0\n"
                  "    read: {transforms: [{split: {in: I0, factor: 2, out: [A, B]}}], "
                  "bind: {A: TIDx}}\n"));
  const FileTensor& t = file.tensors.at(0);
  EXPECT_FALSE(t.has_kernel);
  EXPECT_EQ((*t.fusion)[t.tensor].fill, 0);
  EXPECT_EQ((*t.fusion)[t.tensor].align, 128);
  EXPECT_TRUE((*t.fusion)[t.tensor].duplicates_allowed);
  ASSERT_TRUE(t.reading);
  const std::vector<ScheduledLoop> loops = t.reading->loops(t.tensor);
  ASSERT_EQ(loops.size(), 3U);
  EXPECT_EQ(t.reading->name(t.tensor, loops[1].domain), "A");
  EXPECT_EQ(t.reading->parallel(t.tensor, loops[1].domain), ParallelType::TIDx);
  EXPECT_EQ(to_text(file.warnings), "");
}

TEST(ScheduleFile, SymbolsAreConstantsWhereTheirValueIsKnown) {
  const std::string text = "symbols: {N: {value: 10}, K: {}}\nfacts: ['K <= N']\n" +
                           tensor("    logical: {I0: N + K}\n");
  EXPECT_EQ(iterdomains(one(text)), "I0 {K + 10}");
  EXPECT_EQ(iterdomains(one(text, {{"K", 4}})), "I0 {14}");
  EXPECT_EQ(iterdomains(one(text, {{"N", 3}})), "I0 {K + 3}");
  EXPECT_EQ(refusal(text, {{"K", 11}}),
            "a.yaml:2:9: error[E310]: the fact 'K <= N' contradicts what is said of its symbols; "
            "help: correct it, or the symbols, sizes and facts before it\n");
}

TEST(ScheduleFile, ATensorKnowsItsSymbolsAndThoseThatFactsTieToThem) {
  const FileTensor t =
      one("symbols: {A: {}, B: {}, C: {}, D: {}}\nfacts: ['A <= B', 'B <= C', 'D <= 4']\n" +
          tensor("    logical: {I0: A}\n"));
  ASSERT_EQ(t.fusion->sizes().size(), 3U);
  EXPECT_EQ(to_string(t.fusion->sizes()[2]), "C");
}

TEST(ScheduleFile, ExpectationsAreComparedAsExpressions) {
  const ScheduleFile file =
      read("symbols: {N: {}}\nexpect: {legal: true, predicates: {T0: [a * 6 + 6 * b < N, c<4]}}\n" +
               tensor("    logical: {I0: N}\n"),
           {{"N", 9}});
  EXPECT_TRUE(unmet(file.expect, true, {{"T0", {"c < 4", "(a + b) * 6 < 9"}}}).empty());
  EXPECT_EQ(to_text(unmet(file.expect, false, {{"T0", {"c < 4"}}})),
            "a.yaml:2:9: error[E391]: the schedule is illegal, and expected to be legal; help: "
            "mend what is refused; or expect legal: false\n"
            "a.yaml:2:36: error[E391]: the predicates of T0 are [c < 4], and expected are "
            "[a + b < 2, c < 4]; help: expect T0: [\"c < 4\"]; or change the schedule\n");
}

// clang-format off
const Refused kWrongFiles[] = {
    {"tensors:\n"
     "  T0:\n"
     "    dtype: float\n",
     "a.yaml:3:5: error[E110]: T0: the key 'logical' is missing; help: add 'logical: "
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
     "a.yaml:2:40: error[E106]: T0: unknown key 'logicl'; help: it may also have allocation, contiguity, strides, align, transforms, loop, bind, memory, duplicates, read, fill"},
    {"tensors: {}\n",
     "a.yaml:1:10: error[E107]: tensors: there is no tensor; help: describe one, "
     "such as T0"},
    {"symbols: {}\n",
     "a.yaml:1:1: error[E312]: the file has none of tensors, compute, einsum, body; help: write "
     "'tensors:' to look at iterdomains, 'compute:' for a fusion, 'einsum:' for a TeAAL "
     "specification, or 'body:' for a thread program"},
    {"tensors: {}\n"
     "compute: []\n",
     "a.yaml:2:1: error[E312]: the file has both 'tensors' and 'compute'; help: write "
     "one file for each"},
    {"parallel: {}\n",
     "a.yaml:1:1: error[E312]: the file has none of tensors, compute, einsum, body; help: write "
     "'tensors:' to look at iterdomains, 'compute:' for a fusion, 'einsum:' for a TeAAL "
     "specification, or 'body:' for a thread program"},
    {"tensors: {}\n"
     "cache: 3\n",
     "a.yaml:2:1: error[E106]: the file: unknown key 'cache'; help: it may also have symbols, facts, sizes, expect\n"
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
     "at least 1; help: give N a min of 6: N: {min: 6}"},
    {"symbols: {N: {}, K: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: N / (K - 1)}}\n",
     "a.yaml:3:36: error[E311]: the extent of I0 of T0: the divisor K - 1 of N / (K - 1) may be 0; help: divide by what is never 0, such as max(K - 1, 1)"},
    {"symbols: {Nrows: {}}\n"
     "tensors:\n"
     "  T0: {dtype: float, logical: {I0: Nrow}}\n",
     "a.yaml:3:36: error[E302]: logical.I0: unknown name 'Nrow' in expression 'Nrow'; "
     "help: did you mean 'Nrows'?"},
};
// clang-format on

TEST(ScheduleFileRefusals, FilesThatMakeNoSenseAreWrong) {
  for (const auto& [text, message] : kWrongFiles) {
    EXPECT_EQ(refusal(text), std::string(message) + "\n");
    EXPECT_EQ(status(text), 2) << text;
  }
}

}  // namespace
}  // namespace selvage
