#include <selvage/expr/expr.h>
#include <selvage/ir/function_text.h>

#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace selvage {
namespace {

// An operator of values that expressions have as well binds as theirs does.
TEST(FunctionText, BindsAsExpressionsDo) {
  std::set<std::string_view> shared;
  for (int f = 0; f < kFunctionCount; ++f) {
    for (int o = 0; o <= int(Op::Or); ++o) {
      if (info(Function(f)).text != info(Op(o)).text || info(Op(o)).arity < 1) continue;
      EXPECT_EQ(precedence(Function(f)), info(Op(o)).precedence) << info(Op(o)).text;
      shared.insert(info(Op(o)).text);
    }
  }
  for (const char* sign : {"+", "-", "*", "/", "%", "<", "<=", "==", "&&", "||", "!", "min"}) {
    EXPECT_TRUE(shared.contains(sign)) << sign;
  }
}

TEST(FunctionText, AWordIsACallAndASignIsNone) {
  for (int f = 0; f < kFunctionCount; ++f) {
    const std::string_view text = info(Function(f)).text;
    const bool is_call = std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
                         Function(f) != Function::Neg;  // written -x
    EXPECT_EQ(precedence(Function(f)) == kCall, is_call) << text;
  }
  EXPECT_EQ(precedence(Function::Neg), precedence(Function::Not));
  EXPECT_EQ(precedence(Function::FloorDiv), precedence(Function::TrueDiv));
}

}  // namespace
}  // namespace selvage
