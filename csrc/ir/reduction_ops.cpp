// Reductions: index notation over more indices than the result has.
#include <selvage/base/refuse.h>
#include <selvage/ir/op_shapes.h>

#include <algorithm>

namespace selvage {

Tensor reduce(Reduction how, Tensor x, Axes axes, bool keep, std::int64_t correction) {
  Fusion& f = x.fusion();
  const std::string op(to_string(how));
  const std::vector<Expr> shape = shape_of(x);
  std::vector<std::size_t> folded = axes_of(op, x, axes);
  if (folded.empty()) {
    for (std::size_t k = 0; k < shape.size(); ++k) folded.push_back(k);
  }
  if (correction < 0) {
    refuse<BadInput>("E511",
                     op + ": a correction of " + std::to_string(correction) + " for " + to_text(x),
                     "give a correction of at least 0");
  }
  Fusion::FoldRequest fold{.how = how, .indices = {}, .shape = {}, .correction = correction};
  std::vector<Expr> indices, extents, subscripts;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Expr index = f.fresh_index("i" + std::to_string(k));
    subscripts.push_back(index);
    if (std::find(folded.begin(), folded.end(), k) == folded.end()) {
      indices.push_back(index);
      extents.push_back(shape[k]);
      continue;
    }
    fold.indices.push_back(index);
    fold.shape.push_back(shape[k]);
    if (!keep) continue;
    indices.push_back(f.fresh_index("one" + std::to_string(k)));
    extents.push_back(f.constant(1));
  }
  // The one item of a scalar.
  if (fold.indices.empty()) {
    fold.indices.push_back(f.fresh_index("one"));
    fold.shape.push_back(f.constant(1));
  }
  return f.compute_fold("", indices, extents, std::move(fold), element_of(x, subscripts));
}

Tensor scan(Reduction how, Tensor x, int axis) {
  Fusion& f = x.fusion();
  const std::string op = scan_name(how);
  const std::vector<Expr> shape = shape_of(x);
  const std::size_t along = axes_of(op, x, {axis})[0];
  std::vector<Expr> indices;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    indices.push_back(f.fresh_index("i" + std::to_string(k)));
  }
  Fusion::FoldRequest fold{.how = how, .indices = {}, .shape = {}, .scanned = indices[along]};
  return f.compute_fold("", indices, shape, std::move(fold), element_of(x, indices));
}

Tensor cumsum(Tensor x, int axis) { return scan(Reduction::Sum, x, axis); }
Tensor cumprod(Tensor x, int axis) { return scan(Reduction::Prod, x, axis); }
Tensor cummax(Tensor x, int axis) { return scan(Reduction::Max, x, axis); }
Tensor cummin(Tensor x, int axis) { return scan(Reduction::Min, x, axis); }

Tensor sum(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Sum, x, axes, keep); }
Tensor prod(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Prod, x, axes, keep); }
Tensor max(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Max, x, axes, keep); }
Tensor min(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Min, x, axes, keep); }
Tensor fmax(Tensor x, Axes axes, bool keep) { return reduce(Reduction::FMax, x, axes, keep); }
Tensor fmin(Tensor x, Axes axes, bool keep) { return reduce(Reduction::FMin, x, axes, keep); }
Tensor mean(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Mean, x, axes, keep); }
Tensor variance(Tensor x, Axes axes, bool keep, std::int64_t correction) {
  return reduce(Reduction::Variance, x, axes, keep, correction);
}
Tensor any(Tensor x, Axes axes, bool keep) { return reduce(Reduction::Any, x, axes, keep); }
Tensor all(Tensor x, Axes axes, bool keep) { return reduce(Reduction::All, x, axes, keep); }
Tensor argmax(Tensor x, Axes axes, bool keep) { return reduce(Reduction::ArgMax, x, axes, keep); }
Tensor argmin(Tensor x, Axes axes, bool keep) { return reduce(Reduction::ArgMin, x, axes, keep); }

}  // namespace selvage
