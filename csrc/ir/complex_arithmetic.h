#pragma once

#include <selvage/ir/scalar.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace selvage {

// Complex numbers lie in memory as NumPy and C++ have them: the real part, then the imaginary one.
// So a complex tensor is a tensor of floats with a last axis of two items, and each item of that
// axis is one part of a number. What that part is follows from the parts of the operands:
//   a + b   the same part of each, added
//   a * b   re(a) * part(b) - im(a) * turned(b)
//   a / b   (x + y*r) / (s + t*r), where s is that part of b which is not the smaller one, t the
//           other, r = t / s, and x and y are part(a) and turned(a), in the order of s and t:
//           Smith's method, which overflows only where the quotient does (CACM 5(8), 1962)
// where turned(z) is the same part of -i*z.
class ComplexArithmetic {
 public:
  // Own: that of the item, along the axis of the parts; Other: the one that is not.
  enum class Part : std::uint8_t { Real, Imag, Own, Other };
  using Number = std::uint32_t;  // a real number that the derived class has made
  struct Operand {
    bool is_complex = false;
    std::function<Number(Part)> part = {};  // of a real number: asked for Real alone
  };

  virtual ~ComplexArithmetic() = default;

  // Whether complex numbers have the function: they have no order, and not every function of the
  // real ones.
  static bool has(Function f);
  // Whether its result is a real number or a truth, of whatever operands.
  static bool is_real(Function f);
  // One part of f(operands). Of a function whose result is real, that is the result: part Real.
  Number apply(Function f, const std::vector<Operand>& operands, Part part);
  Number conj(const Operand& a, Part part);
  // One part of any number, real or complex.
  Number part_of(const Operand& a, Part part);
  // One part of the number that has these parts.
  Number from_parts(const Operand& real, const Operand& imag, Part part);

 protected:
  virtual Number make(Function f, std::vector<Number> operands) = 0;
  virtual Number constant(double v) = 0;
  virtual Number is_own_real() = 0;  // a truth: whether Own is the real part
  // Of two values the one that is this part, Own or Other, of what has them as its parts.
  Number choose(Part part, Number real, Number imag);

 private:
  Number turned(const Operand& a, Part part);
  Number product(const Operand& a, const Operand& b, Part part);
  Number quotient(const Operand& a, const Operand& b, Part part);
  Number magnitude(const Operand& a);
  Number exponential(const Operand& a, Part part);
};

}  // namespace selvage
