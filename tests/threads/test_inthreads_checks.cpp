#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// What an inthreads may ask for.
const std::string kSixThreadsAndSymbol = R"(symbols: {n: {min: 0, max: 6}}
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
)";
TEST(InThreadsChecks, OneStandsOutsideOfAllLevels) {
  expect_mended(
      R"(arrays: {A: {shape: [6], dtype: int32}}
body:
- inthreads: {when: 0 < 1, do: ["A[0] = 1"]}
)",
      "a.yaml:3:3: error[E810]: inthreads stands outside of all parallel levels: there is one "
      "thread; help: write for: {index: once, in: 1, if: 0 < 1, do: [...]} in its place; or write "
      "parallel: {levels: [{p: 6}], do: [{inthreads: {when: p == 0, do: [...]}}]} in its place",
      {"body:\n- inthreads: {when: 0 < 1,",
       "parallel: [{p: 6}]\nbody:\n- inthreads: {when: p < 1,"});
}

TEST(InThreadsChecks, OnlyTheOutermostIsAsynchronous) {
  expect_mended(
      kSixThreads +
          R"(- inthreads: {when: p > 1, do: [{inthreads: {when: p < 4, async: true, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:34: error[E811]: an inthreads inside another is asynchronous: p < 4; only the "
      "outermost may be; help: leave async out here; or write for: {index: once, in: 1, if: p < 4, "
      "do: [...]} in its place",
      {", async: true", ""});
  expect_mended(
      kSixThreads +
          R"(- inthreads: {when: p > 1, async: true, do: [{inthreads: {when: p < 4, async: true, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:47: error[E811]: an inthreads inside another is asynchronous: p < 4; only the "
      "outermost may be; help: leave async out here; or write for: {index: once, in: 1, if: p < 4, "
      "do: [...]} in its place",
      {"p < 4, async: true", "p < 4"});
}

TEST(InThreadsChecks, AComparisonOfTwoParallelSidesDoesNotDiverge) {
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "p > 2 - p", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate p > 2 - p is not strictly divergent: both "
                "sides depend on parallel indices; help: write when: 2 - p - p < 0; or write for: "
                "{index: once, in: 1, if: p > 2 - p, do: [...]} in its place",
                {"\"p > 2 - p\"", "\"p + p > 2\""});
  expect_mended(R"(arrays: {A: {shape: [6, 4], dtype: int32}}
parallel: [{p: 6}, {q: 4}]
body:
- inthreads: {when: p > q - 1, do: ["A[p, q] = 1"]}
)",
                "a.yaml:4:3: error[E812]: the predicate p > q - 1 is not strictly divergent: both "
                "sides depend on parallel indices; help: write when: q - 1 - p < 0; or write for: "
                "{index: once, in: 1, if: p > q - 1, do: [...]} in its place",
                {"p > q - 1", "p - q > -1"});
}

TEST(InThreadsChecks, AComparisonWithoutAParallelSideDoesNotDiverge) {
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "n > 2", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate n > 2 is not strictly divergent: neither "
                "side depends on a parallel index; help: write for: {index: once, in: 1, if: n > "
                "2, do: [...]} in its place",
                {"\"n > 2\"", "\"p < n\""});
  expect_mended(
      kSixThreads + R"(- for: {index: i, in: 2, do: [{inthreads: {when: i < 1, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:32: error[E812]: the predicate i < 1 is not strictly divergent: neither side "
      "depends on a parallel index; help: write for: {index: once, in: 1, if: i < 1, do: [...]} in "
      "its place",
      {"when: i < 1", "when: p < i"});
}

TEST(InThreadsChecks, ATruthThatIsNoComparisonDoesNotDiverge) {
  expect_mended(
      kSixThreadsAndSymbol + R"(- inthreads: {when: "true", do: ["A[p] = 1"]}
)",
      "a.yaml:5:3: error[E812]: the predicate true is not strictly divergent: it is no comparison; "
      "help: write for: {index: once, in: 1, if: true, do: [...]} in its place",
      {"\"true\"", "\"p > 2\""});
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "p > 2 && true", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate p > 2 && true is not strictly divergent: "
                "true is no comparison; help: write for: {index: once, in: 1, if: p > 2 && true, "
                "do: [...]} in its place",
                {"\"p > 2 && true\"", "\"p > 2\""});
}

TEST(InThreadsChecks, BothOperandsOfAndAndOrDiverge) {
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "p > 2 && n > 2", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate p > 2 && n > 2 is not strictly divergent: "
                "neither side of 2 < n depends on a parallel index; help: write for: {index: once, "
                "in: 1, if: p > 2 && n > 2, do: [...]} in its place",
                {"\"p > 2 && n > 2\"", "\"p > 2 && p < n\""});
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "n > 2 || p > 2", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate n > 2 || p > 2 is not strictly divergent: "
                "neither side of 2 < n depends on a parallel index; help: write for: {index: once, "
                "in: 1, if: n > 2 || p > 2, do: [...]} in its place",
                {"\"n > 2 || p > 2\"", "\"p < n || p > 2\""});
  expect_mended(kSixThreadsAndSymbol +
                    R"yaml(- inthreads: {when: "p > 1 && (p < 4 || n > 2)", do: ["A[p] = 1"]}
)yaml",
                "a.yaml:5:3: error[E812]: the predicate p > 1 && (p < 4 || n > 2) is not strictly "
                "divergent: neither side of 2 < n depends on a parallel index; help: write for: "
                "{index: once, in: 1, if: p > 1 && (p < 4 || n > 2), do: [...]} in its place",
                {"\"p > 1 && (p < 4 || n > 2)\"", "\"p > 1 && (p < 4 || p > n)\""});
}

TEST(InThreadsChecks, NamedValuesAreFollowed) {
  expect_mended(kSixThreadsAndSymbol + R"(- let: {big: "n > 2"}
- inthreads: {when: "p > 2 && big", do: ["A[p] = 1"]}
)",
                "a.yaml:6:3: error[E812]: the predicate p > 2 && big is not strictly divergent: "
                "neither side of 2 < n depends on a parallel index; help: write for: {index: once, "
                "in: 1, if: p > 2 && big, do: [...]} in its place",
                {"\"p > 2 && big\"", "\"p > 2 && p < n\""});
  expect_mended(kSixThreadsAndSymbol + R"(- let: {q: p * 2}
- inthreads: {when: "q > p", do: ["A[p] = 1"]}
)",
                "a.yaml:6:3: error[E812]: the predicate q > p is not strictly divergent: both "
                "sides depend on parallel indices; help: write when: p - p * 2 < 0; or write for: "
                "{index: once, in: 1, if: q > p, do: [...]} in its place",
                {"\"q > p\"", "\"q > 3\""});
}

TEST(InThreadsChecks, ArithmeticIsFollowed) {
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "2 * p < p + 3", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E812]: the predicate 2 * p < p + 3 is not strictly divergent: "
                "both sides depend on parallel indices; help: write when: 2 * p - (p + 3) < 0; or "
                "write for: {index: once, in: 1, if: 2 * p < p + 3, do: [...]} in its place",
                {"\"2 * p < p + 3\"", "\"2 * p - p < 3\""});
}

TEST(InThreadsChecks, NotKeepsWhatItNegates) {
  expect_mended(kSixThreadsAndSymbol + R"yaml(- inthreads: {when: "!(n > 2)", do: ["A[p] = 1"]}
)yaml",
                "a.yaml:5:3: error[E812]: the predicate !(n > 2) is not strictly divergent: "
                "neither side of 2 < n depends on a parallel index; help: write for: {index: once, "
                "in: 1, if: !(n > 2), do: [...]} in its place",
                {"\"!(n > 2)\"", "\"!(p > n)\""});
  expect_mended(
      kSixThreadsAndSymbol + R"yaml(- inthreads: {when: "!(p > 2 - p)", do: ["A[p] = 1"]}
)yaml",
      "a.yaml:5:3: error[E812]: the predicate !(p > 2 - p) is not strictly divergent: both sides "
      "of 2 - p < p depend on parallel indices; help: write when: !(2 - p - p < 0); or write for: "
      "{index: once, in: 1, if: !(p > 2 - p), do: [...]} in its place",
      {"\"!(p > 2 - p)\"", "\"!(2 * p > 2)\""});
}

TEST(InThreadsChecks, ANumberIsNoPredicate) {
  expect_mended(kSixThreadsAndSymbol + R"yaml(- inthreads: {when: "min(p, 2)", do: ["A[p] = 1"]}
)yaml",
                "a.yaml:5:21: error[E303]: when: 'min(p, 2)' is no condition; help: compare with "
                "<, <=, >, >=, == or !=",
                {"\"min(p, 2)\"", "\"min(p, 2) < 2\""});
}

TEST(InThreadsChecks, APredicateThatIsUndefinedForAThreadIsRefused) {
  expect_mended(kSixThreadsAndSymbol + R"(- inthreads: {when: "p / (p - 2) < 1", do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: error[E342]: 'p / (p - 2) < 1' is undefined for the thread p = 2: 'p "
                "/ (p - 2)' divides by 0; help: divide by what is never 0, such as max(p - 2, 1)",
                {"\"p / (p - 2) < 1\"", "\"p / max(p - 2, 1) < 1\""});
  expect_mended(
      kSixThreadsAndSymbol + R"(- inthreads: {when: "p * 9223372036854775807 < 3", do: ["A[p] = 1"]}
)",
      "a.yaml:5:3: error[E342]: 'p * 9223372036854775807 < 3' is undefined for the thread p = 2: "
      "'p * 9223372036854775807' does not fit 64 bits; help: smaller numbers",
      {"\"p * 9223372036854775807 < 3\"", "\"p * 3 < 3\""});
}

TEST(InThreadsChecks, NeverActiveIsAWarning) {
  expect_mended(kSixThreads + R"(- inthreads: {when: p > 5, do: ["A[p] = 1"]}
)",
                "a.yaml:4:3: warning[E813]: no thread runs this: p > 5 never holds here; help: "
                "take it out; or write when: p == 0, which holds for one that gets here",
                {"p > 5", "p > 4"});
  expect_mended(
      kSixThreads +
          R"(- inthreads: {when: p > 2, do: [{inthreads: {when: p < 3, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:34: warning[E813]: no thread runs this: p < 3 never holds here; help: take it out; "
      "or write when: p == 3, which holds for one that gets here",
      {"p < 3", "p < 4"});
}

TEST(InThreadsChecks, AlwaysActiveIsAWarning) {
  expect_mended(kSixThreads + R"(- inthreads: {when: p <= 5, do: ["A[p] = 1"]}
)",
                "a.yaml:4:3: warning[E813]: every thread that gets here runs this: p <= 5 always "
                "holds; help: write do: [...] in its place",
                {"- inthreads: {when: p <= 5, do: [\"A[p] = 1\"]}", "- A[p] = 1"});
  expect_mended(
      kSixThreads +
          R"(- inthreads: {when: p > 2, do: [{inthreads: {when: p > 1, do: ["A[p] = 1"]}}]}
)",
      "a.yaml:4:34: warning[E813]: every thread that gets here runs this: p > 1 always holds; "
      "help: write do: [...] in its place",
      {"{inthreads: {when: p > 1, do: [\"A[p] = 1\"]}}", "\"A[p] = 1\""});
}

TEST(InThreadsChecks, ARangeOfASymbolDecidesWhatIsNeverOrAlwaysActive) {
  expect_mended(R"(symbols: {n: {min: 6, max: 9}}
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p > n, do: ["A[p] = 1"]}
)",
                "a.yaml:5:3: warning[E813]: no thread runs this: p > n never holds here; help: "
                "take it out; or write when: p == 0, which holds for one that gets here",
                {"min: 6", "min: 4"});
  expect_mended(
      R"(symbols: {n: {min: 6, max: 9}}
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p < n, do: ["A[p] = 1"]}
)",
      "a.yaml:5:3: warning[E813]: every thread that gets here runs this: p < n always holds; help: "
      "write do: [...] in its place",
      {"min: 6", "min: 5"});
}

}  // namespace

}  // namespace selvage
