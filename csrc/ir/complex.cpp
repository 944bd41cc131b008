#include <selvage/base/refuse.h>
#include <selvage/ir/complex.h>
#include <selvage/ir/complex_arithmetic.h>
#include <selvage/ir/op_shapes.h>

#include <string>

namespace selvage {

namespace {

using Part = ComplexArithmetic::Part;

// The numbers are tensors that broadcast along the axis of the parts, or literals.
class TensorArithmetic : public ComplexArithmetic {
 public:
  explicit TensorArithmetic(Fusion& fusion) : fusion_(fusion) {}

  Operand operand(const Complex& z) {
    return {true, [this, z](Part part) { return keep(part_of_axis(z.parts(), part)); }};
  }
  // Along the axes of the numbers.
  Operand operand(const selvage::Operand& real) {
    const auto* t = std::get_if<Tensor>(&real.value());
    const Number number = t == nullptr ? keep(real) : keep(unsqueeze(*t, int(t->rank())));
    return {false, [number](Part) { return number; }};
  }
  Operand operand(const Complex::Other& o) {
    return o.complex() ? operand(*o.complex()) : operand(o.real());
  }

  Complex complex(Number own) const { return Complex(tensor(own)); }
  Tensor real(Number number) const { return squeeze(tensor(number), {-1}); }

 protected:
  Number make(Function f, std::vector<Number> operands) override {
    std::vector<selvage::Operand> of;
    for (Number n : operands) of.push_back(made_[n]);
    return keep(selvage::apply(f, std::move(of)));
  }
  Number constant(double v) override { return keep(v); }
  Number is_own_real() override { return keep(iota(fusion_, {2}) == 0); }

 private:
  Number keep(const selvage::Operand& number) {
    made_.push_back(number);
    return Number(made_.size() - 1);
  }
  Tensor tensor(Number number) const { return std::get<Tensor>(made_[number].value()); }

  static Tensor part_of_axis(Tensor parts, Part part) {
    if (part == Part::Own) return parts;
    if (part != Part::Other) {
      const int k = part == Part::Real ? 0 : 1;
      return slice(parts, -1, k, k + 1);
    }
    Fusion& f = parts.fusion();
    const std::vector<Expr> indices = fresh_indices(f, parts.rank());
    std::vector<Expr> at = indices;
    at.back() = f.constant(1) - at.back();
    return f.compute("", indices, shape_of(parts), element_of(parts, std::move(at)));
  }

  Fusion& fusion_;
  std::vector<selvage::Operand> made_;
};

// One of the two is complex.
Fusion& fusion_of(const Complex::Other& a, const Complex::Other& b) {
  return (a.complex() ? *a.complex() : *b.complex()).parts().fusion();
}

// The axes of the numbers as axes of the tensor of their parts.
Axes without_parts(const std::string& op, const Complex& z, const Axes& axes) {
  Axes own;
  if (axes.empty()) {
    for (std::size_t k = 0; k + 1 < z.parts().rank(); ++k) own.push_back(int(k));
    return own;
  }
  for (int axis : axes) {
    const int rank = int(z.parts().rank()) - 1;
    if (axis >= rank || axis < -rank) {
      refuse<BadInput>("E510",
                       op + ": " + to_text(z.parts()) + " has no axis " + std::to_string(axis) +
                           " beside that of its parts",
                       "name axes of the numbers, from 0 on");
    }
    own.push_back(axis < 0 ? axis + rank : axis);
  }
  return own;
}

}  // namespace

Complex::Complex(Tensor parts) : parts_(parts) {
  const std::vector<Expr> shape = parts.shape();
  if (shape.empty() || !shape.back().is_const(2)) {
    refuse<BadInput>("E511", to_text(parts) + " has no last axis of two items",
                     "give it one, for the real and the imaginary part");
  }
  if (parts.type() != DataType::Float && parts.type() != DataType::Double) {
    refuse<BadInput>("E506",
                     "the parts of complex numbers are " + std::string(to_string(parts.type())),
                     "cast them to float or double");
  }
  parts.fusion().edit(parts.id()).is_complex = true;
}

Complex Complex::pointwise(Function f, const Other& a, const Other& b) {
  TensorArithmetic numbers(fusion_of(a, b));
  return numbers.complex(numbers.apply(f, {numbers.operand(a), numbers.operand(b)}, Part::Own));
}

Tensor Complex::compared(Function f, const Other& a, const Other& b) {
  TensorArithmetic numbers(fusion_of(a, b));
  return numbers.real(numbers.apply(f, {numbers.operand(a), numbers.operand(b)}, Part::Real));
}

Complex Complex::pointwise(Function f, const Complex& z) {
  TensorArithmetic numbers(z.parts().fusion());
  return numbers.complex(numbers.apply(f, {numbers.operand(z)}, Part::Own));
}

Complex complex(Tensor real, Tensor imag) {
  check_one_fusion("complex", real, imag);
  TensorArithmetic numbers(real.fusion());
  return numbers.complex(numbers.from_parts(numbers.operand(Operand(real)),
                                            numbers.operand(Operand(imag)), Part::Own));
}

Tensor real(const Complex& z) { return squeeze(slice(z.parts(), -1, 0, 1), {-1}); }
Tensor imag(const Complex& z) { return squeeze(slice(z.parts(), -1, 1, 2), {-1}); }

Complex conj(const Complex& z) {
  TensorArithmetic numbers(z.parts().fusion());
  return numbers.complex(numbers.conj(numbers.operand(z), Part::Own));
}

Tensor abs(const Complex& z) {
  TensorArithmetic numbers(z.parts().fusion());
  return numbers.real(numbers.apply(Function::Abs, {numbers.operand(z)}, Part::Real));
}

Complex exp(const Complex& z) { return Complex::pointwise(Function::Exp, z); }

Complex select(Tensor condition, const Complex& a, const Complex& b) {
  TensorArithmetic numbers(condition.fusion());
  return numbers.complex(numbers.apply(
      Function::Select,
      {numbers.operand(Operand(condition)), numbers.operand(a), numbers.operand(b)}, Part::Own));
}

Complex sum(const Complex& z, Axes axes, bool keepdim) {
  return Complex(sum(z.parts(), without_parts("sum", z, axes), keepdim));
}
Complex mean(const Complex& z, Axes axes, bool keepdim) {
  return Complex(mean(z.parts(), without_parts("mean", z, axes), keepdim));
}

}  // namespace selvage
