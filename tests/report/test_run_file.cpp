#include <selvage/frontend/npy.h>
#include <selvage/report/json.h>
#include <selvage/report/made_up_sizes.h>
#include <selvage/report/page.h>
#include <selvage/report/run_file.h>
#include <selvage/runtime/virtual_unit.h>
#include <tests/support/refusal.h>
#include <tests/support/widen_guards.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace selvage {

namespace {

using testing::HasSubstr;

constexpr char kBias[] = R"(
inputs:  {a: {shape: [M, N], dtype: bfloat16}, b: {shape: [N], dtype: bfloat16}}
outputs: {y: {dtype: float}}
compute:
  - y[m, n] = relu(a[m, n] + b[n])
schedule:
  y: [{split: {in: n, factor: 4, out: [n_o, n_i]}}, {bind: {m: BIDx, n_o: TIDx}}]
expect: {legal: true, predicates: {y: ["n_o * 4 + n_i < N"]}}
)";

// A folder of its own, gone with the test.
struct Folder {
  Folder() : path(std::filesystem::path(testing::TempDir()) / "selvage_run_file") {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

// Sizes stay open, so that they may be given afterwards.
struct Case {
  explicit Case(const std::string& text) : file(read_schedule_text(text, "test.yaml")) {
    report = inspect(file);
  }
  std::string refusal(const RunFileOptions& options) {
    return refusal_by<BadInput>([&] { run_file(file, options, report); });
  }
  ScheduleFile file;
  Report report;
};

TEST(RunFile, WhatIsSavedCanBeGivenAgain) {
  const Folder folder;
  const std::map<std::string, std::int64_t> sizes = {{"M", 3}, {"N", 6}};
  const ScheduleFile file = read_schedule_text(kBias, "test.yaml", sizes);
  Report first = inspect(file), second = inspect(file);
  run_file(file,
           {.outputs = {{"y", folder.file("y1.npy")}},
            .save_inputs = folder.file("inputs"),
            .seed = 7,
            .on = Machine::Virtual},
           first);
  EXPECT_TRUE(first.runs.at(0).passed());
  run_file(file,
           {.inputs = {{"a", folder.file("inputs/a.npy")}, {"b", folder.file("inputs/b.npy")}},
            .outputs = {{"y", folder.file("y2.npy")}},
            .seed = 8,
            .on = Machine::Emulate},
           second);
  const Array y = read_npy(folder.file("y1.npy"));
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{3, 6}));
  EXPECT_EQ(y, read_npy(folder.file("y2.npy")));
}

// Which of two sums is the greater, where they are equal but for rounding, is nobody's mistake.
TEST(RunFile, WhatANearTieDecidesIsCountedAndNotCompared) {
  Case c(
      "inputs: {x: {shape: [1000], dtype: float}}\n"
      "compute:\n"
      "  - s[] = sum(x[i])\n"
      "  - t[] = sum(x[i])\n"
      "  - y[] = s[] < t[]\n");
  run_file(c.file, {.on = Machine::Virtual}, c.report);
  EXPECT_TRUE(c.report.runs.at(0).passed());
  EXPECT_EQ(c.report.runs.at(0).comparisons.at(0).open, 1);
  std::string text = page(c.report);
  for (std::size_t at; (at = text.find("\n    ")) != std::string::npos;) text.replace(at, 5, " ");
  EXPECT_THAT(text, HasSubstr("1 item not compared: near ties decide"));
}

TEST(RunFile, ChecksRunOnBothMachinesAndCompareWithTheFile) {
  Case c(kBias);
  run_file(c.file, {.check = true, .on = Machine::Virtual}, c.report);
  EXPECT_EQ(c.report.runs.at(0).comparisons.size(), 2u);
  EXPECT_TRUE(c.report.diagnostics.empty()) << to_text(c.report.diagnostics);
  EXPECT_EQ(c.report.exit_status(), 0);
}

// One thread too many passes a guard: emulation tells, and so does the checked text.
TEST(RunFile, ChecksLookAtEveryAccessOfTheVirtualDevice) {
  if (!has_gcc()) GTEST_SKIP() << "there is no gcc";
  const ScheduleFile file = read_schedule_text(kBias, "test.yaml", {{"M", 3}, {"N", 6}});
  Report report = inspect(file);
  for (Kernel& kernel : report.fusions.at(0).program->steps.at(0).variants) {
    test::widen_guards(kernel.body);
  }
  run_file(file, {.check = true, .on = Machine::Virtual}, report);
  EXPECT_EQ(report.exit_status(), 1);
  EXPECT_THAT(report.runs.at(0).faults, testing::Contains(HasSubstr("error[E721]: thread (")));
}

TEST(RunFile, AnExpectationThatIsNotMetIsAnError) {
  std::string text = kBias;
  text.replace(text.find("< N"), 3, "< M");
  Case c(text);
  run_file(c.file, {.run = false, .check = true}, c.report);
  ASSERT_EQ(c.report.diagnostics.size(), 1u);
  EXPECT_EQ(c.report.diagnostics[0].code, "E391");
  EXPECT_EQ(c.report.exit_status(), 1);
}

TEST(RunFile, NamesThatAreNotThereAreRefused) {
  Case c(kBias);
  EXPECT_EQ(c.refusal({.inputs = {{"c", "c.npy"}}}),
            "selvage: error[E611]: there is no input c; help: one of a, b");
  EXPECT_EQ(c.refusal({.outputs = {{"a", "a.npy"}}}),
            "selvage: error[E625]: there is no output a; help: one of y");
  EXPECT_THAT(c.refusal({}), HasSubstr("error[E614]: the size M has no value; help: give it one, "
                                       "--size M=VALUE, or under sizes: in the file"));
}

TEST(RunFile, SizesAreReadOffTheInputs) {
  const Folder folder;
  Case c(kBias);
  write_npy(folder.file("a.npy"), made_up_input("a", DataType::BFloat16, {5, 7}, 1));
  run_file(c.file, {.inputs = {{"a", folder.file("a.npy")}}, .on = Machine::Virtual}, c.report);
  ASSERT_EQ(c.report.runs.size(), 1u);
  EXPECT_EQ(c.report.runs[0].sizes, (std::map<std::string, std::int64_t>{{"M", 5}, {"N", 7}}));
  EXPECT_EQ(c.report.exit_status(), 0);
}

TEST(RunFile, ASizeThatAFactTiesToAnotherNeedNotBeGiven) {
  const std::string text =
      "symbols: {N: {}, K: {}}\nfacts: [\"N == 6 * K\"]\n"
      "inputs: {x: {shape: [N], dtype: float}, z: {shape: [K], dtype: float}}\n"
      "compute: [\"y[i] = x[i] * 2\", \"w[i] = z[i] + 1\"]\n";
  for (const auto& given : {std::pair("N", 48), std::pair("K", 8)}) {
    const ScheduleFile file = read_schedule_text(text, "test.yaml", {given});
    Report report = inspect(file);
    run_file(file, {.on = Machine::Virtual}, report);
    const bool is_n = given.first == std::string("N");
    EXPECT_EQ(report.runs.at(0).sizes.at(is_n ? "K" : "N"), is_n ? 8 : 48);
  }
}

TEST(RunFile, ATensorOfSectionOneIsWrittenAsItLiesInMemory) {
  const Folder folder;
  Case c(R"(
tensors:
  T0: {dtype: int32, logical: {I0: 2, I1: 3}, strides: [4, 1]}
)");
  run_file(c.file, {.outputs = {{"T0", folder.file("t.npy")}}, .on = Machine::Virtual}, c.report);
  const Array t = read_npy(folder.file("t.npy"));
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = 0; k < t.size(); ++k) numbers.push_back(t.get_int(k));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 1, 2, 0, 3, 4, 5}));
}

TEST(MadeUpSizes, KeepToTheFactsAndTheGivenOnes) {
  const Case c(R"(
symbols: {N: {multiple_of: 8, max: 64}, K: {min: 2}, M: {}}
facts: ["K <= N", "M * 2 <= K"]
tensors:
  T0: {dtype: float, logical: {I0: M, I1: N, I2: K}, contiguity: [false, true, true]}
)");
  const FusionReport& f = c.report.fusions.at(0);
  const auto sizes = made_up_sizes(f.schedule->fusion(), *f.program, {{"K", 6}});
  EXPECT_EQ(sizes.at("K"), 6);
  EXPECT_EQ(sizes.at("N") % 8, 0);
  EXPECT_TRUE(6 <= sizes.at("N") && sizes.at("N") <= 64);
  EXPECT_LE(sizes.at("M"), 3);
  EXPECT_GE(sizes.at("T0_stride_I0"), sizes.at("N") * 6);
}

TEST(MadeUpSizes, AreSmallerWhereTheRunWouldBeLong) {
  const auto sizes_of = [](const std::string& logical) {
    const Case c("symbols: {N: {}, K: {}}\ntensors:\n  T0: {logical: {" + logical + "}}\n");
    const FusionReport& f = c.report.fusions.at(0);
    return made_up_sizes(f.schedule->fusion(), *f.program, {});
  };
  EXPECT_EQ(sizes_of("I0: N, I1: K"), (std::map<std::string, std::int64_t>{{"N", 37}, {"K", 29}}));
  EXPECT_EQ(sizes_of("I0: N, I1: K, I2: 1000000"),
            (std::map<std::string, std::int64_t>{{"N", 5}, {"K", 3}}));
  EXPECT_EQ(sizes_of("I0: N, I1: K, I2: 50000000"),
            (std::map<std::string, std::int64_t>{{"N", 1}, {"K", 1}}));
}

TEST(MadeUpSizes, AreRefusedWhereNoneMakeAShortRun) {
  Case c(R"(
symbols: {N: {multiple_of: 4096}, K: {min: 1000000}}
tensors:
  T0: {logical: {I0: N, I1: K}}
)");
  EXPECT_EQ(
      c.refusal({.check = true}),
      "selvage: error[E617]: --check makes up K = 1000000 and N = 4096, and a run of that comes "
      "to 8.2e+09 statements and items; help: let the facts allow smaller values of K and N");
  Case threads(R"(
symbols: {n: {min: 1000000000}}
arrays: {A: {shape: [4], dtype: int32}}
parallel: [{thread: {t: 4}}]
body:
  - for: {index: i, in: n, do: ["A[t] += 1"]}
)");
  EXPECT_EQ(
      threads.refusal({.check = true}),
      "selvage: error[E617]: --check makes up n = 1000000037, and a run of that comes to 4e+09 "
      "statements and items; help: let the facts allow smaller values of n");
}

TEST(RunFile, ValuesThatAreToBeShownAreKept) {
  const ScheduleFile file = read_schedule_text(R"(
inputs: {x: {shape: [2, 3], dtype: int32}}
compute:
  - t[i, j] = x[i, j] * 2
  - y[i] = sum(t[i, j])
)",
                                               "test.yaml");
  const Folder folder;
  Array x(DataType::Int32, {2, 3});
  for (std::int64_t k = 0; k < 6; ++k) x.set_int(k, k);
  write_npy(folder.file("x.npy"), x);
  Report report = inspect(file);
  run_file(file,
           {.inputs = {{"x", folder.file("x.npy")}}, .prints = {"y", "x"}, .on = Machine::Virtual},
           report);
  EXPECT_THAT(page(report, {.loops = true}), testing::EndsWith(R"(
Run on the virtual device: y, 2 items, bit for bit those of the unscheduled program

y, int64[2]
  [ 6 24]

x, int32[2, 3]
  [[0 1 2]
   [3 4 5]]
)"));
  EXPECT_THAT(to_json(report), HasSubstr(R"("values": {
  "y": {
   "dtype": "int64",
   "shape": [
    2
   ],
   "lines": [
    "[ 6 24]"
   ]
  },)"));
  Case c(kBias);
  EXPECT_EQ(c.refusal({.prints = {"t"}}),
            "selvage: error[E625]: --print: there is no input or output t; help: one of a, b, y; a "
            "tensor that is none is kept nowhere as a whole");
}

TEST(MadeUpSizes, OfSymbolsAreInsideOfTheirRangesWhereTheyCanBe) {
  ExprPool pool;
  Facts facts(pool);
  const Expr a = pool.symbol("a"), b = pool.symbol("b"), c = pool.symbol("c"), d = pool.symbol("d");
  facts.bound(a, pool.constant(0), pool.constant(3));
  facts.bound(b, pool.constant(4), pool.constant(4));
  facts.bound(c, pool.constant(0), Expr());
  facts.bound(d, Expr(), pool.constant(9));
  facts.assume(a < c);
  const Expr symbols[] = {a, b, c, d};
  const auto sizes = made_up_sizes(facts, symbols);
  EXPECT_TRUE(0 < sizes.at("a") && sizes.at("a") < 3) << sizes.at("a");
  EXPECT_EQ(sizes.at("b"), 4);
  EXPECT_LT(sizes.at("a"), sizes.at("c"));
  EXPECT_TRUE(0 < sizes.at("d") && sizes.at("d") < 9) << sizes.at("d");
  facts.assume(c < a);
  EXPECT_TRUE(made_up_sizes(facts, symbols).empty());
}

// A sparse tensor comes from a file of its items, and what is at its items or pairs goes out so.
TEST(RunFile, ASparseTensorIsReadAndWritten) {
  const Folder folder;
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  };
  const auto read_back = [&](const char* name) {
    std::ostringstream text;
    text << std::ifstream(folder.file(name)).rdbuf();
    return text.str();
  };
  const std::string file =
      "sizes: {J: 3}\ninputs: {T: {shape: [I, J, K], dtype: float, format: csf}}\n"
      "outputs: {Z: {}, Y: {}}\ncompute:\n  - Z[i, j, k] = 2 * T[i, j, k]\n"
      "  - Y[i, j] = sum[k](T[i, j, k])\n";
  const std::string path = write("T.tns", "# items\n2 3 1 5\n1 2 4 0.5\n1 2 1 1\n");
  const auto options = [&](const std::string& input) {
    return RunFileOptions{.inputs = {{"T", input}}, .on = Machine::Emulate};
  };
  Case fine(file);
  RunFileOptions all = options(path);
  all.outputs = {{"Z", folder.file("Z.tns")}, {"Y", folder.file("Y.mtx")}};
  run_file(fine.file, all, fine.report);
  EXPECT_TRUE(fine.report.runs.back().passed());
  EXPECT_EQ(read_back("Z.tns"), "1 2 1 2\n1 2 4 1\n2 3 1 10\n");
  EXPECT_EQ(read_back("Y.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 1.5\n2 3 5\n");
  Case wrong(file);
  EXPECT_THAT(wrong.refusal(options(write("far.tns", "1 1 1 1\n1 4 1 1\n"))),
              HasSubstr("far.tns:2:0: error[E602]: the coordinate 4 is none of 1 to 3"));
  EXPECT_THAT(wrong.refusal(options(folder.file("Y.mtx"))),
              HasSubstr("error[E602]: T is a sparse tensor of 3 axes, and this is a matrix"));
  all.outputs = {{"Z", folder.file("Z.mtx")}};
  EXPECT_THAT(wrong.refusal(all), HasSubstr("error[E603]: Z has 3 axes; help: name a .tns file"));
  all.outputs = {{"Y", folder.file("Y.tns")}};
  EXPECT_THAT(wrong.refusal(all), HasSubstr("error[E603]: Y has 2 axes; help: name an .mtx or"));
  Case matrix(
      "inputs: {A: {shape: [I, J], dtype: float, format: csr}}\n"
      "compute: ['y[i] = sum[j](A[i, j])']\n");
  EXPECT_THAT(matrix.refusal({.inputs = {{"A", path}}, .on = Machine::Emulate}),
              HasSubstr("error[E602]: A is a sparse matrix, and this is a tensor of more axes"));
}

}  // namespace

}  // namespace selvage
