#include <selvage/confirm/solver.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/nvrtc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/counts.h"
#include "tests/support/this_build.h"

namespace selvage {
namespace {

struct Outcome {
  int status = -1;
  std::string out, err;
};

// Runs schedule_inspect with these words of a shell, in the root of the repository, and `input` on
// its standard input; the shell does `before` first.
Outcome inspect(const std::string& arguments, const std::string& input = "",
                const std::string& before = "") {
  const std::string base =
      (std::filesystem::temp_directory_path() / ("selvage-" + std::to_string(getpid()))).string();
  std::ofstream(base + ".in") << input;
  const std::string command = before + "cd '" SELVAGE_SOURCE_DIR "' && '" + test::inspect_path() +
                              "' " + arguments + " < '" + base + ".in' 2> '" + base + ".err'";
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> chunk;
  for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    outcome.out.append(chunk.data(), n);
  }
  const int raw = pclose(pipe);
  outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -raw;
  std::ifstream in(base + ".err");
  outcome.err.assign(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(base + ".in");
  std::filesystem::remove(base + ".err");
  return outcome;
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_EQ(inspect("--help").status, 0);
  EXPECT_NE(inspect("--help").out.find("--save-inputs"), std::string::npos);
  EXPECT_EQ(inspect("--version").out.substr(0, 17), "schedule_inspect ");
}

TEST(CommandLine, WhatMakesNoSenseIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "there is no file to read; help: name a schedule file, or - for stdin"},
      {"a.yaml b.yaml", "'b.yaml' is one file too many beside 'a.yaml'; help: leave it out"},
      {"a.yaml --jsno", "there is no option '--jsno'; help: did you mean '--json'?"},
      {"a.yaml --size N", "--size: expected NAME=..., found 'N'; help: write --size N=1024"},
      {"a.yaml --size N=-3",
       "--size: the value of N is '-3'; help: write a whole number of 64 bits, such as --size "
       "N=1024"},
      {"a.yaml --size N=3 --size N=4", "--size gives N twice; help: give it once"},
      {"a.yaml --run --on cpu",
       "--on: there is no machine 'cpu'; help: write virtual, emulate or gpu"},
      {"a.yaml --arch sm90",
       "--arch: 'sm90' is no architecture; help: write it as sm_90a or sm_80"},
      {"a.yaml --device h300",
       "--device: there is no device 'h300'; help: write one of a100, h100, h200, b200, rtx4090; "
       "or "
       "gpu; or a file, such as ./gpu.yaml"},
      {"a.yaml --time", "--time is of no use without --run; help: add --run"},
      {"a.yaml --where y[1",
       "--where: 'y[1' is no item of a tensor; help: write --where 'y[17,3]'"},
      {"a.yaml --where y[a]",
       "--where: 'y[a]' is no item of a tensor; help: write --where 'y[17,3]'"},
      {"a.yaml --where y[1,]",
       "--where: 'y[1,]' is no item of a tensor; help: write --where 'y[17,3]'"},
      {"a.yaml --where y[],3]",
       "--where: 'y[],3]' is no item of a tensor; help: write --where 'y[17,3]'"},
      {"a.yaml --where [3]",
       "--where: '[3]' is no item of a tensor; help: write --where 'y[17,3]'"},
      {"a.yaml --json --dot",
       "--json, --dot, --svg - and --debug each want standard output; help: choose one"},
      {"a.yaml --dot --svg -",
       "--json, --dot, --svg - and --debug each want standard output; help: choose one"},
      {"--rules --schema", "--rules and --schema are two tasks; help: leave one of the two out"},
      {"--rules a.yaml", "--rules and 'a.yaml' are two tasks; help: leave one of the two out"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome o = inspect(arguments);
    EXPECT_EQ(o.err, "schedule_inspect: error[E801]: " + std::string(message) + "\n") << arguments;
    EXPECT_EQ(o.status, 2) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
  }
}

TEST(CommandLine, AnOptionTakesSeveralValues) {
  const std::string one_by_one = "--size B=5 --size H=72 examples/gelu.yaml --loops";
  const Outcome expected = inspect(one_by_one);
  ASSERT_EQ(expected.status, 0) << expected.err;
  for (const char* arguments :
       {"examples/gelu.yaml --loops --size B=5 H=72", "--size B=5 H=72 examples/gelu.yaml --loops",
        "--size=B=5 H=72 --loops examples/gelu.yaml"}) {
    const Outcome o = inspect(arguments);
    EXPECT_EQ(o.status, 0) << arguments << "\n" << o.err;
    EXPECT_EQ(o.out, expected.out) << arguments;
  }
  EXPECT_EQ(inspect("examples/gelu.yaml --size B=5 B=6").err,
            "schedule_inspect: error[E801]: --size gives B twice; help: give it once\n");
  EXPECT_EQ(inspect("--loops B=5 examples/gelu.yaml").status, 2);
}

TEST(CommandLine, WhatIsForFusionsIsRefusedOfThreadPrograms) {
  const std::string file = "examples/threads_chunks.yaml";
  for (const std::string option : {"--prove", "--dot"}) {
    const Outcome o = inspect(file + " " + option);
    EXPECT_EQ(o.err, "schedule_inspect: error[E801]: " + option + " is for fusions, and " + file +
                         " is a thread program; help: leave it out; --why gives reasons, --svg "
                         "draws masks\n");
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
  }
  EXPECT_EQ(inspect(file + " --why").status, 0);
  EXPECT_EQ(inspect(file + " --svg -").status, 0);
}

TEST(CommandLine, ArchCompilesAndSaysWhatEachKernelUses) {
  if (Nvrtc::instance() == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  const Outcome o = inspect("examples/bias_relu.yaml --arch sm_80");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, testing::ContainsRegex(
                         "\nCompiled for sm_80\n  kernel_y: [0-9]+ registers, no spills\n"));
  EXPECT_THAT(inspect("examples/bias_relu.yaml --arch sm_80 --json").out,
              testing::ContainsRegex("\"arch\": \"sm_80\",\n *\"registers\": [0-9]+"));
  const Outcome old = inspect("examples/bias_relu.yaml --arch sm_20");
  EXPECT_THAT(old.err, testing::ContainsRegex(
                           "^selvage: error\\[E704\\]: .*libnvrtc.*, NVRTC [0-9.]+, no longer "
                           "knows sm_20: its oldest architecture is sm_[0-9]+; help: "
                           "install the NVRTC of an older CUDA toolkit, or compile for "
                           "sm_[0-9]+\n$"));
  EXPECT_EQ(old.status, 1);
}

TEST(CommandLine, TimeSaysHowLongEachKernelTook) {
  const Outcome o = inspect("examples/bias_relu.yaml --run --time --on virtual");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out,
              testing::ContainsRegex("\n  compiled in [0-9.]+ ms; kernel_y ran [0-9.]+ ms\n"));
  EXPECT_THAT(inspect("examples/bias_relu.yaml --run --time --on virtual --json").out,
              testing::ContainsRegex("\"compile_ms\": [0-9.]+"));
}

TEST(CommandLine, PrintRunsAndShowsValues) {
  const std::string file =
      "inputs: {x: {shape: [4], dtype: int32}}\ncompute: [\"y = sum(x[i] * 0 + i)\"]\n";
  const Outcome o = inspect("- --loops --on virtual --print y --print y", file);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, testing::EndsWith("unscheduled program\n\ny, int64[]\n  6\n"));
  EXPECT_EQ(inspect("- --print q", file).err,
            "selvage: error[E625]: --print: there is no input or output q; help: one of x, y; a "
            "tensor that is none is kept nowhere as a whole\n");
  const Outcome threads = inspect("- --loops --on virtual --print A",
                                  "arrays: {A: {shape: [3], dtype: int32}}\nparallel: [{p: 3}]\n"
                                  "body: [\"A[p] = p * p\"]\n");
  EXPECT_EQ(threads.status, 0) << threads.err;
  EXPECT_THAT(threads.out, testing::EndsWith("\n\nA, int32[3]\n  [0 1 4]\n"));
}

TEST(CommandLine, TooLittleMemoryIsSaidOfTheFile) {
  if (test::is_address_sanitized()) {
    GTEST_SKIP() << "[SKIP a sanitizer takes all the address space that there is]";
  }
  std::string file = "tensors:\n";
  for (int k = 0; k < 900; ++k) {
    file +=
        "  T" + std::to_string(k) + ": {logical: {i: 1000}, transforms: " +
        "[{split: {in: i, factor: 7, out: [a, b]}}, {split: {in: a, factor: 3, out: [c, d]}}]}\n";
  }
  const Outcome o = inspect("- --loops", file, "ulimit -v 70000; ");
  EXPECT_EQ(
      o.err,
      "-: error[E803]: this machine has not enough memory for it; help: split the file, or make "
      "its extents smaller\n");
  EXPECT_EQ(o.status, 2);
}

TEST(CommandLine, ADebuggerHasStandardInputAndOutputForItself) {
  const Outcome json = inspect("examples/bias_relu.yaml --debug --json");
  EXPECT_EQ(json.err,
            "schedule_inspect: error[E801]: --json, --dot, --svg - and --debug each want standard "
            "output; help: choose one\n");
  const Outcome both = inspect("- --debug", "tensors: {T: {logical: {i: 4}}}");
  EXPECT_EQ(both.err,
            "schedule_inspect: error[E801]: --debug reads commands from standard input, and the "
            "file, too; help: name a file\n");
  EXPECT_EQ(json.status + both.status, 4);
  const Outcome on = inspect("examples/bias_relu.yaml --debug --on virtual");
  EXPECT_EQ(
      on.err,
      "schedule_inspect: error[E801]: --on virtual: the emulator runs what --debug, --trace and "
      "--frames look at; help: leave --on out\n");
}

TEST(CommandLine, TunesWhatAFileLeavesOpen) {
  const std::string open =
      "inputs: {x: {shape: [64, 1027], dtype: float}}\ncompute: [\"y[i, j] = 2 * x[i, j]\"]\n";
  const Outcome tuned = inspect("- --tune --device h200", open);
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_EQ(tuned.err, "");
  EXPECT_NE(tuned.out.find("\nTuned for h200 by exact counts of each plan's kernels, as none was "
                           "run\n  y: 8 plans\n"),
            std::string::npos)
      << tuned.out;
  EXPECT_NE(tuned.out.find("; taken\n"), std::string::npos);
  const Outcome refused = inspect("- --tune", open + "schedule: {y: []}\n");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "schedule_inspect: error[E801]: --tune: - leaves nothing to be scheduled; help: leave "
            "--tune out; or leave schedule out of the file, or write schedule: auto\n");
}

TEST(CommandLine, TakesNumbersOfPlans) {
  const std::string open =
      "inputs: {x: {shape: [64, 1024], dtype: float}}\ncompute: [\"y[i, j] = 2 * x[i, j]\"]\n";
  const auto with = [&](const std::string& plan) {
    return inspect("- --device h100 " + plan, open);
  };
  EXPECT_NE(with("--plan y=threads=512,vector=2").out.find("\n  y: 512 threads, vectors of 2\n"),
            std::string::npos);
  EXPECT_EQ(with("--plan y=threads=77").err.substr(0, 76),
            "-:2:12: error[E424]: no automatic schedule of y has {threads: 77}; help: lea");
  EXPECT_EQ(with("--plan y=threads=77").status, 1);
  EXPECT_EQ(with("--plan z=threads=64").err,
            "schedule_inspect: error[E801]: --plan: z is in no kernel that is scheduled "
            "automatically; help: name one of y\n");
  EXPECT_EQ(with("--plan y=width=4").err,
            "schedule_inspect: error[E801]: --plan: 'width=4' of y is no number of a plan; help: "
            "write threads, rows, vector, steps, at_once, tile, across, parts, turns, skew, "
            "windows, ranks or last_block with a "
            "number, or keep "
            "with registers, shared or nothing, such as --plan y=threads=256,vector=4\n");
}

TEST(CommandLine, FindsAgainWhatWasTuned) {
  const std::string folder = testing::TempDir() + "selvage-tuned-" + std::to_string(getpid());
  const std::string open =
      "inputs: {x: {shape: [640, 1027], dtype: float}}\ncompute: [\"y[i, j] = 3 * x[i, j]\"]\n";
  const std::string with = "export SELVAGE_CACHE_DIR='" + folder + "'; ";
  EXPECT_EQ(inspect("- --device h100", open, with).out.find("kept from tuning"), std::string::npos);
  const Outcome tuned = inspect("- --tune --device h100", open, with);
  EXPECT_NE(tuned.out.find("will be found without --tune"), std::string::npos) << tuned.out;
  const Outcome later = inspect("- --device h100", open, with);
  EXPECT_NE(later.out.find("; kept from tuning\n"), std::string::npos) << later.out;
  EXPECT_EQ(inspect("- --device h200", open, with).out.find("kept from tuning"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(CommandLine, TakesADeviceFromAFileOrTheDriver) {
  const std::string open =
      "inputs: {x: {shape: [64, 1027], dtype: float}}\ncompute: [\"y[i, j] = 2 * x[i, j]\"]\n";
  const Outcome o = inspect("- --device examples/devices/l40s.yaml", open);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("\nScheduled automatically, for l40s\n"), std::string::npos) << o.out;
  const Outcome none = inspect("- --device none.yaml", open);
  EXPECT_EQ(none.err.substr(0, 24), "none.yaml: error[E101]: ");
  EXPECT_EQ(none.status, 2);
  if (Driver::instance() != nullptr) return;
  const Outcome gpu = inspect("- --device gpu", open);
  EXPECT_EQ(gpu.err.substr(0, 67),
            "schedule_inspect: error[E623]: --device gpu: there is no GPU: libcu");
  EXPECT_EQ(gpu.status, 2);
}

TEST(CommandLine, DrawsIntoAFileBesideThePage) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("selvage-" + std::to_string(getpid()) + ".svg"))
          .string();
  const Outcome o = inspect("examples/figure2.yaml --svg '" + path + "'");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, inspect("examples/figure2.yaml").out);
  std::ifstream file(path);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(svg, inspect("examples/figure2.yaml --svg -").out);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  std::filesystem::remove(path);
  const Outcome refused = inspect("examples/figure2.yaml --svg /none/a.svg");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err,
            "/none/a.svg: error[E802]: cannot write the picture: No such file or directory; help: "
            "name a file in a folder that exists and can be written to\n");
}

TEST(CommandLine, DotAloneIsPrinted) {
  const Outcome o = inspect("examples/figure2.yaml --dot");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.substr(0, 18), "digraph schedule {");
  EXPECT_EQ(o.out.substr(o.out.size() - 2), "}\n");
}

TEST(CommandLine, ExitStatusesAreThoseOfTheFile) {
  EXPECT_EQ(inspect("examples/figure2.yaml").status, 0);
  EXPECT_EQ(inspect("/none.yaml").status, 2);
  EXPECT_EQ(inspect("/none.yaml").err,
            "/none.yaml: error[E101]: cannot read the file: No such file or directory; help: name "
            "a file that can be read, or - for standard input\n");
  EXPECT_EQ(inspect("- --json").status, 2);
  const Outcome illegal = inspect("- --json",
                                  "tensors: {T0: {dtype: float, logical: {I0: 8}, bind: {I0: "
                                  "Group}}, T1: {dtype: int8, logical: "
                                  "{I0: 8}}}\n");
  EXPECT_EQ(illegal.status, 1);
  EXPECT_EQ(illegal.err,
            "-:1:59: error[E414]: binding I0 to Group is not supported yet; help: bind it to "
            "BIDx..z or TIDx..z; or leave it serial\n");
  EXPECT_NE(illegal.out.find("\"T1\""), std::string::npos);
  const Outcome read = inspect("- --loops", "tensors: {T0: {dtype: float, logical: {I3: 2}}}\n");
  EXPECT_EQ(read.status, 0);
  EXPECT_NE(read.out.find("for I3 in 2"), std::string::npos);
}

TEST(CommandLine, SimplifiesLinesAndPrintsRules) {
  EXPECT_EQ(inspect("--simplify -", "a\tI\ti:4\t\ti / 4\n").status, 0);
  EXPECT_EQ(inspect("--simplify -", "a\tI\ti:4\n").status, 2);
  EXPECT_EQ(inspect("--simplify /none").status, 2);
  const Outcome rules = inspect("--rules");
  EXPECT_EQ(rules.status, 0);
  EXPECT_NE(rules.out.find("div/small"), std::string::npos);
}

TEST(CommandLine, ProveSaysWhatZ3Confirms) {
  const Outcome o = inspect("examples/figure2.yaml --predicates --prove");
  if (!has_z3()) {
    EXPECT_EQ(o.err,
              "selvage: error[E902]: --prove needs Z3, and this was built without it; help: "
              "./scripts/setup installs it; then build again\n");
    EXPECT_EQ(o.status, 2);
    GTEST_SKIP() << "[SKIP built without Z3]";
  }
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("Z3 confirms of T0: 6 extents, 3 indices, 2 checks that stay, 1 check that "
                       "is not needed, 1 address,\n    4 loops, 1 store, 2 accesses\n"),
            std::string::npos)
      << o.out;
  EXPECT_EQ(inspect("examples/figure2.yaml --json").out.find("proofs"), std::string::npos);
  EXPECT_NE(inspect("examples/figure2.yaml --json --prove").out.find("\"refuted\": []"),
            std::string::npos);
}

TEST(CommandLine, EveryExampleIsWhatItExpects) {
  const std::pair<const char*, const char*> sizes[] = {
      {"gelu.yaml", " --size B=5 --size H=72"},
      {"rms_norm_cluster.yaml", " --size M=2"},
      {"softmax_cluster.yaml", " --size M=1"},
      {"pitch.yaml", " --size K=5 --size N=1000 --size T0_stride_I0=1024"},
  };
  std::vector<std::filesystem::directory_entry> examples;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(SELVAGE_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() == ".yaml") examples.push_back(entry);
  }
  EXPECT_GE(examples.size(), 5u);
  for (const auto& entry : some_of(examples)) {
    std::string arguments = "examples/" + entry.path().filename().string() + " --check";
    for (const auto& [name, given] : sizes) {
      if (entry.path().filename() == name) arguments += given;
    }
    const Outcome o = inspect(arguments);
    EXPECT_EQ(o.status, 0) << arguments;
    EXPECT_EQ(o.err, "") << arguments;
  }
}

TEST(CommandLine, ExpectationsThatAreNotMetAreErrors) {
  const Outcome o = inspect("- --check --json",
                            "tensors: {T0: {dtype: float, logical: {I0: 8}}}\n"
                            "expect: {predicates: {T0: ['I0 < 8']}}\n");
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err,
            "-:2:23: error[E391]: the predicates of T0 are [], and expected are [I0 < 8]; help: "
            "expect T0: []; or change the schedule\n");
}

// --check makes up what is left open, and what a given array tells is not.
TEST(CommandLine, GivenArraysTellTheSizesOfACheck) {
  const std::string text =
      "inputs: {x: {shape: [M, N], dtype: float}, b: {shape: [N], dtype: float}}\n"
      "compute: ['y[i, j] = x[i, j] + b[j]']\n";
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("selvage-given-" + std::to_string(getpid())))
          .string();
  ASSERT_EQ(inspect("- --run --size M=7 --size N=3 --save-inputs " + folder, text).status, 0);
  const Outcome o = inspect("- --run --check --input b=" + folder + "/b.npy --print b", text);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("b, float[3]"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace selvage
