// Operations on tensors. Each adds a computed tensor to the fusion of its operands; run_reference
// (emulate/reference.h) computes what they mean.
//
// A refusal names the operation and leaves the fusion as it was (BadInput): E501 extents that
// should be equal and differ, E506 a literal that does not fit the type it meets, or bits of a
// float, E508 operands of two fusions or no tensor, E507 and E510 axes that the operand does not
// have, E511 shapes that do not fit together, E512 a slice or a pad that leaves its bounds, E516 an
// index of another type than an integer. Extents that are not known to be equal or to differ are
// checked at launch.
#pragma once

#include <selvage/ir/element.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/gather.h>

#include <concepts>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace selvage {

// An operand of a pointwise operation: a tensor, or a number, which adapts to the tensors it meets.
class Operand {
 public:
  Operand(Tensor t) : value_(t) {}
  template <std::integral Number>
  Operand(Number n) : value_(std::int64_t(n)) {}
  template <std::floating_point Number>
  Operand(Number n) : value_(double(n)) {}
  const std::variant<Tensor, std::int64_t, double>& value() const { return value_; }

 private:
  std::variant<Tensor, std::int64_t, double> value_;
};

// Pointwise operations with NumPy's broadcasting: shapes are aligned at their last axes, and an
// axis that is missing or has the constant extent 1 is repeated. At least one operand is a tensor.
// Operands are brought to their common type (promote in ir/scalar.h, as in PyTorch).
Tensor apply(Function f, std::vector<Operand> operands);
Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);  // true division: of integers a float
Tensor floor_div(Operand a, Operand b);  // Euclidean, as // in files: a == floor_div(a, b)*b + a%b
Tensor operator%(Operand a, Operand b);  // 0 <= a % b < |b|
Tensor remainder(Operand a, Operand b);  // the same
Tensor operator-(Tensor a);
Tensor operator==(Operand a, Operand b);
Tensor operator!=(Operand a, Operand b);
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);
Tensor operator&&(Operand a, Operand b);
Tensor operator||(Operand a, Operand b);
Tensor operator!(Tensor a);
Tensor min(Operand a, Operand b);  // a NaN gives NaN
Tensor max(Operand a, Operand b);
Tensor fmin(Operand a, Operand b);  // a NaN gives the other
Tensor fmax(Operand a, Operand b);
Tensor clamp(Operand x, Operand low, Operand high);  // min(max(x, low), high)
Tensor pow(Operand a, Operand b);
Tensor abs(Tensor a);
Tensor exp(Tensor a);
Tensor log(Tensor a);
Tensor tanh(Tensor a);
Tensor sqrt(Tensor a);
Tensor rsqrt(Tensor a);
Tensor floor(Tensor a);
Tensor ceil(Tensor a);
Tensor sin(Tensor a);
Tensor cos(Tensor a);
Tensor erf(Tensor a);
Tensor relu(Tensor a);
Tensor sigmoid(Tensor a);
Tensor silu(Tensor a);
Tensor gelu(Tensor a);
Tensor gelu_tanh(Tensor a);  // gelu by tanh, PyTorch's approximate="tanh"
Tensor softplus(Tensor a);   // log(1 + exp(a))
Tensor exp2(Tensor a);
Tensor expm1(Tensor a);
Tensor log2(Tensor a);
Tensor log1p(Tensor a);
Tensor reciprocal(Tensor a);
Tensor round(Tensor a);  // of two nearest integers the even one
Tensor trunc(Tensor a);
Tensor sign(Tensor a);  // of NaN 0, as PyTorch
Tensor isnan(Tensor a);
Tensor isinf(Tensor a);
Tensor isfinite(Tensor a);
// Of integers and bools. A shift by less than 0, or by as many bits as there are or more, leaves no
// bit: 0, or -1 to the right of a negative a.
Tensor bit_and(Operand a, Operand b);
Tensor bit_or(Operand a, Operand b);
Tensor bit_xor(Operand a, Operand b);
Tensor bit_not(Tensor a);
Tensor shift_left(Operand a, Operand bits);
Tensor shift_right(Operand a, Operand bits);
Tensor select(Operand condition, Operand a, Operand b);
Tensor where(Operand condition, Operand a, Operand b);  // the same, as PyTorch calls it
Tensor cast(Tensor a, DataType type);
// a, the result of a function that is computed fast where it has a fast form (ir/fast_math.h).
Tensor fast(Tensor a);

// Names a tensor for kernels, pages and messages, where it would be t0, t1, ...: named(q * k,
// "scores"). Returns the same tensor; an earlier name is replaced. E502 if the name is taken.
Tensor named(Tensor t, const std::string& name);

// Reductions over `axes` (all of them if none are given), counted from 0, or from -1 at the end.
// The result lacks these axes, or keeps them with extent 1: sum(x, {1}, keepdim). fold_type and
// result_type in ir/identity.h say the types; half and bfloat16 are folded in float.
// Over no items (an axis that is empty at launch): sum and any are 0, prod and all 1, max and min
// the lowest and the highest value of the type, argmax and argmin 0, mean and variance NaN.
inline constexpr bool keepdim = true;
using Axes = std::vector<int>;
Tensor reduce(Reduction how, Tensor x, Axes axes = {}, bool keepdim = false,
              std::int64_t correction = kUsualCorrection);
Tensor sum(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor prod(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor max(Tensor x, Axes axes = {}, bool keepdim = false);  // a NaN among the items gives NaN
Tensor min(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor fmax(Tensor x, Axes axes = {}, bool keepdim = false);  // NaNs are passed over
Tensor fmin(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor mean(Tensor x, Axes axes = {}, bool keepdim = false);
// sum((x - mean)^2) / max(items - correction, 0)
Tensor variance(Tensor x, Axes axes = {}, bool keepdim = false,
                std::int64_t correction = kUsualCorrection);
Tensor any(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor all(Tensor x, Axes axes = {}, bool keepdim = false);
// The row-major position of the result among the items that are folded into one element: the first
// of equals, or the first NaN.
Tensor argmax(Tensor x, Axes axes = {}, bool keepdim = false);
Tensor argmin(Tensor x, Axes axes = {}, bool keepdim = false);

// Scans: each element is the fold of all elements up to it along one axis, itself included; an axis
// below 0 counts from the end. The result has the shape of x, and the type of the fold of that
// kind: cumsum of int32 is int64. `scan` takes sum, prod, max, min, fmax or fmin (E511).
//   cumsum of 3 1 4 1 5 is 3 4 8 9 14, cummax of it 3 3 4 4 5
Tensor scan(Reduction how, Tensor x, int axis);
Tensor cumsum(Tensor x, int axis);
Tensor cumprod(Tensor x, int axis);
Tensor cummax(Tensor x, int axis);  // a NaN stays, as in max
Tensor cummin(Tensor x, int axis);

// An extent or a place on an axis: a number, or an expression of sizes.
class Extent {
 public:
  template <std::integral Number>
  Extent(Number n) : value_(std::int64_t(n)) {}
  Extent(Expr e) : value_(e) {}
  std::optional<std::int64_t> number() const;
  Expr in(const Fusion& f) const;

 private:
  std::variant<std::int64_t, Expr> value_;
};

// The indices along an axis of a shape: int64, 0, 1, ... from its first item on.
//   iota(f, {N})        0 1 2 ...
//   iota(f, {M, N}, 0)  each row holds its own number
Tensor iota(Fusion& f, std::vector<Extent> shape, int axis = -1);

// Sets how an input or output lies in memory: the distance in elements between neighbours along
// each axis, as numbers or expressions of sizes. Without `strides`, each call decides: sizes
// t_stride_0, t_stride_1, ... of at least 1 are declared, whose values are the strides of the
// argument (those of a dense array if it has none). E515 where t is neither input nor output, has a
// layout already, or has another number of axes.
//   Tensor x = with_strides(f.input("x", {M, N}, DataType::Float));             // any
//   Tensor x = with_strides(f.input("x", {M, N}, DataType::Float), {pitch, 1});  // padded rows
Tensor with_strides(Tensor t, std::vector<Extent> strides = {});

// The axes in another order: result axis k is operand axis order[k].
Tensor transpose(Tensor a, std::vector<int> order);
// Repeats x as pointwise operations do, to exactly this shape; -1 keeps an extent.
Tensor broadcast_to(Tensor x, std::vector<Extent> shape);
Tensor expand(Tensor x, std::vector<Extent> shape);  // the same, as PyTorch calls it
// squeeze drops axes of extent 1, all of them if none are named; unsqueeze inserts one before
// `axis`.
Tensor squeeze(Tensor x, Axes axes = {});
Tensor unsqueeze(Tensor x, int axis);

// The items of x in row-major order under another shape, as a view: the iterdomains of x are its
// root, and merges and splits lead from there to the logical domain. One extent may be -1: it
// follows from the others. Both shapes must hold equally many items; if that is not known, it is
// checked at launch.
Tensor reshape(Tensor x, std::vector<Extent> shape);
Tensor flatten(Tensor x);
// x[..., begin + i * step, ...]: 0 <= begin < end <= extent, step >= 1; numbers below 0 count from
// the end, and kEnd is the end. With step 1 it is a view: a resize leads from the root to the axis.
inline constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
Tensor slice(Tensor x, int axis, Extent begin, Extent end = kEnd, std::int64_t step = 1);
// Adds `left` items of `value` before the first item of each axis and `right` after the last one; a
// negative number removes items. A view as well. `sides` has one pair {left, right} per axis.
Tensor pad(Tensor x, std::vector<std::pair<Extent, Extent>> sides, Operand value = 0);
// What a gather gives where an index is out of bounds: below 0, or not below the extent n of its
// axis. No index counts from the end.
class Outside {
 public:
  Outside() = default;  // 0
  // A number, or a tensor of the gathered one's type without axes.
  static Outside fill(Operand value) { return {std::nullopt, value}; }
  // The nearest element: that at min(max(index, 0), n - 1).
  static Outside clamped() { return {IndexMode::Clamped, 0}; }
  // Nothing: the user promises that no index is out of bounds, and nothing is tested.
  static Outside unchecked() { return {IndexMode::Unchecked, 0}; }

  // Nothing: the value stands there.
  const std::optional<IndexMode>& mode() const { return mode_; }
  const Operand& value() const { return value_; }

 private:
  Outside(std::optional<IndexMode> mode, Operand value) : mode_(mode), value_(value) {}
  std::optional<IndexMode> mode_ = {};
  Operand value_ = 0;
};
// Gathers; ir/gather.h has them in index notation. E516: idx has no type of an index.
// index_select: idx[...] takes the place of the axis: y[b, i, j, k] = x[b, idx[i, j], k].
// take_along:   y[b, i, k] = x[b, idx[b, i, k], k]: idx has as many axes as x. All but `axis` are
//               equal, or one of them has the extent 1 and is repeated.
// embedding:    rows of a table: y[b, i, d] = table[idx[b, i], d].
Tensor index_select(Tensor x, int axis, Tensor idx, const Outside& outside = {});
Tensor take_along(Tensor x, Tensor idx, int axis, const Outside& outside = {});
Tensor embedding(Tensor table, Tensor idx, const Outside& outside = {});
// Adds each item of the source to the element of `into` that an index says: the gradient of
// index_select and embedding. idx[...] takes the place of the axis, as there:
//   y[b, r, k] = into[b, r, k] + sum over i, j where idx[i, j] == r of source[b, i, j, k]
// An index out of bounds adds nothing; for another mode clamp(idx, 0, n - 1) first. The result has
// the type of into + source, is rounded to it once, and has the same bits in every run under one
// schedule. Every element looks at all indices: for an axis of n items and m indices n*m steps.
// E511, E501: a source of another shape; E506: no integer type holds both; E516: as above.
Tensor scatter_add(Tensor into, int axis, Tensor idx, Tensor source);

// Joins tensors one after the other along an axis; all other extents must be equal. Types are
// promoted.
Tensor concatenate(std::vector<Tensor> tensors, int axis);

}  // namespace selvage
