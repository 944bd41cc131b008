#include <selvage/base/number_text.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/random_ops.h>

namespace selvage {

namespace {

ValueId value_of_seed(Fusion& f, Function function, const Operand& seed) {
  if (const auto* n = std::get_if<std::int64_t>(&seed.value())) return literal(f.values(), *n);
  if (const auto* x = std::get_if<double>(&seed.value())) return literal(f.values(), *x);
  const Tensor t = std::get<Tensor>(seed.value());
  const std::string op(info(function).text);
  if (&t.fusion() != &f) {
    refuse<BadInput>("E508", op + ": the seed " + to_text(t) + " belongs to another fusion",
                     "make it an input of this one");
  }
  if (!shape_of(t).empty()) {
    refuse<BadInput>("E511", op + ": the seed " + to_text(t) + " has axes",
                     "give an integer, or a tensor without axes");
  }
  return element_of(t, {});
}

// The function of the seed and the row-major number of the item.
ValueId numbered(Fusion& f, Function function, const std::vector<Expr>& indices,
                 const std::vector<Expr>& shape, const Operand& seed) {
  const ValueId of = value_of_seed(f, function, seed);
  Expr number = f.constant(0);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    number = k == 0 ? indices[k] : number * shape[k] + indices[k];
  }
  return f.values().apply(function, {of, f.values().index(number)});
}

Tensor numbers(Fusion& f, Function function, const std::vector<Extent>& asked,
               const Operand& seed) {
  std::vector<Expr> shape;
  for (const Extent& e : asked) shape.push_back(e.in(f));
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  return f.compute("", indices, shape, numbered(f, function, indices, shape, seed));
}

}  // namespace

Tensor random_bits(Fusion& f, std::vector<Extent> shape, Operand seed) {
  return numbers(f, Function::RandomBits, shape, seed);
}
Tensor random_uniform(Fusion& f, std::vector<Extent> shape, Operand seed) {
  return numbers(f, Function::RandomUniform, shape, seed);
}
Tensor random_normal(Fusion& f, std::vector<Extent> shape, Operand seed) {
  return numbers(f, Function::RandomNormal, shape, seed);
}

Tensor dropout(Tensor x, double p, Operand seed) {
  if (!(p >= 0 && p <= 1)) {
    refuse<BadInput>("E511",
                     "dropout: " + shortest(p) + " is no share of the items of " + to_text(x),
                     "give a p from 0 to 1");
  }
  Fusion& f = x.fusion();
  ValueGraph& values = f.values();
  const std::vector<Expr> shape = shape_of(x), indices = fresh_indices(f, shape.size());
  const ValueId drawn = numbered(f, Function::RandomUniform, indices, shape, seed);
  const ValueId is_kept = values.apply(Function::Le, {literal(values, p), drawn});
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  const ValueId scaled =
      values.apply(Function::Mul, {element_of(x, indices), literal(values, scale)});
  return f.compute("", indices, shape,
                   values.apply(Function::Select, {is_kept, scaled, literal(values, 0.0)}));
}

}  // namespace selvage
