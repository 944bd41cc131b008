// Operations that are made of those of ir/ops.h and mean what PyTorch's functions of these names
// mean: each adds several tensors to the fusion of its operands, which a schedule sees as they are.
// Integers and bools are brought to float first; half and bfloat16 are carried in float from the
// first step to the last. Axes are counted as in ir/ops.h, and refused by the name of the
// composite (BadInput E510); the rest is refused by the name of the operation inside.
#pragma once

#include <selvage/ir/ops.h>

#include <optional>

namespace selvage {

// exp(x - m) / sum(exp(x - m)), m = max(x) along the axis. A row that is -inf throughout, or has an
// inf, is NaN.
Tensor softmax(Tensor x, int axis);
// x - m - log(sum(exp(x - m)))
Tensor log_softmax(Tensor x, int axis);
// m + log(sum(exp(x - m))) over the axes (all of them if none are given), m = max(x), or 0 where
// that is infinite: of -inf alone and of no items -inf, with an inf among the items inf. It is one
// fold, in one pass: reduce(Reduction::LogSumExp, x, axes).
Tensor logsumexp(Tensor x, Axes axes = {}, bool keepdim = false);

// (x - mean) / sqrt(variance + eps) over the axes, the variance divided by all the items; then
// times `weight`, plus `bias`, which broadcast to x where they are given.
Tensor layer_norm(Tensor x, Axes axes, std::optional<Tensor> weight = {},
                  std::optional<Tensor> bias = {}, double eps = 1e-5);
// x / sqrt(mean(x * x) + eps) over the axes, then times `weight`.
Tensor rms_norm(Tensor x, Axes axes, std::optional<Tensor> weight, double eps);

// The least item that is not below half of the items over the axes (all of them if none are given):
// of an even number of items the lower one of the middle two; with a NaN among them NaN. For each
// item it is counted how many are not above it, n * n comparisons for n items, and nothing is
// sorted or stored. Types stay.
Tensor median(Tensor x, Axes axes = {}, bool keepdim = false);

// `value` where the mask holds, else x. Types meet as in select.
Tensor masked_fill(Tensor x, Tensor mask, Operand value);

}  // namespace selvage
