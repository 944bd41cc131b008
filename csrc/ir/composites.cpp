#include <selvage/ir/composites.h>
#include <selvage/ir/op_shapes.h>

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

Tensor masked_fill(Tensor x, Tensor mask, Operand value) { return select(mask, value, x); }

}  // namespace selvage
