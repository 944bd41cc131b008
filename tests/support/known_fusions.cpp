#include <selvage/ir/composites.h>

#include <initializer_list>
#include <optional>
#include <utility>

#include "tests/support/known_fusions.h"
#include "tests/support/special_values.h"

namespace selvage::test {

namespace {

constexpr DataType kFloat = DataType::Float, kBFloat16 = DataType::BFloat16;

// A fusion under construction whose extents depend on the scale.
class Writer {
 public:
  Writer(std::string name, Scale scale) : scale_(scale) { known_.name = std::move(name); }

  Fusion& fusion() const { return *known_.fusion; }
  std::int64_t size(std::int64_t small, std::int64_t full) const {
    return scale_ == Scale::Small ? small : full;
  }
  std::vector<Expr> shape(std::initializer_list<std::int64_t> extents) const {
    std::vector<Expr> shape;
    for (std::int64_t n : extents) shape.push_back(fusion().constant(n));
    return shape;
  }
  Tensor input(const std::string& name, std::initializer_list<std::int64_t> extents,
               DataType type) const {
    return fusion().input(name, shape(extents), type);
  }
  void output(const std::string& name, Tensor t, std::optional<DataType> type = {}) const {
    fusion().output(name, t, type);
  }
  Expr index(const std::string& name) const { return fusion().fresh_index(name); }

  KnownFusion known(int kernels_wanted) const {
    KnownFusion known = known_;
    known.kernels_wanted = kernels_wanted;
    return known;
  }

 private:
  Scale scale_;
  KnownFusion known_{.name = {}, .fusion = std::make_shared<Fusion>()};
};

KnownFusion bias_mask_residual(Scale scale) {
  const Writer w("bias, mask, residual", scale);
  const std::int64_t m = w.size(37, 4096), n = w.size(75, 4096);
  const Tensor x = w.input("x", {m, n}, kBFloat16), bias = w.input("bias", {n}, kBFloat16);
  const Tensor keep = w.input("keep", {m, n}, DataType::Bool);
  const Tensor residual = w.input("residual", {m, n}, kBFloat16);
  w.output("y", select(keep, (x + bias) * (1 / 0.9), 0) + residual, kBFloat16);
  return w.known(1);
}

KnownFusion causal_softmax(Scale scale) {
  const Writer w("causal masked softmax", scale);
  const std::int64_t b = w.size(2, 8), h = w.size(3, 16), s = w.size(45, 512);
  const Tensor x = w.input("x", {b, h, s, s}, kFloat);
  const Tensor is_later = iota(w.fusion(), {1, s}, 1) > iota(w.fusion(), {s, 1}, 0);
  w.output("y", softmax(masked_fill(x, is_later, -kInfinity), 3));
  return w.known(1);
}

KnownFusion cross_entropy(Scale scale) {
  const Writer w("cross entropy", scale);
  const std::int64_t b = w.size(19, 4096), classes = w.size(301, 50'257);
  const Tensor x = w.input("x", {b, classes}, kFloat);
  const Tensor label = w.input("label", {b}, DataType::Int64);
  const Tensor wanted = squeeze(take_along(x, unsqueeze(label, 1), 1), {1});
  w.output("loss", mean(logsumexp(x, {1}) - wanted));
  return w.known(1);
}

KnownFusion group_norm(Scale scale) {
  const Writer w("group norm", scale);
  const std::int64_t n = w.size(3, 16), groups = w.size(5, 32), of_group = w.size(3, 20);
  const std::int64_t side = w.size(7, 32), c = groups * of_group;
  const Tensor x = w.input("x", {n, c, side, side}, kFloat);
  const Tensor weight = w.input("weight", {c, 1, 1}, kFloat);
  const Tensor bias = w.input("bias", {c, 1, 1}, kFloat);
  const Tensor normal = layer_norm(reshape(x, {n, groups, of_group * side * side}), {2});
  w.output("y", reshape(normal, {n, c, side, side}) * weight + bias);
  return w.known(1);
}

KnownFusion batch_norm_training(Scale scale) {
  const Writer w("batch norm, training", scale);
  const std::int64_t n = w.size(3, 32), c = w.size(7, 256), side = w.size(9, 28);
  const Tensor x = w.input("x", {n, c, side, side}, kFloat);
  const Tensor weight = w.input("weight", {c, 1, 1}, kFloat);
  const Tensor bias = w.input("bias", {c, 1, 1}, kFloat);
  const Tensor running_mean = w.input("running_mean", {c}, kFloat);
  const Tensor running_variance = w.input("running_variance", {c}, kFloat);
  const Tensor m = mean(x, {0, 2, 3}, keepdim), v = variance(x, {0, 2, 3}, keepdim, 0);
  w.output("y", (x - m) * rsqrt(v + 1e-5) * weight + bias);
  w.output("new_mean", running_mean * 0.9 + squeeze(m) * 0.1);
  w.output("new_variance", running_variance * 0.9 + squeeze(v) * 0.1);
  return w.known(1);
}

// A block folds some rows of dweight and dbias on its way; a second kernel folds the blocks.
KnownFusion layer_norm_backward(Scale scale) {
  const Writer w("layer norm, backward", scale);
  const std::int64_t b = w.size(37, 8192), n = w.size(75, 4096);
  const Tensor dy = w.input("dy", {b, n}, kBFloat16), x = w.input("x", {b, n}, kBFloat16);
  const Tensor m = w.input("mean", {b, 1}, kFloat), r = w.input("rstd", {b, 1}, kFloat);
  const Tensor weight = w.input("weight", {n}, kFloat);
  const Tensor normal = (x - m) * r, dnormal = dy * weight;
  const Tensor along_normal = mean(dnormal * normal, {1}, keepdim);
  w.output("dx", (dnormal - mean(dnormal, {1}, keepdim) - normal * along_normal) * r, kBFloat16);
  w.output("dweight", sum(dy * normal, {0}), kFloat);
  w.output("dbias", sum(dy, {0}), kFloat);
  return w.known(2);
}

KnownFusion rotary(Scale scale) {
  const Writer w("rotary embedding", scale);
  const std::int64_t b = w.size(2, 4), s = w.size(11, 2048), h = w.size(3, 32);
  const std::int64_t d = w.size(10, 128);
  const Tensor x = w.input("x", {b, s, h, d}, kBFloat16);
  const Tensor cos = w.input("cos", {s, 1, d}, kFloat), sin = w.input("sin", {s, 1, d}, kFloat);
  const Tensor turned = concatenate({-slice(x, 3, d / 2), slice(x, 3, 0, d / 2)}, 3);
  w.output("y", x * cos + turned * sin, kBFloat16);
  return w.known(1);
}

KnownFusion attention_softmax(Scale scale) {
  const Writer w("attention scores, softmax", scale);
  const std::int64_t b = w.size(2, 8), h = w.size(3, 16), s = w.size(45, 512);
  const Tensor scores = w.input("scores", {b, h, s, s}, kBFloat16);
  const Tensor bias = w.input("bias", {h, s, s}, kBFloat16);
  const Tensor is_padding = w.input("is_padding", {b, 1, 1, s}, DataType::Bool);
  const Tensor x = masked_fill(scores * 0.125 + bias, is_padding, -kInfinity);
  w.output("y", softmax(x, 3), kBFloat16);
  return w.known(1);
}

KnownFusion channels_last(Scale scale) {
  const Writer w("NCHW to NHWC", scale);
  const std::int64_t n = w.size(3, 32), c = w.size(35, 128), side = w.size(9, 56);
  w.output("y", transpose(w.input("x", {n, c, side, side}, kFloat), {0, 2, 3, 1}));
  return w.known(1);
}

KnownFusion cumulative_sum(Scale scale) {
  const Writer w("cumulative sum", scale);
  const std::int64_t b = w.size(5, 4096), n = w.size(67, 1024);
  w.output("y", cumsum(w.input("x", {b, n}, kFloat), 1));
  return w.known(1);
}

KnownFusion average_pooling(Scale scale) {
  const Writer w("average pooling, 2 x 2", scale);
  const std::int64_t n = w.size(3, 32), c = w.size(5, 64), side = w.size(14, 112);
  const Tensor x = w.input("x", {n, c, side, side}, kFloat);
  w.output("y", mean(reshape(x, {n, c, side / 2, 2, side / 2, 2}), {3, 5}));
  return w.known(1);
}

KnownFusion blur(Scale scale) {
  const Writer w("blur, 3 x 3", scale);
  const std::int64_t n = w.size(3, 8), height = w.size(21, 1080), width = w.size(37, 1920);
  const Tensor x = w.input("x", {n, height, width}, kFloat);
  const Expr image = w.index("image"), i = w.index("i"), j = w.index("j");
  const Expr di = w.index("di"), dj = w.index("dj");
  const Tensor total = w.fusion().compute_fold("total", {image, i, j}, x.shape(),
                                               {Reduction::Sum, {di, dj}, w.shape({3, 3})},
                                               read_or(x, {image, i + di - 1, j + dj - 1}, 0));
  w.output("y", total / 9);
  return w.known(1);
}

KnownFusion concatenate_slice_pad(Scale scale) {
  const Writer w("concatenate, slice, pad", scale);
  const std::int64_t b = w.size(19, 4096), n = w.size(33, 3000), k = w.size(21, 3104);
  const std::int64_t to = w.size(61, 6144);
  const Tensor a = w.input("a", {b, n}, kFloat), c = w.input("c", {b, k}, kFloat);
  const Tensor joined = concatenate({a, slice(c, 1, 4, k - 4)}, 1);
  w.output("y", pad(joined, {{0, 0}, {0, to - (n + k - 8)}}));
  return w.known(1);
}

KnownFusion top_1_accuracy(Scale scale) {
  const Writer w("top-1 accuracy", scale);
  const std::int64_t b = w.size(19, 16'384), classes = w.size(101, 1000);
  const Tensor x = w.input("x", {b, classes}, kFloat);
  const Tensor label = w.input("label", {b}, DataType::Int64);
  w.output("accuracy", mean(cast(argmax(x, {1}) == label, kFloat)));
  return w.known(2);
}

KnownFusion token_embedding(Scale scale) {
  const Writer w("embedding", scale);
  const std::int64_t b = w.size(3, 8), s = w.size(13, 1024);
  const std::int64_t words = w.size(53, 50'257), d = w.size(27, 1024);
  const Tensor table = w.input("table", {words, d}, kFloat);
  const Tensor token = w.input("token", {b, s}, DataType::Int64);
  w.output("y", embedding(table, token));
  return w.known(1);
}

}  // namespace

std::vector<KnownFusion> known_fusions(Scale scale) {
  return {bias_mask_residual(scale),
          causal_softmax(scale),
          cross_entropy(scale),
          group_norm(scale),
          batch_norm_training(scale),
          layer_norm_backward(scale),
          rotary(scale),
          attention_softmax(scale),
          channels_last(scale),
          cumulative_sum(scale),
          average_pooling(scale),
          blur(scale),
          concatenate_slice_pad(scale),
          top_1_accuracy(scale),
          token_embedding(scale)};
}

}  // namespace selvage::test
