// What a race's help says is done to the file, and the race is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "checked.h"
#include "tests/support/counts.h"
#include "tests/threads/racing_programs.h"

namespace selvage {

namespace {

using namespace threads;

// A sync inside the region alone lets those of the region wait, and the others go on.
TEST(RaceHelps, ASyncStandsWhereBothThreadsComeBy) {
  const std::string file = R"(arrays:
  x: {shape: [64], dtype: float}
  s: {shape: [64], dtype: float, memory: shared}
parallel: [{thread: {t: 64}}]
body:
  - "s[t] = x[t]"
  - inthreads: {when: t < 32, do: [{sync: region}, "s[t] += s[t + 32]"]}
)";
  expect_mended(
      file,
      "a.yaml:7:52: error[E818]: s[32] is read by one thread and accessed by another with "
      "no barrier between: block (0, 0, 0), thread (32, 0, 0); and block (0, 0, 0), thread "
      "(0, 0, 0); help: give each thread elements of its own, or put sync: shared in front "
      "of 7:5",
      {"  - inthreads", "  - sync: shared\n  - inthreads"});
}

TEST(RaceHelps, BothTurnsOfALoopAreMended) {
  const std::string file =
      R"(arrays: {A: {shape: [64], dtype: int32}, B: {shape: [64], dtype: int32}}
parallel: [{p: 64}]
body:
- for: {index: i, in: 4, do: ["A[p] += i", "B[p] = A[63 - p]"]}
)";
  const std::string told = said(file);
  EXPECT_NE(told.find("put sync: shared between the two"), told.npos) << told;
  EXPECT_EQ(said(Mend{"i\", \"B",
                      "i\", sync: shared, \"B"}(Mend{"- p]\"]", "- p]\", sync: shared]"}(file))),
            "accepted");
}

// One change of a text on one line: what is put in at a place, or around what stands there.
struct Change {
  std::size_t at;
  std::string text;
};

// The helps of all races, done; "": one is no recipe.
class HelpDoer {
 public:
  explicit HelpDoer(std::string text) : text_(std::move(text)) {}

  bool take(const Diagnostic& d) {
    const std::size_t own = offset(d.place.line, d.place.column);
    const std::string start = "give each thread elements of its own, or ";
    if (d.help.rfind(start, 0) != 0) return false;
    std::string rest = d.help.substr(start.size());
    if (rest.rfind("do what is said of ", 0) == 0) return true;
    while (!rest.empty()) {
      const std::size_t cut = rest.find(", and ");
      const std::string part = rest.substr(0, cut);  // "put sync: ...", "let one thread ..."
      rest = cut == rest.npos ? "" : rest.substr(cut + 6);
      const std::size_t sync = part.find(" sync: "), front = part.find(" in front of ");
      const std::size_t end = part.find(" at the end of the for at ");
      const std::size_t alone = part.find("inthreads: {when: ");
      if (alone != part.npos) {
        const std::size_t close = text_.find('"', own + 1);
        const std::string head = part.substr(alone, part.find("[...]") - alone);
        changes_.push_back({own, "{" + head + "["});
        changes_.push_back({close + 1, "]}}"});
        if (sync == part.npos) continue;
      }
      if (sync == part.npos) return false;
      const std::string item =
          "{" + part.substr(sync + 1, part.find(' ', sync + 7) - sync - 1) + "}";
      std::size_t at = own;
      if (front != part.npos) at = place(part, front + 13);
      if (front == part.npos && d.code == "E817") at = text_.rfind("{inthreads", own);
      changes_.push_back(
          {text_[at] != '{' && text_[at] != '"' ? text_.rfind('{', at) : at, item + ", "});
      if (end != part.npos) changes_.push_back({end_of_do(place(part, end + 26)), ", " + item});
    }
    return true;
  }
  std::string done() {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.at > b.at; });
    for (const Change& c : changes_) text_.insert(c.at, c.text);
    return text_;
  }

 private:
  std::size_t offset(int line, int column) const {
    std::size_t at = 0;
    for (int k = 1; k < line; ++k) at = text_.find('\n', at) + 1;
    return at + std::size_t(column) - 1;
  }
  std::size_t place(const std::string& part, std::size_t at) const {
    const std::size_t colon = part.find(':', at);
    return offset(std::stoi(part.substr(at, colon - at)), std::stoi(part.substr(colon + 1)));
  }
  std::size_t end_of_do(std::size_t from) const {
    std::size_t at = text_.find("do: [", from) + 5;
    for (int depth = 1;; ++at) {
      depth += text_[at] == '[' ? 1 : text_[at] == ']' ? -1 : 0;
      if (depth == 0) return at;
    }
  }

  std::string text_;
  std::vector<Change> changes_;
};

TEST(RaceHelps, WhatAHelpSaysMends) {
  std::map<std::string, int> seen;
  const int wanted = count(20, 300);
  for (int k = 0; seen["E818"] < wanted || seen["E817"] < wanted; ++k) {
    ASSERT_LT(k, 200000);
    const RandomProgram program(std::uint64_t(k) + 90001, k % 4 != 0);
    const std::string before = program.text(), told = said(before);
    const std::string code = codes(told).substr(0, 4);
    if (code != "E817" && code != "E818") continue;
    if (seen[code] >= wanted) continue;
    SCOPED_TRACE("seed " + std::to_string(k + 90001) + "\n" + before + told);
    HelpDoer doer(before);
    bool is_recipe = true;
    for (const Diagnostic& d : report_on(before).diagnostics) {
      is_recipe = is_recipe && (d.code != "E817" && d.code != "E818" ? true : doer.take(d));
    }
    ++seen[is_recipe ? code : code + " without a recipe"];
    if (!is_recipe) continue;
    const std::string after = doer.done();
    const std::string left = codes(said(after));
    ASSERT_EQ(left.find("E81"), left.npos) << after << said(after);
    ASSERT_EQ(left, "") << after << said(after);
  }
  std::string line;
  for (const auto& [what, n] : seen) line += " " + what + ": " + std::to_string(n);
  printf("[FIGURE] helps of races, done:%s\n", line.c_str());
}

}  // namespace

}  // namespace selvage
