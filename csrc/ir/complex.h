// Complex numbers, as tensors of float (NumPy's complex64) or double (complex128) whose last axis
// has two items: the real part, then the imaginary one (ir/complex_arithmetic.h).
//   const Tensor x = f.input("x", {N, f.constant(2)}, DataType::Float);
//   const Complex z = conj(Complex(x)) / 2.0;
//   f.output("y", z.parts());    // complex64, N items
//   f.output("power", abs(z));   // float, N items
#pragma once

#include <selvage/ir/ops.h>

#include <optional>

namespace selvage {

class Complex {
 public:
  // A number that meets a complex one: complex, or real as an Operand is.
  class Other;
  // Throws BadInput E511 if the last axis has not the constant extent 2, E506 if the items are no
  // floats or doubles.
  explicit Complex(Tensor parts);
  // With the last axis: what an output is made of.
  Tensor parts() const { return parts_; }

  // Pointwise, with NumPy's broadcasting of all axes but the last one. Complex numbers have no
  // order.
  friend Complex operator+(const Other& a, const Other& b) {
    return pointwise(Function::Add, a, b);
  }
  friend Complex operator-(const Other& a, const Other& b) {
    return pointwise(Function::Sub, a, b);
  }
  friend Complex operator*(const Other& a, const Other& b) {
    return pointwise(Function::Mul, a, b);
  }
  friend Complex operator/(const Other& a, const Other& b) {
    return pointwise(Function::TrueDiv, a, b);
  }
  friend Complex operator-(const Complex& a) { return pointwise(Function::Neg, a); }
  friend Tensor operator==(const Other& a, const Other& b) { return compared(Function::Eq, a, b); }
  friend Tensor operator!=(const Other& a, const Other& b) { return compared(Function::Ne, a, b); }
  friend bool operator<(const Other& a, const Other& b) = delete;
  friend bool operator<=(const Other& a, const Other& b) = delete;
  friend bool operator>(const Other& a, const Other& b) = delete;
  friend bool operator>=(const Other& a, const Other& b) = delete;

  // One of the two is complex.
  static Complex pointwise(Function f, const Other& a, const Other& b);
  static Complex pointwise(Function f, const Complex& z);
  static Tensor compared(Function f, const Other& a, const Other& b);

 private:
  Tensor parts_;
};

class Complex::Other {
 public:
  Other(const Complex& z) : complex_(z) {}
  Other(Tensor real) : real_(real) {}
  template <std::integral Number>
  Other(Number n) : real_(n) {}
  template <std::floating_point Number>
  Other(Number n) : real_(n) {}
  const std::optional<Complex>& complex() const { return complex_; }
  const Operand& real() const { return real_; }

 private:
  std::optional<Complex> complex_ = {};
  Operand real_ = 0;
};

Complex complex(Tensor real, Tensor imag);
Tensor real(const Complex& z);
Tensor imag(const Complex& z);
Complex conj(const Complex& z);
Tensor abs(const Complex& z);
Complex exp(const Complex& z);
Complex select(Tensor condition, const Complex& a, const Complex& b);
// Over `axes` of the numbers, all of them if none are given, as in ir/ops.h.
Complex sum(const Complex& z, Axes axes = {}, bool keepdim = false);
Complex mean(const Complex& z, Axes axes = {}, bool keepdim = false);

}  // namespace selvage
