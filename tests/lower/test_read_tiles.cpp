// Tiles with halos: what windows read of a tensor, kept in shared memory.
#include <selvage/emulate/watch.h>
#include <selvage/ir/gather.h>
#include <selvage/legality/read_tile.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

// y[i...] = sum over p...(x[mode(step * i + stretch * p - before)...]), in tiles of blocks.
struct Window {
  enum class Edge : std::uint8_t { Mode, Fill, Plain };
  enum class Source : std::uint8_t { Input, Computed, Folded };
  struct Axis {
    std::int64_t extent, tile, taps, step = 1, stretch = 1, before = 0;
    Edge edge = Edge::Mode;
    AccessMode mode = AccessMode::Mirror;
  };

  Window(const std::vector<Axis>& axes, Source source, bool is_symbolic) : axes_(axes) {
    std::vector<Expr> shape, source_shape, indices, taps, taps_shape;
    std::vector<Subscript> at;
    const bool is_filled = axes[0].edge == Edge::Fill;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const Axis& a = axes[k];
      const std::string name(1, char('H' + k));
      const Expr extent = is_symbolic ? f.extent(name) : f.constant(a.extent);
      if (is_symbolic) sizes[name] = a.extent;
      shape.push_back(extent);
      indices.push_back(f.fresh_index("i" + std::to_string(k)));
      taps.push_back(f.fresh_index("p" + std::to_string(k)));
      taps_shape.push_back(f.constant(a.taps));
      const bool is_plain = a.edge == Edge::Plain;
      const Expr of = a.step * indices[k] + a.stretch * taps[k] - (is_plain ? 0 : a.before);
      const bool has_mode = a.edge == Edge::Mode && !is_filled;
      at.push_back(has_mode ? Subscript(a.mode, of) : Subscript(of));
      source_shape.push_back(is_plain ? a.step * (extent - 1) + (a.stretch * (a.taps - 1) + 1)
                                      : extent);
    }
    x = made(source, source_shape);
    const Element read = is_filled ? gather_or(x, at, 0.5) : gather(x, at);
    y = f.output(
        "y", f.compute_fold("y", indices, shape,
                            {.how = Reduction::Sum, .indices = taps, .shape = taps_shape}, read));
  }

  Schedule tiled(bool is_cached) const {
    Schedule s(f);
    std::vector<ScheduledLoop> blocks, threads, all = s.loops(y);
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const auto [block, thread] = s.split(all[k], axes_[k].tile);
      const bool is_x = k + 1 == axes_.size();
      s.bind(block, is_x ? ParallelType::BIDx : ParallelType::BIDy);
      s.bind(thread, is_x ? ParallelType::TIDx : ParallelType::TIDy);
      blocks.push_back(block), threads.push_back(thread);
    }
    std::vector<ScheduledLoop> order = blocks;
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), all.begin() + std::ptrdiff_t(axes_.size()), all.end());
    s.reorder(order);
    if (is_cached) cache_tile(s, x.id(), blocks.back(), "tile");
    return s;
  }

  Fusion f;
  Tensor x, y;
  std::map<std::string, std::int64_t> sizes;

 private:
  Tensor made(Source source, const std::vector<Expr>& shape) {
    if (source == Source::Input) return f.input("x", shape, DataType::Float);
    std::vector<Expr> indices;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      indices.push_back(f.fresh_index("j" + std::to_string(k)));
    }
    std::vector<Subscript> at(indices.begin(), indices.end());
    if (source == Source::Computed) {
      const Tensor in = f.input("in", shape, DataType::Float);
      return f.compute("x", indices, shape, gather(in, at) * 2.0 + 1.0);
    }
    std::vector<Expr> in_shape = shape;
    in_shape.push_back(f.constant(3));
    const Tensor in = f.input("in", in_shape, DataType::Float);
    const Expr c = f.fresh_index("c");
    at.push_back(c);
    return f.compute_fold("x", indices, shape,
                          {.how = Reduction::Sum, .indices = {c}, .shape = {f.constant(3)}},
                          gather(in, at));
  }

  std::vector<Axis> axes_;
};

class Loads : public RunWatcher {
 public:
  void loaded(const RunView& run, BufferId b, std::int64_t, Scalar) override {
    if (run.kernel().buffers[b].name == "x") ++count;
  }
  std::int64_t count = 0;
};

// Tiles of 16 x 16 with a halo of 3 are 22 x 22: 1.89 loads for each pixel, where a kernel without
// a tile makes 49.
TEST(ReadTiles, LoadTileAndHaloOnce) {
  const Window::Axis axis{.extent = 64, .tile = 16, .taps = 7, .before = 3};
  const Window window({axis, axis}, Window::Source::Input, false);
  const auto loads = [&](bool is_cached) {
    const Program program = lower(window.f, window.tiled(is_cached));
    Array x(DataType::Float, {64 * 64}), y(DataType::Float, {64 * 64});
    Array* buffers[] = {&x, &y, nullptr, nullptr};
    const Kernel& kernel = program.steps[0].variants[0];
    Loads watcher;
    const Emulation e =
        emulate(kernel, {}, std::span(buffers).first(kernel.buffers.size()), {.watcher = &watcher});
    EXPECT_EQ(e.fault_count, 0);
    return watcher.count;
  };
  EXPECT_EQ(loads(false), 49 * 64 * 64);
  EXPECT_EQ(loads(true), 22 * 22 * 16);
  EXPECT_NEAR(double(22 * 22 * 16) / (64 * 64), 1.89, 0.001);
}

// Random windows of inputs, of pointwise tensors and of folds, under every mode, with fills and
// within bounds, of known and symbolic extents.
TEST(ReadTiles, OfRandomWindowsAreRight) {
  std::mt19937_64 random(7);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int tiles = 0;
  for (int k = 0; k < count(60, 3'000) && !testing::Test::HasFailure(); ++k) {
    std::vector<Window::Axis> axes;
    const auto edge = Window::Edge(draw(0, 2));
    for (std::int64_t rank = draw(1, 2); rank > 0; --rank) {
      const std::int64_t taps = draw(1, 5);
      axes.push_back({.extent = draw(1, 40),
                      .tile = draw(2, 8),
                      .taps = taps,
                      .step = draw(0, 3) == 0 ? 2 : 1,
                      .stretch = draw(0, 3) == 0 ? 2 : 1,
                      .before = draw(0, 4),
                      .edge = edge,
                      .mode = AccessMode(draw(0, 3))});
    }
    auto source = Window::Source(draw(0, 2));
    // A fold has no value out of bounds that could be folded.
    if (edge == Window::Edge::Fill && source == Window::Source::Folded) {
      source = Window::Source::Input;
    }
    // Rounds of a fold at symbolic sizes get a barrier more than they need.
    const bool is_symbolic = source != Window::Source::Folded && draw(0, 1) == 1;
    const Window window(axes, source, is_symbolic);
    std::string text = std::to_string(int(source)) + (is_symbolic ? " symbolic" : "");
    for (const Window::Axis& a : axes) {
      text += ", " + std::to_string(a.extent) + " in " + std::to_string(a.tile) + ": " +
              std::to_string(a.step) + "*i + " + std::to_string(a.stretch) + "*p - " +
              std::to_string(a.before) + ", p < " + std::to_string(a.taps) + ", edge " +
              std::to_string(int(a.edge)) + " " + std::string(to_string(a.mode));
    }
    SCOPED_TRACE(text);
    std::optional<Schedule> s;
    try {
      s = window.tiled(true);
    } catch (const Illegal& e) {
      // All of it is read by the one block that there is.
      EXPECT_THAT(e.diagnostic().message, testing::HasSubstr("all of it is read"));
      continue;
    }
    ++tiles;
    const Program program = test::expect_agreement(window.f, *s, {window.sizes});
    EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  }
  EXPECT_GT(tiles, more_than(40));
}

}  // namespace
}  // namespace selvage
