#include "tests/lower/every_op.h"

#include <array>
#include <cmath>
#include <random>

#include "tests/support/hand_kernel.h"

namespace selvage::test {

std::vector<DataType> all_types() {
  std::vector<DataType> list;
  for (int t = 0; t <= int(DataType::Double); ++t) list.push_back(DataType(t));
  return list;
}

std::vector<PointwiseOp> pointwise_ops() {
  using T = Tensor;
  // What has bits: of floats the integers that they are nearest to.
  static const auto bits = [](T a) {
    return is_floating(a.fusion()[a.id()].type) ? cast(a, DataType::Int32) : a;
  };
  std::vector<PointwiseOp> ops = {
      {"operator+", "add", [](T a, T b, T) { return a + b; }},
      {"operator+", "add_literal", [](T a, T, T) { return a + 1; }},
      {"operator-", "sub", [](T a, T b, T) { return a - b; }},
      {"operator-", "neg", [](T a, T, T) { return -a; }},
      {"operator*", "mul", [](T a, T b, T) { return a * b; }},
      {"operator*", "mul_literal", [](T a, T, T) { return 0.5 * a; }},
      {"operator/", "div", [](T a, T b, T) { return a / b; }},
      {"floor_div", "floor_div", [](T a, T b, T) { return floor_div(a, b); }},
      {"operator%", "mod", [](T a, T b, T) { return a % b; }},
      {"remainder", "remainder", [](T a, T b, T) { return remainder(a, b); }},
      {"operator==", "eq", [](T a, T b, T) { return a == b; }},
      {"operator!=", "ne", [](T a, T b, T) { return a != b; }},
      {"operator<", "lt", [](T a, T b, T) { return a < b; }},
      {"operator<=", "le", [](T a, T b, T) { return a <= b; }},
      {"operator>", "gt", [](T a, T b, T) { return a > b; }},
      {"operator>=", "ge", [](T a, T b, T) { return a >= b; }},
      {"operator&&", "both", [](T a, T b, T) { return a && b; }},
      {"operator||", "either", [](T a, T b, T) { return a || b; }},
      {"operator!", "negated", [](T a, T, T) { return !a; }},
      {"min", "min", [](T a, T b, T) { return min(a, b); }},
      {"max", "max", [](T a, T b, T) { return max(a, b); }},
      {"fmin", "fmin", [](T a, T b, T) { return fmin(a, b); }},
      {"fmax", "fmax", [](T a, T b, T) { return fmax(a, b); }},
      {"clamp", "clamp", [](T a, T, T) { return clamp(a, 0, 5); }},
      {"clamp", "clamp_by", [](T a, T b, T) { return clamp(a, b, 3); }},
      {"pow", "pow", [](T a, T b, T) { return pow(a, b); }},
      {"abs", "abs", [](T a, T, T) { return abs(a); }},
      {"exp", "exp", [](T a, T, T) { return exp(a); }},
      {"log", "log", [](T a, T, T) { return log(a); }},
      {"tanh", "tanh", [](T a, T, T) { return tanh(a); }},
      {"sqrt", "sqrt", [](T a, T, T) { return sqrt(a); }},
      {"rsqrt", "rsqrt", [](T a, T, T) { return rsqrt(a); }},
      {"floor", "floor", [](T a, T, T) { return floor(a); }},
      {"ceil", "ceil", [](T a, T, T) { return ceil(a); }},
      {"sin", "sin", [](T a, T, T) { return sin(a); }},
      {"cos", "cos", [](T a, T, T) { return cos(a); }},
      {"erf", "erf", [](T a, T, T) { return erf(a); }},
      {"relu", "relu", [](T a, T, T) { return relu(a); }},
      {"sigmoid", "sigmoid", [](T a, T, T) { return sigmoid(a); }},
      {"silu", "silu", [](T a, T, T) { return silu(a); }},
      {"gelu", "gelu", [](T a, T, T) { return gelu(a); }},
      {"gelu_tanh", "gelu_tanh", [](T a, T, T) { return gelu_tanh(a); }},
      {"softplus", "softplus", [](T a, T, T) { return softplus(a); }},
      {"exp2", "exp2", [](T a, T, T) { return exp2(a); }},
      {"expm1", "expm1", [](T a, T, T) { return expm1(a); }},
      {"log2", "log2", [](T a, T, T) { return log2(a); }},
      {"log1p", "log1p", [](T a, T, T) { return log1p(a); }},
      {"reciprocal", "reciprocal", [](T a, T, T) { return reciprocal(a); }},
      {"round", "round", [](T a, T, T) { return round(a); }},
      {"trunc", "trunc", [](T a, T, T) { return trunc(a); }},
      {"sign", "sign", [](T a, T, T) { return sign(a); }},
      {"isnan", "isnan", [](T a, T, T) { return isnan(a); }},
      {"isinf", "isinf", [](T a, T, T) { return isinf(a); }},
      {"isfinite", "isfinite", [](T a, T, T) { return isfinite(a); }},
      {"bit_and", "bit_and", [](T a, T b, T) { return bit_and(bits(a), bits(b)); }},
      {"bit_or", "bit_or", [](T a, T b, T) { return bit_or(bits(a), bits(b)); }},
      {"bit_xor", "bit_xor", [](T a, T b, T) { return bit_xor(bits(a), bits(b)); }},
      {"bit_xor", "bit_xor_of_bools", [](T a, T, T c) { return bit_xor(c, isfinite(a)); }},
      {"bit_not", "bit_not", [](T a, T, T) { return bit_not(bits(a)); }},
      {"shift_left", "shift_left", [](T a, T b, T) { return shift_left(bits(a), bits(b)); }},
      {"shift_left", "shift_left_by_3", [](T a, T, T) { return shift_left(bits(a), 3); }},
      {"shift_right", "shift_right", [](T a, T b, T) { return shift_right(bits(a), bits(b)); }},
      {"shift_right", "shift_right_by_3", [](T a, T, T) { return shift_right(bits(a), 3); }},
      {"apply", "random_bits",
       [](T a, T b, T) {
         return apply(Function::RandomBits, {bits(a), bits(b)});
       }},
      {"apply", "random_uniform",
       [](T a, T, T) {
         return apply(Function::RandomUniform, {3, bits(a)});
       }},
      {"apply", "random_normal",
       [](T a, T b, T) {
         return apply(Function::RandomNormal, {bits(a), bits(b)});
       }},
      {"where", "where", [](T a, T b, T c) { return where(c, b, a); }},
      {"iota", "iota", [](T a, T, T) { return iota(a.fusion(), {a.fusion().shape(a.id())[0]}); }},
      {"select", "select", [](T a, T b, T c) { return select(c, a, b); }},
      {"select", "select_literal", [](T a, T, T c) { return select(c, a, 0); }},
      {"apply", "apply", [](T a, T b, T) { return apply(Function::Mul, {a, b}); }},
  };
  return ops;
}

std::vector<FoldOp> fold_ops() {
  using T = Tensor;
  return {
      {"sum", "sum", [](T x, Axes axes, bool keeps) { return sum(x, axes, keeps); }},
      {"prod", "prod", [](T x, Axes axes, bool keeps) { return prod(x, axes, keeps); }},
      {"max", "max", [](T x, Axes axes, bool keeps) { return max(x, axes, keeps); }},
      {"min", "min", [](T x, Axes axes, bool keeps) { return min(x, axes, keeps); }},
      {"fmax", "fmax", [](T x, Axes axes, bool keeps) { return fmax(x, axes, keeps); }},
      {"fmin", "fmin", [](T x, Axes axes, bool keeps) { return fmin(x, axes, keeps); }},
      {"mean", "mean", [](T x, Axes axes, bool keeps) { return mean(x, axes, keeps); }},
      {"variance", "variance", [](T x, Axes axes, bool keeps) { return variance(x, axes, keeps); }},
      {"reduce", "biased",
       [](T x, Axes axes, bool keeps) { return reduce(Reduction::Variance, x, axes, keeps, 0); }},
      {"reduce", "logsumexp",
       [](T x, Axes axes, bool keeps) { return reduce(Reduction::LogSumExp, x, axes, keeps); }},
      {"any", "any", [](T x, Axes axes, bool keeps) { return any(x, axes, keeps); }},
      {"all", "all", [](T x, Axes axes, bool keeps) { return all(x, axes, keeps); }},
      {"argmax", "argmax", [](T x, Axes axes, bool keeps) { return argmax(x, axes, keeps); }},
      {"argmin", "argmin", [](T x, Axes axes, bool keeps) { return argmin(x, axes, keeps); }},
  };
}

std::vector<ScanOp> scan_ops() {
  using T = Tensor;
  return {
      {"cumsum", "cumsum", [](T x, int axis) { return cumsum(x, axis); }},
      {"cumprod", "cumprod", [](T x, int axis) { return cumprod(x, axis); }},
      {"cummax", "cummax", [](T x, int axis) { return cummax(x, axis); }},
      {"cummin", "cummin", [](T x, int axis) { return cummin(x, axis); }},
      {"scan", "cumfmax", [](T x, int axis) { return scan(Reduction::FMax, x, axis); }},
      {"scan", "cumfmin", [](T x, int axis) { return scan(Reduction::FMin, x, axis); }},
  };
}

std::vector<ViewOp> view_ops() {
  using V = ViewOperands;
  return {
      {"transpose", "transposed", 0,
       [](const V& v) {
         return transpose(v.x, {1, 0});
       }},
      {"transpose", "rotated", 0,
       [](const V& v) {
         return transpose(v.z, {2, 0, 1});
       }},
      {"transpose", "swapped", 0,
       [](const V& v) {
         return transpose(v.z, {1, 0, 2});
       }},
      {"broadcast_to", "repeated", 0,
       [](const V& v) {
         return broadcast_to(v.x, {2, v.m, v.n});
       }},
      {"broadcast_to", "widened", 0,
       [](const V& v) {
         return broadcast_to(v.u, {v.m, 5, v.n});
       }},
      {"expand", "expanded", 0,
       [](const V& v) {
         return expand(v.u, {-1, 3, -1});
       }},
      {"squeeze", "squeezed", 0, [](const V& v) { return squeeze(v.u); }},
      {"squeeze", "squeezed_one", 0, [](const V& v) { return squeeze(v.u, {-2}); }},
      {"unsqueeze", "unsqueezed", 0, [](const V& v) { return unsqueeze(v.x, 1); }},
      {"unsqueeze", "unsqueezed_last", 0, [](const V& v) { return unsqueeze(v.x, 2); }},
      {"reshape", "rows_of_three", 0,
       [](const V& v) {
         return reshape(v.z, {v.m * 3, v.n});
       }},
      {"reshape", "threes_of_rows", 0,
       [](const V& v) {
         return reshape(v.z, {v.m, v.n * 3});
       }},
      {"reshape", "regrouped", 0,
       [](const V& v) {
         return reshape(v.z, {v.n, 3, v.m});
       }},
      {"reshape", "what_is_left", 0,
       [](const V& v) {
         return reshape(v.z, {3, -1});
       }},
      {"flatten", "flattened", 0, [](const V& v) { return flatten(v.z); }},
      {"slice", "all_of_it", 0, [](const V& v) { return slice(v.x, 1, 0); }},
      {"slice", "from_one", 2, [](const V& v) { return slice(v.x, 1, 1); }},
      {"slice", "without_the_last", 2, [](const V& v) { return slice(v.x, 0, 0, -1); }},
      {"slice", "the_last", 1, [](const V& v) { return slice(v.x, 1, -1); }},
      {"slice", "first_half", 1, [](const V& v) { return slice(v.x, 1, 0, (v.n + 1) / 2); }},
      {"slice", "behind_the_first", 2, [](const V& v) { return slice(v.z, 2, 1, v.n); }},
      {"slice", "every_third", 1, [](const V& v) { return slice(v.x, 1, 0, kEnd, 3); }},
      {"slice", "odd_rows", 2, [](const V& v) { return slice(v.x, 0, 1, kEnd, 2); }},
      {"slice", "the_middle", 0, [](const V& v) { return slice(v.z, 1, 1, 2); }},
      {"pad", "padded", 0,
       [](const V& v) {
         return pad(v.x, {{1, 2}, {0, 3}});
       }},
      {"pad", "padded_by_ones", 0,
       [](const V& v) {
         return pad(v.x, {{0, 0}, {2, 0}}, 1);
       }},
      {"pad", "cropped", 2,
       [](const V& v) {
         return pad(v.x, {{-1, 0}, {2, -1}}, 1);
       }},
      {"pad", "padded_by_sizes", 0,
       [](const V& v) {
         return pad(v.x, {{0, 0}, {v.n, v.m}}, 0);
       }},
      {"index_select", "rows_chosen", 0,
       [](const V& v) { return index_select(v.x, 0, argmax(v.x, {1})); }},
      {"index_select", "nearest_columns", 1,
       [](const V& v) { return index_select(v.x, -1, argmax(v.x2, {0}) - 1, Outside::clamped()); }},
      {"take_along", "greatest", 1,
       [](const V& v) {
         return take_along(v.x, argmax(v.x, {1}, keepdim), 1, Outside::unchecked());
       }},
      {"take_along", "some_of_each", 0,
       [](const V& v) { return take_along(v.z, argmax(v.z, {2}, keepdim), 1, Outside::fill(1)); }},
      {"embedding", "embedded", 0, [](const V& v) { return embedding(v.x, argmax(v.x2, {0})); }},
      {"scatter_add", "rows_added", 0,
       [](const V& v) { return scatter_add(v.x, 0, argmax(v.x2, {1}), v.x2); }},
      {"scatter_add", "columns_added", 0,
       [](const V& v) { return scatter_add(v.x, -1, argmax(v.x2, {0}) - 1, v.x2); }},
      {"concatenate", "rows_below", 0,
       [](const V& v) {
         return concatenate({v.x, v.x2}, 0);
       }},
      {"concatenate", "columns_beside", 0,
       [](const V& v) {
         return concatenate({v.x, v.x2, v.x}, 1);
       }},
      {"concatenate", "of_unequal_extents", 0,
       [](const V& v) {
         return concatenate({v.u, v.z, v.u}, 1);
       }},
      {"concatenate", "of_two_types", 0,
       [](const V& v) {
         return concatenate({v.x, cast(v.x2, DataType::UInt8)}, -1);
       }},
  };
}

std::string_view to_string(Draw from) {
  switch (from) {
    case Draw::Small: return "small";
    case Draw::Mixed: return "mixed";
    case Draw::Factors: return "factors";
    case Draw::Rare: return "rare";
    case Draw::Wild: return "wild";
  }
  return {};
}

Array drawn(Draw from, DataType type, std::vector<std::int64_t> shape, unsigned seed) {
  Array a(type, std::move(shape));
  if (from == Draw::Wild) {
    a.bytes = random_array(type, a.size(), seed).bytes;
    return a;
  }
  std::mt19937_64 random(seed);
  const bool is_real = is_floating(type);
  const bool has_sign = is_real || (type >= DataType::Int8 && type <= DataType::Int64);
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const auto n = std::int64_t(random() % 9), odd = std::int64_t(random() % 256);
    if (from == Draw::Factors) {
      const std::int64_t size = is_real ? 1 << n % 3 : 2 * (n % 3) + 1;
      a.set(k, double(has_sign && odd % 2 == 0 ? -size : size) * (is_real ? 0.5 : 1));
    } else if (is_real) {
      const bool is_zero = from == Draw::Rare ? odd != 0 : n == 4;
      a.set(k, is_zero ? (random() % 2 == 0 ? -0.0 : 0.0) : double(n - 4) * 0.5);
      if (from == Draw::Mixed && odd < 3) a.set(k, std::array{NAN, HUGE_VALF, -HUGE_VALF}[odd]);
    } else {
      const bool is_zero = from == Draw::Rare && odd != 0;
      a.set_int(k, is_zero ? 0 : type == DataType::Bool ? n % 2 : has_sign ? n - 4 : n);
    }
  }
  return a;
}

}  // namespace selvage::test
