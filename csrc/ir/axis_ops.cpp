// Operations on axes alone: their order, their indices, repeating them, those of extent 1.
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/op_shapes.h>

#include <algorithm>

namespace selvage {

Tensor transpose(Tensor a, std::vector<int> order) {
  Fusion& f = a.fusion();
  const std::vector<Expr> shape = shape_of(a);
  std::vector<int> axes = order;
  std::sort(axes.begin(), axes.end());
  for (std::size_t k = 0; k < std::max(axes.size(), shape.size()); ++k) {
    if (axes.size() == shape.size() && axes[k] == int(k)) continue;
    std::string text;
    for (int axis : order) text += (text.empty() ? "" : ", ") + std::to_string(axis);
    refuse<BadInput>("E507",
                     "{" + text + "} is no order of the " + std::to_string(shape.size()) +
                         " axes of " + to_text(a),
                     "name every axis from 0 on once");
  }
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  std::vector<Expr> subscripts(shape.size()), extents(shape.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    subscripts[std::size_t(order[k])] = indices[k];
    extents[k] = shape[std::size_t(order[k])];
  }
  return f.compute("", indices, extents, element_of(a, std::move(subscripts)));
}

Tensor iota(Fusion& f, std::vector<Extent> asked, int axis) {
  std::vector<Expr> shape;
  for (const Extent& e : asked) shape.push_back(e.in(f));
  const auto rank = std::int64_t(shape.size()), k = axis < 0 ? axis + rank : axis;
  if (k < 0 || k >= rank) {
    refuse<BadInput>(
        "E510", "iota: the shape " + to_text(shape) + " has no axis " + std::to_string(axis),
        rank == 0
            ? "give a shape of at least one axis"
            : "name an axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
  }
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  return f.compute("", indices, shape, f.values().index(indices[std::size_t(k)]));
}

Tensor broadcast_to(Tensor x, std::vector<Extent> asked) {
  Fusion& f = x.fusion();
  const std::vector<Expr> shape = shape_of(x);
  std::vector<Expr> extents;
  for (const Extent& e : asked) extents.push_back(e.in(f));
  const std::string what = "broadcast_to: " + to_text(x) + " and the shape " + to_text(extents);
  if (extents.size() < shape.size()) {
    refuse<BadInput>("E511",
                     what + ": there are fewer extents than the " + std::to_string(shape.size()) +
                         " axes of the tensor",
                     "give at least one extent for each axis");
  }
  const std::size_t more = extents.size() - shape.size();
  const std::vector<Expr> indices = fresh_indices(f, extents.size());
  std::vector<Expr> subscripts;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    Expr& n = extents[k];
    if (n.is_const(-1)) {
      if (k < more) {
        refuse<BadInput>("E511", what + ": extent " + std::to_string(k) + " keeps no axis",
                         "write a number or a size where an axis is new");
      }
      n = shape[k - more];
    }
    if (k < more) continue;
    const Expr own = shape[k - more];
    const bool is_repeated = own.is_const(1) && !n.is_const(1);
    if (!is_repeated && !same(own, n) && find_out(f, eq(own, n)) == Holds::Never) {
      refuse<BadInput>("E501", what + ": " + to_string(own) + " and " + to_string(n) + " differ",
                       "only an axis of extent 1 is repeated; axes are aligned at the last one");
    }
    subscripts.push_back(is_repeated ? f.constant(0) : indices[k]);
  }
  return f.compute("", indices, extents, element_of(x, std::move(subscripts)));
}

Tensor expand(Tensor x, std::vector<Extent> shape) { return broadcast_to(x, std::move(shape)); }

Tensor squeeze(Tensor x, Axes axes) {
  Fusion& f = x.fusion();
  const std::vector<Expr> shape = shape_of(x);
  const std::vector<std::size_t> named = axes_of("squeeze", x, axes);
  for (std::size_t k : named) {
    if (shape[k].is_const(1)) continue;
    refuse<BadInput>("E511",
                     "squeeze: axis " + std::to_string(k) + " of " + to_text(x) + " has extent " +
                         to_string(shape[k]) + ", not 1",
                     "name axes whose extent is the number 1");
  }
  std::vector<Expr> indices, extents, subscripts;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool is_named = std::find(named.begin(), named.end(), k) != named.end();
    if (is_named || (axes.empty() && shape[k].is_const(1))) {
      subscripts.push_back(f.constant(0));
      continue;
    }
    indices.push_back(f.fresh_index("i" + std::to_string(indices.size())));
    extents.push_back(shape[k]);
    subscripts.push_back(indices.back());
  }
  return f.compute("", indices, extents, element_of(x, std::move(subscripts)));
}

Tensor unsqueeze(Tensor x, int axis) {
  Fusion& f = x.fusion();
  std::vector<Expr> shape = shape_of(x);
  const auto rank = std::int64_t(shape.size());
  const std::int64_t at = axis < 0 ? axis + rank + 1 : axis;
  if (at < 0 || at > rank) {
    refuse<BadInput>(
        "E510", "unsqueeze: no axis of " + to_text(x) + " can become axis " + std::to_string(axis),
        "name a place from " + std::to_string(-rank - 1) + " to " + std::to_string(rank));
  }
  const std::vector<Expr> indices = fresh_indices(f, shape.size() + 1);
  std::vector<Expr> subscripts = indices;
  subscripts.erase(subscripts.begin() + at);
  shape.insert(shape.begin() + at, f.constant(1));
  return f.compute("", indices, shape, element_of(x, std::move(subscripts)));
}

}  // namespace selvage
