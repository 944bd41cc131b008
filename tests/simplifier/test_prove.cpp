#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <tests/simplifier/scope.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Prove, AnswersAreThree) {
  Scope s;
  s.bound("N", 1, 64).loop("i", "N");
  EXPECT_EQ(s.prove("i < 64"), "proved");
  EXPECT_EQ(s.prove("i * i <= N * N"), "proved");
  EXPECT_EQ(s.prove("i < 63").substr(0, 7), "refuted");
  EXPECT_EQ(s.prove("t[i] < 63"), "unknown: t[i] < 63");
}

TEST(Prove, AProofNamesTheRulesItUsed) {
  Scope s;
  s.positive("N").loop("i", "N");
  const Verdict verdict = Simplifier(s.facts).prove(s.parse("i / N + i % N == i"));
  ASSERT_TRUE(is_proved(verdict));
  EXPECT_EQ(std::get<Proved>(verdict).rules, (std::vector<std::string>{"div/small", "mod/small"}));
  // By i = i / 4 * 4 + i % 4.
  const Verdict digits = Simplifier(s.facts).prove(s.parse("i / 4 <= i"));
  ASSERT_TRUE(is_proved(digits));
  EXPECT_EQ(std::get<Proved>(digits).rules, (std::vector<std::string>{"sum/recompose"}));
}

// The point that a refutation gives is allowed by all facts, and the claim fails there.
TEST(Prove, ARefutationIsATruePoint) {
  Scope s;
  s.bound("N", 1, 64).assume("N % 4 == 0").bound("K", 1, 64).assume("K <= N").assume("N < K + 9");
  s.loop("i", "N").loop("j", "K");
  for (const char* claim : {"i < 60", "i * K + j < N * K - 1", "i + j < N", "N % 8 == 0", "N < K",
                            "j / 4 < (K - 1) / 4", "i != j + 3"}) {
    const Verdict verdict = Simplifier(s.facts).prove(s.parse(claim));
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_NE(refuted, nullptr) << claim;
    std::vector<Expr> symbols;
    std::vector<std::int64_t> values;
    for (const auto& [symbol, value] : refuted->point) {
      symbols.push_back(symbol);
      values.push_back(value);
    }
    const auto at = [&](const char* text) { return evaluate(s.parse(text), symbols, values); };
    EXPECT_EQ(at(claim), 0);
    EXPECT_EQ(at("N % 4 == 0 && 1 <= N && N <= 64 && 1 <= K && K <= N && N < K + 9"), 1);
    EXPECT_EQ(at("0 <= i && i < N && 0 <= j && j < K"), 1);
  }
}

// The last part of a split is reached where the place in it is at most what is left: so a check
// that is tested outside of the loop over parts holds inside.
TEST(Prove, APartWithinWhatIsLeftIsWithin) {
  Scope s;
  s.positive("N").loop("o", "(N + 13) / 14").loop("t", "14").assume("t <= (N + 13) % 14");
  EXPECT_EQ(s.prove("o * 14 + t < N"), "proved");
  EXPECT_EQ(s.prove("o * 14 + t < N - 1").substr(0, 7), "refuted");
  Scope row;
  row.loop("b", "100").bound("e", 0, 1000).assume("b <= e");
  row.loop("o", "(e - b + 3) / 4").loop("t", "4").assume("t <= (e - b + 3) % 4");
  EXPECT_EQ(row.prove("b + o * 4 + t < e"), "proved");
}

// The bound of a cyclic shift follows from ranges alone, and what checks say besides is no help; it
// is no hindrance either.
TEST(Prove, WhoKnowsMoreProvesNoLess) {
  Scope s;
  s.bound("N", 1, 100).loop("a", "6 / N + 1").loop("b", "(N + 41) / 42").loop("c", "(N + 17) / 18");
  s.loop("i", "18").loop("d", "18").loop("e", "5 / N + 1").loop("f", "N");
  const char* claim = "i * N + (d * ((N + 5) / 6) + b * 7 + i + f) % N < N * 18";
  EXPECT_TRUE(Simplifier(s.facts).proves(s.parse(claim)));
  s.assume("a * N + f < 7").assume("(a * N + f) * 6 + b * 42 < N");
  s.assume("(e * N + c * 18 + d) * ((N + 5) / 6) + b * 7 + f < N");
  EXPECT_TRUE(Simplifier(s.facts).proves(s.parse(claim)));
}

TEST(Prove, ABoundOverASymbolWithoutFactsIsKeptByRefutations) {
  Scope s;
  s.loop("i", "N");
  const std::string answer = s.prove("i < N - 1");
  ASSERT_EQ(answer.substr(0, 7), "refuted") << answer;
  EXPECT_EQ(s.prove("i < N"), "proved");
  // No point is found below a bound that no probe can satisfy.
  Scope t;
  t.loop("i", "N * 9223372036854775807 * 4");
  EXPECT_EQ(t.prove("i < 5").substr(0, 7), "unknown");
}

TEST(Prove, FalseIsNeverProvedAndTruthNeverRefuted) {
  Scope s;
  s.bound("N", 1, 9).bound("M", 1, 9).loop("i", "N").loop("j", "M");
  struct Claim {
    const char* text;
    bool holds;
  };
  for (const Claim& c : {Claim{"i * M + j < N * M", true}, Claim{"j * N + i < N * M", true},
                         Claim{"i * M + j < N * M - 1", false}, Claim{"i / N == 0", true},
                         Claim{"(i + 1) / N == 0", false}, Claim{"min(i, j) < min(N, M)", true},
                         Claim{"i + j < N + M - 1", true}, Claim{"i + j < N + M - 2", false},
                         Claim{"i * j <= (N - 1) * (M - 1)", true}, Claim{"i % 2 < 2", true}}) {
    const std::string answer = s.prove(c.text).substr(0, 6);
    EXPECT_NE(answer, c.holds ? "refute" : "proved") << c.text;
  }
}

TEST(Assumptions, RelationsBetweenSymbolsAreUsed) {
  Scope s;
  s.positive("N").positive("K").assume("K <= N").loop("i", "K");
  EXPECT_EQ(s.prove("i < N"), "proved");
  EXPECT_EQ(s.prove("i / N == 0"), "proved");
  EXPECT_EQ(s.prove("i * 4 + 3 < N * 4"), "proved");
  EXPECT_EQ(s.prove("N <= K").substr(0, 7), "refuted");
}

TEST(Assumptions, DivisibilityIsUsed) {
  Scope s;
  s.bound("N", 1, 4096).assume("N % 4 == 0").loop("o", "N / 4").loop("i", "4");
  EXPECT_EQ(s.simplify("N / 4 * 4"), "N");
  EXPECT_EQ(s.simplify("N % 4"), "0");
  EXPECT_EQ(s.simplify("(N + 3) / 4"), "N / 4");
  EXPECT_EQ(s.simplify("(N * 5 + 1) % 2"), "1");
  EXPECT_EQ(s.prove("o * 4 + i < N"), "proved");
  EXPECT_EQ(s.simplify("N == 6"), "false");
}

TEST(Assumptions, AGuardSimplifiesWhatItGuards) {
  Scope s;
  s.bound("N", 1, 4096).loop("o", "(N + 3) / 4").loop("i", "4").assume("o * 4 + i < N");
  EXPECT_EQ(s.simplify("(o * 4 + i) % N"), "o * 4 + i");
  EXPECT_EQ(s.simplify("o * 4 + i < N"), "true");
  EXPECT_EQ(s.simplify("o * 4 + i < N + 1"), "true");
  EXPECT_EQ(s.simplify("N <= o * 4 + i"), "false");
}

TEST(Assumptions, BoundsAndEqualitiesBecomeFactsOfTheirSymbol) {
  Scope s;
  s.assume("N <= 64 && 0 < N && M == 5");
  EXPECT_EQ(s.simplify("M * 2"), "10");
  EXPECT_EQ(s.simplify("N < 65"), "true");
  EXPECT_EQ(s.simplify("N / 65"), "0");
  EXPECT_TRUE(s.facts.assumptions().empty());
}

TEST(Assumptions, RemaindersOfMultiplesAreFactsOfTheirSymbol) {
  Scope s;
  s.assume("(N + 1) % 4 == 0").assume("(2 * M) % 4 == 0").assume("(K * 6 + 3) % 9 == 6");
  EXPECT_TRUE(s.facts.assumptions().empty());
  EXPECT_EQ(s.simplify("N % 4"), "3");
  EXPECT_EQ(s.simplify("(N * 5 + 1) % 4"), "0");
  EXPECT_EQ(s.simplify("M % 2"), "0");
  EXPECT_EQ(s.simplify("K % 3"), "2");
  // What has no solution, or says nothing of one symbol, stays what it is.
  s.assume("(2 * P) % 4 == 1").assume("(P + N) % 4 == 0").assume("P * 4 % 4 == 0");
  EXPECT_EQ(s.facts.assumptions().size(), 3u);
}

TEST(Assumptions, RemaindersOfMultiplesHoldForTheSameNumbers) {
  for (std::int64_t m = 1; m <= 8; ++m) {
    for (std::int64_t factor = -9; factor <= 9; ++factor) {
      for (std::int64_t k = -3; k <= 9; ++k) {
        for (std::int64_t residue = 0; residue < m; ++residue) {
          ExprPool pool;
          Facts facts(pool);
          const Expr n = pool.symbol("n");
          facts.assume(eq((n * factor + k) % m, residue));
          const Facts::Symbol* known = facts.find(n);
          if (known == nullptr) continue;
          for (std::int64_t v = -20; v <= 20; ++v) {
            EXPECT_EQ(known->congruence.contains(v), *euclid_mod(v * factor + k, m) == residue)
                << "(" << v << " * " << factor << " + " << k << ") % " << m << " == " << residue;
          }
        }
      }
    }
  }
}

TEST(Assumptions, TheyDoNotProveThemselvesAway) {
  Scope s;
  s.bound("N", 1, 64).bound("K", 1, 64).assume("K <= N").assume("K <= N").assume("N <= K + 3");
  EXPECT_EQ(s.prove("K <= N"), "proved");
  EXPECT_EQ(s.prove("N <= K + 3"), "proved");
  EXPECT_EQ(s.prove("N <= K + 2").substr(0, 7), "refuted");
  EXPECT_EQ(s.prove("N <= K").substr(0, 7), "refuted");
}

TEST(Assumptions, AnInnerScopeIsACopyWithMoreFacts) {
  Scope s;
  s.bound("N", 1, 64).loop("i", "N");
  Facts inner = s.facts;
  inner.assume(s.parse("N <= 8"));
  EXPECT_TRUE(Simplifier(inner).proves(s.parse("i < 8")));
  EXPECT_FALSE(Simplifier(s.facts).proves(s.parse("i < 8")));
}

TEST(Assumptions, WhatIsAssumedOfASymbolTwiceHoldsTwice) {
  Scope s;
  s.bound("i", 0, 63).bound("i", 4, 99).assume("i % 4 == 1").assume("i % 6 == 3");
  EXPECT_EQ(s.simplify("i < 64 && 4 <= i"), "true");
  EXPECT_EQ(s.simplify("i % 12"), "9");
}

// A minimum is one of its operands, and no more than half of their sum; a choice is what it chooses
// where its condition says so.
TEST(Prove, MinimaAndChoicesAreOneOfTwo) {
  Scope s;
  s.positive("N").loop("i", "N").loop("x", "2 * N");
  for (const char* claim :
       {"min(x, 2 * N - 1 - x) < N", "0 <= min(x, 2 * N - 1 - x)", "max(i - 1, -i) < N",
        "0 <= max(i - 1, -i)", "0 <= max(x - N, N - 1 - x)", "max(x - N, N - 1 - x) < N",
        "select(x < N, x, x - N) < N", "0 <= select(x < N, x, x - N)",
        "0 <= select(i < 1, i + N - 1, select(i <= N - 1, i - 1, 0))"}) {
    EXPECT_EQ(s.prove(claim), "proved") << claim;
  }
  for (const char* claim :
       {"min(x, 2 * N - x) < N", "1 <= min(x, 2 * N - 1 - x)", "1 <= max(i - 1, -i)",
        "select(x < N, x, x - N) < N - 1", "0 <= select(x < N + 1, x - 1, x - N)"}) {
    EXPECT_NE(s.prove(claim), "proved") << claim;
  }
}

TEST(Prove, GoesThroughAllValuesWhereExtentsAreNumbersAndRulesDoNotReach) {
  Scope s;
  s.loop("i", "30").loop("j", "64");
  // Only 29 * 64 + 16 reaches 1872, and there the quotient is 8.
  s.assume("(i * 64 + j) / 234 * 234 + j % 2 * 234 + i * 64 + j < 3716");
  EXPECT_EQ(s.prove("i * 64 + j < 1872"), "proved");
  EXPECT_NE(s.prove("i * 64 + j < 1870"), "proved");
}

TEST(Prove, SaysWhichRuleIsWanted) {
  Scope s;
  s.positive("N").positive("M").loop("i", "N * M");
  Simplifier simplifier(s.facts);
  const Expr open = s.parse("i * i / (N * N * M) <= N * M * M");
  if (std::holds_alternative<Unknown>(simplifier.prove(open))) {
    ASSERT_EQ(simplifier.rules_wanted().size(), 1u);
  } else {
    EXPECT_TRUE(simplifier.rules_wanted().empty());
  }
  EXPECT_FALSE(is_proved(simplifier.prove(s.parse("i * i < N * 3"))));
}

TEST(NormalForm, HoldsNoNumberBesideADigitOfItOfTheOtherSign) {
  Scope s;
  s.loop("k", "100").loop("l", "100");
  const auto form = [&](const char* text) {
    return to_string(Simplifier(s.facts).normal_form(s.parse(text)));
  };
  EXPECT_EQ(form("k - k / 4"), "k / 4 * 3 + k % 4");
  EXPECT_EQ(form("k + l - k / 4 - l / 4"), "k / 4 * 3 + l / 4 * 3 + k % 4 + l % 4");
  EXPECT_EQ(form("k + l - k % 4 - l % 4"), "k / 4 * 4 + l / 4 * 4");
}

}  // namespace
}  // namespace selvage
