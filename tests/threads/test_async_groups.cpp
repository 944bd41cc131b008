// Are asynchronous regions disjoint, and do they cover all threads?
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "tests/support/counts.h"
#include "tests/threads/checked.h"

namespace selvage::threads {
namespace {

struct Answer {
  std::optional<bool> is_disjoint, is_complete;
  bool is_by_iteration = false;
  friend bool operator==(const Answer&, const Answer&) = default;
};
void PrintTo(const Answer& answer, std::ostream* out) {
  const auto word = [](std::optional<bool> fact) { return !fact ? "?" : *fact ? "yes" : "no"; };
  *out << "disjoint: " << word(answer.is_disjoint) << ", complete: " << word(answer.is_complete)
       << (answer.is_by_iteration ? ", in every iteration" : "");
}

constexpr char kHead[] =
    "symbols: {n: {min: 0, max: MOST}}\narrays: {A: {shape: [64], dtype: int32, memory: local}}\n";

std::string region(const std::string& when) {
  return "{inthreads: {when: '" + when + "', async: true, do: ['A[0] = 1']}}";
}
// Of the one group of a program.
Answer answer_to(const std::string& body, const std::string& most_of_n = "8",
                 const std::string& levels = "{t: 8}") {
  std::string text = kHead;
  text.replace(text.find("MOST"), 4, most_of_n);
  const Report report = report_on(text + "parallel: [" + levels + "]\nbody:\n" + body);
  const auto& groups = report.threads->lowered.groups;
  EXPECT_TRUE(report.diagnostics.empty()) << to_text(report.diagnostics);
  EXPECT_EQ(groups.size(), 1u);
  return {groups.at(0).is_disjoint, groups.at(0).is_complete, groups.at(0).is_by_iteration};
}
std::string one_after_the_other(const std::vector<std::string>& conditions) {
  std::string body;
  for (const std::string& c : conditions) body += "  - " + region(c) + "\n";
  return body;
}
std::string in_a_loop(const std::string& extent, const std::vector<std::string>& conditions) {
  std::string items;
  for (const std::string& c : conditions) items += (items.empty() ? "" : ", ") + region(c);
  return "  - for: {index: i, in: " + extent + ", do: [" + items + "]}\n";
}

TEST(AsyncGroups, ASymbolMayPartTheThreads) {
  const Answer both{true, true};
  EXPECT_EQ(answer_to(one_after_the_other({"t < n", "t >= n"})), both);
  // Too many values to be tried: by proof.
  EXPECT_EQ(answer_to(one_after_the_other({"t < n", "t >= n"}), "1000000"), both);
  EXPECT_EQ(answer_to(one_after_the_other({"t < n", "t == n", "t > n"}), "1000000"), both);
}

TEST(AsyncGroups, AnIterationMayPartTheThreads) {
  const Answer both{true, true, true};
  EXPECT_EQ(answer_to(in_a_loop("8", {"t < i", "t >= i"})), both);
  EXPECT_EQ(answer_to(in_a_loop("n", {"t < i", "t >= i"}), "1000000"), both);
}

TEST(AsyncGroups, WhatIsSoInSomeRunsAloneIsNotSaid) {
  EXPECT_EQ(answer_to(one_after_the_other({"t < n", "t > n"})), (Answer{true, {}}));
  EXPECT_EQ(answer_to(one_after_the_other({"t <= n", "t >= n"})), (Answer{{}, true}));
  EXPECT_EQ(answer_to(in_a_loop("3", {"t < i", "t > 1"})), (Answer{true, {}, true}));
}

TEST(AsyncGroups, WhatIsSoInNoRunIsSaid) {
  // Thread 0 is in both, thread 7 in none, whatever n.
  EXPECT_EQ(answer_to(one_after_the_other({"t <= n", "t == 0"}), "6"), (Answer{false, {}}));
  EXPECT_EQ(answer_to(in_a_loop("4", {"t <= i", "t == 0"})), (Answer{false, false, true}));
}

// Two loops do not wait for one another: each may be in any iteration.
TEST(AsyncGroups, IterationsOfTwoLoopsAreNotPaired) {
  const std::string below = in_a_loop("8", {"t < i"});
  std::string above = in_a_loop("8", {"t >= i"});
  const Answer answer = answer_to(below + above);
  EXPECT_EQ(answer, (Answer{{}, {}, true}));
}

// All threads are in the region in the middle, and wait for one another there: its own affair.
TEST(AsyncGroups, ABarrierOfARegionEndsNoGroup) {
  std::string text = kHead;
  text.replace(text.find("MOST"), 4, "8");
  const Report report =
      report_on(text + "parallel: [{t: 64}]\nbody:\n" + one_after_the_other({"t < 32"}) +
                "  - {inthreads: {when: 't >= 0', async: true, do: ['A[0] = 1', sync: region]}}\n" +
                one_after_the_other({"t >= 32"}));
  const auto& groups = report.threads->lowered.groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].regions.size(), 3u);
}

// The same threads by other indices.
TEST(AsyncGroups, LevelsSideBySideArePutTogether) {
  EXPECT_EQ(answer_to("  - parallel: {levels: [{x: 8}], do: [" + region("x < n") +
                          "]}\n  - parallel: {levels: [{y: 8}], do: [" + region("y >= n") + "]}\n",
                      "8", "{block: {b: 2}}"),
            (Answer{true, true}));
}

// Masks that are known: a thread in two regions, whichever two, and one in none.
TEST(AsyncGroups, AThreadInTwoRegionsIsSeen) {
  const Answer one_twice{false, true}, one_never{true, false};
  EXPECT_EQ(answer_to(one_after_the_other({"t < 5", "t > 3"})), one_twice);
  EXPECT_EQ(answer_to(one_after_the_other({"t < 4", "t > 3"})), (Answer{true, true}));
  EXPECT_EQ(answer_to(one_after_the_other({"t < 4", "t > 4"})), one_never);
  EXPECT_EQ(answer_to(one_after_the_other({"t < 2", "t > 3", "t < 4"})), one_twice);
  EXPECT_EQ(answer_to(one_after_the_other({"t < 2", "t < 1", "t > 1"})), one_twice);
  EXPECT_EQ(answer_to(one_after_the_other({"t < 4", "t == 4", "t > 3"})), one_twice);
}

TEST(AsyncGroups, AThreadInTwoRegionsOfLevelsSideBySideIsSeen) {
  const auto answer = [](const char* first, const char* second) {
    return answer_to("  - parallel: {levels: [{x: 8}], do: [" + region(first) +
                         "]}\n  - parallel: {levels: [{y: 2, z: 4}], do: [" + region(second) +
                         "]}\n",
                     "8", "{block: {b: 2}}");
  };
  EXPECT_EQ(answer("x < 4", "y == 1"), (Answer{true, true}));
  EXPECT_EQ(answer("x < 5", "y == 1"), (Answer{false, true}));
  EXPECT_EQ(answer("x < 3", "y == 1"), (Answer{true, false}));
}

// A region that a round begins with, and that it may end with by a break, is in a group once.
TEST(AsyncGroups, ARegionIsInAGroupOnce) {
  const Report report = report_on(
      "arrays: {A: {shape: [64], dtype: int32, memory: local}}\nparallel: [{t: 8}]\nbody:\n"
      "  - for:\n      index: i\n      in: 4\n      do:\n        - " +
      region("t < 4") +
      "\n        - sync: shared\n        - {for: {index: k, in: 1, if: i == 2, do: [{break: i}]}}\n"
      "        - " +
      region("t > 3") + "\n");
  EXPECT_TRUE(report.diagnostics.empty()) << to_text(report.diagnostics);
  const auto& groups = report.threads->lowered.groups;
  ASSERT_FALSE(groups.empty());
  for (const AsyncGroup& group : groups) {
    const std::set<std::size_t> once(group.regions.begin(), group.regions.end());
    EXPECT_EQ(once.size(), group.regions.size());
    EXPECT_EQ(group.is_disjoint, true);
  }
}

// ---- against enumeration ----

struct Condition {
  const char* text;
  std::function<bool(int t, int n, int i)> holds;
};
const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all = {
      {"t < n", [](int t, int n, int) { return t < n; }},
      {"t >= n", [](int t, int n, int) { return t >= n; }},
      {"t < i", [](int t, int, int i) { return t < i; }},
      {"t >= i", [](int t, int, int i) { return t >= i; }},
      {"t <= i + n", [](int t, int n, int i) { return t <= i + n; }},
      {"t > i + n", [](int t, int n, int i) { return t > i + n; }},
      {"t % 2 == i % 2", [](int t, int, int i) { return t % 2 == i % 2; }},
      {"t % 2 != i % 2", [](int t, int, int i) { return t % 2 != i % 2; }},
      {"t * 2 < n", [](int t, int n, int) { return t * 2 < n; }},
      {"t / 2 == n", [](int t, int n, int) { return t / 2 == n; }},
      {"t == 3", [](int t, int, int) { return t == 3; }},
      {"t != 3", [](int t, int, int) { return t != 3; }},
      {"t > 5", [](int t, int, int) { return t > 5; }},
  };
  return all;
}

TEST(AsyncGroups, AreWhatEnumerationSays) {
  constexpr int kThreads = 8, kMostN = 5, kIterations = 4;
  std::mt19937_64 random(20240607);
  int proved = 0;
  for (int k = 0; k < count(200, 5000); ++k) {
    std::vector<const Condition*> drawn;
    std::vector<std::string> texts;
    for (std::size_t r = 2 + random() % 3; r > 0; --r) {
      drawn.push_back(&conditions()[random() % conditions().size()]);
      texts.push_back(drawn.back()->text);
    }
    bool always_disjoint = true, never_disjoint = true;
    bool always_complete = true, never_complete = true;
    for (int n = 0; n <= kMostN; ++n) {
      for (int i = 0; i < kIterations; ++i) {
        int most = 0, least = kThreads;
        for (int t = 0; t < kThreads; ++t) {
          const auto in = int(std::count_if(drawn.begin(), drawn.end(),
                                            [&](const auto* c) { return c->holds(t, n, i); }));
          most = std::max(most, in);
          least = std::min(least, in);
        }
        (most < 2 ? never_disjoint : always_disjoint) = false;
        (least > 0 ? never_complete : always_complete) = false;
      }
    }
    const Answer answer =
        answer_to(in_a_loop(std::to_string(kIterations), texts), std::to_string(kMostN));
    SCOPED_TRACE(testing::PrintToString(texts) + testing::PrintToString(answer));
    // Values are few: what always holds is found. What never does may go unsaid.
    EXPECT_EQ(answer.is_disjoint == true, always_disjoint);
    EXPECT_EQ(answer.is_complete == true, always_complete);
    EXPECT_TRUE(answer.is_disjoint != false || never_disjoint);
    EXPECT_TRUE(answer.is_complete != false || never_complete);
    proved += (answer.is_disjoint == true ? 1 : 0) + (answer.is_complete == true ? 1 : 0);
  }
  EXPECT_GT(proved, 0);
}

}  // namespace
}  // namespace selvage::threads
