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
    case ValueNode::Kind::Read: {
      for (Expr e : n.subscripts) items.push_back(to_string(e));
      const std::string element = f[TensorId(n.source)].name + "[" + list(items) + "]";
      return n.operands.empty() ? element : "fill(" + element + ", " + operand(0) + ")";
    }
    case ValueNode::Kind::Cast: return std::string(to_string(n.type)) + "(" + operand(0) + ")";
    case ValueNode::Kind::Search: return "search";
    case ValueNode::Kind::Check: return "check(" + operand(0) + ", " + operand(1) + ")";
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

// A tensor as its reduction: "y[m] = sum[n in N](a[m, n]) float", or as its value.
std::string tensor_text(const Fusion& f, const std::string& name) {
  const TensorInfo& t = f[*f.find(name)];
  std::string text = name + "[";
  for (Expr i : t.indices) text += (text.back() == '[' ? "" : ", ") + to_string(i);
  text += "] = ";
  if (!t.fold) return text + print(f, *t.definition);
  std::string folded;
  for (std::size_t k = 0; k < t.fold->indices.size(); ++k) {
    folded += (k == 0 ? "" : ", ") + to_string(t.fold->indices[k]) + " in " +
              to_string(f.domains()[t.fold->domains[k]].extent);
  }
  const std::string less = t.fold->correction == 0 ? "" : ", " + std::to_string(t.fold->correction);
  return text + std::string(to_string(t.fold->how)) + "[" + folded + "](" +
         print(f, *t.definition) + less + ") " + std::string(to_string(t.type));
}
// All tensors that a statement makes.
std::string tensors_of(const std::string& statement) {
  const ScheduleFile file = read(with_statement(statement));
  std::string text;
  for (std::size_t t = 0; t < file.fusion->size(); ++t) {
    const TensorInfo& info = (*file.fusion)[TensorId(t)];
    if (!info.is_input) text += (text.empty() ? "" : "; ") + tensor_text(*file.fusion, info.name);
  }
  return text;
}

TEST(Formula, AReductionFoldsOverWhatIsNotOnTheLeft) {
  EXPECT_EQ(tensors_of("y[m] = sum(a[m, n])"), "y[m] = sum[n in N](a[m, n]) float");
  EXPECT_EQ(tensors_of("y[n] = mean(a[m, n] * b[n])"),
            "y[n] = mean[m in M]((a[m, n] * b[n])) float");
  EXPECT_EQ(tensors_of("y[] = prod(a[m, n])"), "y[] = prod[m in M, n in N](a[m, n]) float");
  EXPECT_EQ(tensors_of("y[m] = sum[n](a[m, n])"), "y[m] = sum[n in N](a[m, n]) float");
  // At the end of a statement it is an element of a tensor of that name; there is none.
  const std::string text = refusal(with_statement("y[m] = sum[m]"));
  EXPECT_NE(text.find("sum"), std::string::npos) << text;
  EXPECT_NE(text.find("error["), std::string::npos) << text;
  EXPECT_EQ(tensors_of("y[] = argmax[n, m](a[m, n])"),
            "y[] = argmax[n in N, m in M](a[m, n]) int64");
  EXPECT_EQ(tensors_of("y[n] = var(b[n] + a[m, n], 3)"),
            "y[n] = var[m in M]((b[n] + a[m, n]), 3) float");
  EXPECT_EQ(tensors_of("y[n] = var(b[n] + a[m, n])"),
            "y[n] = var[m in M]((b[n] + a[m, n]), 1) float");
  EXPECT_EQ(tensors_of("y[] = sum(k[i] * i)"), "y[] = sum[i in 4]((int64(k[i]) * <i>)) int64");
}

TEST(Formula, MaxOfOneOperandFoldsAndOfTwoIsPointwise) {
  EXPECT_EQ(tensors_of("y[m] = max(a[m, n])"), "y[m] = max[n in N](a[m, n]) float");
  EXPECT_EQ(tensors_of("y[m] = max(max(a[m, n], 0))"), "y[m] = max[n in N](max(a[m, n], 0)) float");
  EXPECT_EQ(tensors_of("y[m] = min[n](max(fill(a[m, n + 1], 0), b[n]))"),
            "y[m] = min[n in N](max(fill(a[m, n + 1], 0), b[n])) float");
}

TEST(Formula, AReductionInsideAnExpressionBecomesATensorOfItsOwn) {
  EXPECT_EQ(tensors_of("y[m, n] = a[m, n] / sum[j](a[m, j])"),
            "y_sum[m] = sum[j in N](a[m, j]) float; y[m, n] = (a[m, n] / y_sum[m])");
  EXPECT_EQ(tensors_of("y[m] = max(a[m, n]) - max(b[n])"),
            "y_max[m] = max[n in N](a[m, n]) float; y_max_2[] = max[n_1 in N](b[n_1]) half; y[m] = "
            "(y_max[m] - y_max_2[])");
  EXPECT_EQ(tensors_of("y[] = sum(sum[n](a[m, n]) * 2)"),
            "y_sum[m] = sum[n in N](a[m, n]) float; y[] = sum[m in M]((y_sum[m] * 2)) float");
  EXPECT_EQ(
      tensors_of("y[m] = sum[n](a[m, n] * any(b[i] > 0))"),
      "y_any[] = any[i in N]((0 < b[i])) bool; y[m] = sum[n in N]((a[m, n] * float(y_any[]))) "
      "float");
  EXPECT_EQ(
      tensors_of("y[m] = sum(a[m, n] * any(b[i] > 0))"),
      "y_any[] = any[i in N]((0 < b[i])) bool; y[m] = sum[n in N]((a[m, n] * float(y_any[]))) "
      "float");
}

TEST(Formula, AccessModesSayWhatIsReadOutOfBounds) {
  EXPECT_EQ(value_of("y[m, n] = a[m, n] + fill(b[n + 1], 0.5)"), "(a[m, n] + fill(b[n + 1], 0.5))");
  EXPECT_EQ(value_of("y[m, n] = a[m, n] + safe(a[m - 1, n])"), "(a[m, n] + fill(a[m - 1, n], 0))");
  EXPECT_EQ(value_of("y[n] = fill(b[n], fill(b[n - N], 0))"), "fill(b[n], fill(b[n - N], 0))");
  EXPECT_EQ(value_of("y[n] = fill(b[n], a[0, n])"), "float(fill(b[n], a[0, n]))");
  EXPECT_EQ(value_of("y[n] = b[n] + b[clamped(n + 1)]"), "(b[n] + b[min(max(n + 1, 0), N - 1)])");
  EXPECT_EQ(value_of("y[n] = b[n] + b[circular(n - 1)]"), "(b[n] + b[(n - 1) % N])");
  EXPECT_EQ(value_of("y[i] = k[i] + k[mirror(i + 1)]"),
            "(k[i] + k[min(max(min((i + 1) % 8, 7 - (i + 1) % 8), 0), 3)])");
  EXPECT_EQ(value_of("y[i] = k[i] + k[reflect(i + 1)]"),
            "(k[i] + k[min(max(min((i + 1) % 6, 6 - (i + 1) % 6), 0), 3)])");
}

TEST(Formula, SafeOnAnAxisReadsZeroOutsideOfThatAxis) {
  EXPECT_EQ(value_of("y[m, n] = a[m, n] + a[safe(m - 1), n]"), "(a[m, n] + fill(a[m - 1, n], 0))");
  EXPECT_EQ(value_of("y[m, n] = a[safe(m), safe(n)]"), "fill(a[m, n], 0)");
  EXPECT_EQ(value_of("y[i] = k[i] + k[safe(i + 1)]"), "(k[i] + fill(k[i + 1], 0))");
  EXPECT_EQ(value_of("y[n] = b[n] + a[safe(n + 2), circular(n + 1)]"),
            "(b[n] + fill(a[n + 2, (n + 1) % N], 0))");
  EXPECT_EQ(value_of("y[n] = b[n] + fill(a[0, safe(n + 1)], 0.5)"),
            "(b[n] + fill(a[0, n + 1], 0.5))");
  // The other axis may not be left: where that is not proved, it is still to be.
  EXPECT_EQ(
      value_of("y[m, n] = a[m, n] + a[safe(m + 1), n + 1]"),
      "(a[m, n] + select(<0 <= m + 1 && m + 1 < M>, a[min(max(m + 1, 0), M - 1), n + 1], 0))");
  EXPECT_EQ(value_of("y[safe(i)] = k[i]"), "k[i]");
}

TEST(Formula, InfAndNanAreNumbersUnlessTheyAreNames) {
  EXPECT_EQ(value_of("y[i] = select(k[i] > 0, inf, -inf)"), "select((0 < k[i]), inf, -inf)");
  EXPECT_EQ(value_of("y[n] = max(b[n], -inf) + nan"), "(max(b[n], -inf) + nan)");
  EXPECT_EQ(value_of("y[i] = fill(b[i], inf)"), "fill(b[i], inf)");
  EXPECT_EQ(value_of("y[inf] = k[inf] * inf"), "(int64(k[inf]) * <inf>)");
  EXPECT_EQ(tensors_of("nan = sum(k[i])\n  - y[i] = k[i] - nan"),
            "nan[] = sum[i in 4](int64(k[i])) int64; y[i_1] = (int64(k[i_1]) - nan[])");
}

TEST(Formula, AScalarNeedsNoBrackets) {
  EXPECT_EQ(tensors_of("y = sum(a[m, n])"), tensors_of("y[] = sum(a[m, n])"));
  EXPECT_EQ(tensors_of("s = max(b[i])\n  - y[n] = b[n] - s"),
            "s[] = max[i in N](b[i]) half; y[n] = (b[n] - s[])");
  EXPECT_EQ(tensors_of("s[] = max(b[i])\n  - y = s * 2"),
            "s[] = max[i in N](b[i]) half; y[] = (s[] * 2)");
  // An index of that name is what it was.
  EXPECT_EQ(tensors_of("i = max(b[n])\n  - y[i] = k[i] + i"),
            "i[] = max[n in N](b[n]) half; y[i] = (int64(k[i]) + <i>)");
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
     "a.yaml:6:17: error[E504]: n is neither an index of y nor a symbol; help: put it on the left; or fold over it, such as sum(x[n])"},
    {"y[m, n] = sum(a[m, n])",
     "a.yaml:6:15: error[E314]: sum folds over no index: all that stand in it stand on the left as "
     "well; help: leave one of them out on the left, or write the operand alone"},
    {"y[m] = sum[m](a[m, n])",
     "a.yaml:6:16: error[E314]: the index m of sum[...] stands on the left in the statement 'y[m] = "
     "sum[m](a[m, n])'; help: fold over an index that is not on the left"},
    {"y[m] = sum[n](a[m, n] * b[i])",
     "a.yaml:6:31: error[E504]: i is neither an index of y nor a symbol; help: put it on the left; or "
     "fold over it, such as sum(x[i])"},
    {"y[m] = sum[n, n](a[m, n])",
     "a.yaml:6:19: error[E314]: the index n stands twice in sum[...] in the statement 'y[m] = sum[n, "
     "n](a[m, n])'; help: give every axis an index of its own"},
    {"y[m] = sum[N](a[m, N])",
     "a.yaml:6:16: error[E204]: the index N has the name of a symbol; the symbol is declared at "
     "a.yaml:2:18; help: rename one of the two"},
    {"y[m] = sum[q](a[m, 0])",
     "a.yaml:6:16: error[E317]: the extent of the index q, over which sum folds, is not known; help: "
     "read a tensor at [q] inside sum(...), or write sum[q < 3](...) for as many"},
    {"y[m] = max(a[m, 2 * n])",
     "a.yaml:6:25: error[E317]: the extent of the index n, over which max folds, is not known; help: "
     "read a tensor at [n] inside max(...), or write max[n < 3](...) for as many"},
    {"'y[m] = sum[p: 3](a[m, p])'",
     "a.yaml:6:18: error[E314]: the extent of the index p stands behind ':' in the statement 'y[m] = "
     "sum[p: 3](a[m, p])'; help: write p < 3"},
    {"y[m] = sum[p < m](a[m, p])",
     "a.yaml:6:20: error[E302]: m is an index and stands in an extent; help: write an integer, or a "
     "sum of sizes"},
    {"y[m] = sum[p < 0](a[m, p])",
     "a.yaml:6:20: error[E403]: the extent of p is 0; help: it is at least 1; a size that may be 0 is "
     "a symbol with min: 0"},
    {"y[m] = sum[p < b[0]](a[m, p])",
     "a.yaml:6:20: error[E302]: a load, b[...], stands in an extent; help: write an integer, or a "
     "sum of sizes"},
    {"y[m] = cumsum[m < 3](a[m, 0])",
     "a.yaml:6:21: error[E314]: expected ',' or ']' after the index m, found '<' in the statement "
     "'y[m] = cumsum[m < 3](a[m, 0])'; help: write plain indices in cumsum[...], such as y[m, n]"},
    {"y[m] = sum(a[m, n]) + (((any(any(any(any(any(any(any(any(any(any(any(any(any(any(any(any(1))))))))))))))))))",
     "a.yaml:6:90: error[E104]: more than 16 reductions in the statement 'y[m] = sum(a[m, n]) + "
     "(((any(any(any(any...'; help: use several statements"},
    {"y[m] = sum(a[m, n], 1)",
     "a.yaml:6:12: error[E315]: sum folds one operand, not 2 in the statement 'y[m] = sum(a[m, n], "
     "1)'; help: write sum(e), or sum[n](e) to name what it folds"},
    {"y[m] = var(a[m, n], 0.5)",
     "a.yaml:6:12: error[E315]: var folds one operand, not 2 in the statement 'y[m] = var(a[m, n], "
     "0.5)'; help: write var(e), which divides by one item less, or var(e, 0)"},
    {"y[m, n] = a[m, sum(n)]",
     "a.yaml:6:20: error[E314]: the reduction sum in a subscript in the statement 'y[m, n] = a[m, "
     "sum(n)]'; help: write a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y[m, n] = a[m, safe(2 * n)]",
     "a.yaml:6:10: error[E317]: the extent of the index n of y is not known; help: read a tensor at "
     "[n], or give y a shape under outputs"},
    {"y[m, n] = a[m, safe(m) + n]",
     "a.yaml:6:20: error[E316]: an access mode stands inside of a subscript; help: write it around "
     "the whole subscript, such as x[mirror(i + 1)]"},
    {"y[n] = fill(a[n, n], 3.0)",
     "a.yaml:6:7: error[E317]: the extent of the index n of y is not known, as axes that it may "
     "leave have M and N items; help: read a tensor at [n], or give y a shape under outputs"},
    {"y[m] = max(fill(a[m, i], 0) + fill(k[i], 0) + fill(b[i], 0))",
     "a.yaml:6:26: error[E317]: the extent of the index i, over which max folds, is not known, as "
     "axes that it may leave have N and 4 items; help: read a tensor at [i] inside max(...), or write "
     "max[i < 3](...) for as many"},
    {"y[m] = 1 - sum(fill(a[m, n], 0) + fill(b[m], 0))",
     "a.yaml:6:16: error[E317]: the extent of the index m in sum(...) is not known, as axes that it "
     "may leave have M and N items; help: read a tensor at [m]"},
    {"y[i] = k[i] ** 2",
     "a.yaml:6:17: error[E314]: there is no operator '**' in the statement 'y[i] = k[i] ** 2'; "
     "help: write pow(a, b), or a * a for a square"},
    {"y[i] = k[i] if k[i] > 0 else 0",
     "a.yaml:6:17: error[E314]: there is no '... if ... else ...' in the statement 'y[i] = k[i] if "
     "k[i] > 0 else 0'; help: write select(c, a, b) for a if c else b"},
    {"y[i] = max(k[i] if k[i] > 0 else 0, 1)",
     "a.yaml:6:21: error[E314]: there is no '... if ... else ...' in the statement 'y[i] = max(k[i] "
     "if k[i] > 0 else 0, 1)'; help: write select(c, a, b) for a if c else b"},
    {"'y[i] = (k[i] > 0 ? 1 : 2)'",
     "a.yaml:6:23: error[E314]: there is no '... ? ... : ...' in the statement 'y[i] = (k[i] > 0 ? 1 "
     ": 2)'; help: write select(c, a, b) for c ? a : b"},
    {"'y[m] = sum(a[m, :])'",
     "a.yaml:6:22: error[E314]: there are no slices with ':' in the statement 'y[m] = sum(a[m, "
     ":])'; help: write an index for each axis: sum(x[i, j]) folds over the j that is not on the "
     "left, and x[i, j + 2] begins at the third item"},
    {"'y[i] = k[1:]'",
     "a.yaml:6:16: error[E314]: there are no slices with ':' in the statement 'y[i] = k[1:]'; help: "
     "write an index for each axis: sum(x[i, j]) folds over the j that is not on the left, and x[i, "
     "j + 2] begins at the third item"},
    {"'y[m, :] = a[m, :]'",
     "a.yaml:6:11: error[E314]: there are no slices with ':' in the statement 'y[m, :] = a[m, :]'; "
     "help: write an index for each axis: sum(x[i, j]) folds over the j that is not on the left, "
     "and x[i, j + 2] begins at the third item"},
    {"y[i] = k[i] and not k[i]",
     "a.yaml:6:17: error[E314]: there is no operator 'and' in the statement 'y[i] = k[i] and not "
     "k[i]'; help: write a && b"},
    {"y[i] = (k[i] or k[i])",
     "a.yaml:6:18: error[E314]: there is no operator 'or' in the statement 'y[i] = (k[i] or "
     "k[i])'; help: write a || b"},
    {"y[i] = not k[i]",
     "a.yaml:6:12: error[E314]: there is no operator 'not' in the statement 'y[i] = not k[i]'; "
     "help: write !a"},
    {"y[i] = k[inf]",
     "a.yaml:6:14: error[E504]: inf is neither an index of y nor a symbol; help: put it on the left; or fold over it, such as sum(x[inf])"},
    {"y[fill(i)] = k[i]",
     "a.yaml:6:7: error[E314]: the access mode fill stands on the left in the statement 'y[fill(i)] "
     "= k[i]'; help: write plain indices on the left"},
    {"y[safe(i + 1)] = k[i]",
     "a.yaml:6:5: error[E317]: the shape of y, whose items are moved, is not known; help: give y a "
     "shape under outputs or shapes"},
    {"y[i] = k[safe(mirror(i + 1))]",
     "a.yaml:6:14: error[E314]: safe stands around another access mode in the statement 'y[i] = "
     "k[safe(mirror(i + 1))]'; help: leave one of the two out: what a mode brings inside is not "
     "outside any more"},
    {"y[m, n] = checked(a[m, n] + 1)",
     "a.yaml:6:15: error[E314]: checked is to read an element in the statement 'y[m, n] = "
     "checked(a[m, n] + 1)'; help: write checked(x[i + 1])"},
    {"y[m, n] = mirror(a[m, n])",
     "a.yaml:6:15: error[E314]: mirror stands outside of a subscript in the statement 'y[m, n] = "
     "mirror(a[m, n])'; help: write it around a subscript, such as x[mirror(i + 1)]"},
    {"y[m, n] = a[m, mirror(n) + 1]",
     "a.yaml:6:20: error[E316]: an access mode stands inside of a subscript; help: write it around "
     "the whole subscript, such as x[mirror(i + 1)]"},
    {"y[m, n] = fill(a[m, n] + 1, 0)",
     "a.yaml:6:15: error[E314]: fill is to read an element in the statement 'y[m, n] = fill(a[m, n] "
     "+ 1, 0)'; help: write fill(x[i + 1], 0)"},
    {"y[m, n] = fill(a[m, n])",
     "a.yaml:6:15: error[E315]: fill takes 2 operands, not 1 in the statement 'y[m, n] = fill(a[m, "
     "n])'; help: give it as many"},
    {"y[i] = fill(k[i], 0.5)",
     "a.yaml:6:23: error[E319]: elements of k are int32, and what fills them is float; help: write "
     "int32(...) around what fills them, or cast k in a statement of its own"},
    {"y[m, n] = a[m, clamped(n)]",
     "a.yaml:6:10: error[E317]: the extent of the index n of y is not known; help: read a tensor at "
     "[n], or give y a shape under outputs"},
    {"y[i] = b[mirror(k[i])]",
     "a.yaml:6:14: error[E390]: the access mode mirror of a load is not supported yet; help: write "
     "clamped, safe, checked or unchecked around it"},
    {"y[n] = b[unchecked(n)]",
     "a.yaml:6:14: error[E390]: the access mode unchecked in a subscript without a load is not "
     "supported yet; help: write safe(x[...]) or fill(x[...], v) around the element"},
    {"y[n] = b[b[n]]",
     "a.yaml:6:14: error[E516]: a subscript that is a value of type half cannot be an index; help: "
     "cast it to an integer type, such as int32"},
    {"y[i] = b[k[i] < 2]",
     "a.yaml:6:19: error[E316]: the subscript is not affine in the indices; help: "
     "use sums of indices, integers and sizes, and products with integers and sizes, "
     "such as 2 * i + 1"},
    {"y[i] = b[clamped(k[i]) + 1]",
     "a.yaml:6:14: error[E316]: an access mode stands inside of a subscript; help: write it around "
     "the whole subscript, such as x[mirror(i + 1)]"},
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
     "a.yaml:6:5: error[E317]: the shape of y, whose items are moved, is not known; help: give y a "
     "shape under outputs or shapes"},
    {"y[clamped(m), n] = a[m, n]",
     "a.yaml:6:7: error[E314]: the access mode clamped of a store would bring two items to one "
     "element in the statement 'y[clamped(m), n] = a[m, n]'; help: write safe around the index, which "
     "drops what is outside"},
    {"y[m, m] = a[m, m]",
     "a.yaml:6:10: error[E314]: the index m stands twice on the left in the statement "
     "'y[m, m] = a[m, m]'; help: give every axis an index of its own"},
    {"y = a[m, n]",
     "a.yaml:6:11: error[E504]: m is neither an index of y nor a symbol; help: put it on the left; or fold over it, such as sum(x[m])"},
    {"y < 1",
     "a.yaml:6:7: error[E314]: expected '[' after y, found '<' in the statement 'y < 1'; help: write "
     "a statement such as y[m, n] = relu(a[m, n] + b[n])"},
    {"y = y + sum(k[i])",
     "a.yaml:6:9: error[E318]: y is read before it is computed; help: give the result another name"},
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
