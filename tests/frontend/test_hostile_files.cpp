#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>

namespace selvage {
namespace {

using namespace schedule_files;

std::string code(const std::string& text) {
  const std::string said = refusal(text);
  const std::size_t at = said.find("error[");
  return at == std::string::npos ? said : said.substr(at + 6, 4);
}

std::string repeated(int n, const auto& piece) {
  std::string text;
  for (int i = 0; i < n; ++i) text += piece(i);
  return text;
}

std::string name(const char* letter, int i) { return letter + std::to_string(i); }

std::string chain(int n) {
  return tensor("    logical: {I0: 1000000007}\n    transforms:\n") + repeated(n, [](int i) {
           return "    - split: {in: " + name("I", i) + ", factor: 2, out: [" + name("I", i + 1) +
                  ", " + name("J", i) + "]}\n";
         });
}

TEST(HostileFiles, TooMuchIsADiagnostic) {
  EXPECT_EQ(code(chain(int(kMostTransforms) + 1)), "E104");
  EXPECT_EQ(code("tensors:\n" + repeated(int(kMostTensors) + 1,
                                         [](int i) {
                                           return "  " + name("T", i) +
                                                  ": {dtype: float, logical: {I0: 4}}\n";
                                         })),
            "E104");
  EXPECT_EQ(
      code(tensor("    logical: {I0: 4}\n") + "symbols: {" +
           repeated(int(kMostSymbols) + 1, [](int i) { return name("N", i) + ": {}, "; }) + "}\n"),
      "E104");
  EXPECT_EQ(code(tensor("    logical: {I0: 4}\n") + "facts: [" +
                 repeated(int(kMostFacts) + 1, [](int) { return "1 < 2, "; }) + "]\n"),
            "E104");
  EXPECT_EQ(code(tensor("    logical: {" +
                        repeated(int(kMostAxes) + 1, [](int i) { return name("I", i) + ": 1, "; }) +
                        "}\n")),
            "E104");
  const std::string sum = repeated(int(kLongestExpression) / 4, [](int) { return "1 + "; });
  EXPECT_EQ(code(tensor("    logical: {I0: " + sum + "1}\n")), "E104");
  EXPECT_EQ(status(tensor("    logical: {I0: " + sum.substr(0, sum.size() - 8) + "1}\n")), 0);
  const std::string input = "inputs: {a: {shape: [4], dtype: float}}\ncompute:\n";
  const std::string terms = repeated(int(kLongestFormula) / 7, [](int) { return "a[i] + "; });
  EXPECT_EQ(code(input + "  - y[i] = " + terms + "a[i]\n"), "E104");
  EXPECT_EQ(code(input + "  - y[i] = " + terms.substr(0, terms.size() - 28) + "a[i]\n"),
            "accepted");
  const std::string body =
      "arrays: {A: {shape: [4], dtype: float}}\nparallel: [{p: 4}]\nbody:\n  - A[p] += ";
  const std::string reads = repeated(int(kLongestFormula) / 7, [](int) { return "A[p] + "; });
  EXPECT_EQ(code(body + reads + "A[p]\n"), "E104");
  EXPECT_EQ(code(body + reads.substr(0, reads.size() - 28) + "A[p]\n"), "accepted");
  EXPECT_EQ(code(input + repeated(int(kMostTensors) + 1,
                                  [](int i) { return "  - " + name("y", i) + "[i] = a[i]\n"; })),
            "E104");
}

TEST(HostileFiles, AHundredThousandTransformsAreRead) {
  const std::string text = tensor("    logical: {I0: 100, J0: 128}\n    transforms:\n") +
                           repeated(int(kMostTransforms), [](int i) {
                             return "    - swizzle: {kind: cyclic_shift, in: [" + name("I", i) +
                                    ", " + name("J", i) + "], out: [" + name("I", i + 1) + ", " +
                                    name("J", i + 1) + "]}\n";
                           });
  const ScheduleFile file = read(text);
  EXPECT_EQ(file.tensors.at(0).iterdomains.size(), 200002U);
}

TEST(HostileFiles, MistakesInEveryLineAreReadInTime) {
  const std::string wrong =
      tensor("    logical: {I0: 100}\n    transforms:\n") + repeated(50000, [](int i) {
        return "    - split: {in: Q, factor: x, out: [" + name("A", i) + "]}\n";
      });
  const std::clock_t start = std::clock();
  EXPECT_EQ(status(wrong), 2);
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 60);
}

TEST(HostileFiles, ExtentsPast64BitsAreDiagnostics) {
  for (const char* extent : {"9223372036854775808",
                             "9223372036854775807 + 1",
                             "4611686018427387904 * 2",
                             "4611686018427387905",
                             "3037000500 * 3037000500",
                             "-1",
                             "0",
                             "1 - 1",
                             "4 / 0",
                             "4 % 0",
                             "ceilDiv(4, 0)",
                             "0x10",
                             "1e3",
                             "4.5",
                             "",
                             "''",
                             "[4]",
                             "{a: 4}",
                             "true",
                             "1 < 2"}) {
    EXPECT_EQ(status(tensor("    logical: {I0: " + std::string(extent) + "}\n")), 2) << extent;
  }
  const std::string wide = "    logical: {I0: 4611686018427387904, I1: 4}\n";
  EXPECT_EQ(status(tensor(wide)), 2);
  EXPECT_EQ(
      status(tensor("    logical: {I0: 2147483648, I1: 4}\n    transforms:\n"
                    "      - resize: {in: I0, left: 4611686018427387904, right: 0, out: A}\n")),
      1);
  EXPECT_EQ(code(tensor("    logical: {I0: 2147483648, I1: 1073741824}\n    transforms:\n"
                        "      - resize: {in: I0, left: 4294967296, right: 0, out: A}\n"
                        "      - resize: {in: I1, left: 4294967296, right: 0, out: B}\n"
                        "      - merge: {in: [A, B], out: C}\n")),
            "E402");
}

TEST(HostileFiles, NamesThatCarryCodeAreRefusedEverywhere) {
  for (const char* bad : {"int", "threadIdx", "__global__", "x y", "x;", "'a\"b'", "'*/'", "max",
                          "_t0", "T_stride_I", "2x", "größe", "''"}) {
    const std::string n(bad);
    EXPECT_EQ(status("tensors: {" + n + ": {dtype: float, logical: {I0: 4}}}\n"), 2) << n;
    EXPECT_EQ(status(tensor("    logical: {" + n + ": 4}\n")), 2) << n;
    EXPECT_EQ(status(tensor("    logical: {I0: 4}\n    transforms:\n      - split: {in: I0, "
                            "factor: 2, out: [A, " +
                            n + "]}\n")),
              2)
        << n;
    EXPECT_EQ(status("symbols: {" + n + ": {}}\n" + tensor("    logical: {I0: 4}\n")), 2) << n;
    EXPECT_EQ(status("inputs: {" + n +
                     ": {shape: [4], dtype: float}}\ncompute: ['y[i] = " + std::string("1') ]\n")),
              2)
        << n;
  }
}

TEST(HostileFiles, AliasesAndDeepNestsAreDiagnostics) {
  EXPECT_EQ(code("a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n"), "E103");
  EXPECT_EQ(code(std::string(10000, '[')), "E104");
  EXPECT_EQ(code("tensors: " + repeated(10000, [](int) { return "{a: "; })), "E104");
  EXPECT_EQ(code(tensor("    logical: {I0: \"" + std::string(500, '(') + "4" +
                        std::string(400, ')') + "\"}\n")),
            "E301");
}

TEST(HostileFiles, FilesThatAreNoneAreDiagnostics) {
  const auto said = [](const std::string& path) -> std::string {
    try {
      read_schedule_file(path);
    } catch (const BadFile& e) {
      return e.diagnostics().at(0).code;
    }
    return "accepted";
  };
  EXPECT_EQ(said("/none/at/all.yaml"), "E101");
  EXPECT_EQ(said(std::filesystem::temp_directory_path().string()), "E101");
  EXPECT_EQ(said("/dev/null"), "E102");
}

// The examples, with bytes deleted, repeated, replaced, moved or cut off, are read or refused with
// a line; the sanitizers watch for anything else.
TEST(HostileFiles, DamagedExamplesAreReadOrRefused) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples")) {
    if (entry.path().extension() == ".yaml") texts.push_back(contents(entry.path()));
  }
  ASSERT_GE(texts.size(), 5U);
  std::sort(texts.begin(), texts.end());
  std::mt19937 random(21);
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  constexpr std::string_view kBytes = "[]{},:-&*!|'\"#~ \n09azIT_+/%<=.()\\\xc3\xff";
  const int cases = count(3000, 60000);
  int outcomes[3] = {};
  for (int i = 0; i < cases; ++i) {
    const std::string& original = texts[below(texts.size())];
    std::string text = original;
    for (std::size_t k = 1 + below(3); k > 0 && !text.empty(); --k) {
      const std::size_t at = below(text.size());
      switch (below(7)) {
        case 0: text.erase(at, 1 + below(8)); break;
        case 1: text.insert(at, text.substr(at, 1 + below(40))); break;
        case 2: text[at] = kBytes[below(kBytes.size())]; break;
        case 3: text.insert(at, 1, kBytes[below(kBytes.size())]); break;
        case 4: text.insert(below(text.size()), original.substr(below(original.size()), 12)); break;
        case 5: text[at] = text[below(text.size())]; break;
        default: text.resize(at); break;
      }
    }
    try {
      const ScheduleFile file = read(text);
      ++outcomes[file.illegal.empty() ? 0 : 1];
      for (const Diagnostic& d : file.illegal) {
        ASSERT_GE(d.place.line, 1) << to_text(d) << "\n" << text;
        ASSERT_FALSE(d.help.empty()) << to_text(d);
      }
    } catch (const BadFile& e) {
      ++outcomes[2];
      for (const Diagnostic& d : e.diagnostics()) {
        ASSERT_GE(d.place.line, 1) << to_text(d) << "\n" << text;
        ASSERT_GE(d.place.column, 1) << to_text(d) << "\n" << text;
        ASSERT_FALSE(d.help.empty()) << to_text(d);
      }
    }
  }
  EXPECT_GT(outcomes[0], cases / 50);
  EXPECT_GT(outcomes[2], cases / 4);
}

}  // namespace
}  // namespace selvage
