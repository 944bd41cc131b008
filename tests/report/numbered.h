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
    names = axes;
    make_schedule();
  }
  // Of the fusion as it is now: a schedule sees nothing that is said of it later.
  void make_schedule() {
    schedule = std::make_unique<Schedule>(*fusion);
    for (std::size_t i = 0; i < names.size(); ++i) {
      schedule->rename(id(), (*fusion)[id()].logical[i], names[i]);
    }
  }
  TensorId id() const { return tensor.id(); }
  Expr c(std::int64_t v) const { return fusion->constant(v); }

  std::shared_ptr<Fusion> fusion = std::make_shared<Fusion>();
  Tensor tensor;
  std::vector<std::string> names;  // of the axes
  std::unique_ptr<Schedule> schedule;
};

// Tiles of 6, the tiles two by two, each tile in pieces of 4.
inline void cut_as_in_figure2(Numbered& t) {
  Schedule& s = *t.schedule;
  const auto [i1, i2] = s.split(s.loops(t.id())[0], 6, {.outer = "I1", .inner = "I2"});
  s.split(i1, 2, {.outer = "I3", .inner = "I4"});
  s.split(i2, 4, {.outer = "I5", .inner = "I6"});
}
inline Numbered figure2() {
  Numbered t("T0", {"I0"}, {15});
  cut_as_in_figure2(t);
  return t;
}

}  // namespace selvage::test
