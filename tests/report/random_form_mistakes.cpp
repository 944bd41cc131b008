// Mistakes in the form of a file: E102 to E110.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

constexpr const char* kLineEnd = "([\\]}])\\n";
constexpr const char* kPlainValue = ": ([A-Za-z0-9]+)[,}\\]]";

// A text before what matches.
MistakeMaker before(const char* words, Words by) {
  return [=](Rng& rng) {
    FileText file = random_file(rng);
    const TextSpan span = random_match(file, words, rng);
    Mistake made{file, std::string(file.at(span))};
    made.file.text.insert(span.begin, pick(rng, by));
    return made;
  };
}

// What any place of a file cannot hold.
MistakeMaker anywhere(const char* text) {
  return [=](Rng& rng) {
    Mistake made{random_file(rng), ""};
    made.file.text.insert(std::size_t(draw(rng, 0, std::int64_t(made.file.text.size()) - 1)), text);
    return made;
  };
}

MistakeMaker at_end(const char* text) {
  return [=](Rng& rng) {
    Mistake made{random_file(rng), ""};
    made.file.text += text;
    return made;
  };
}

Mistake without_text(Rng& rng) {
  return {{pick(rng, Words{"", " ", "\n", "# nothing\n"})}, random_file(rng).text};
}

// What is right is the file as it was.
Mistake without_quote(Rng& rng) {
  FileText file = random_file(rng);
  Mistake made = instead(file, "\"[^\"\\n]*(\")", "", rng);
  made.put_right = file.text;
  return made;
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

// More symbols or facts than a file may have; what is right is the file without them.
Mistake too_many(Rng& rng) {
  Mistake made{random_fusion(rng), ""};
  made.put_right = made.file.text;
  const bool is_facts = chance(rng, 2) && made.file.text.find("facts: [") != std::string::npos;
  std::string more;
  for (int k = 0; k < (is_facts ? 101 : 1001); ++k) {
    more += is_facts ? "\"N < " + std::to_string(9001 + k) + "\", "
                     : "S" + std::to_string(k) + ": {}, ";
  }
  const char* after = is_facts ? "facts: [" : "symbols: {";
  made.file.text.insert(made.file.text.find(after) + std::string(after).size(), more);
  return made;
}

Mistake too_long(Rng& rng) {
  switch (draw(rng, 0, 4)) {
    case 0:
      return instead(random_file(rng), "(?:factor|in|shape): \\[?([A-Z0-9]+)[,}]",
                     "1" + times(int(draw(rng, 500, 700)), "+1"), rng);
    case 1:
      return instead(random_fusion(rng), "relu\\((.*?)\\)\"",
                     "x[i, j]" + times(int(draw(rng, 17, 30)), " + sum[k](x[k, j])"), rng);
    case 2:
      return instead(random_fusion(rng), "(\"y\\[.*?\")",
                     "\"y[i] = x[i, 0]" + times(2000, " + 1") + "\"", rng);
    case 3:
      return instead(random_file(rng), "shape: (\\[[^\\]]*\\])",
                     "[1" + times(int(draw(rng, 64, 80)), ", 1") + "]", rng);
    default: {
      const int deep = int(draw(rng, 65, 90));
      return instead(random_file(rng), kPlainValue, times(deep, "[") + times(deep, "]"), rng);
    }
  }
}

// An entry twice in one map, or a line.
Mistake twice(Rng& rng) {
  Mistake made{random_file(rng), ""};
  const bool is_line = chance(rng, 4);
  const TextSpan span = random_match(
      made.file, is_line ? "(?:^|\\n)(\\w+: .*\\n)" : "[{ ](\\w+: [A-Za-z0-9]+)[,}]", rng);
  const std::string entry(made.file.at(span));
  made.file.text.insert(span.end, is_line ? entry : ", " + entry);
  return made;
}

constexpr const char* kKeys =
    "[{ "
    "\\n](symbols|facts|sizes|inputs|outputs|compute|schedule|tensors|arrays|parallel|body|expect|"
    "multiple_of|min|max|shape|dtype|align|contiguity|logical|transforms|loop|bind|memory|factor|"
    "split|merge|resize|reorder|inner|cache|inline|inthreads|when|async|label|legal|index): ";

Mistake mistyped_key(Rng& rng) {
  FileText file = random_file(rng);
  const TextSpan span = random_match(file, kKeys, rng);
  Mistake made{file, std::string(file.at(span))};
  made.file.replace(span, chance(rng, 4) ? "colour" : mistyped(made.put_right, rng));
  return made;
}

// A key that is nearly one that stands beside it already.
Mistake nearly_twice(Rng& rng) {
  FileText file = random_file(rng);
  const TextSpan span = random_match(
      file,
      "[{ ](?:multiple_of|min|max|dtype|align|memory|factor|inner|async|label): ([A-Za-z0-9]+)[,}]",
      rng);
  const std::size_t key = file.text.rfind(' ', span.begin - 2);
  const TextSpan name = file.word(std::max(key, file.text.rfind('{', span.begin)) + 1);
  file.text.insert(span.end, ", " + mistyped(std::string(file.at(name)), rng) + ": 1");
  return {file, ""};
}

// A value of another kind.
Mistake another_kind(Rng& rng) {
  const bool is_list = chance(rng, 2);
  const std::string lists =
      "(?:shape|out|loop|reorder|contiguity|transforms|facts|compute|parallel|body|do): ";
  if (is_list) {
    FileText file = random_file(rng);
    const TextSpan start = random_match(file, lists + "(\\[)", rng);
    const TextSpan span = file.value(start.begin);
    Mistake made{file, std::string(file.at(span))};
    made.file.replace(span, pick(rng, Words{"4", "{a: 4}", "[]", "", "a"}));
    return made;
  }
  if (chance(rng, 2)) {
    FileText file = random_file(rng);
    const TextSpan start = random_match(
        file,
        "(?:symbols|sizes|inputs|outputs|logical|bind|split|merge|resize|cache|inline|arrays|"
        "inthreads|for|expect|T0|x|A): (\\{)",
        rng);
    const TextSpan span = file.value(start.begin);
    Mistake made{file, std::string(file.at(span))};
    made.file.replace(span, pick(rng, Words{"4", "[a]", "[a, b]", "a", "[]"}));
    return made;
  }
  return instead(random_file(rng),
                 "(?:factor|in|dtype|memory|inner|min|max|align|index|label|when|at|into|as): "
                 "([A-Za-z0-9]+)[,}]",
                 pick(rng, Words{"[a]", "{a: 4}", "", "[]"}), rng);
}

// Two items of a list in one.
Mistake two_in_one(Rng& rng) {
  return instead(random_file(rng), "\\}(\\}, \\{)(?:bind|reorder|merge|resize|memory)", ", ", rng);
}

Mistake no_key(Rng& rng) {
  const Words keys = {"{[a]: 1}", "{{a: 1}: 2}", "{[a, b]: c}"};
  return instead(random_file(rng), "(?:sizes|bind|logical|outputs): (\\{.*?\\})", pick(rng, keys),
                 rng);
}

Mistake level_of_two_kinds(Rng& rng) {
  return instead(random_threads(rng), "(\\{block: \\[p: 6\\]\\})",
                 "{block: [p: 6], z: " + std::to_string(draw(rng, 1, 9)) + "}", rng);
}

// A key that must be there is not.
Mistake missing_key(Rng& rng) {
  FileText file = random_file(rng);
  const TextSpan key = random_match(
      file,
      "[{ ](factor|in|out|left|right|as|memory|into|shape|dtype|logical|when|do|index): ", rng);
  Mistake made{file, std::string(file.at(file.value(key.end + 2)))};
  made.file.remove_entry(key.begin);
  return made;
}

Mistake without_extent(Rng& rng) {
  return instead(random_threads(rng), "index: i(, in: K)", "", rng);
}

constexpr const char* kIntegers = "(?:min|max|multiple_of|align): ([0-9]+)[,}]";

}  // namespace

const MistakeMakers& form_mistakes() {
  static const MistakeMakers makers = {
      {"E102",
       {any_of(random_file, kLineEnd, {""}),
        any_of(random_file, kLineEnd, {"]]", "}}", "]}", "}]"}), without_quote,
        any_of(random_file, "\\n(  )[a-zT]", {"\t", " \t"}), at_end("---\nmore: 1\n"),
        at_end("...\n---\n[1]\n"), anywhere("\x01"), anywhere("\x1b"), anywhere("\xff"),
        anywhere("\xe2"), without_text, before(kPlainValue, {"@", "`", "%"}), at_end(" more: 1\n"),
        at_end("- 1\n"), at_end("expect: what: ever\n"),
        any_of(random_file, kLineEnd, {"} more"})}},
      {"E103",
       {before(kPlainValue, {"&a ", "!first ", "!!str ", "&a !first "}),
        any_of(random_file, kPlainValue, {"*a"}), before(": ([\\[{])", {"&b ", "!list "})}},
      {"E104", {too_many, too_long, too_long, too_long}},
      {"E105", {twice}},
      {"E106", {mistyped_key, mistyped_key, nearly_twice}},
      {"E107", {another_kind, another_kind, another_kind, two_in_one, no_key, level_of_two_kinds}},
      {"E108",
       {any_of(random_file, kIntegers,
               {"4x", "0x10", "1.5", "08", "007", "four", "1e3", "99999999999999999999",
                "-99999999999999999999", "+4", "1_000", "\"4 \""}),
        any_of(random_file, "(?:factor|shape): \\[?([A-Z0-9]+)[,}]",
               {"99999999999999999999", "N + 9999999999999999999"}),
        before("\\] = (\\w)", {"99999999999999999999 + ", "1e999 + "})}},
      {"E109",
       {any_of(random_file, "(?:inner|async|legal|contiguity): \\[?(true|false)",
               {"yes", "no", "True", "\"true\"", "1", "on", "'false'", "TRUE"})}},
      {"E110", {missing_key, missing_key, missing_key, without_extent}},
  };
  return makers;
}

}  // namespace selvage::test
