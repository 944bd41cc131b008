#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

constexpr const char* kHelp =
    "; help: write an integer expression with + - * / % min max ceilDiv, e.g. \"ceilDiv(N, 4) * "
    "2\"";
constexpr const char* kNumberHelp = "; help: write a number there; a comparison stands for none";
constexpr const char* kConditionHelp = "; help: compare with <, <=, >, >=, == or !=";

// The whole message of the refusal; "accepted" where there is none. Known names are i, j and N.
std::string refusal(const std::string& text) {
  ExprPool pool;
  const auto known = [&](std::string_view name) {
    return name == "i" || name == "j" || name == "N" ? pool.symbol(name) : Expr();
  };
  return refusal_by<BadInput>([&] { parse_expr(pool, text, known); });
}

TEST(ParseErrors, AnUnknownNameIsNamedWithItsColumn) {
  EXPECT_EQ(refusal("i + K * 2"),
            "selvage:1:5: error[E302]: unknown name 'K' in expression 'i + K * 2'; help: declare "
            "it under symbols, or use a name that is declared");
  EXPECT_EQ(refusal("i + N * 2"), "accepted");
}

TEST(ParseErrors, AComparisonIsNoInteger) {
  EXPECT_EQ(refusal("i + (j < N)"),
            "selvage:1:5: error[E303]: a comparison stands where an integer is expected in "
            "expression 'i + (j < N)'" +
                std::string(kNumberHelp));
  EXPECT_EQ(refusal("i + select(j < N, 1, 0)"), "accepted");
  const std::string kind = "a comparison stands where an integer is expected";
  for (const char* text : {"(i < j) * 2", "min(i, j < N)", "f(i < j)", "t[i == j]", "i < j < N",
                           "select(i < j, i < N, 0)", "-(i < j)", "true + 1"}) {
    EXPECT_NE(refusal(text).find(kind), std::string::npos) << refusal(text);
  }
}

TEST(ParseErrors, AnIntegerIsNoComparison) {
  EXPECT_EQ(refusal("i < N && j"),
            "selvage:1:10: error[E303]: an integer stands where a comparison is expected in "
            "expression 'i < N && j'" +
                std::string(kConditionHelp));
  EXPECT_EQ(refusal("i < N && j != 0"), "accepted");
  const std::string kind = "an integer stands where a comparison is expected";
  for (const char* text : {"i || j < N", "!i", "select(i, 1, 2)"}) {
    EXPECT_NE(refusal(text).find(kind), std::string::npos) << refusal(text);
  }
}

TEST(ParseErrors, NestingIsBounded) {
  const auto nested = [](int n) { return std::string(n, '(') + "i" + std::string(n, ')'); };
  EXPECT_EQ(refusal(nested(63)), "accepted");
  EXPECT_EQ(refusal(nested(64)),
            "selvage:1:65: error[E301]: nested too deeply (more than 64 levels) in expression '" +
                nested(64).substr(0, 80) + "'" + kHelp);
  for (const char* sign : {"-", "!", "min("}) {
    std::string text;
    for (int k = 0; k < 100000; ++k) text += sign;
    EXPECT_NE(refusal(text).find("nested too deeply"), std::string::npos) << sign;
  }
}

TEST(ParseErrors, AnIntegerMustFitIn64Bits) {
  EXPECT_EQ(refusal("i + 9223372036854775808"),
            "selvage:1:5: error[E108]: integer 9223372036854775808 does not fit in 64 bits in "
            "expression 'i + 9223372036854775808'; help: use a smaller integer");
  EXPECT_EQ(refusal("i + 9223372036854775807"), "accepted");
  EXPECT_EQ(refusal("-9223372036854775808"), "accepted");
  EXPECT_EQ(refusal("4x"), "selvage:1:1: error[E301]: '4x' is not an integer in expression '4x'" +
                               std::string(kHelp));
}

TEST(ParseErrors, WhatFollowsTheExpressionIsRefused) {
  EXPECT_EQ(refusal("i j"),
            "selvage:1:3: error[E301]: unexpected 'j' in expression 'i j'" + std::string(kHelp));
  EXPECT_EQ(refusal("i)"),
            "selvage:1:2: error[E301]: unexpected ')' in expression 'i)'" + std::string(kHelp));
}

TEST(ParseErrors, WhatIsMissingIsSaid) {
  const auto error = [](int column, const std::string& what, const std::string& text) {
    return "selvage:1:" + std::to_string(column) + ": error[E301]: " + what + " in expression '" +
           text + "'" + kHelp;
  };
  EXPECT_EQ(refusal(""), error(1, "something is missing at the end", ""));
  EXPECT_EQ(refusal("  "), error(3, "something is missing at the end", "  "));
  EXPECT_EQ(refusal("i +"), error(4, "something is missing at the end", "i +"));
  EXPECT_EQ(refusal("(i"), error(3, "expected ')' at the end", "(i"));
  EXPECT_EQ(refusal("min(i, j]"), error(9, "expected ')' before ']'", "min(i, j]"));
  EXPECT_EQ(refusal("i + * j"), error(5, "unexpected '*'", "i + * j"));
  EXPECT_EQ(refusal("i $ j"), error(3, "unexpected '$'", "i $ j"));
  EXPECT_EQ(refusal("i \x01"), error(3, "unexpected character", "i \x01"));
  EXPECT_EQ(refusal("i = 3"), error(3, "unexpected '='", "i = 3"));
}

TEST(ParseErrors, DivisionIsOneSign) {
  EXPECT_EQ(refusal("i // 2"),
            "selvage:1:3: error[E301]: unexpected '//' in expression 'i // 2'; help: write /, "
            "which divides integers in an expression");
  EXPECT_EQ(refusal("i / 2"), "accepted");
}

TEST(ParseErrors, ALongTextIsCutBetweenCharacters) {
  std::string text = "i";
  for (int k = 0; k < 19; ++k) text += " + i";
  text += " +";  // 79 bytes
  EXPECT_EQ(
      refusal(text + "\u00e9\u00e9"),
      "selvage:1:80: error[E301]: unexpected character in expression '" + text + "\u00e9'" + kHelp);
}

TEST(ParseErrors, AFunctionTakesItsNumberOfOperands) {
  EXPECT_EQ(refusal("1 + min(i)"),
            "selvage:1:5: error[E301]: 'min' takes 2 operands, not 1 in expression '1 + min(i)'" +
                std::string(kHelp));
  EXPECT_EQ(refusal("select(i < j, 1)"),
            "selvage:1:1: error[E301]: 'select' takes 3 operands, not 2 in expression 'select(i < "
            "j, 1)'" +
                std::string(kHelp));
  EXPECT_EQ(refusal("ceilDiv(i, 2, 3)"),
            "selvage:1:1: error[E301]: 'ceilDiv' takes 2 operands, not 3 in expression "
            "'ceilDiv(i, 2, 3)'" +
                std::string(kHelp));
}

}  // namespace
}  // namespace selvage
