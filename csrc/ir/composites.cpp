#include <selvage/ir/composites.h>
#include <selvage/ir/op_shapes.h>

#include <numeric>

namespace selvage {

namespace {

Tensor as_real(Tensor x) {
  return is_floating(x.fusion()[x.id()].type) ? x : cast(x, DataType::Float);
}

Axes all_axes(Tensor x) {
  Axes axes(shape_of(x).size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Of the items along axes, as far as their numbers are known.
double bytes_along(Tensor x, const Axes& axes) {
  const std::vector<Expr> shape = shape_of(x);
  double bytes = size_of(x.fusion()[x.id()].type);
  for (int axis : axes) {
    const Expr extent = shape[std::size_t(axis < 0 ? axis + int(shape.size()) : axis)];
    if (extent.is(Op::Const)) bytes *= double(extent.value());
  }
  return bytes;
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
  if (axes.empty()) axes = all_axes(x);
  const Tensor real = as_real(x);
  if (bytes_along(real, axes) >= double(kMostKeptBytes)) {
    return reduce(Reduction::LogSumExp, real, axes, keep);
  }
  const Tensor most = max(real, axes, keepdim);
  const Tensor shift = select(isinf(most), 0, most);
  const Tensor total = log(sum(exp(real - shift), axes, keepdim)) + shift;
  return keep || axes.empty() ? total : squeeze(total, axes);
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

Tensor masked_fill(Tensor x, Tensor mask, Operand value) { return select(mask, value, x); }

}  // namespace selvage
