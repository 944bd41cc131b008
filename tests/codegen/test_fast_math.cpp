// Functions that are computed fast: what is written, and how far the results are off.
#include <selvage/ir/composites.h>
#include <selvage/ir/element.h>
#include <selvage/lower/program.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "../support/counts.h"
#include "../support/special_values.h"
#include "../support/text_files.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kItems = 1024;

struct Pointwise {
  explicit Pointwise(const std::function<Tensor(Tensor a, Tensor b)>& value,
                     Math math = Math::Fast) {
    f.set_math(math);
    const Tensor a = f.input("a", {f.constant(kItems)}, DataType::Float);
    const Tensor b = f.input("b", {f.constant(kItems)}, DataType::Float);
    f.output("y", value(a, b) + b * 0);
    program = lower(f);
  }
  const Kernel& kernel() const { return program.steps[0].variants[0]; }
  std::string text() const { return cuda(kernel()).text; }

  Fusion f;
  Program program;
};

struct FastFunction {
  Function function;
  double least, most;  // of operands that are drawn
};
constexpr FastFunction kFast[] = {
    {Function::TrueDiv, -1e3, 1e3}, {Function::Reciprocal, -1e3, 1e3}, {Function::Sqrt, 0, 1e6},
    {Function::Rsqrt, 1e-6, 1e6},   {Function::Exp, -87, 88},          {Function::Exp2, -126, 127},
    {Function::Log, 1e-6, 1e6},     {Function::Log2, 1e-6, 1e6},       {Function::Tanh, -12, 12},
    {Function::Sigmoid, -87, 87},   {Function::Silu, -80, 80},         {Function::GeluTanh, -9, 9}};

TEST(FastMath, TheBoundsAreThoseOfThePage) {
  const std::string page = contents(kRepository / "doc/values.md");
  for (const auto& [function, least, most] : kFast) {
    const std::string name(function == Function::TrueDiv ? "a / b" : info(function).text);
    const std::size_t at = page.find("\n" + (function == Function::Log2 ? "log, log2" : name) +
                                         (function == Function::Log ? ", log2" : "") + " ",
                                     page.find("function      exact"));
    ASSERT_NE(at, std::string::npos) << name;
    std::istringstream line(page.substr(at + 15, 60));
    double exact = 0, fast = 0;
    std::string more;
    line >> exact >> fast;
    std::getline(line, more);
    const double slope = more.starts_with(" + 0.75|a|") ? 0.75 : 0;
    EXPECT_EQ(fast_error(function, 1, 1), 2 * (fast + slope)) << name;
    EXPECT_EQ(fast_error(function, 3, 3), 2 * (fast + 3 * slope)) << name;
  }
}

double exactly(Function f, double a, double b) {
  const Scalar operands[] = {Scalar::of(a), Scalar::of(b)};
  return apply(f, std::span(operands, std::size_t(info(f).arity))).real;
}

// The text in which each approximation of the GPU is off by as much as PTX says, up or down.
std::string with_errors(std::string text, bool up) {
  const auto replace = [&](const std::string& what, const char* sign, double by) {
    const std::size_t at = text.find("return " + what + ";");
    if (at == std::string::npos) return;
    const double error = up ? by : -by;
    const double operand = *sign == '*' ? 1 + error : error;
    text.replace(at + 7, what.size(), fmt::format("{} {} {:.12f}f", what, sign, operand));
  };
  replace("exp2f(x)", "*", 0x1p-22 / std::sqrt(2.0));
  replace("log2f(x)", "+", 0x1p-22);
  replace("1.0f / x", "*", 0x1p-23);
  replace("sqrtf(x)", "*", 0x1p-23);
  replace("1.0f / sqrtf(x)", "*", 0x1p-22 / std::pow(2.0, 0.9));
  return text;
}

TEST(FastMath, ResultsAreWithinTheBounds) {
  std::mt19937_64 random(37);
  for (const auto& [function, least, most] : kFast) {
    const Pointwise p(
        [f = function](Tensor a, Tensor b) { return info(f).arity == 2 ? a / b : apply(f, {a}); });
    std::uniform_real_distribution<double> draw(least, most);
    for (int run = 0; run < count(3, 300); ++run) {
      std::vector<Array> arrays = arrays_for(p.kernel(), {});
      for (std::int64_t k = 0; k < kItems; ++k) {
        arrays[0].set(k, draw(random));
        arrays[1].set(k, draw(random));
      }
      const CudaText text = cuda(p.kernel());
      const TextLaunch launch(p.kernel(), {}, arrays);
      KernelSource source = source_of(text);
      if (run % 3 != 0) source.text = with_errors(source.text, run % 3 == 1);
      VirtualKernel(source).launch(launch.shape, launch.arguments, 7);
      for (std::int64_t k = 0; k < kItems; ++k) {
        const double a = arrays[0].get(k), b = arrays[1].get(k);
        const double expected = exactly(function, a, b), actual = arrays[2].get(k);
        const double bound =
            fast_error(function, a, b) * 0x1p-24 * std::max(1.0, std::abs(expected));
        ASSERT_NEAR(actual, expected, bound) << info(function).text << " of " << a << ", " << b;
      }
    }
  }
}

TEST(FastMath, InfinitiesAndNaNGiveWhatTheyGiveExactly) {
  for (const auto& [function, least, most] : kFast) {
    const Pointwise p(
        [f = function](Tensor a, Tensor b) { return info(f).arity == 2 ? a / b : apply(f, {a}); });
    std::vector<Array> arrays = arrays_for(p.kernel(), {});
    const double some[] = {kInfinity, -kInfinity, kNaN, 0.0, 1.0};
    for (std::int64_t k = 0; k < kItems; ++k) {
      arrays[0].set(k, some[k % 5]);
      arrays[1].set(k, 2);
    }
    run_text(p.kernel(), {}, arrays);
    for (std::int64_t k = 0; k < 4; ++k) {
      const double expected = exactly(function, some[k], 2), actual = arrays[2].get(k);
      const bool is_same = std::isnan(expected) ? std::isnan(actual) : actual == expected;
      EXPECT_TRUE(is_same) << info(function).text << " of " << some[k] << " is " << expected
                           << ", not " << actual;
    }
  }
}

TEST(FastMath, SingleFunctionsAreFastWhereTheySaySo) {
  const auto text = [](const std::function<Tensor(Tensor, Tensor)>& value) {
    return Pointwise(value, Math::Exact).text();
  };
  EXPECT_THAT(text([](Tensor a, Tensor b) { return exp(a) / b; }), Not(HasSubstr("approx")));
  const std::string quotient = text([](Tensor a, Tensor b) { return fast(exp(a) / b); });
  EXPECT_THAT(quotient, HasSubstr("fast_quotient(expf("));
  const std::string power = text([](Tensor a, Tensor b) { return fast(exp(a)) / b; });
  EXPECT_THAT(power, HasSubstr("fast_exp("));
  EXPECT_THAT(power, Not(HasSubstr("fast_quotient(")));
  EXPECT_THAT(text([](Tensor a, Tensor) { return fast(sin(a)); }), HasSubstr("sinf("));
}

TEST(FastMath, AProductIsNotRoundedBeforeItIsAddedTo) {
  const auto text = [](Math math) {
    return Pointwise([](Tensor a, Tensor b) { return a * b - a; }, math).text();
  };
  EXPECT_THAT(text(Math::Exact), Not(HasSubstr("fmaf")));
  EXPECT_THAT(text(Math::Fast), HasSubstr("fmaf("));
}

TEST(FastMath, DoublesAreExact) {
  Fusion f;
  f.set_math(Math::Fast);
  const Tensor x = f.input("x", {f.constant(8)}, DataType::Double);
  f.output("y", exp(x) / 3 + x * x);
  EXPECT_THAT(cuda(lower(f)), Not(HasSubstr("approx")));
}

}  // namespace
}  // namespace selvage
