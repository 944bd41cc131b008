#include <selvage/base/check.h>
#include <selvage/ir/complex_arithmetic.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace selvage {

using Number = ComplexArithmetic::Number;

bool ComplexArithmetic::is_real(Function f) {
  return f == Function::Abs || f == Function::Eq || f == Function::Ne;
}

bool ComplexArithmetic::has(Function f) {
  constexpr Function kComplex[] = {Function::Add, Function::Sub, Function::Mul,   Function::TrueDiv,
                                   Function::Neg, Function::Exp, Function::Select};
  return is_real(f) || std::ranges::find(kComplex, f) != std::end(kComplex);
}

Number ComplexArithmetic::choose(Part part, Number real, Number imag) {
  if (part == Part::Other) std::swap(real, imag);
  return make(Function::Select, {is_own_real(), real, imag});
}

Number ComplexArithmetic::part_of(const Operand& a, Part part) {
  if (a.is_complex || part == Part::Real) return a.part(part);
  if (part == Part::Imag) return constant(0);
  const Number real = a.part(Part::Real);
  return choose(part, real, constant(0));
}

Number ComplexArithmetic::from_parts(const Operand& real, const Operand& imag, Part part) {
  if (part == Part::Real) return real.part(Part::Real);
  if (part == Part::Imag) return imag.part(Part::Real);
  const Number first = real.part(Part::Real), second = imag.part(Part::Real);
  return choose(part, first, second);
}

// -i * (x + i*y) = y - i*x
Number ComplexArithmetic::turned(const Operand& a, Part part) {
  if (part == Part::Real) return part_of(a, Part::Imag);
  if (part == Part::Imag) return make(Function::Neg, {part_of(a, Part::Real)});
  const Number other = part_of(a, part == Part::Own ? Part::Other : Part::Own);
  return choose(part, other, make(Function::Neg, {other}));
}

Number ComplexArithmetic::conj(const Operand& a, Part part) {
  const Number same = part_of(a, part);
  if (!a.is_complex || part == Part::Real) return same;
  const Number negative = make(Function::Neg, {same});
  if (part == Part::Imag) return negative;
  return choose(part, same, negative);
}

Number ComplexArithmetic::product(const Operand& a, const Operand& b, Part part) {
  if (!a.is_complex) return make(Function::Mul, {a.part(Part::Real), part_of(b, part)});
  if (!b.is_complex) return make(Function::Mul, {part_of(a, part), b.part(Part::Real)});
  const Number straight = make(Function::Mul, {part_of(a, Part::Real), part_of(b, part)});
  const Number crossed = make(Function::Mul, {part_of(a, Part::Imag), turned(b, part)});
  return make(Function::Sub, {straight, crossed});
}

Number ComplexArithmetic::quotient(const Operand& a, const Operand& b, Part part) {
  const Number straight = part_of(a, part);
  if (!b.is_complex) return make(Function::TrueDiv, {straight, b.part(Part::Real)});
  const Number crossed = turned(a, part);
  const Number real = b.part(Part::Real), imag = b.part(Part::Imag);
  const Number is_real_great =
      make(Function::Le, {make(Function::Abs, {imag}), make(Function::Abs, {real})});
  const auto either = [&](Number first, Number second) {
    return make(Function::Select, {is_real_great, first, second});
  };
  const Number great = either(real, imag), small = either(imag, real);
  const Number ratio = make(Function::TrueDiv, {small, great});
  const auto sum = [&](Number first, Number second) {
    return make(Function::Add, {first, make(Function::Mul, {second, ratio})});
  };
  return make(Function::TrueDiv,
              {sum(either(straight, crossed), either(crossed, straight)), sum(great, small)});
}

// The greater part times sqrt(1 + ratio^2), which does not overflow on the way.
Number ComplexArithmetic::magnitude(const Operand& a) {
  const Number real = make(Function::Abs, {part_of(a, Part::Real)});
  if (!a.is_complex) return real;
  const Number imag = make(Function::Abs, {part_of(a, Part::Imag)});
  const Number great = make(Function::Max, {real, imag}), small = make(Function::Min, {real, imag});
  const Number ratio = make(Function::TrueDiv, {small, great});
  const Number square = make(Function::Add, {constant(1), make(Function::Mul, {ratio, ratio})});
  const Number usual = make(Function::Mul, {great, make(Function::Sqrt, {square})});
  const Number is_zero = make(Function::Eq, {great, constant(0)});
  // Infinite also where the other part is NaN, as C's hypot has it.
  const Number is_infinite =
      make(Function::Or, {make(Function::IsInf, {real}), make(Function::IsInf, {imag})});
  return make(Function::Select, {is_infinite, constant(std::numeric_limits<double>::infinity()),
                                 make(Function::Select, {is_zero, great, usual})});
}

Number ComplexArithmetic::exponential(const Operand& a, Part part) {
  const Number size = make(Function::Exp, {part_of(a, Part::Real)});
  const Number angle = part_of(a, Part::Imag);
  const auto cosine = [&] { return make(Function::Cos, {angle}); };
  const auto sine = [&] { return make(Function::Sin, {angle}); };
  if (part == Part::Real) return make(Function::Mul, {size, cosine()});
  if (part == Part::Imag) return make(Function::Mul, {size, sine()});
  return make(Function::Mul, {size, choose(part, cosine(), sine())});
}

Number ComplexArithmetic::apply(Function f, const std::vector<Operand>& operands, Part part) {
  SELVAGE_CHECK(has(f));
  const auto part_of_each = [&](Part p) {
    std::vector<Number> parts;
    for (const Operand& o : operands) parts.push_back(part_of(o, p));
    return parts;
  };
  if (f == Function::Add || f == Function::Sub || f == Function::Neg) {
    return make(f, part_of_each(part));
  }
  if (f == Function::Mul) return product(operands[0], operands[1], part);
  if (f == Function::TrueDiv) return quotient(operands[0], operands[1], part);
  if (f == Function::Abs) return magnitude(operands[0]);
  if (f == Function::Exp) return exponential(operands[0], part);
  if (f == Function::Select) {
    return make(
        f, {operands[0].part(Part::Real), part_of(operands[1], part), part_of(operands[2], part)});
  }
  return make(f == Function::Eq ? Function::And : Function::Or,
              {make(f, part_of_each(Part::Real)), make(f, part_of_each(Part::Imag))});
}

}  // namespace selvage
