#include <selvage/ir/composites.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/op_shapes.h>

#include <algorithm>

namespace selvage {

namespace {

Tensor as_real(Tensor x) {
  return is_floating(x.fusion()[x.id()].type) ? x : cast(x, DataType::Float);
}

// x less the greatest item along the axis.
Tensor shifted(const std::string& op, Tensor x, int axis) {
  axes_of(op, x, {axis});
  const Tensor real = as_real(x);
  return real - max(real, {axis}, keepdim);
}

}  // namespace

Tensor softmax(Tensor x, int axis) {
  const Tensor power = exp(shifted("softmax", x, axis));
  return power / sum(power, {axis}, keepdim);
}

Tensor log_softmax(Tensor x, int axis) {
  const Tensor less = shifted("log_softmax", x, axis);
  return less - log(sum(exp(less), {axis}, keepdim));
}

Tensor logsumexp(Tensor x, Axes axes, bool keep) {
  axes_of("logsumexp", x, axes);
  return reduce(Reduction::LogSumExp, as_real(x), axes, keep);
}

Tensor layer_norm(Tensor x, Axes axes, std::optional<Tensor> weight, std::optional<Tensor> bias,
                  double eps) {
  axes_of("layer_norm", x, axes);
  const Tensor real = as_real(x);
  Tensor y = (real - mean(real, axes, keepdim)) * rsqrt(variance(real, axes, keepdim, 0) + eps);
  if (weight) y = y * *weight;
  return bias ? y + *bias : y;
}

Tensor rms_norm(Tensor x, Axes axes, std::optional<Tensor> weight, double eps) {
  axes_of("rms_norm", x, axes);
  const Tensor real = as_real(x);
  const Tensor y = real * rsqrt(mean(real * real, axes, keepdim) + eps);
  return weight ? y * *weight : y;
}

Tensor median(Tensor x, Axes axes, bool keep) {
  Fusion& f = x.fusion();
  std::vector<std::size_t> folded = axes_of("median", x, axes);
  const std::vector<Expr> shape = shape_of(x);
  for (std::size_t k = 0; axes.empty() && k < shape.size(); ++k) folded.push_back(k);
  if (folded.empty()) return x;
  Fusion::FoldRequest count{.how = Reduction::Sum, .indices = {}, .shape = {}};
  std::vector<Expr> item, other;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    item.push_back(f.fresh_index("i" + std::to_string(k)));
    other.push_back(item.back());
    if (std::ranges::find(folded, k) == folded.end()) continue;
    other.back() = f.fresh_index("j" + std::to_string(k));
    count.indices.push_back(other.back());
    count.shape.push_back(shape[k]);
  }
  const Element own = read(x, item);
  const Tensor balance =
      f.compute_fold("", item, shape, std::move(count), select(read(x, other) <= own, 1.0, -1.0));
  const DataType type = f[x.id()].type;
  const Element none = cast({f, constant_of(f.values(), identity(Reduction::Min, type))}, type);
  const Element is_taken = read(balance, item) >= 0.0 || own != own;
  return min(f.compute("", item, shape, select(is_taken, own, none)), axes, keep);
}

Tensor masked_fill(Tensor x, Tensor mask, Operand value) { return select(mask, value, x); }

}  // namespace selvage
