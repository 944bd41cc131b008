// Gathers of whole tensors: index_select, take_along, embedding.
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/op_shapes.h>

#include <string>
#include <utility>

namespace selvage {

namespace {

// x at `subscripts`, where subscript `axis` is the element of idx at `at`.
Tensor gathered(const std::string& op, Tensor x, Tensor idx, std::size_t axis,
                const std::vector<Expr>& indices, const std::vector<Expr>& shape,
                const std::vector<Expr>& subscripts, const std::vector<Expr>& at,
                const Outside& outside) {
  Fusion& f = x.fusion();
  std::optional<ValueId> otherwise;
  if (!outside.mode()) otherwise = filling_of(op, x, outside.value());
  const ValueId index = element_of(idx, at);
  const Expr extent = shape_of(x)[axis];
  ReadAt read;
  for (std::size_t a = 0; a < subscripts.size(); ++a) {
    if (a != axis) {
      read.add(subscripts[a]);
    } else if (otherwise) {
      read.add_filled(f, index, extent);
    } else {
      read.add(index_value(f, index, extent, *outside.mode()));
    }
  }
  return f.compute("", indices, shape, read.read(f, x.id(), otherwise), x.type());
}

Tensor selected(const std::string& op, Tensor x, int axis, Tensor idx, const Outside& outside) {
  check_one_fusion(op, x, idx);
  const std::size_t k = axes_of(op, x, {axis}).front();
  check_index_of(op, idx);
  Fusion& f = x.fusion();
  const std::vector<Expr> from = shape_of(x), of_idx = shape_of(idx);
  const std::vector<Expr> indices = fresh_indices(f, from.size() - 1 + of_idx.size());
  const auto begin = indices.begin();
  const auto first = std::ptrdiff_t(k), last = first + std::ptrdiff_t(of_idx.size());
  const std::vector<Expr> at(begin + first, begin + last);
  std::vector<Expr> subscripts(begin, begin + first), shape(from.begin(), from.begin() + first);
  subscripts.emplace_back();  // that of the axis
  subscripts.insert(subscripts.end(), begin + last, indices.end());
  shape.insert(shape.end(), of_idx.begin(), of_idx.end());
  shape.insert(shape.end(), from.begin() + first + 1, from.end());
  return gathered(op, x, idx, k, indices, shape, subscripts, at, outside);
}

}  // namespace

void check_index_of(const std::string& op, Tensor idx) {
  try {
    check_index(idx.type());
  } catch (const BadInput& e) {
    Diagnostic d = e.diagnostic();
    d.message = op + ": " + to_text(idx) + ": " + d.message;
    throw BadInput(std::move(d));
  }
}

Tensor index_select(Tensor x, int axis, Tensor idx, const Outside& outside) {
  return selected("index_select", x, axis, idx, outside);
}

Tensor embedding(Tensor table, Tensor idx, const Outside& outside) {
  const std::vector<Expr> shape = shape_of(table);
  if (shape.size() != 2) {
    refuse<BadInput>(
        "E511",
        "embedding: the table " + to_text(table) + " has " + std::to_string(shape.size()) + " axes",
        "give a table of two axes, or call index_select");
  }
  return selected("embedding", table, 0, idx, outside);
}

Tensor take_along(Tensor x, Tensor idx, int axis, const Outside& outside) {
  check_one_fusion("take_along", x, idx);
  const std::size_t k = axes_of("take_along", x, {axis}).front();
  check_index_of("take_along", idx);
  Fusion& f = x.fusion();
  const std::vector<Expr> from = shape_of(x), of_idx = shape_of(idx);
  const std::string what = "take_along: " + to_text(x) + " and the indices " + to_text(idx);
  if (from.size() != of_idx.size()) {
    refuse<BadInput>("E511", what + " differ in rank", "give both as many axes");
  }
  const std::vector<Expr> indices = fresh_indices(f, from.size());
  std::vector<Expr> shape, subscripts, at;
  for (std::size_t a = 0; a < from.size(); ++a) {
    const bool is_own = a == k, is_one = of_idx[a].is_const(1), repeats = from[a].is_const(1);
    shape.push_back(is_own || !is_one ? of_idx[a] : from[a]);
    subscripts.push_back(!is_own && repeats && !is_one ? f.constant(0) : indices[a]);
    at.push_back(!is_own && is_one && !repeats ? f.constant(0) : indices[a]);
    if (is_own || is_one || repeats || find_out(f, eq(from[a], of_idx[a])) != Holds::Never)
      continue;
    refuse<BadInput>(
        "E501", what + " differ along axis " + std::to_string(a),
        "make all extents but those of axis " + std::to_string(k) + " equal, or one of them 1");
  }
  return gathered("take_along", x, idx, k, indices, shape, subscripts, at, outside);
}

}  // namespace selvage
