#include <selvage/frontend/document.h>

#include <tests/frontend/documents.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace documents;

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
  EXPECT_EQ(refusal("a: [b, [c, d]\ne: 3\n"),
            "a.yaml:2:1: error[E102]: not YAML: a ']' or a ',' is missing; in the bracket opened "
            "at a.yaml:1:4; help: close the bracket, and put a comma between items");
  EXPECT_EQ(refusal("[[{"),
            "a.yaml:1:4: error[E102]: not YAML: a '}' or a ',' is missing; in the bracket opened "
            "at a.yaml:1:3; help: close the bracket, and put a comma between entries");
}

TEST(Document, ALineWithoutAQuoteIsNamed) {
  const auto help = [](const std::string& text) {
    const std::string all = refusal(text);
    return all.substr(all.find("help: ") + 6);
  };
  EXPECT_EQ(help("a: [\"b, c,\n  \"d\", e"), "add the quote that is missing in line 1");
  EXPECT_EQ(help("a: [b,\n  c\", \"d e\"\n"), "add the quote that is missing in line 2");
  EXPECT_EQ(help("a: [it's, \"b, \"c\"]"), "add the quote that is missing in line 1");
  const std::string bracket = "close the bracket, and put a comma between items";
  EXPECT_EQ(help("a: [b  # 5\" wide\n"), bracket);
  EXPECT_EQ(help("a: ['5\" wide', b\n"), bracket);
  EXPECT_EQ(help("a: [\"5\\\" wide\", b\n"), bracket);
}

}  // namespace
}  // namespace selvage
