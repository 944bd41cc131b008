// Complex tensors in statements: random formulas beside std::complex, and what is refused.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/emulate/reference.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <cmath>
#include <complex>
#include <functional>

namespace selvage {
namespace {

using namespace schedule_files;
using Number = std::complex<double>;

// The arrays that formulas read: a[M, N] and b[N] are complex, r[M] is real; no |b[j]| is above
// 1.5.
struct Read {
  std::int64_t m, n;
  std::vector<Number> a, b;
  std::vector<double> r;
  Number at(std::int64_t i, std::int64_t j) const { return a[std::size_t(i * n + j)]; }
};

// A formula over the indices i and j, as text and as what it means.
struct Formed {
  std::string text;
  std::function<Number(const Read&, std::int64_t, std::int64_t)> value;
};

class RandomFormula {
 public:
  explicit RandomFormula(SplitMix64& random) : random_(random) {}

  Formed make(int depth) {
    if (depth == 0) return leaf();
    const Formed u = make(depth - 1);
    switch (random_.next() % 11) {
      case 0: return both(u, make(depth - 1), "+", std::plus<Number>());
      case 1: return both(u, make(depth - 1), "-", std::minus<Number>());
      case 2: return both(u, make(depth - 1), "*", std::multiplies<Number>());
      case 3: {
        const Formed divisor = {"(complex(1, 2) - b[j])", [](const Read& x, auto, auto j) {
                                  return Number(1, 2) - x.b[std::size_t(j)];
                                }};
        return both(u, divisor, "/", std::divides<Number>());
      }
      case 4: return one("-(", u, std::negate<Number>());
      case 5: return one("conj(", u, [](Number z) { return std::conj(z); });
      case 6: {
        const auto bounded = [](Number z) { return std::exp(z / (1 + std::abs(z))); };
        return one("exp(", {u.text + " / (1 + abs(" + u.text + "))", u.value},
                   [bounded](Number z) { return bounded(z); });
      }
      case 7: return one("complex64(", u, [](Number z) { return z; });
      case 8: {
        const Formed v = make(depth - 1);
        return {
            "select(r[i] > 0 || " + u.text + " == " + v.text + ", " + u.text + ", " + v.text + ")",
            [u, v](const Read& x, auto i, auto j) {
              return x.r[std::size_t(i)] > 0 ? u.value(x, i, j) : v.value(x, i, j);
            }};
      }
      case 9: {
        const Formed v = make(depth - 1);
        return {"complex(imag(" + u.text + "), abs(" + v.text + "))",
                [u, v](const Read& x, auto i, auto j) {
                  return Number(u.value(x, i, j).imag(), std::abs(v.value(x, i, j)));
                }};
      }
      default: return one("", window(u), [](Number z) { return z; });
    }
  }

 private:
  Formed leaf() {
    switch (random_.next() % 8) {
      case 6:
        return {"a[mirror(i - 1), j]", [](const Read& x, auto i, auto j) {
                  return x.at(std::max(i - 1, std::int64_t(0)), j);
                }};
      case 7:
        return {"b[reflect(j + 1)]", [](const Read& x, auto, auto j) {
                  return x.b[std::size_t(j + 1 < x.n ? j + 1 : std::max(x.n - 2, std::int64_t(0)))];
                }};
      case 0: return {"a[i, j]", [](const Read& x, auto i, auto j) { return x.at(i, j); }};
      case 1:
        return {"a[i, circular(j + 2)]",
                [](const Read& x, auto i, auto j) { return x.at(i, (j + 2) % x.n); }};
      case 2: return {"b[j]", [](const Read& x, auto, auto j) { return x.b[std::size_t(j)]; }};
      case 3:
        return {"r[i]", [](const Read& x, auto i, auto) { return Number(x.r[std::size_t(i)]); }};
      case 4:
        return {"fill(a[i + 1, j], complex(0.5, -2))", [](const Read& x, auto i, auto j) {
                  return i + 1 < x.m ? x.at(i + 1, j) : Number(0.5, -2);
                }};
      default:
        return {"safe(a[i, j - 1])",
                [](const Read& x, auto i, auto j) { return j > 0 ? x.at(i, j - 1) : Number(0); }};
    }
  }
  // sum over k < 3 of b, clamped, times what does not know of k.
  Formed window(const Formed& u) {
    return {"sum[k < 3](b[clamped(j + k)] * a[i, clamped(j - k)]) + " + u.text,
            [u](const Read& x, auto i, auto j) {
              Number sum = u.value(x, i, j);
              for (std::int64_t k = 0; k < 3; ++k) {
                sum += x.b[std::size_t(std::min(j + k, x.n - 1))] *
                       x.at(i, std::max(j - k, std::int64_t(0)));
              }
              return sum;
            }};
  }
  static Formed one(const std::string& head, const Formed& u,
                    const std::function<Number(Number)>& f) {
    return {(head.empty() ? "(" : head) + u.text + ")",
            [u, f](const Read& x, auto i, auto j) { return f(u.value(x, i, j)); }};
  }
  static Formed both(const Formed& u, const Formed& v, const std::string& sign,
                     const std::function<Number(Number, Number)>& f) {
    return {
        "(" + u.text + " " + sign + " " + v.text + ")",
        [u, v, f](const Read& x, auto i, auto j) { return f(u.value(x, i, j), v.value(x, i, j)); }};
  }

  SplitMix64& random_;
};

void expect_as_in_std(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SplitMix64 random(seed);
  const bool is_symbolic = random.next() % 2 == 0;
  Read x{1 + std::int64_t(random.next() % 4), 1 + std::int64_t(random.next() % 70), {}, {}, {}};
  const auto drawn = [&] { return double(std::int64_t(random.next() % 201) - 100) / 100; };
  Array a(DataType::Float, {x.m, x.n, 2}), b(DataType::Float, {x.n, 2}), r(DataType::Float, {x.m});
  const auto fill = [&](Array& array, std::vector<Number>& numbers) {
    for (std::int64_t k = 0; k < array.size(); ++k) array.set(k, drawn());
    for (std::int64_t k = 0; k < array.size(); k += 2) {
      numbers.emplace_back(array.get(k), array.get(k + 1));
    }
  };
  fill(a, x.a);
  fill(b, x.b);
  for (std::int64_t k = 0; k < x.m; ++k) {
    r.set(k, drawn());
    x.r.push_back(r.get(k));
  }
  const Formed formula = RandomFormula(random).make(1 + int(random.next() % 3));
  SCOPED_TRACE(formula.text);
  const auto extent = [&](const char* name, std::int64_t n) {
    return is_symbolic ? std::string(name) : std::to_string(n);
  };
  const std::string m = extent("M", x.m), n = extent("N", x.n);
  const ScheduleFile file = read(
      "inputs:\n"
      "  a: {shape: [" +
      m + ", " + n +
      "], dtype: complex64}\n"
      "  b: {shape: [" +
      n +
      "], dtype: complex64}\n"
      "  r: {shape: [" +
      m +
      "], dtype: float}\n"
      "outputs: {y: {shape: [" +
      m + ", " + n +
      "], dtype: complex64}, s: {}}\n"
      "compute:\n"
      "  - y[i, j] = " +
      formula.text +
      "\n"
      "  - s[i] = mean(y[i, j])\n"
      "schedule: auto\n");
  const Program program = lower(*file.schedule);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  std::map<std::string, std::int64_t> sizes;
  if (is_symbolic) sizes = {{"M", x.m}, {"N", x.n}};
  const RunResult result = run(*file.fusion, program,
                               {.sizes = sizes,
                                .inputs = {{"a", a}, {"b", b}, {"r", r}},
                                .on = Machine::Emulate,
                                .on_all = true});
  EXPECT_TRUE(result.passed());
  const Array& y = result.outputs.at("y");
  const Array& s = result.outputs.at("s");
  ASSERT_EQ(y.shape, a.shape);
  ASSERT_EQ(s.shape, (std::vector<std::int64_t>{x.m, 2}));
  const auto expect_near = [](const Array& array, std::int64_t k, Number wanted) {
    const Number found(array.get(2 * k), array.get(2 * k + 1));
    EXPECT_LE(std::abs(found - wanted), 2e-5 * (1 + std::abs(wanted)))
        << "item " << k << ": " << found << ", not " << wanted;
  };
  for (std::int64_t i = 0; i < x.m; ++i) {
    Number sum = 0;
    for (std::int64_t j = 0; j < x.n; ++j) {
      const Number wanted = formula.value(x, i, j);
      expect_near(y, i * x.n + j, wanted);
      sum += wanted;
    }
    expect_near(s, i, sum / double(x.n));
  }
}

TEST(ComplexFiles, RandomFormulasAreThoseOfStdComplex) {
  const int formulas = count(40, 2'000);
  for (int seed = 1; seed <= formulas && !testing::Test::HasFailure(); ++seed) {
    expect_as_in_std(std::uint64_t(seed));
  }
}

std::vector<double> parts_of(const std::string& text, const std::vector<double>& z) {
  const ScheduleFile file = read("inputs: {z: {shape: [N], dtype: complex64}}\n" + text);
  Array array(DataType::Float, {std::int64_t(z.size()) / 2, 2});
  for (std::size_t k = 0; k < z.size(); ++k) array.set(std::int64_t(k), z[k]);
  std::vector<double> all;
  for (const Array& y : run_reference(*file.fusion, {{"N", array.shape[0]}}, {{"z", array}})) {
    for (std::int64_t k = 0; k < y.size(); ++k) all.push_back(y.get(k));
  }
  return all;
}

TEST(ComplexFiles, HaveTheFunctionsOfNumPy) {
  using List = std::vector<double>;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parts_of("compute: [\"y[i] = abs(z[i])\"]\n", {3, -4, 0, 0, -0.0, 2}), (List{5, 0, 2}));
  // Where the squares do not fit into a float.
  EXPECT_EQ(parts_of("compute: [\"y[i] = abs(z[i])\"]\n", {3e30, 4e30, inf, std::nan("")}),
            (List{float(5e30), inf}));
  EXPECT_EQ(parts_of("compute: [\"y[i] = z[i] / z[i]\"]\n", {3e30, 4e30, 1e-30, -2e-30}),
            (List{1, 0, 1, 0}));
  EXPECT_EQ(parts_of("compute: [\"y[i] = 1 / z[i]\"]\n", {0, 2, -4, 0}), (List{0, -0.5, -0.25, 0}));
  EXPECT_EQ(parts_of("compute: [\"y = sum(z[i])\", \"m = mean(z[i])\"]\n", {1, 2, 3, 8}),
            (List{4, 10, 2, 5}));
  EXPECT_EQ(parts_of("compute: [\"y[i] = cumsum[i](z[i] * complex(0, 1))\"]\n", {1, 2, 3, 8}),
            (List{-2, 1, -10, 4}));
  EXPECT_EQ(parts_of("compute: [\"y[i] = real(z[i]) - imag(z[i])\"]\n", {1, 2, 3, 8}),
            (List{-1, -5}));
  EXPECT_EQ(parts_of("compute: [\"y = all(z[i] == z[0] || z[i] != 1)\"]\n", {1, 0, 1, 8}),
            (List{1}));
  // A real result of the complex type, and one of whatever type.
  EXPECT_EQ(
      parts_of("outputs: {y: {dtype: complex64}}\ncompute: [\"y[i] = real(z[i])\"]\n", {1, 2}),
      (List{1, 0}));
  EXPECT_EQ(parts_of("compute: [\"y[i] = real(3) + conj(imag(z[i]))\"]\n", {1, 2}), (List{5}));
  // A scalar, and a store elsewhere.
  EXPECT_EQ(parts_of("compute: [\"c = sum(z[i])\", \"y[i] = z[i] - c\"]\n", {1, 2, 3, 4}),
            (List{-3, -4, -1, -2}));
  EXPECT_EQ(parts_of("outputs: {y: {shape: [4]}}\ncompute: [\"y[2 * i + 1] = conj(z[i])\"]\n",
                     {1, 2, 3, 4}),
            (List{0, 0, 1, -2, 0, 0, 3, -4}));
  EXPECT_EQ(parts_of("outputs: {y: {in_place: z}}\ncompute: [\"y[i] = z[i] * 2\"]\n", {1, 2}),
            (List{2, 4}));
  // Doubles, and what meets them.
  const ScheduleFile file = read(
      "inputs: {z: {shape: [N], dtype: complex128}, x: {shape: [N], dtype: complex64}}\n"
      "compute: [\"y[i] = z[i] * x[i]\"]\n");
  const Fusion& f = *file.fusion;
  EXPECT_EQ(f[*f.find("y")].type, DataType::Double);
  EXPECT_TRUE(f[*f.find("y")].is_complex);
  EXPECT_FALSE(read("inputs: {part: {shape: [N], dtype: float}}\n"
                    "compute: [\"y[i] = complex(part[i], 1)\"]\n")
                   .fusion->find("part_2"));
}

TEST(ComplexFiles, WhatComplexNumbersDoNotHaveIsRefused) {
  const std::string kHead =
      "inputs: {z: {shape: [N], dtype: complex64}, k: {shape: [N], dtype: int32}}\n";
  const Refused cases[] = {
      {"y[i] = select(z[i] < 1, 1, 2)", "a.yaml:3:24: error[E518]: complex numbers have no order"},
      {"y[i] = max(z[i], 1)", "a.yaml:3:12: error[E518]: complex numbers have no order"},
      {"y = max(z[i])", "a.yaml:3:9: error[E518]: complex numbers have no order"},
      {"y = argmin(z[i])", "a.yaml:3:9: error[E518]: complex numbers have no order"},
      {"y[i] = median[p < 3](z[clamped(i + p)])",
       "a.yaml:3:12: error[E518]: complex numbers have no order"},
      {"y[i] = log(z[i])", "a.yaml:3:12: error[E518]: there is no log of complex numbers"},
      {"y = prod(z[i])", "a.yaml:3:9: error[E518]: there is no prod of complex numbers"},
      {"y[i] = float(z[i])", "a.yaml:3:12: error[E518]: a complex number is cast to float"},
      {"y[i] = select(z[i], 1, 2)", "a.yaml:3:12: error[E518]: a complex number is no condition"},
      {"y[i] = complex(z[i], 1)",
       "a.yaml:3:12: error[E518]: a part of a complex number is complex itself"},
      {"y[i] = complex(k[i])", "a.yaml:3:12: error[E315]: complex takes 2 operands, not 1"},
      {"y[i] = z[i, 0]",
       "a.yaml:3:12: error[E503]: z has rank 1 and is read at 2 subscripts; help: give one "
       "subscript for each axis; a part of it is real(z[...])"},
      {"y[i] = k[z[i]]", "a.yaml:3:14: error[E516]: the subscript reads z, which is complex"},
      {"y[n] = compact(z[i], k[i] > 0)",
       "a.yaml:3:12: error[E518]: compact of complex numbers is not supported yet"},
  };
  for (const Refused& c : cases) {
    const std::string said = refusal(kHead + "compute:\n  - " + c.text + "\n");
    EXPECT_EQ(said.substr(0, std::string(c.message).size()), c.message) << c.text << "\n" << said;
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  }
  EXPECT_EQ(refusal(kHead + "outputs: {y: {dtype: float}}\ncompute: [\"y[i] = z[i]\"]\n"),
            "a.yaml:3:12: error[E518]: y is complex, and what is said of it under outputs is real; "
            "help: write dtype: complex64 there, or take real(...), imag(...) or abs(...) here\n");
}

}  // namespace
}  // namespace selvage
