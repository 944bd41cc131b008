// Statements with reductions and access modes, by the reference interpreter beside plain loops.
#include <selvage/emulate/reference.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/simplifier.h>
#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace selvage {
namespace {

using namespace schedule_files;

Array counted(std::vector<std::int64_t> shape, std::int64_t first = 1) {
  Array a(DataType::Float, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, double(first + k));
  return a;
}

std::vector<double> numbers(const Array& a) {
  std::vector<double> list;
  for (std::int64_t k = 0; k < a.size(); ++k) list.push_back(a.get(k));
  return list;
}

// The outputs of a file, in the order of its statements.
std::vector<Array> run(const std::string& text, const Sizes& sizes,
                       const std::map<std::string, Array>& inputs) {
  const ScheduleFile file = read(text);
  return run_reference(*file.fusion, sizes, inputs);
}

// One output of a[N] = 1, 2, 3, ...
std::vector<double> of_row(const std::string& statement, std::int64_t n,
                           const std::string& outputs = "") {
  return numbers(run("inputs: {a: {shape: [N], dtype: float}}\n" + outputs + "compute:\n  - " +
                         statement + "\n",
                     {{"N", n}}, {{"a", counted({n})}})
                     .at(0));
}

TEST(Statement, ASoftmaxInOneStatementOrInFour) {
  const std::string inputs = "inputs: {x: {shape: [M, N], dtype: float}}\ncompute:\n";
  const std::string one =
      inputs +
      "  - y[m, n] = exp(x[m, n] - max[j](x[m, j])) / sum[j](exp(x[m, j] - max[k](x[m, k])))\n";
  const std::string four = inputs +
                           "  - h[m] = max(x[m, n])\n  - e[m, n] = exp(x[m, n] - h[m])\n"
                           "  - s[m] = sum(e[m, n])\n  - y[m, n] = e[m, n] / s[m]\n";
  Array x(DataType::Float, {3, 5});
  for (std::int64_t k = 0; k < 15; ++k) x.set(k, double(k * 7 % 11) / 4);
  const Sizes sizes = {{"M", 3}, {"N", 5}};
  const std::vector<double> y = numbers(run(four, sizes, {{"x", x}}).at(0));
  EXPECT_EQ(numbers(run(one, sizes, {{"x", x}}).at(0)), y);
  for (std::int64_t m = 0; m < 3; ++m) {
    double most = x.get(m * 5), sum = 0;
    for (std::int64_t n = 0; n < 5; ++n) most = std::max(most, x.get(m * 5 + n));
    for (std::int64_t n = 0; n < 5; ++n) sum += std::exp(x.get(m * 5 + n) - most);
    for (std::int64_t n = 0; n < 5; ++n) {
      EXPECT_NEAR(y[std::size_t(m * 5 + n)], std::exp(x.get(m * 5 + n) - most) / sum, 1e-6);
    }
  }
}

TEST(Statement, AMatrixProduct) {
  const Array c =
      run("inputs: {a: {shape: [M, K], dtype: float}, b: {shape: [K, N], dtype: float}}\n"
          "compute:\n  - c[m, n] = sum(a[m, k] * b[k, n])\n",
          {{"M", 2}, {"N", 3}, {"K", 2}}, {{"a", counted({2, 2})}, {"b", counted({2, 3})}})[0];
  EXPECT_EQ(numbers(c), (std::vector<double>{9, 12, 15, 19, 26, 33}));
}

TEST(Statement, EveryReductionByItsName) {
  const std::vector<std::pair<const char*, double>> cases = {{"sum", 10},
                                                             {"prod", 24},
                                                             {"max", 4},
                                                             {"min", 1},
                                                             {"mean", 2.5},
                                                             {"any", 1},
                                                             {"all", 1},
                                                             {"argmax", 3},
                                                             {"argmin", 0},
                                                             {"fmax", 4},
                                                             {"fmin", 1},
                                                             {"var", 5.0F / 3},
                                                             {"logsumexp", 4.4401897F}};
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(of_row("y[] = " + std::string(name) + "(a[n])", 4), std::vector<double>{expected});
  }
  EXPECT_EQ(of_row("y[] = var(a[n], 0)", 4), std::vector<double>{1.25});
}

TEST(Statement, AConcatenationByFills) {
  const std::string text =
      "inputs: {a: {shape: [N], dtype: float}, b: {shape: [M], dtype: float}}\n"
      "outputs: {y: {shape: [N + M]}}\n"
      "compute:\n  - y[i] = fill(a[i], fill(b[i - N], 0))\n";
  const Array y =
      run(text, {{"N", 2}, {"M", 3}}, {{"a", counted({2})}, {"b", counted({3}, 3)}}).at(0);
  EXPECT_EQ(y, counted({5}));
  EXPECT_TRUE(read(text).fusion->launch_checks().empty());
}

TEST(Statement, ASliceBySubscripts) {
  EXPECT_EQ(
      of_row("y[i] = a[i + 2]", 5, "symbols: {N: {min: 3}}\noutputs: {y: {shape: [N - 2]}}\n"),
      (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(of_row("y[i] = a[2 * i + 1]", 6, "outputs: {y: {shape: [3]}}\n"),
            (std::vector<double>{2, 4, 6}));
}

// As a view would, by quotients and remainders of sizes.
TEST(Statement, AReshapeBySubscripts) {
  const std::string text =
      "inputs: {a: {shape: [M, N], dtype: float}}\noutputs: {y: {shape: [M * N]}}\n"
      "compute:\n  - y[i] = a[i // N, i % N]\n";
  EXPECT_EQ(run(text, {{"M", 3}, {"N", 5}}, {{"a", counted({3, 5})}}).at(0), counted({15}));
  const auto with = [](const std::string& subscript) {
    return refusal("inputs: {a: {shape: [9], dtype: float}}\ncompute:\n  - y[i] = a[" + subscript +
                   "] + a[i]\n");
  };
  EXPECT_EQ(
      with("i // 0"),
      "a.yaml:3:16: error[E316]: the subscript is not affine in the indices; help: use sums of "
      "indices, integers and sizes, and products with integers and sizes, such as 2 * i + 1\n");
  EXPECT_EQ(
      with("8 % (i + 1)"),
      "a.yaml:3:16: error[E316]: the subscript is not affine in the indices; help: use sums of "
      "indices, integers and sizes, and products with integers and sizes, such as 2 * i + 1\n");
  EXPECT_EQ(with("i // 2"), "accepted");
}

// An axis that is filled tells its extent only where no other does, and equates nothing.
TEST(Statement, FilledAxesMayBeShorter) {
  const std::string text =
      "inputs: {a: {shape: [4], dtype: float}, b: {shape: [6], dtype: float}}\n"
      "compute:\n  - y[i] = fill(a[i], -1) + b[i]\n";
  EXPECT_EQ(numbers(run(text, {}, {{"a", counted({4})}, {"b", counted({6})}}).at(0)),
            (std::vector<double>{2, 4, 6, 8, 4, 5}));
}

TEST(Statement, AccessModesGoOnPastTheEnds) {
  // Where index i - 4 of 0 .. n - 1 is read.
  using Place = std::function<std::int64_t(std::int64_t, std::int64_t)>;
  const auto wrap = [](std::int64_t x, std::int64_t n) { return ((x % n) + n) % n; };
  const std::vector<std::pair<const char*, Place>> modes = {
      {"clamped", [](auto x, auto n) { return std::min(std::max<std::int64_t>(x, 0), n - 1); }},
      {"circular", wrap},
      {"mirror",
       [&](auto x, auto n) {
         const std::int64_t there = wrap(x, 2 * n);
         return there < n ? there : 2 * n - 1 - there;
       }},
      {"reflect", [&](auto x, auto n) {
         if (n == 1) return std::int64_t{0};
         const std::int64_t there = wrap(x, 2 * n - 2);
         return there < n ? there : 2 * n - 2 - there;
       }}};
  for (const auto& [mode, place] : modes) {
    for (std::int64_t n : {1, 2, 3, 31}) {
      const std::vector<double> y = of_row("y[i] = a[" + std::string(mode) + "(i - 4)]", n,
                                           "outputs: {y: {shape: [N + 9]}}\n");
      std::vector<double> expected;
      for (std::int64_t i = 0; i < n + 9; ++i) expected.push_back(double(place(i - 4, n) + 1));
      EXPECT_EQ(y, expected) << mode << " " << n;
    }
  }
  EXPECT_EQ(of_row("y[i] = safe(a[i - 1]) + fill(a[i + 1], 9) + 0 * a[i]", 3),
            (std::vector<double>{2, 4, 11}));
}

// So lowering needs no guard for them.
TEST(Statement, RemappedSubscriptsAreProvedToBeInBounds) {
  for (const char* mode : {"clamped", "circular", "mirror", "reflect"}) {
    for (const char* extent : {"N", "7", "2 * N"}) {
      const ScheduleFile file = read("inputs: {a: {shape: [\"" + std::string(extent) +
                                     "\"], dtype: float}}\noutputs: {y: {shape: [M]}}\n"
                                     "symbols: {N: {}, M: {}}\ncompute:\n  - y[i] = a[" +
                                     mode + "(i - 4)]\n");
      const Fusion& f = *file.fusion;
      const TensorInfo& y = f[*f.find("y")];
      const ValueNode& element = f.values()[*y.definition];
      Facts facts = *f.facts();
      facts.loop(y.indices[0], f.domains()[y.logical[0]].extent);
      Simplifier simplifier(facts);
      const Expr x = element.subscripts[0], n = f.shape(TensorId(element.source))[0];
      EXPECT_TRUE(simplifier.proves(0 <= x && x < n)) << to_string(x) << " < " << to_string(n);
    }
  }
}

}  // namespace
}  // namespace selvage
