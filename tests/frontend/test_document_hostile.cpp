#include <selvage/frontend/document.h>

#include <tests/frontend/documents.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

namespace selvage {
namespace {

using namespace documents;

TEST(HostileDocument, SixtyFourLevelsAreReadAndOneMoreIsNot) {
  EXPECT_EQ(code(std::string(64, '[') + std::string(64, ']')), "accepted");
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')),
            "a.yaml:1:65: error[E104]: nested more than 64 levels deep; help: nest less deeply");
}

TEST(HostileDocument, TenThousandLevelsAreADiagnostic) {
  const auto times = [](std::string_view piece) { return repeat(piece, 10000 * piece.size()); };
  for (const char* piece : {"[", "{a: {b: ", "{", "{? ", "- ", "? ", ": ", "- ? ", "[{a: "}) {
    EXPECT_EQ(code(times(piece)), "E104") << piece;
  }
  EXPECT_EQ(code(times("[") + times("]")), "E104");
  for (const char* piece : {"a:", "-", "?"}) {
    std::string stairs;
    for (std::size_t i = 0; i < 3000; ++i) stairs += std::string(i, ' ') + piece + "\n";
    EXPECT_EQ(code(stairs), "E104") << piece;
  }
  for (const char* piece :
       {"[:", "[? ", "a: ", "- [", "{[", "[{", "'a': ", "[a, [", "{}[", "& ["}) {
    EXPECT_NE(code(times(piece)), "accepted") << piece;
  }
}

TEST(HostileDocument, TooMuchIsRefused) {
  EXPECT_EQ(refusal(std::string(kLargestFile + 1, 'a')),
            "a.yaml: error[E104]: the file is larger than 10 MiB; help: split the file");
  EXPECT_EQ(refusal(repeat("[", kMostBrackets + 1)),
            "a.yaml:1:1000001: error[E104]: the file has more than 1000000 opening brackets; "
            "help: split the file");
  EXPECT_EQ(refusal("[" + repeat(",", kMostMarks)),
            "a.yaml:1:2000001: error[E104]: the file has more than 2000000 marks of YAML; help: "
            "split the file");
}

// The time of a text eight times as long is compared with the text's own, so that the machine's
// speed and the sanitizers drop out; quadratic growth would show as 64.
TEST(HostileDocument, TimeIsLinearForHostileTextsAndLargeMaps) {
  const auto keys = [](std::size_t bytes) {
    std::string out;
    for (int i = 0; out.size() < bytes; ++i) out += "k" + std::to_string(i) + ": 1\n";
    return out;
  };
  const auto of = [](const char* head, const char* piece) {
    return [=](std::size_t bytes) { return head + repeat(piece, bytes); };
  };
  const std::function<std::string(std::size_t)> texts[] = {keys,
                                                           [&](std::size_t n) {
                                                             std::string s = keys(n);
                                                             std::replace(s.begin(), s.end(), '\n',
                                                                          ',');
                                                             return "{" + s + "}";
                                                           },
                                                           of("", "["),
                                                           of("", "{"),
                                                           of("", "{a: "),
                                                           of("", "- "),
                                                           of("", "? "),
                                                           of("", "a "),
                                                           of("", "a\n"),
                                                           of("a: b", "\n"),
                                                           of("a: b", " "),
                                                           of("a: \"", "x "),
                                                           of("a: \"", "\\\n"),
                                                           of("a: '", "''"),
                                                           of("a: |\n", "  x\n"),
                                                           of("a: |\n", "\n"),
                                                           of("", "#\n"),
                                                           of("#", "x"),
                                                           of("[", ","),
                                                           of("[", "[1], "),
                                                           of("[", "a: b, "),
                                                           of("", "[:"),
                                                           of("{", ":"),
                                                           of("", "& "),
                                                           of("", "! "),
                                                           of("!<", "a"),
                                                           of("%", "a "),
                                                           of("", "a:"),
                                                           of("", "-\n"),
                                                           of("", "-"),
                                                           of("a: >\n", "  x\n\n"),
                                                           of("a: b\n", "    \n"),
                                                           of("", "\r"),
                                                           of("k: [", "'x',")};
  for (const auto& text : texts) {
    const auto seconds = [&](std::size_t bytes) {
      const std::string t = text(bytes);
      double best = 1e9;
      for (int i = 0; i < 2; ++i) {
        const std::clock_t start = std::clock();
        code(t);
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      }
      return best;
    };
    const double small = seconds(1 << 14);
    const double large = seconds(1 << 17);
    EXPECT_LT(large, 25 * small + 0.01) << text(20);
  }
}

TEST(HostileDocument, AMapOfAHundredThousandEntriesIsRead) {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  EXPECT_EQ(read(text).entries.size(), 100000U);
  EXPECT_EQ(refusal(text + "k7: 1\n").substr(0, 29), "a.yaml:100001:1: error[E105]:");
}

TEST(HostileDocument, AHundredThousandTransformsAreRead) {
  std::string text = "transforms:\n";
  for (int i = 1000000; i < 1400000; i += 4) {
    const auto name = [i](int k) { return "I" + std::to_string(i + k); };
    text += "- swizzle: {kind: cyclic_shift, in: [" + name(0) + ", " + name(1) + "], out: [" +
            name(2) + ", " + name(3) + "]}\n";
  }
  EXPECT_EQ(read(text).find("transforms")->items.size(), 100000U);
}

class DocumentFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("selvage-document-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string refusal(const std::string& path) const {
    try {
      read_document_file(path);
    } catch (const BadInput& e) {
      std::string text = e.what();
      const std::size_t at = text.find(folder_.string());
      return at == 0 ? "DIR" + text.substr(folder_.string().size()) : text;
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(DocumentFile, IsReadWithItsNameInEveryPlace) {
  std::ofstream(path("a.yaml")) << "a: [1, 2]\n";
  const Node root = read_document_file(path("a.yaml"));
  EXPECT_EQ(print(root), "{a: [1, 2]}");
  EXPECT_EQ(root.find("a")->items[1].place.file, path("a.yaml"));
}

TEST_F(DocumentFile, ThatCannotBeReadIsRefused) {
  EXPECT_EQ(refusal(path("none.yaml")),
            "DIR/none.yaml: error[E101]: cannot read the file: No such file or directory; help: "
            "name a file that can be read, or - for standard input");
  EXPECT_EQ(refusal(folder_.string()),
            "DIR: error[E101]: cannot read the file: it is a directory; help: name a file that can "
            "be read, or - for standard input");
  EXPECT_EQ(refusal("").substr(0, 21), "selvage: error[E101]:");
}

TEST_F(DocumentFile, WithoutAnEndIsRefused) {
  EXPECT_EQ(refusal("/dev/zero"),
            "/dev/zero: error[E104]: the file is larger than 10 MiB; help: split the file");
}

// A good file with bytes deleted, repeated, replaced or moved must be read or refused; the
// sanitizers watch for anything else.
TEST(DocumentFuzz, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  constexpr std::string_view kBytes = "[]{},:?-&*!|>'\"%@`#~ \n\t\r0aN.\\\x01\xc3\xa9\xff";
  const int cases = count(2000, 20000);
  int read_well = 0;
  for (int i = 0; i < cases; ++i) {
    std::string text = kGood;
    for (std::size_t k = 1 + below(4); k > 0; --k) {
      const std::size_t at = below(text.size());
      switch (below(6)) {
        case 0: text.erase(at, 1 + below(8)); break;
        case 1: text.insert(at, text.substr(at, 1 + below(40))); break;
        case 2: text[at] = kBytes[below(kBytes.size())]; break;
        case 3: text.insert(at, 1, kBytes[below(kBytes.size())]); break;
        case 4: text.resize(at); break;
        default: text[at] = static_cast<char>(below(256)); break;
      }
      if (text.empty()) break;
    }
    try {
      read(text);
      ++read_well;
    } catch (const BadInput& e) {
      const Diagnostic& d = e.diagnostic();
      ASSERT_TRUE(d.code.starts_with("E10")) << text;
      ASSERT_GE(d.place.line, 1) << e.what() << "\n" << text;
      ASSERT_GE(d.place.column, 1) << e.what() << "\n" << text;
      ASSERT_FALSE(d.help.empty()) << text;
    }
  }
  EXPECT_GT(read_well, cases / 20);
  EXPECT_LT(read_well, cases);
}

// Short texts of nothing but marks reach the corners that damage to a good file does not.
TEST(DocumentFuzz, TextsOfMarksAreReadOrRefused) {
  std::mt19937 random(21);
  constexpr std::string_view kBytes = "[]{},:?-&*!|>'\"%#~ \n\n  a1.";
  for (int i = 0; i < count(5000, 100000); ++i) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) text += kBytes[random() % kBytes.size()];
    EXPECT_NO_FATAL_FAILURE(code(text));
  }
}

}  // namespace
}  // namespace selvage
