#include <selvage/ir/composites.h>

#include <initializer_list>

#include "tests/support/model_shapes.h"

namespace selvage::test {

namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t kAligned = 128;  // elements

std::vector<Expr> constants(Fusion& f, const Extents& extents) {
  std::vector<Expr> shape;
  for (std::int64_t n : extents) shape.push_back(f.constant(n));
  return shape;
}

Tensor input(Fusion& f, const char* name, const Extents& extents, DataType type) {
  return f.input(name, constants(f, extents), type);
}

std::string text_of(const Extents& extents) {
  std::string text;
  for (std::int64_t n : extents) text += (text.empty() ? "[" : ", ") + std::to_string(n);
  return text + "]";
}

// Row by row: what is added for rows of a length.
using AddRows = void (*)(Fusion&, DataType, std::int64_t rows, std::int64_t length);

void add_rms_norm(Fusion& f, DataType type, std::int64_t rows, std::int64_t length) {
  const Tensor x = input(f, "x", {rows, length}, type);
  f.output("y", rms_norm(x, {1}, input(f, "w", {length}, type), 1e-6), type);
}

void add_layer_norm(Fusion& f, DataType type, std::int64_t rows, std::int64_t length) {
  const Tensor x = input(f, "x", {rows, length}, type);
  const Tensor w = input(f, "w", {length}, type), b = input(f, "b", {length}, type);
  f.output("y", layer_norm(x, {1}, w, b), type);
}

void add_gated(Fusion& f, DataType type, std::int64_t rows, std::int64_t length) {
  const Tensor gate = input(f, "gate", {rows, length}, type);
  f.output("y", silu(gate) * input(f, "up", {rows, length}, type), type);
}

void add_cross_entropy(Fusion& f, DataType type, std::int64_t rows, std::int64_t length) {
  const Tensor x = input(f, "x", {rows, length}, type);
  const Tensor label = unsqueeze(input(f, "label", {rows}, DataType::Int64), 1);
  f.output("loss", logsumexp(x, {1}) - squeeze(take_along(x, label, 1), {1}));
}

AddRows rows_of_kind(const std::string& kind) {
  if (kind == "RMS norm") return add_rms_norm;
  if (kind == "layer norm") return add_layer_norm;
  if (kind == "gated MLP") return add_gated;
  return add_cross_entropy;
}

ModelShape of_rows(const std::string& kind, std::int64_t length) {
  const AddRows add = rows_of_kind(kind);
  ModelShape shape{
      .kind = kind,
      .shape = std::to_string(length),
      .add = [=](Fusion& f, DataType type, std::int64_t rows) { add(f, type, rows, length); },
      .has_rows = true,
      .length = length};
  const std::int64_t nearest = (length + kAligned / 2) / kAligned * kAligned;
  if (nearest != length) shape.aligned = nearest;
  return shape;
}

using Add = std::function<void(Fusion&, DataType)>;

ModelShape fixed(std::string kind, std::string shape, const Add& add) {
  return {.kind = std::move(kind),
          .shape = std::move(shape),
          .add = [add](Fusion& f, DataType type, std::int64_t) { add(f, type); }};
}

ModelShape attention(const Extents& extents) {
  return fixed("attention softmax", text_of(extents), [=](Fusion& f, DataType type) {
    const int last = int(extents.size()) - 1;
    f.output("y", softmax(input(f, "x", extents, type), last), type);
  });
}

// Queries x[b, h, s, d], and keys of `keys` heads.
ModelShape rotary(const Extents& extents, std::int64_t keys) {
  const std::string shape = text_of(extents) + ", keys " + std::to_string(keys);
  return fixed("rotary", shape, [=](Fusion& f, DataType type) {
    const std::int64_t s = extents[2], d = extents[3];
    const Tensor cos = input(f, "cos", {s, d}, DataType::Float);
    const Tensor sin = input(f, "sin", {s, d}, DataType::Float);
    const auto turned = [&](Tensor x) {
      return x * cos + concatenate({-slice(x, 3, d / 2), slice(x, 3, 0, d / 2)}, 3) * sin;
    };
    Extents of_keys = extents;
    of_keys[1] = keys;
    f.output("q_turned", turned(input(f, "q", extents, type)), type);
    f.output("k_turned", turned(input(f, "k", of_keys, type)), type);
  });
}

// Heads of queries, keys and values side by side in the features of each position.
ModelShape joined_heads() {
  constexpr std::int64_t kGroups = 8, kQueries = 4, kPositions = 8192, kFeatures = 128;
  return fixed("rotary", "cat [1, 8, 4, 8192, 128]", [](Fusion& f, DataType type) {
    const auto heads = [&](const char* name, std::int64_t n) {
      return input(f, name, {1, kGroups, n, kPositions, kFeatures}, type);
    };
    const Tensor all = concatenate({heads("q", kQueries), heads("k", 1), heads("v", 1)}, 2);
    f.output("y", reshape(transpose(all, {0, 3, 1, 2, 4}),
                          {1, kPositions, kGroups * (kQueries + 2) * kFeatures}));
  });
}

ModelShape group_norm(std::int64_t n, std::int64_t side, std::int64_t c) {
  constexpr std::int64_t kGroups = 32;
  const Extents extents = {n, c, side, side};
  return fixed("group norm", text_of(extents), [=](Fusion& f, DataType type) {
    const Tensor x = input(f, "x", extents, type);
    const Tensor w = input(f, "w", {c, 1, 1}, type), b = input(f, "b", {c, 1, 1}, type);
    const Tensor rows = reshape(x, {n, kGroups, c / kGroups * side * side});
    f.output("y", reshape(layer_norm(rows, {2}), {n, c, side, side}) * w + b, type);
  });
}

// The mean and the variance of each channel over all else.
ModelShape batch_norm(const Extents& extents, int channels) {
  const std::string order = channels == 1 ? "NCHW" : "NHWC";
  return fixed("batch norm", order + " " + text_of(extents), [=](Fusion& f, DataType type) {
    const Tensor x = input(f, "x", extents, type);
    Axes axes;
    for (int k = 0; k < 4; ++k) {
      if (k != channels) axes.push_back(k);
    }
    Extents of_channel(std::size_t(4 - channels), 1);
    of_channel[0] = extents[std::size_t(channels)];
    const Tensor w = input(f, "w", of_channel, type), b = input(f, "b", of_channel, type);
    const Tensor m = mean(x, axes, keepdim), v = variance(x, axes, keepdim, 0);
    f.output("y", (x - m) * rsqrt(v + 1e-5) * w + b, type);
  });
}

ModelShape instance_norm(const Extents& extents) {
  return fixed("batch norm", "each image " + text_of(extents), [=](Fusion& f, DataType type) {
    f.output("y", layer_norm(input(f, "x", extents, type), {2, 3}), type);
  });
}

ModelShape transposed(std::int64_t m, std::int64_t n) {
  return fixed("transpose", text_of({m, n}), [=](Fusion& f, DataType type) {
    f.output("y", transpose(input(f, "x", {m, n}, type), {1, 0}));
  });
}

ModelShape summed(const Extents& extents, int axis) {
  const std::string shape = text_of(extents) + " over axis " + std::to_string(axis);
  return fixed("skinny", shape, [=](Fusion& f, DataType type) {
    f.output("y", sum(input(f, "x", extents, type), {axis}), type);
  });
}

ModelShape entropy_of_one_row(std::int64_t n) {
  return fixed("skinny", "entropy of [1, " + std::to_string(n) + "]", [=](Fusion& f, DataType t) {
    const Tensor p = log_softmax(input(f, "x", {1, n}, t), 1);
    f.output("y", -sum(exp(p) * p, {1}));
  });
}

ModelShape small_norm(const Extents& extents) {
  return fixed("small layer norm", text_of(extents), [=](Fusion& f, DataType type) {
    const Tensor w = input(f, "w", {extents.back()}, type);
    const Tensor b = input(f, "b", {extents.back()}, type);
    const int last = int(extents.size()) - 1;
    f.output("y", layer_norm(input(f, "x", extents, type), {last}, w, b), type);
  });
}

}  // namespace

std::vector<ModelShape> model_shapes() {
  std::vector<ModelShape> all;
  const auto add_rows = [&](const char* kind, std::initializer_list<std::int64_t> lengths) {
    for (std::int64_t n : lengths) all.push_back(of_rows(kind, n));
  };
  const auto add = [&](std::initializer_list<ModelShape> shapes) { all.insert(all.end(), shapes); };
  add_rows("RMS norm", {768,    1024,   1280,   1536,   1600,   2048,   2560,   3584,   4096,
                        5120,   6144,   6656,   7168,   7296,   8192,   10'240, 12'288, 12'800,
                        15'360, 16'384, 18'432, 25'600, 30'720, 49'152, 65'536});
  add_rows("layer norm", {4098, 4100, 4104, 4112, 1023, 3840, 25'601, 43'690, 54'613});
  add_rows("gated MLP", {11'008, 14'336, 18'944, 13'824, 29'568});
  add_rows("cross entropy", {32'000, 32'064, 49'152, 50'257, 50'264, 100'352, 128'256, 129'280,
                             152'064, 202'048, 256'000});
  add({attention({2, 64, 512, 512}), attention({16, 16, 128, 128}), attention({64, 12, 197, 197}),
       attention({8, 32, 2048, 2048}), attention({1, 32, 8192, 8192})});
  add({rotary({1, 28, 2048, 128}, 4), rotary({4, 32, 8192, 128}, 8), rotary({1, 32, 256, 96}, 32),
       rotary({2, 32, 4096, 128}, 32), rotary({1, 16, 4096, 256}, 8), joined_heads()});
  for (const auto& [side, c] :
       std::initializer_list<std::pair<std::int64_t, std::int64_t>>{{8, 1280},
                                                                    {8, 2560},
                                                                    {16, 640},
                                                                    {16, 1920},
                                                                    {16, 2560},
                                                                    {32, 320},
                                                                    {32, 640},
                                                                    {32, 1280},
                                                                    {64, 320},
                                                                    {64, 640},
                                                                    {64, 960}}) {
    all.push_back(group_norm(16, side, c));
  }
  add({group_norm(1, 64, 320)});
  add({batch_norm({256, 64, 112, 112}, 1), batch_norm({256, 256, 56, 56}, 1),
       batch_norm({256, 512, 28, 28}, 1), batch_norm({256, 1024, 14, 14}, 1),
       batch_norm({256, 2048, 7, 7}, 1), batch_norm({256, 200, 28, 28}, 1),
       instance_norm({8, 4096, 64, 64}), batch_norm({256, 28, 28, 128}, 3),
       batch_norm({32, 32, 32, 128}, 3)});
  add({transposed(9, 2408), transposed(49, 1024), transposed(64, 147), transposed(83, 1728),
       transposed(361, 1120), transposed(784, 40), transposed(2250, 27), transposed(3072, 1024),
       transposed(262'144, 5120), transposed(384, 2), transposed(100'000'000, 2)});
  add({summed({160, 1'048'576}, 1), summed({2, 33'554'432}, 1), summed({33'554'432, 2}, 1),
       summed({16'384, 4096}, 0), entropy_of_one_row(32'768)});
  add({small_norm({65'536, 128}), small_norm({32'768, 256}), small_norm({64, 197, 768})});
  return all;
}

ModelShape with_length(const ModelShape& shape, std::int64_t length) {
  return of_rows(shape.kind, length);
}

FloorBytes floor_bytes(const Fusion& fusion) {
  FloorBytes bytes;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const TensorInfo& t = fusion[TensorId(k)];
    double own = double(size_of(stored_type(t)));
    for (DomainId d : t.logical) own *= double(fusion.domains()[d].extent.value());
    if (t.is_input) bytes.read += own;
    if (t.is_output) bytes.stored += own;
  }
  return bytes;
}

}  // namespace selvage::test
