#include <tests/frontend/schedule_files.h>

#include <selvage/expr/text.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

constexpr const char* kFile =
    "inputs:\n  a: {shape: [M, N], dtype: float}\n  b: {shape: [N], dtype: half}\n"
    "  k: {shape: [4], dtype: int32}\ncompute:\n  - y[m, n] = a[m, n] + b[n]\n";

// The loops of a tensor, outer to inner: name {extent}, and what it is bound to.
std::string loops(const ScheduleFile& file, const std::string& tensor) {
  const Schedule& s = *file.schedule;
  const TensorId t = *file.fusion->find(tensor);
  std::string text;
  for (DomainId d : s.loop_domains(t)) {
    text += (text.empty() ? "" : ", ") + s.name(t, d) + " {" + to_string(s.graph()[d].extent) + "}";
    if (s.parallel(t, d) != ParallelType::Serial) {
      text += " " + std::string(to_string(s.parallel(t, d)));
    }
  }
  return text;
}

const TensorInfo& info_of(const ScheduleFile& file, const std::string& tensor) {
  return (*file.fusion)[*file.fusion->find(tensor)];
}

TEST(ComputeSection, AShapeHas64AxesAtMost) {
  std::string shape = "1";
  for (int k = 0; k < 64; ++k) shape += ", 1";
  EXPECT_EQ(
      refusal("inputs: {x: {shape: [" + shape + "], dtype: float}}\ncompute: [\"y[] = 1\"]\n"),
      "a.yaml:1:21: error[E104]: shape has more than 64 axes; help: use fewer axes\n");
}

TEST(ComputeSection, AFileHasAThousandStatementsAtMost) {
  std::string file = "inputs: {x: {shape: [N], dtype: float}}\ncompute:\n";
  for (int k = 0; k <= 1'000; ++k) file += "  - y" + std::to_string(k) + "[n] = x[n]\n";
  const std::string text = refusal(file);
  EXPECT_EQ(
      text.substr(0, text.find("\n")),
      "a.yaml:1003:5: error[E104]: the file has more than 1000 tensors; help: split the file");
}

TEST(ComputeSection, HasInputsTensorsAndOutputs) {
  const ScheduleFile file = read(std::string("sizes: {M: 3}\n") + kFile);
  EXPECT_EQ(file.kind, ScheduleFile::Kind::Compute);
  EXPECT_TRUE(info_of(file, "a").is_input);
  EXPECT_TRUE(info_of(file, "y").is_output);
  EXPECT_EQ(info_of(file, "y").type, DataType::Float);
  EXPECT_EQ(to_string(file.fusion->shape(*file.fusion->find("y"))[0]), "3");
  EXPECT_EQ(to_string(file.fusion->shape(*file.fusion->find("y"))[1]), "N");
  EXPECT_EQ(file.sizes, (Sizes{{"M", 3}}));
  EXPECT_EQ(file.places.at("y").line, 7);
}

TEST(ComputeSection, SizesOfTheCommandLineWin) {
  const ScheduleFile file = read(std::string("sizes: {M: 3}\n") + kFile, {{"M", 5}, {"N", 7}});
  EXPECT_EQ(file.sizes, (Sizes{{"M", 5}, {"N", 7}}));
  EXPECT_TRUE(file.fusion->sizes().empty());
  EXPECT_EQ(refusal(kFile, {{"P", 5}}),
            "--size: error[E205]: the file has no size 'P'; help: one of M, N\n");
}

TEST(ComputeSection, ASizeOfZeroStaysASymbol) {
  const std::string may_be_empty = std::string("symbols: {M: {min: 0}}\n") + kFile;
  const ScheduleFile file = read(may_be_empty, {{"M", 0}, {"N", 7}});
  EXPECT_EQ(file.sizes, (Sizes{{"M", 0}, {"N", 7}}));
  ASSERT_EQ(file.fusion->possibly_empty().size(), 1U);
  EXPECT_EQ(to_string(file.fusion->possibly_empty()[0]), "M");
}

TEST(ComputeSection, ASizeMayBeZeroOnlyWhereThatIsDeclared) {
  const std::string help =
      "min is 1 by default; a size that may be 0 is declared so: symbols: {M: {min: 0}}\n";
  const std::string wrong = "error[E310]: the value 0 of M is below its min 1; help: " + help;
  const std::string declared = std::string("symbols: {M: {}}\n") + kFile;
  EXPECT_EQ(refusal(kFile, {{"M", 0}}), "--size: " + wrong);
  EXPECT_EQ(refusal(declared, {{"M", 0}}), "--size: " + wrong);
  EXPECT_EQ(refusal("sizes: {M: 0}\n" + std::string(kFile)), "a.yaml:1:12: " + wrong);
  EXPECT_EQ(refusal("sizes: {M: 2}\n" + std::string(kFile), {{"M", 0}}), "--size: " + wrong);
  EXPECT_EQ(
      refusal("symbols: {M: {min: 2}}\n" + std::string(kFile), {{"M", 0}}),
      "--size: error[E310]: the value 0 of M is below its min 2; help: give it a larger value, "
      "or a smaller min\n");
}

TEST(ComputeSection, ASizeThatNothingUsesIsWarnedOf) {
  const auto warnings = [](const std::string& head) {
    return to_text(read(head + kFile).warnings);
  };
  EXPECT_EQ(warnings("sizes: {M: 2, Q: 3}\n"),
            "a.yaml:1:15: warning[E393]: sizes: nothing in the file uses Q; help: leave it out, or "
            "correct its name\n");
  EXPECT_EQ(to_text(read("sizes: {Row: 2}\ninputs: {a: {shape: [Rows], dtype: float}}\n"
                         "compute: [\"y[i] = a[i]\"]\n")
                        .warnings),
            "a.yaml:1:9: warning[E393]: sizes: nothing in the file uses Row; help: did you mean "
            "'Rows'?\n");
  EXPECT_EQ(warnings("sizes: {M: 2, K: 4, F: 2}\nfacts: [K > 2]\nschedule: {y: [{split: {in: n, "
                     "factor: F, out: [o, i]}}]}\n"),
            "");
  EXPECT_EQ(warnings("symbols: {Q: {}}\nsizes: {Q: 2}\n"), "");
}

TEST(ComputeSection, InputsHaveStridesContiguityAndAlignment) {
  const ScheduleFile file = read(
      "inputs:\n  a: {shape: [4, 8], dtype: half, contiguity: [false, true], align: 2}\n"
      "  b: {shape: [4, 8], dtype: half, strides: [12, 1]}\n"
      "compute:\n  - y[m, n] = a[m, n] + b[m, n]\n");
  EXPECT_EQ(to_string(info_of(file, "a").strides[0]), "a_stride_m");
  EXPECT_EQ(info_of(file, "a").align, 2);
  EXPECT_EQ(to_string(info_of(file, "b").strides[0]), "12");
  EXPECT_EQ(to_string(file.fusion->sizes()[0]), "a_stride_m");
}

TEST(ComputeSection, OutputsAreWhatNothingReadsUnlessTheyAreListed) {
  const std::string chain =
      "inputs: {a: {shape: [M], dtype: float}}\ncompute:\n  - t[m] = a[m] + 1\n"
      "  - y[m] = t[m] * 2\n  - z[m] = t[m] * 3\n";
  ScheduleFile file = read(chain);
  EXPECT_FALSE(info_of(file, "t").is_output);
  EXPECT_TRUE(info_of(file, "y").is_output && info_of(file, "z").is_output);
  EXPECT_TRUE(file.schedule->is_inlined(*file.fusion->find("t")));
  file = read(chain + "outputs: {t: {dtype: half}, y: {}}\n");
  EXPECT_TRUE(info_of(file, "t").is_output && info_of(file, "y").is_output);
  EXPECT_EQ(stored_type(info_of(file, "t")), DataType::Half);
  EXPECT_EQ(to_text(file.warnings),
            "a.yaml:5:5: warning[E392]: nothing reads z, and it is no output; help: remove the "
            "statement, or put z under outputs\n");
}

TEST(ComputeSection, AnOutputsShapeTellsExtentsThatNoReadTells) {
  const ScheduleFile file = read(
      "inputs: {x: {shape: [N], dtype: float}}\nsymbols: {N: {min: 2}}\n"
      "outputs: {y: {shape: [N - 1]}}\ncompute:\n  - y[i] = x[i + 1]\n");
  EXPECT_EQ(to_string(file.fusion->shape(*file.fusion->find("y"))[0]), "N - 1");
}

TEST(ComputeSection, NoScheduleIsAnAutomaticOne) {
  const char* automatic = "block {1} BIDx, thread {512} TIDx, v {4} Vectorize";
  EXPECT_EQ(loops(read(kFile, {{"M", 3}, {"N", 100}}), "y"), automatic);
  EXPECT_EQ(loops(read(kFile + std::string("schedule: auto\n"), {{"M", 3}, {"N", 100}}), "y"),
            automatic);
  EXPECT_EQ(loops(read(kFile + std::string("schedule: none\n")), "y"), "m {M}, n {N}");
  EXPECT_EQ(loops(read(kFile + std::string("schedule: {}\n")), "y"), "m {M}, n {N}");
}

TEST(ComputeSection, ASchedulesTransformsReplaceLoopsInPlace) {
  const auto scheduled = [](const std::string& items) {
    return loops(read(kFile + ("schedule: {y: [" + items + "]}\n"), {{"M", 6}, {"N", 8}}), "y");
  };
  EXPECT_EQ(scheduled("{split: {in: m, factor: 4, out: [p, q]}}"), "p {2}, q {4}, n {8}");
  EXPECT_EQ(scheduled("{split: {in: m, factor: 4, out: [p, q], inner: false}}"),
            "p {4}, q {2}, n {8}");
  EXPECT_EQ(scheduled("{merge: {in: [m, n], out: q}}"), "q {48}");
  EXPECT_EQ(scheduled("{merge: {in: [n, m], out: q}}"), "q {48}");
  EXPECT_EQ(scheduled("{resize: {in: n, left: 1, right: 2, out: q}}"), "m {6}, q {11}");
  EXPECT_EQ(scheduled("{swizzle: {kind: xor, in: [m, n], out: [p, q]}}"), "p {6}, q {8}");
  EXPECT_EQ(scheduled("{split: {in: n, factor: 4, out: [p, q]}}, {reorder: [q, m, p]}, "
                      "{bind: {q: TIDx, m: BIDy}}"),
            "q {4} TIDx, m {6} BIDy, p {2}");
}

TEST(ComputeSection, ATensorsLoopsHaveTheNamesOfItsOwnStatement) {
  const ScheduleFile file = read(
      "inputs: {a: {shape: [3, 5], dtype: float}}\ncompute:\n  - t[m, n] = a[m, n]\n"
      "  - y[n, m] = t[m, n]\nschedule: {t: [], y: [{split: {in: n, factor: 2, out: [o, i]}}]}\n");
  EXPECT_EQ(loops(file, "t"), "m {3}, n {5}");
  EXPECT_EQ(loops(file, "y"), "o {3}, i {2}, m {3}");
}

// A `$` stands for the file above.
// clang-format off
const Refused kFiles[] = {
    {"inputs:\n"
     "  a: {shape: [M, N], dtype: float}\n"
     "  b: {shape: [N], dtype: half}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, n] = z[m, n]\n"
     "  - z[m, n] = a[m, n]\n",
     "a.yaml:6:15: error[E318]: z is read before it is computed; help: move its statement "
     "up"},
    {"$  - y[m, n] = a[m, n] + b[n]\n",
     "a.yaml:7:5: error[E204]: there is a tensor y already; the first is at a.yaml:6:5; "
     "help: rename one of the two"},
    {"inputs:\n"
     "  a: {shape: [M, 5], dtype: float}\n"
     "  b: {shape: [N], dtype: half}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, k1] = a[m, k1] + k[k1]\n",
     "a.yaml:6:5: error[E501]: the index k1 has extent 5 in a[M, 5] and 4 in k[4]; help: make the extents equal"},
    {"$outputs: {z: {dtype: half}}\n",
     "a.yaml:7:11: error[E205]: outputs: no statement computes 'z'; help: name a "
     "tensor that stands on the left of a statement"},
    {"$outputs: {y: {dtype: hlaf}}\n",
     "a.yaml:7:22: error[E304]: outputs.y.dtype: 'hlaf' is none of bool, int8, int16, "
     "int32, int64, uint8, uint16, uint32, uint64, half, bfloat16, float, double, complex64, complex128; "
     "help: did you mean 'half'?"},
    {"$outputs: {y: {shape: [M]}}\n",
     "a.yaml:7:22: error[E309]: outputs.y.shape has 1 extent for 2 indices; help: "
     "give one for each index"},
    {"compute: []\n",
     "a.yaml:1:10: error[E107]: compute: there is no statement; help: write one, "
     "such as - y[m, n] = relu(a[m, n])"},
    {"compute: y[i] = 1\n",
     "a.yaml:1:10: error[E107]: compute: expected a sequence, found 'y[i] = 1'; help: "
     "write [a, b], or one '- item' a line"},
    {"inputs:\n"
     "  a: {shape: [M, N], dtype: flot}\n"
     "  b: {shape: [N], dtype: half}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, n] = a[m, n] + b[n]\n",
     "a.yaml:2:29: error[E304]: inputs.a.dtype: 'flot' is none of bool, int8, int16, "
     "int32, int64, uint8, uint16, uint32, uint64, half, bfloat16, float, double, complex64, complex128; "
     "help: did you mean 'float'?"},
    {"inputs:\n"
     "  a: {shape: [M, 0], dtype: float}\n"
     "  b: {shape: [N], dtype: half}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, n] = a[m, n] + b[n]\n",
     "a.yaml:2:18: error[E403]: the extent of n of a is 0; help: it is at least 1; "
     "a size that may be 0 is a symbol with min: 0"},
    {"inputs:\n"
     "  a: {shape: [M, Nx + 1], dtype: float}\n"
     "  b: {shape: [N], dtype: half}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, n] = a[m, n] + b[n]\n",
     "a.yaml:2:18: error[E302]: shape: unknown name 'Nx' in expression 'Nx + 1'; "
     "help: declare it under symbols"},
    {"inputs:\n"
     "  a: {shape: [M, N], dtype: float}\n"
     "  b: {shape: [N], dtype: half, strides: [3, 3]}\n"
     "  k: {shape: [4], dtype: int32}\n"
     "compute:\n"
     "  - y[m, n] = a[m, n] + b[n]\n",
     "a.yaml:3:41: error[E308]: strides has 2 entries for 1 allocation iterdomains; "
     "help: give one for each"},
    {"sizes: {M: -1}\n"
     "$",
     "a.yaml:1:12: error[E305]: sizes: M is -1; help: it is at least 0"},
    {"sizes: {M: many}\n"
     "$",
     "a.yaml:1:12: error[E108]: sizes: M: 'many' is not an integer; help: write a "
     "whole number in decimal digits, such as 4"},
    {"expect: {leagl: true}\n"
     "$",
     "a.yaml:1:10: error[E106]: expect: unknown key 'leagl'; help: did you mean 'legal'?"},
    {"expect: {predicates: {y: [\"q <\"]}}\n"
     "$",
     "a.yaml:1:31: error[E301]: something is missing at the end in expression 'q "
     "<'; help: write an integer expression with + - * / % min max ceilDiv, e.g. "
     "\"ceilDiv(N, 4) * 2\""},
};

const Refused kSchedules[] = {
    {"schedule: manual\n",
     "a.yaml:7:11: error[E304]: schedule: 'manual' is none of auto, none; help: write one "
     "of them"},
    {"schedule: {z: inline}\n",
     "a.yaml:7:12: error[E205]: schedule: no statement computes 'z'; help: name a "
     "tensor that stands on the left of a statement"},
    {"schedule: {a: []}\n",
     "a.yaml:7:12: error[E205]: schedule: a is an input and has no loops; help: schedule "
     "the tensors that read it"},
    {"schedule: {y: {inline: {into: z, at: q}}}\n",
     "a.yaml:7:31: error[E205]: inline.into: no statement computes 'z'; help: name a "
     "tensor that stands on the left of a statement"},
    {"schedule: {y: [{splitt: {in: m, factor: 2, out: [a1, b1]}}]}\n",
     "a.yaml:7:17: error[E304]: schedule.y: 'splitt' is none of split, merge, resize, "
     "swizzle, skew, reorder, bind, cache, rfactor, like, inline, memory, blocks, layout, stages, copy, scan_in_parts, "
     "two_pass, last_block_of; help: "
     "did you mean 'split'?"},
    {"schedule: {y: [{split: {in: q, factor: 2, out: [a1, b1]}}]}\n",
     "a.yaml:7:29: error[E205]: split.in: y has no iterdomain 'q'; help: name an "
     "iterdomain that is made before this line"},
    {"schedule: {y: [{split: {in: m, factor: 2, out: [a1, b1]}}, {reorder: [a1, b1]}]}\n",
     "a.yaml:7:70: error[E307]: reorder: the loop n of y is missing; help: name every loop once: a1, b1, n"},
    {"schedule: {y: [{split: {in: m, factor: 2, out: [a1, b1]}}, {reorder: [m, a1, "
     "b1, n]}]}\n",
     "a.yaml:7:71: error[E307]: reorder: m is no loop of y any more; help: its loops are a1, b1, n"},
    {"schedule: {y: [{split: {in: m, factor: 2, out: [a1, b1]}}, {bind: {m: TIDx}}]}\n",
     "a.yaml:7:71: error[E313]: bind: m is no loop of y any more; help: its loops are a1, b1, n"},
    {"schedule: {y: [{bind: {m: TIDx}}, {split: {in: m, factor: 2, out: [a1, b1]}}]}\n",
     "a.yaml:7:27: error[E313]: bind: m is no loop of y in the end; help: its loops are a1, b1, n"},
};

const Refused kIllegal[] = {
    {"schedule: {y: inline}\n",
     "a.yaml:7:12: error[E415]: y is an output and cannot be inlined; help: leave inline out: what is computed where it is read lies between inputs and outputs"},
    {"schedule: {y: [{bind: {m: TIDx, n: TIDx}}]}\n",
     "a.yaml:7:36: error[E413]: TIDx of y is bound to m already, and now to n; help: "
     "merge the two, or bind n to TIDy"},
    {"schedule: {y: [{bind: {n: Group}}]}\n",
     "a.yaml:7:27: error[E414]: binding n to Group is not supported yet; help: bind it to BIDx..z or TIDx..z; or leave it serial"},
    {"schedule: {y: [{split: {in: m, factor: 0, out: [a1, b1]}}]}\n",
     "a.yaml:7:17: error[E401]: the factor of the split of m is 0; help: a factor "
     "is at least 1"},
    {"schedule: {y: [{split: {in: m, factor: M - 1, out: [a1, b1]}}]}\n",
     "a.yaml:7:17: error[E401]: the factor M - 1 of the split of m is not proved "
     "to be at least 1; help: give M a min of 2: M: {min: 2}"},
};

// clang-format on

std::string filled(std::string text) {
  const std::size_t at = text.find('$');
  return at == std::string::npos ? text : text.replace(at, 1, kFile);
}

TEST(ComputeSectionRefusals, FilesThatMakeNoSenseAreWrong) {
  for (const auto& [text, message] : kFiles) {
    EXPECT_EQ(refusal(filled(text)), std::string(message) + "\n");
    EXPECT_EQ(status(filled(text)), 2) << text;
  }
}

TEST(ComputeSectionRefusals, SchedulesThatMakeNoSenseAreWrong) {
  for (const auto& [text, message] : kSchedules) {
    EXPECT_EQ(refusal(kFile + std::string(text)), std::string(message) + "\n");
    EXPECT_EQ(status(kFile + std::string(text)), 2) << text;
  }
}

TEST(ComputeSectionRefusals, SchedulesThatCannotBeAreIllegal) {
  for (const auto& [text, message] : kIllegal) {
    EXPECT_EQ(refusal(kFile + std::string(text)), std::string(message) + "\n");
    EXPECT_EQ(status(kFile + std::string(text)), 1) << text;
  }
}

}  // namespace
}  // namespace selvage
