#include <selvage/frontend/document.h>

#include <tests/support/counts.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

namespace selvage {
namespace {

Node read(std::string_view text) { return read_document(text, "a.yaml"); }

std::string refusal(std::string_view text) {
  try {
    read(text);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "accepted";
}

std::string code(std::string_view text) {
  try {
    read(text);
  } catch (const BadInput& e) {
    return e.diagnostic().code;
  }
  return "accepted";
}

// The tree on one line, the quoted texts in quotes.
std::string print(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::Scalar: return node.quoted ? "\"" + node.text + "\"" : node.text;
    case Node::Kind::Sequence:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + print(item);
      return "[" + out + "]";
    case Node::Kind::Map:
      for (const Entry& e : node.entries) {
        out += (out.empty() ? "" : ", ") + e.key + ": " + print(e.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string repeat(std::string_view piece, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + piece.size());
  while (out.size() < bytes) out += piece;
  return out;
}

constexpr const char* kGood = R"yaml(
# a schedule
symbols: {N: {multiple_of: 8, min: 1}, K: {}}
facts:   ["K <= N", 'N % 4 == 0']
tensors:
  T0:
    dtype: float
    logical: {I0: 15, I7: 8, I8: "ceilDiv(N, 4)"}
    contiguity: [true, false, true]
    transforms:
      - split:   {in: I0, factor: 6, out: [I1, I2]}
      - merge:   {in: [I4, I2], out: I5, inner: false}
      - swizzle: {kind: xor, in: [I7, I8], out: [I9, I10]}
    loop:
    - I3
    - no
    note: |
      two
      lines
)yaml";

TEST(Document, ReadsAScheduleAsTexts) {
  EXPECT_EQ(print(read(kGood)),
            "{symbols: {N: {multiple_of: 8, min: 1}, K: {}}, facts: [\"K <= N\", \"N % 4 == 0\"], "
            "tensors: {T0: {dtype: float, logical: {I0: 15, I7: 8, I8: \"ceilDiv(N, 4)\"}, "
            "contiguity: [true, false, true], transforms: [{split: {in: I0, factor: 6, out: [I1, "
            "I2]}}, {merge: {in: [I4, I2], out: I5, inner: false}}, {swizzle: {kind: xor, in: [I7, "
            "I8], out: [I9, I10]}}], loop: [I3, no], note: \"two\nlines\n\"}}}");
}

TEST(Document, EveryNodeKnowsItsPlace) {
  const Node root = read("a: 1\nb:\n  - {c: x}\n  - 'y'\n");
  const auto at = [](const Place& p) {
    return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
  };
  EXPECT_EQ(at(root.place), "a.yaml:1:1");
  EXPECT_EQ(at(root.entries[1].place), "a.yaml:2:1");
  EXPECT_EQ(at(root.find("b")->place), "a.yaml:3:3");
  EXPECT_EQ(at(root.find("b")->items[0].place), "a.yaml:3:5");
  EXPECT_EQ(at(root.find("b")->items[0].entries[0].place), "a.yaml:3:6");
  EXPECT_EQ(at(root.find("b")->items[0].find("c")->place), "a.yaml:3:9");
  EXPECT_EQ(at(root.find("b")->items[1].place), "a.yaml:4:5");
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(Document, NullIsATextLikeAnyOther) {
  EXPECT_EQ(print(read("null: ~\n~: null")), "{null: ~, ~: null}");
  EXPECT_EQ(print(read("[null, Null, NULL, ~, ~x, nullable]")),
            "[null, Null, NULL, ~, ~x, nullable]");
  EXPECT_EQ(print(read("{null: {null: null}}")), "{null: {null: null}}");
  EXPECT_EQ(print(read("- null\n- ~\n")), "[null, ~]");
  EXPECT_EQ(print(read("a:\n  null\n")), "{a: null}");
}

TEST(Document, AMissingValueIsEmptyWhateverFollows) {
  EXPECT_EQ(print(read("a:\nnull: 3")), "{a: , null: 3}");
  EXPECT_EQ(print(read("a:\n  b:\nnull: 3")), "{a: {b: }, null: 3}");
  EXPECT_EQ(print(read("a:\n-\nnull: 3")), "{a: [], null: 3}");
  EXPECT_EQ(print(read("{a: , null: }")), "{a: , null: }");
  EXPECT_EQ(print(read("a:\n'b': ''")), "{a: , b: \"\"}");
}

TEST(Document, LineEndsAndByteOrderMark) {
  EXPECT_EQ(print(read("\xEF\xBB\xBF"
                       "a: 1\r\nb: [2,\r\n 3]\r\n")),
            "{a: 1, b: [2, 3]}");
  EXPECT_EQ(print(read("---\na: 1\n...\n")), "{a: 1}");
}

TEST(Document, WhatIsNotTextIsRefused) {
  EXPECT_EQ(refusal("a: 1\nb: x\xff"),
            "a.yaml:2:5: error[E102]: the file is not UTF-8; help: save it as UTF-8 text");
  EXPECT_EQ(refusal({"a: 1\0b", 6}),
            "a.yaml:1:5: error[E102]: the file holds the control character '\\x00'; help: remove "
            "it");
  EXPECT_EQ(refusal("a: 1\x04\nb: ["),
            "a.yaml:1:5: error[E102]: the file holds the control character '\\x04'; help: remove "
            "it");
  EXPECT_EQ(refusal("a: \"\\x00\""),
            "a.yaml:1:4: error[E102]: the text holds the control character '\\x00'; help: remove "
            "it");
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\x80",
                          "\xf0\x80\x80\x80", "\xc3",
                          "\xff\xfe"
                          "a"}) {
    EXPECT_EQ(code(bad), "E102");
  }
  EXPECT_EQ(code("\xc3\xa9: \xe2\x82\xac \xf0\x9f\x98\x80"), "accepted");
}

TEST(Document, NothingAtAllIsRefused) {
  for (const char* text :
       {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(refusal(text),
              "a.yaml:1:1: error[E102]: the file is empty; help: write a schedule, such as "
              "'tensors: ...'");
  }
}

TEST(Document, SeveralDocumentsAreRefused) {
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"),
            "a.yaml:2:1: error[E102]: a second document begins here; help: write one document a "
            "file, and indent what belongs together alike");
  EXPECT_EQ(code("a: 1\n---\n"), "E102");
  EXPECT_EQ(code("  a: 1\nb: 2\n"), "E102");
}

TEST(Document, AnchorsAliasesAndTagsAreRefused) {
  EXPECT_EQ(refusal("a: &x 1"),
            "a.yaml:1:4: error[E103]: anchors ('&name') are not allowed; help: remove it, or quote "
            "text that begins with '&'");
  EXPECT_EQ(refusal("a: *x"),
            "a.yaml:1:4: error[E103]: aliases ('*name') are not allowed; help: write the value "
            "out, or quote text that begins with '*'");
  EXPECT_EQ(refusal("a: !x && y"),
            "a.yaml:1:4: error[E103]: tags ('!name') are not allowed; help: remove it, or quote "
            "text that begins with '!'");
  for (const char* text : {"a: !!int 3", "a: ! 3", "a: !", "!x\na: 1", "!x a: 1", "a: !x [1]",
                           "a: !<y> {}", "a: ! 'x'", "- &x\n", "&x a: 1", "a: &x [1]", "a: &x {}",
                           "a: &x", "a: [&x 1, *x]", "<<: *x", "? &a b\n: 1"}) {
    EXPECT_EQ(code(text), "E103") << text;
  }
  EXPECT_EQ(code("a: '!x'\nb: \"*y\"\nc: '&z'"), "accepted");
}

TEST(Document, AnAliasBombIsRefusedAtItsFirstAnchor) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    bomb += name + ": &" + name + " [" + before + ", " + before + "]\n";
  }
  EXPECT_EQ(refusal(bomb).substr(0, 25), "a.yaml:1:5: error[E103]: ");
}

TEST(Document, ADuplicateKeyNamesBothPlaces) {
  EXPECT_EQ(refusal("a: 1\nb: 2\n'a': 3\n"),
            "a.yaml:3:1: error[E105]: the key 'a' stands twice in this map; first at a.yaml:1:1; "
            "help: remove or rename one of the two");
  EXPECT_EQ(code("x: {a: 1, b: {a: 1}, a: 2}"), "E105");
  EXPECT_EQ(code("x: {a: 1}\ny: {a: 1}"), "accepted");
}

TEST(Document, AKeyIsText) {
  EXPECT_EQ(refusal("{[a]: 1}"),
            "a.yaml:1:2: error[E107]: expected text as the key of a map, found a sequence; help: "
            "write 'key: value'");
  EXPECT_EQ(refusal("? {a: 1}\n: 2"),
            "a.yaml:1:3: error[E107]: expected text as the key of a map, found a map; help: write "
            "'key: value'");
  EXPECT_EQ(code(": 1"), "E107");
  EXPECT_EQ(code("{: 1}"), "E107");
}

TEST(Document, WhatIsNotYamlIsRefusedInPlainWords) {
  EXPECT_EQ(refusal("a: 1\nb: [1, 2"),
            "a.yaml:2:9: error[E102]: not YAML: a ']' or a ',' is missing; in the bracket opened "
            "at a.yaml:2:4; help: close the bracket, and put a comma between items");
  EXPECT_EQ(refusal("a: {b: 1 c: 2}"),
            "a.yaml:1:11: error[E102]: not YAML: a '}' or a ',' is missing; in the bracket opened "
            "at a.yaml:1:4; help: close the bracket, and put a comma between entries");
  EXPECT_EQ(refusal("a: ]"),
            "a.yaml:1:4: error[E102]: not YAML: a bracket is closed that was never opened; help: "
            "remove it, or quote the text that it belongs to");
  EXPECT_EQ(refusal("a: b: c"),
            "a.yaml:1:5: error[E102]: not YAML: a ':' stands where no value can follow; help: "
            "quote text that holds ': ', and indent with spaces");
  EXPECT_EQ(refusal("a: - b"),
            "a.yaml:1:4: error[E102]: not YAML: a '-' stands where no item can follow; help: begin "
            "items on a line of their own, or quote the text");
  EXPECT_EQ(refusal("a:\n   b: 1\n  c: 2"),
            "a.yaml:3:3: error[E102]: not YAML: this line belongs to no map or sequence; help: "
            "indent it like the entries it belongs to");
  EXPECT_EQ(refusal("a: 'x"),
            "a.yaml:1:6: error[E102]: not YAML: quoted text is not closed; help: add the closing "
            "quote");
  EXPECT_EQ(refusal("a: @x"),
            "a.yaml:1:4: error[E102]: not YAML: a character that no value can begin with; help: "
            "quote the text");
  EXPECT_EQ(refusal("a: \"\\q\""),
            "a.yaml:1:7: error[E102]: not YAML: unknown escape character: q; help: see "
            "https://yaml.org/spec/1.2.2");
}

TEST(Document, AnUnclosedBracketIsNamedRatherThanWhatFollows) {
  EXPECT_EQ(refusal("a: [b, [c, d]\ne: 3\n"), "?");
  EXPECT_EQ(refusal("a: {b: {c: d}\ne: 3\n"), "?");
  EXPECT_EQ(refusal("[[{"), "?");
}

TEST(Document, SixtyFourLevelsAreReadAndOneMoreIsNot) {
  EXPECT_EQ(code(std::string(64, '[') + std::string(64, ']')), "accepted");
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')),
            "a.yaml:1:65: error[E104]: nested more than 64 levels deep; help: nest less deeply");
}

TEST(Document, TenThousandLevelsAreADiagnostic) {
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

TEST(Document, TooMuchIsRefused) {
  EXPECT_EQ(refusal(std::string(kLargestFile + 1, 'a')),
            "a.yaml: error[E104]: the file is larger than 16 MiB; help: split the file");
  EXPECT_EQ(refusal(repeat("[", kMostBrackets + 1)),
            "a.yaml:1:1000001: error[E104]: the file has more than 1000000 opening brackets; "
            "help: split the file");
  EXPECT_EQ(refusal("[" + repeat(",", kMostMarks)),
            "a.yaml:1:4000001: error[E104]: the file has more than 4000000 marks of YAML; help: "
            "split the file");
}

// The time of a text eight times as long is compared with the text's own, so that the machine's
// speed and the sanitizers drop out; quadratic growth would show as 64.
TEST(Document, TimeIsLinearForHostileTextsAndLargeMaps) {
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
        const auto start = std::chrono::steady_clock::now();
        code(t);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
      }
      return best;
    };
    const double small = seconds(1 << 15);
    const double large = seconds(1 << 18);
    EXPECT_LT(large, 25 * small + 0.01) << text(20);
  }
}

TEST(Document, AMapOfAHundredThousandEntriesIsRead) {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  EXPECT_EQ(read(text).entries.size(), 100000U);
  EXPECT_EQ(refusal(text + "k7: 1\n").substr(0, 29), "a.yaml:100001:1: error[E105]:");
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
            "/dev/zero: error[E104]: the file is larger than 16 MiB; help: split the file");
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
