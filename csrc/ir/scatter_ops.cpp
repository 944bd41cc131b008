// Scatters of whole tensors.
#include <selvage/base/refuse.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/scalar.h>

#include <string>
#include <utility>

namespace selvage {

namespace {

// The shape that `source` needs: that of `into`, where the axes of the index stand for axis k.
std::vector<Expr> wanted_shape(Tensor into, std::size_t k, Tensor idx) {
  std::vector<Expr> shape = shape_of(into);
  const std::vector<Expr> of_idx = shape_of(idx);
  shape.erase(shape.begin() + std::ptrdiff_t(k));
  shape.insert(shape.begin() + std::ptrdiff_t(k), of_idx.begin(), of_idx.end());
  return shape;
}

void check_source(Fusion& f, Tensor into, std::size_t k, Tensor idx, Tensor source) {
  const std::vector<Expr> wanted = wanted_shape(into, k, idx), own = shape_of(source);
  const std::string what = "scatter_add: " + to_text(source);
  if (own.size() != wanted.size()) {
    refuse<BadInput>("E511",
                     what + " has " + std::to_string(own.size()) + " axes, not the " +
                         std::to_string(wanted.size()) + " of " + to_text(wanted),
                     "give one item for each index and each other axis of " + to_text(into));
  }
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (find_out(f, eq(own[a], wanted[a])) != Holds::Never) continue;
    refuse<BadInput>("E501",
                     what + " differs from " + to_text(wanted) + " along axis " + std::to_string(a),
                     "give one item for each index and each other axis of " + to_text(into));
  }
}

}  // namespace

Tensor scatter_add(Tensor into, int axis, Tensor idx, Tensor source) {
  check_one_fusion("scatter_add", into, idx);
  check_one_fusion("scatter_add", into, source);
  const std::size_t k = axes_of("scatter_add", into, {axis}).front();
  check_index_of("scatter_add", idx);
  Fusion& f = into.fusion();
  check_source(f, into, k, idx, source);

  const std::vector<Expr> shape = shape_of(into);
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  const std::vector<Expr> at = fresh_indices(f, idx.rank());
  std::vector<Expr> subscripts = indices;
  subscripts.erase(subscripts.begin() + std::ptrdiff_t(k));
  subscripts.insert(subscripts.begin() + std::ptrdiff_t(k), at.begin(), at.end());

  // y[b, r, c] = sum over i of select(idx[i] == r, source[b, i, c], 0): in the type of the fold, so
  // that it is rounded once, behind the addition.
  ValueGraph& values = f.values();
  const auto common = promote(into.type(), false, source.type(), false);
  if (!common) {
    refuse<BadInput>("E506",
                     "scatter_add: no integer type holds both " +
                         std::string(to_string(into.type())) + " and " +
                         std::string(to_string(source.type())),
                     "cast one of them");
  }
  const DataType type = *common;
  const DataType folded = fold_type(Reduction::Sum, compute_type(type));
  const ValueId item = values.cast(element_of(source, subscripts), folded);
  const ValueId zero = values.cast(literal(values, std::int64_t{0}), folded);
  const ValueId index = values.cast(element_of(idx, at), DataType::Int64);
  const ValueId is_here = values.apply(Function::Eq, {index, values.index(indices[k])});
  const ValueId added = values.apply(Function::Select, {is_here, item, zero});
  Tensor sums = idx.rank() == 0
                    ? f.compute("", indices, shape, added, folded)
                    : f.compute_fold("", indices, shape,
                                     {.how = Reduction::Sum, .indices = at, .shape = shape_of(idx)},
                                     added, folded);
  const std::vector<Expr> own = fresh_indices(f, shape.size());
  const ValueId sum = values.apply(
      Function::Add, {values.cast(element_of(into, own), folded), element_of(sums, own)});
  return f.compute("", own, shape, values.cast(sum, compute_type(type)), type);
}

}  // namespace selvage
