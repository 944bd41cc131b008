// What is emitted for vectors, unswitched loops and interiors: run on both machines, and, where
// there is NVRTC, compiled for sm_90a and counted, in PTX and in the cubin.
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/expr/text.h>
#include <selvage/report/report.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/static_counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/schedule_files.h"

namespace selvage {
namespace {

using namespace schedule_files;
using testing::HasSubstr;
using testing::Not;

using Counts = std::map<int, int>;

struct Compiled {
  StaticCounts ptx, sass;
  KernelResources resources;
};

class EmittedVectors : public testing::Test {
 protected:
  void load(const std::string& text, const Sizes& sizes = {}) {
    file_.emplace(read(text, sizes));
    report_.emplace(inspect(*file_));
    ASSERT_EQ(to_text(report_->diagnostics), "");
    program_ = &*report_->fusions.at(0).program;
  }
  const Fusion& fusion() const {
    return file_->fusion ? *file_->fusion : *file_->tensors[0].fusion;
  }
  const Schedule& schedule() const {
    return file_->schedule ? *file_->schedule : *file_->tensors[0].schedule;
  }
  const std::vector<Kernel>& variants() const { return program_->steps.at(0).variants; }
  std::string text(std::size_t variant = 0) const {
    return report_->fusions[0].cuda[0][variant].text;
  }

  // On emulation and the virtual device, bit for bit the unscheduled program.
  void expect_right(const Sizes& sizes = {},
                    const std::map<std::string, std::int64_t>& offsets = {}) {
    RunRequest request;
    request.sizes = sizes;
    request.offsets = offsets;
    request.on = Machine::Virtual;
    request.on_all = true;
    const RunResult result = run(fusion(), *program_, request);
    EXPECT_TRUE(result.passed()) << (result.faults.empty() ? result.comparisons[0].first
                                                           : result.faults[0]);
  }

  std::optional<Compiled> compiled(std::size_t variant = 0) const {
    const Nvrtc* nvrtc = Nvrtc::instance();
    if (nvrtc == nullptr) return std::nullopt;
    const CudaText& text = report_->fusions[0].cuda[0][variant];
    NvrtcOptions options;
    options.ptx = true;
    const CompiledKernels all =
        nvrtc->compile(KernelSource{text.text, text.name, text.parameter_types}, options);
    return Compiled{count_ptx(all.ptx).at(text.name), count_sass(all.cubin).at(text.name),
                    all.kernel(text.name)};
  }
  static void expect_no_local_memory(const Compiled& c) {
    EXPECT_EQ(c.sass.local_loads + c.sass.local_stores, 0);
    EXPECT_EQ(c.resources.stack_bytes, 0);
  }

  std::optional<ScheduleFile> file_;
  std::optional<Report> report_;
  const Program* program_ = nullptr;
};

constexpr const char* kAdd = R"(
inputs: {a: {shape: [M, N], dtype: float}, b: {shape: [N], dtype: float}}
sizes: {M: 33}
symbols: {N: {max: 65536}}
compute:
  - y[m, n] = relu(a[m, n] + b[n])
schedule:
  y:
    - split: {in: n, factor: 4, out: [q, v]}
    - split: {in: q, factor: 32, out: [o, t]}
    - bind: {m: BIDy, o: BIDx, t: TIDx, v: Vectorize}
)";

TEST_F(EmittedVectors, OfADividingExtentAreAllThereIs) {
  load(kAdd, {{"N", 1024}});
  EXPECT_THAT(text(), Not(HasSubstr("if (")));
  EXPECT_EQ(variants().size(), 1u);
  expect_right();
  const auto c = compiled();
  if (!c) GTEST_SKIP() << Nvrtc::why_absent();
  for (const StaticCounts& counts : {c->ptx, c->sass}) {
    EXPECT_EQ(counts.global_loads, (Counts{{16, 2}}));
    EXPECT_EQ(counts.global_stores, (Counts{{16, 1}}));
    EXPECT_EQ(counts.comparisons, 0);
    EXPECT_EQ(counts.branches, 0);
  }
  expect_no_local_memory(*c);
}

TEST_F(EmittedVectors, OfAnOpenExtentAreOneOfTwoKernels) {
  load(kAdd);
  ASSERT_EQ(variants().size(), 2u);
  EXPECT_EQ(to_string(variants()[0].condition), "N % 4 == 0");
  EXPECT_TRUE(variants()[1].condition.is_true());
  for (std::int64_t n : {1, 2, 3, 4, 5, 127, 128, 131, 1024}) expect_right({{"N", n}});
  const auto vectors = compiled(0), scalars = compiled(1);
  if (!vectors) GTEST_SKIP() << Nvrtc::why_absent();
  EXPECT_EQ(vectors->sass.global_loads.at(16), 2);
  EXPECT_EQ(vectors->sass.global_stores.at(16), 1);
  EXPECT_EQ(scalars->sass.global_stores.count(16), 0u);
  expect_no_local_memory(*vectors);
}

TEST_F(EmittedVectors, LeaveATailToSingleElements) {
  const std::string rest =
      "    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}, {split: {in: I1, factor: 32, "
      "out: [I3, I4]}}]\n    bind: {I3: BIDx, I4: TIDx, I2: Vectorize}\n";
  for (std::int64_t n : {1, 3, 4, 5, 127, 128, 129, 1001}) {
    load(tensor("    logical: {I0: " + std::to_string(n) + "}\n" + rest));
    expect_right();
  }
  const auto c = compiled();
  if (!c) GTEST_SKIP() << Nvrtc::why_absent();
  EXPECT_EQ(c->sass.global_stores, (Counts{{4, 1}, {16, 1}}));
}

TEST_F(EmittedVectors, SplitALoopAroundThemWhereItTellsFullGroupsApart) {
  load(
      tensor("    logical: {I0: 1003}\n"
             "    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n"
             "    bind: {I2: Vectorize}\n"));
  EXPECT_THAT(text(), HasSubstr("for (int I1 = 0; I1 < 250; ++I1) {"));
  EXPECT_THAT(text(), HasSubstr("for (int I1_2 = 250; I1_2 < 251; ++I1_2) {"));
  expect_right();
}

TEST_F(EmittedVectors, AreOnlyForAnAlignedAddressWhereThatIsOpen) {
  load(
      tensor("    logical: {I0: 64}\n    align: 4\n"
             "    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n"
             "    bind: {I2: Vectorize}\n"));
  ASSERT_EQ(variants().size(), 2u);
  EXPECT_EQ(to_string(variants()[0].condition), "T0 % 16 == 0");
  expect_right();
  expect_right({}, {{"T0", 4}});
  // An access of 16 bytes at an address that is none's multiple is what the fallback is for.
  EXPECT_EQ(variants()[1].name, "kernel_T0_unaligned");
}

TEST_F(EmittedVectors, OfEveryTypeAndWidthAreOneAccess) {
  const std::pair<const char*, int> kTypes[] = {
      {"half", 2},   {"bfloat16", 2}, {"float", 4}, {"double", 8}, {"int8", 1},
      {"int16", 2},  {"int32", 4},    {"int64", 8}, {"uint8", 1},  {"uint16", 2},
      {"uint32", 4}, {"uint64", 8},   {"bool", 1}};
  for (const auto& [type, size] : kTypes) {
    for (int bytes = std::max(size, 2); bytes <= 16; bytes *= 2) {
      const std::string width = std::to_string(bytes / size);
      load("tensors:\n  T0:\n    dtype: " + std::string(type) +
           "\n    logical: {I0: 3, I1: 32}\n"
           "    transforms: [{split: {in: I1, factor: " +
           width +
           ", out: [I2, I3]}}]\n"
           "    bind: {I0: BIDx, I2: TIDx, I3: Vectorize}\n");
      expect_right();
      const auto c = compiled();
      if (!c) continue;
      EXPECT_EQ(c->ptx.global_stores, (Counts{{bytes, 1}})) << type << " x " << width;
      EXPECT_EQ(c->sass.global_stores, (Counts{{bytes, 1}})) << type << " x " << width;
    }
  }
}

TEST_F(EmittedVectors, ReadWhatIsWiderInSeveralAccesses) {
  load(R"(
inputs: {a: {shape: [64], dtype: half}, b: {shape: [64], dtype: double}, c: {shape: [64, 64], dtype: half}}
outputs: {y: {dtype: half}}
compute:
  - y[n] = half(a[n] + b[n] + c[n, 3])
schedule:
  y: [{split: {in: n, factor: 8, out: [q, v]}}, {bind: {q: TIDx, v: Vectorize}}]
)");
  expect_right();
  const auto c = compiled();
  if (!c) GTEST_SKIP() << Nvrtc::why_absent();
  // One of a, four of b; c goes down a column, element by element.
  EXPECT_EQ(c->sass.global_loads, (Counts{{2, 8}, {16, 5}}));
  EXPECT_EQ(c->sass.global_stores, (Counts{{16, 1}}));
}

TEST_F(EmittedVectors, OfAnUnswitchedLoopTakeTheExactPath) {
  load(
      tensor("    logical: {I0: 64, I1: 1001}\n"
             "    transforms:\n"
             "      - split: {in: I1, factor: 4, out: [I2, I3]}\n"
             "      - merge: {in: [I0, I2], out: I4}\n"
             "      - split: {in: I4, factor: 4, out: [I5, I6]}\n"
             "    loop: [I5, I6, I3]\n"
             "    bind: {I5: BIDx, I6: Unswitch}\n"));
  const Unswitched& u = *report_->tensors.at(0).analysis.unswitched;
  EXPECT_EQ(to_string(u.hoisted.condition), "I5 * 4 % 251 < 247");
  EXPECT_TRUE(u.hoisted.exact);
  ASSERT_TRUE(u.share);
  EXPECT_EQ(u.share->taken, 3952);
  EXPECT_EQ(u.share->of, 4016);
  EXPECT_THAT(text(), HasSubstr("if (I5 * 4 % 251 < 247) {"));
  expect_right();
}

TEST_F(EmittedVectors, AnInteriorBlockTestsItsChecksOnce) {
  load(
      tensor("    logical: {I0: 1000}\n"
             "    transforms: [{split: {in: I0, factor: 128, out: [I1, I2]}}, {split: {in: I2, "
             "factor: 4, out: [I3, I4]}}]\n"
             "    bind: {I1: BIDx, I3: TIDx}\n"));
  const Interior& blocks = *report_->tensors.at(0).analysis.interior;
  EXPECT_EQ(blocks.share->taken, 7);
  EXPECT_EQ(blocks.share->of, 8);
  const std::string fast = text().substr(text().find("if ("));
  EXPECT_THAT(fast.substr(0, fast.find("else")), Not(HasSubstr("  if (")));
  expect_right();
}

TEST_F(EmittedVectors, WithoutAnyFullGroupAreNotThere) {
  // An access of four floats that never happens asks for no alignment, nor for a second kernel.
  load(
      tensor("    logical: {I0: 3}\n    align: 4\n"
             "    transforms: [{split: {in: I0, factor: 4, out: [I1, I2]}}]\n"
             "    bind: {I2: Vectorize}\n"));
  EXPECT_EQ(variants().size(), 1u);
  EXPECT_TRUE(variants()[0].condition.is_true());
  EXPECT_THAT(text(), Not(HasSubstr("lanes")));
  expect_right({}, {{"T0", 4}});
}

}  // namespace
}  // namespace selvage
