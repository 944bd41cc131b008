#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace selvage::test {

// A fusion of a model at the sizes of a model, without a schedule.
struct ModelShape {
  std::string kind;   // "norm", "transpose": of shapes that are alike
  std::string shape;  // "4096", "[16, 640, 32, 32]"
  // Adds the fusion. `rows`: how many there are; of no meaning where has_rows is false.
  std::function<void(Fusion&, DataType type, std::int64_t rows)> add;
  bool has_rows = false;
  // Of a row that is no multiple of 128 elements: the nearest length that is.
  std::optional<std::int64_t> length = {}, aligned = {};
};

// 101 shapes: hidden sizes and vocabularies of GPT, Llama, Qwen2, DeepSeek-V3, Phi-3 and Gemma,
// images of diffusion models and ResNet, odd neighbours of them, and shapes at which other
// schedulers are known to be slow.
std::vector<ModelShape> model_shapes();
inline constexpr std::int64_t kModelRows[] = {1, 16, 512, 2048, 8192, 16'384};

// The shape of rows of another length.
ModelShape with_length(const ModelShape& shape, std::int64_t length);

// Bytes of all inputs, and of all outputs.
struct FloorBytes {
  double read = 0, stored = 0;
};
FloorBytes floor_bytes(const Fusion& fusion);

}  // namespace selvage::test
