#pragma once

#include <selvage/ir/schedule.h>

#include <memory>
#include <string>
#include <vector>

namespace selvage::test {

// A tensor each of whose elements is its own row-major number: what a schedule of one tensor is
// shown, and run, with.
struct Numbered {
  Numbered(const std::string& name, const std::vector<std::string>& axes,
           const std::vector<std::int64_t>& shape, DataType type = DataType::Float)
      : Numbered(name, axes, shape, {}, type) {}
  // Sizes instead of numbers where a symbol is given.
  Numbered(const std::string& name, const std::vector<std::string>& axes,
           const std::vector<std::int64_t>& shape, const std::vector<std::string>& symbols,
           DataType type = DataType::Float) {
    std::vector<Expr> indices, extents;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool is_symbol = i < symbols.size() && !symbols[i].empty();
      extents.push_back(is_symbol ? fusion->extent(symbols[i]) : fusion->constant(shape[i]));
      indices.push_back(fusion->fresh_index(axes[i]));
    }
    Expr number = indices[0];
    for (std::size_t i = 1; i < axes.size(); ++i) number = number * extents[i] + indices[i];
    const ValueId value = fusion->values().cast(fusion->values().index(number), type);
    tensor = fusion->output(name, fusion->compute(name, indices, extents, value, type), type);
    schedule = std::make_unique<Schedule>(*fusion);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      schedule->rename(id(), (*fusion)[id()].logical[i], axes[i]);
    }
  }
  TensorId id() const { return tensor.id(); }
  Expr c(std::int64_t v) const { return fusion->constant(v); }

  std::shared_ptr<Fusion> fusion = std::make_shared<Fusion>();
  Tensor tensor;
  std::unique_ptr<Schedule> schedule;
};

// 15 items in tiles of 6, the tiles two by two, each tile in pieces of 4.
inline Numbered figure2() {
  Numbered t("T0", {"I0"}, {15});
  Schedule& s = *t.schedule;
  const auto [i1, i2] = s.split(s.loops(t.id())[0], t.c(6), true, "I1", "I2");
  s.split(i1, t.c(2), true, "I3", "I4");
  s.split(i2, t.c(4), true, "I5", "I6");
  return t;
}

}  // namespace selvage::test
