#include <tests/frontend/schedule_files.h>

#include <selvage/expr/text.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;

// A statement alone in a file with the inputs a[M, N], b[N] and k[4].
std::string with_statement(const std::string& statement) {
  return "inputs:\n  a: {shape: [M, N], dtype: float}\n  b: {shape: [N], dtype: half}\n"
         "  k: {shape: [4], dtype: int32}\ncompute:\n  - " +
         statement + "\n";
}

// A value as a fully parenthesized text.
std::string print(const Fusion& f, ValueId v) {
  const ValueNode& n = f.values()[v];
  const auto operand = [&](std::size_t k) { return print(f, n.operands[k]); };
  const auto list = [](const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    return text;
  };
  std::vector<std::string> items;
  switch (n.kind) {
    case ValueNode::Kind::Constant: {
      if (!is_floating(n.type)) return std::to_string(n.integer);
      char text[32];
      std::snprintf(text, sizeof text, "%g", n.real);
      return text;
    }
    case ValueNode::Kind::Index: return "<" + to_string(n.index) + ">";
    case ValueNode::Kind::Read:
      for (Expr e : n.subscripts) items.push_back(to_string(e));
      return f[TensorId(n.source)].name + "[" + list(items) + "]";
    case ValueNode::Kind::Cast: return std::string(to_string(n.type)) + "(" + operand(0) + ")";
    case ValueNode::Kind::Apply: break;
  }
  const std::string name(info(n.function).text);
  const bool is_word = std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  if (!is_word && n.operands.size() == 2)
    return "(" + operand(0) + " " + name + " " + operand(1) + ")";
  for (std::size_t k = 0; k < n.operands.size(); ++k) items.push_back(operand(k));
  return name + "(" + list(items) + ")";
}

std::string value_of(const std::string& statement) {
  const ScheduleFile file = read(with_statement(statement));
  const TensorInfo& y = (*file.fusion)[*file.fusion->find("y")];
  return print(*file.fusion, *y.definition);
}

TEST(Formula, OperatorsBindAsInC) {
  EXPECT_EQ(value_of("y[i] = k[i] + k[i] * 2 - 3"), "((k[i] + (k[i] * 2)) - 3)");
  EXPECT_EQ(value_of("y[i] = k[i] - k[i] - k[i]"), "((k[i] - k[i]) - k[i])");
  EXPECT_EQ(value_of("y[i] = k[i] // 2 % 3 * 4"), "(((k[i] // 2) % 3) * 4)");
  EXPECT_EQ(value_of("y[i] = -k[i] * 2"), "(neg(k[i]) * 2)");
  EXPECT_EQ(value_of("y[i] = (k[i] + 1) * 2"), "((k[i] + 1) * 2)");
  EXPECT_EQ(value_of("y[i] = k[i] + 1 < 2 && k[i] == 3 || k[i] != 4"),
            "((((k[i] + 1) < 2) && (k[i] == 3)) || (k[i] != 4))");
  EXPECT_EQ(value_of("y[i] = k[i] > 1 || k[i] >= 2"), "((1 < k[i]) || (2 <= k[i]))");
  EXPECT_EQ(value_of("y[i] = !(k[i] < 1)"), "!((k[i] < 1))");
}

TEST(Formula, HasFunctionsCastsAndNumbers) {
  EXPECT_EQ(value_of("y[n] = select(b[n] > 0, 1e-6, max(b[n], .5))"),
            "select((0 < b[n]), 1e-06, max(b[n], 0.5))");
  EXPECT_EQ(value_of("y[i] = int64(k[i]) + 3000000000"), "(int64(k[i]) + 3000000000)");
  EXPECT_EQ(value_of("y[i] = half(k[i])"), "half(k[i])");
  EXPECT_EQ(value_of("y[i] = k[i] / 2"), "(float(k[i]) / 2)");
  EXPECT_EQ(value_of("y[i] = int64(k[i]) + -9223372036854775808"),
            "(int64(k[i]) + -9223372036854775808)");
}

TEST(Formula, SubscriptsAreAffineAndIndicesAreValues) {
  EXPECT_EQ(value_of("y[m, n] = a[m, n] + k[2 * 1 + 1]"), "(a[m, n] + float(k[2 * 1 + 1]))");
  EXPECT_EQ(value_of("y[m, n] = a[m, n - m + M * m] + b[n]"), "(a[m, n - m + M * m] + b[n])");
  EXPECT_EQ(value_of("y[i] = k[i] * i"), "(int64(k[i]) * <i>)");
  EXPECT_EQ(value_of("y[n] = b[n] * N"), "(b[n] * float(<N>))");
}

// clang-format off
const Refused kStatements[] = {
    {"y[m, n] = a[m, n] + c[n]",
     "a.yaml:6:25: error[E205]: there is no tensor 'c'; help: declare it under inputs"},
    {"y[m, n] = a[m, n] + b",
     "a.yaml:6:25: error[E302]: b is a tensor and stands without subscripts; help: "
     "write b[...]"},
    {"y[m, n] = a[m, n] + q",
     "a.yaml:6:25: error[E302]: q is neither an index of y nor a symbol; help: use "
     "an index of the left side, a symbol, or a tensor at its subscripts"},
    {"y[m, n] = a[m, n] + b[m, n]",
     "a.yaml:6:25: error[E503]: b has rank 1 and is read at 2 subscripts; help: give "
     "one subscript for each axis"},
    {"y[m] = a[m, n]",
     "a.yaml:6:17: error[E504]: n is neither an index of y nor a symbol; help: put "
     "it on the left; reductions are not supported yet"},
    {"y[m, n] = sum(a[m, n])",
     "a.yaml:6:15: error[E390]: the reduction sum is not supported yet; help: write "
     "pointwise statements"},
    {"y[m] = max(a[m, n])",
     "a.yaml:6:12: error[E390]: the reduction max is not supported yet; help: write "
     "pointwise statements"},
    {"y[m] = sum[n](a[m, n])",
     "a.yaml:6:12: error[E390]: the reduction sum is not supported yet; help: write "
     "pointwise statements"},
    {"y[m, n] = a[m, clamped(n)]",
     "a.yaml:6:20: error[E390]: the access mode clamped is not supported yet; help: "
     "read elements that are in bounds"},
    {"y[i] = b[k[i]]",
     "a.yaml:6:14: error[E390]: a load in a subscript, k[...], is not supported yet; "
     "help: use indices and integers in subscripts"},
    {"y[m, n] = a[m, n * n]",
     "a.yaml:6:22: error[E316]: the subscript is not affine in the indices; help: "
     "use sums of indices, integers and sizes, and products with integers and sizes, "
     "such as 2 * i + 1"},
    {"y[m, n] = a[m, n / 2]",
     "a.yaml:6:22: error[E316]: the subscript is not affine in the indices; help: "
     "use sums of indices, integers and sizes, and products with integers and sizes, "
     "such as 2 * i + 1"},
    {"y[i] = b[2 * i]",
     "a.yaml:6:7: error[E317]: the extent of the index i of y is not known; help: "
     "read a tensor at [i], or give y a shape under outputs"},
    {"y[m, n] = a[m, n] +",
     "a.yaml:6:24: error[E314]: something is missing at the end in the statement "
     "'y[m, n] = a[m, n] +'; help: write a statement such as y[m, n] = relu(a[m, "
     "n] + b[n])"},
    {"y[m, n] = (a[m, n]",
     "a.yaml:6:23: error[E314]: expected ')', found the end in the statement 'y[m, "
     "n] = (a[m, n]'; help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, n] = a[m, n])",
     "a.yaml:6:22: error[E314]: unexpected ')' in the statement 'y[m, n] = a[m, n])'; "
     "help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, n] = a[m n]",
     "a.yaml:6:19: error[E314]: expected ']', found 'n' in the statement 'y[m, n] "
     "= a[m n]'; help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, n] = frelu(a[m, n])",
     "a.yaml:6:15: error[E315]: there is no function 'frelu' in the statement 'y[m, "
     "n] = frelu(a[m, n])'; help: did you mean 'relu'?"},
    {"y[m, n] = rellu(a[m, n])",
     "a.yaml:6:15: error[E315]: there is no function 'rellu' in the statement 'y[m, "
     "n] = rellu(a[m, n])'; help: did you mean 'relu'?"},
    {"y[m, n] = select(a[m, n] > 0, 1)",
     "a.yaml:6:15: error[E315]: select takes 3 operands, not 2 in the statement 'y[m, "
     "n] = select(a[m, n] > 0, 1)'; help: write select(condition, a, b)"},
    {"y[m, n] = a[m, n] * 1.5f",
     "a.yaml:6:25: error[E314]: '1.5f' is no number in the statement 'y[m, n] = a[m, "
     "n] * 1.5f'; help: write numbers like 4, 0.5 or 1e-6"},
    {"y[m, n] = a[m, n] + 1e999",
     "a.yaml:6:25: error[E108]: the number '1e999' does not fit in 64 bits in the "
     "statement 'y[m, n] = a[m, n] + 1e999'; help: use a number that a double can "
     "hold"},
    {"y[m, n] = a[m, n] + 99999999999999999999",
     "a.yaml:6:25: error[E108]: the number '99999999999999999999' does not fit in "
     "64 bits in the statement 'y[m, n] = a[m, n] + 99999999999999999999'; help: "
     "use a smaller integer"},
    {"y[m, n] += a[m, n]",
     "a.yaml:6:13: error[E390]: '+=' is not supported yet; help: write y[...] = ... "
     "once"},
    {"y[m + 1, n] = a[m, n]",
     "a.yaml:6:9: error[E314]: expected ',' or ']' after the index m, found '+' in "
     "the statement 'y[m + 1, n] = a[m, n]'; help: write plain indices on the left, "
     "such as y[m, n]"},
    {"y[clamped(m), n] = a[m, n]",
     "a.yaml:6:7: error[E390]: the access mode clamped is not supported yet; help: "
     "write plain indices on the left"},
    {"y[m, m] = a[m, m]",
     "a.yaml:6:10: error[E314]: the index m stands twice on the left in the statement "
     "'y[m, m] = a[m, m]'; help: give every axis an index of its own"},
    {"y = a[m, n]",
     "a.yaml:6:7: error[E314]: expected '[' after y, found '=' in the statement 'y "
     "= a[m, n]'; help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, n] = a[m, n] & 1",
     "a.yaml:6:23: error[E314]: unexpected '&' in the statement 'y[m, n] = a[m, n] "
     "& 1'; help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, M] = a[m, M]",
     "a.yaml:6:10: error[E204]: the index M has the name of a symbol; the symbol "
     "is declared at a.yaml:2:15; help: rename one of the two"},
    {"M[m, n] = a[m, n]",
     "a.yaml:6:5: error[E204]: the tensor M has the name of a symbol; the symbol "
     "is declared at a.yaml:2:15; help: rename one of the two"},
    {"a[m, n] = b[n]",
     "a.yaml:6:5: error[E204]: there is a tensor a already; the first is at a.yaml:2:3; "
     "help: rename one of the two"},
    {"y[m, n] = y[m, n] + 1",
     "a.yaml:6:15: error[E318]: y is read before it is computed; help: give the result "
     "another name"},
    {"'y[for, n] = a[for, n]'",
     "a.yaml:6:8: error[E203]: 'for' is a keyword or built-in of C++ or CUDA; help: "
     "choose another name, such as 'for_'"},
    {"y[i] = k[i] + 3000000000",
     "a.yaml:6:17: error[E506]: the literal 3000000000 does not fit the int32 that "
     "it meets; help: write int64(3000000000) to compute in 64 bits"},
    {"y[i] = i",
     "a.yaml:6:7: error[E317]: the extent of the index i of y is not known; help: "
     "read a tensor at [i], or give y a shape under outputs"},
    {"y[m, n] = a[m, n] + ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))",
     "a.yaml:6:88: error[E104]: more than 64 levels in the statement 'y[m, n] = a[m, "
     "n] + ((((((((((((((((((((...'; help: use several statements"},
};

// clang-format on

TEST(FormulaRefusals, TellWhatIsWrongAtWhichColumn) {
  EXPECT_EQ(status(with_statement("y[m, n] = a[m, n] + b[n]")), 0);
  for (const auto& [text, message] : kStatements) {
    EXPECT_EQ(refusal(with_statement(text)), std::string(message) + "\n");
    EXPECT_EQ(status(with_statement(text)), 2) << text;
  }
}

}  // namespace
}  // namespace selvage
