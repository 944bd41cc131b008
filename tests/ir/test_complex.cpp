// Complex tensors in C++, beside std::complex.
#include <selvage/emulate/reference.h>
#include <selvage/ir/complex.h>

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

using StdComplex = std::complex<double>;

TEST(Complex, OperationsAreThoseOfStdComplex) {
  constexpr std::int64_t kM = 3, kN = 5;
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Expr two = f.constant(2);
  const Complex a(f.input("a", {M, N, two}, DataType::Double));
  const Complex b(f.input("b", {N, two}, DataType::Double));
  const Tensor r = f.input("r", {M, f.constant(1)}, DataType::Double);

  std::mt19937_64 random(11);
  const auto filled = [&](std::vector<std::int64_t> shape) {
    Array array(DataType::Double, std::move(shape));
    for (std::int64_t k = 0; k < array.size(); ++k) {
      array.set(k, double(std::int64_t(random() % 201) - 100) / 16);
    }
    return array;
  };
  const std::map<std::string, Array> inputs = {
      {"a", filled({kM, kN, 2})}, {"b", filled({kN, 2})}, {"r", filled({kM, 1})}};
  const auto at = [&](const char* name, std::int64_t k) {
    return StdComplex(inputs.at(name).get(2 * k), inputs.at(name).get(2 * k + 1));
  };

  struct Case {
    Tensor made;
    StdComplex (*wanted)(StdComplex a, StdComplex b, double r);
  };
  const auto complex_ones = std::vector<Case>{
      {(a + b).parts(), [](StdComplex x, StdComplex y, double) { return x + y; }},
      {(a - 2).parts(), [](StdComplex x, StdComplex, double) { return x - 2.0; }},
      {(r * a).parts(), [](StdComplex x, StdComplex, double z) { return x * z; }},
      {(a * b).parts(), [](StdComplex x, StdComplex y, double) { return x * y; }},
      {(a / b).parts(), [](StdComplex x, StdComplex y, double) { return x / y; }},
      {(1.5 / b + a).parts(), [](StdComplex x, StdComplex y, double) { return 1.5 / y + x; }},
      {(-a / r).parts(), [](StdComplex x, StdComplex, double z) { return -x / z; }},
      {(conj(a) * conj(b)).parts(),
       [](StdComplex x, StdComplex y, double) { return std::conj(x * y); }},
      {exp(a * 0.125).parts(),
       [](StdComplex x, StdComplex, double) { return std::exp(x * 0.125); }},
      {select(r > 0, a, a * b).parts(),
       [](StdComplex x, StdComplex y, double z) { return z > 0 ? x : x * y; }},
      {complex(imag(a), real(a) * 2).parts(),
       [](StdComplex x, StdComplex, double) { return StdComplex(x.imag(), x.real() * 2); }},
      {complex(abs(a), select(a == a, 1.0, 0.0)).parts(),
       [](StdComplex x, StdComplex, double) { return StdComplex(std::abs(x), 1); }},
  };
  for (std::size_t k = 0; k < complex_ones.size(); ++k) {
    f.output("y" + std::to_string(k), complex_ones[k].made);
  }
  f.output("s", sum(a, {0}).parts());
  f.output("m", mean(a).parts());
  const std::vector<Array> outputs = run_reference(f, {{"M", kM}, {"N", kN}}, inputs);
  const auto expect_near = [](const Array& array, std::int64_t k, StdComplex wanted) {
    const StdComplex found(array.get(2 * k), array.get(2 * k + 1));
    EXPECT_LE(std::abs(found - wanted), 1e-13 * (1 + std::abs(wanted))) << found << " " << wanted;
  };
  for (std::size_t c = 0; c < complex_ones.size(); ++c) {
    SCOPED_TRACE("case " + std::to_string(c));
    for (std::int64_t i = 0; i < kM; ++i) {
      for (std::int64_t j = 0; j < kN; ++j) {
        const double z = inputs.at("r").get(i);
        expect_near(outputs[c], i * kN + j,
                    complex_ones[c].wanted(at("a", i * kN + j), at("b", j), z));
      }
    }
  }
  StdComplex all = 0;
  for (std::int64_t j = 0; j < kN; ++j) {
    StdComplex column = 0;
    for (std::int64_t i = 0; i < kM; ++i) column += at("a", i * kN + j);
    expect_near(outputs[complex_ones.size()], j, column);
    all += column;
  }
  expect_near(outputs.back(), 0, all / double(kM * kN));
}

TEST(Complex, WhatIsNoneIsRefused) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor row = f.input("row", {N}, DataType::Float);
  const Tensor whole = f.input("whole", {N, f.constant(2)}, DataType::Int32);
  EXPECT_EQ(bad_input([&] { Complex{row}; }),
            "selvage: error[E511]: row[N] has no last axis of two items; help: give it one, for "
            "the real and the "
            "imaginary part");
  EXPECT_EQ(bad_input([&] { Complex{whole}; }),
            "selvage: error[E506]: the parts of complex numbers are int32; help: cast them to "
            "float or double");
  const Complex z(f.input("z", {N, f.constant(2)}, DataType::Float));
  EXPECT_EQ(bad_input([&] { sum(z, {1}); }),
            "selvage: error[E510]: sum: z[N, 2] has no axis 1 beside that of its parts; help: name "
            "axes of the numbers, "
            "from 0 on");
}

}  // namespace
}  // namespace selvage
