// Blocks at which no read leaves its tensor: which they are, counted one by one, and kernels that
// have a body for them.
#include <selvage/codegen/cuda.h>
#include <selvage/ir/gather.h>
#include <selvage/legality/inside_reads.h>
#include <selvage/legality/reads.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/static_counts.h"

namespace selvage {
namespace {

// A fold y[i, j] over p and q in tiles of blocks, a thread for an item.
Schedule tiled_fold(const Fusion& f, Tensor y, std::int64_t height, std::int64_t width) {
  Schedule s(f);
  const auto [i, j, p, q] = s.loops<4>(y);
  const auto [by, ty] = s.split(i, height);
  const auto [bx, tx] = s.split(j, width);
  s.reorder({by, bx, ty, tx, p, q});
  s.bind(by, ParallelType::BIDy).bind(bx, ParallelType::BIDx);
  s.bind(ty, ParallelType::TIDy).bind(tx, ParallelType::TIDx);
  return s;
}

// y[i, j] = sum[p, q](x[mode(i + p - r), mode(j + q - r)]) of an image, in tiles of blocks.
struct Blurred {
  struct Shape {
    std::int64_t height, width, radius, tile_height, tile_width;
  };
  explicit Blurred(Shape shape, AccessMode mode, bool is_symbolic = false) : own(shape) {
    const Expr h = is_symbolic ? f.extent("H") : f.constant(own.height);
    const Expr w = is_symbolic ? f.extent("W") : f.constant(own.width);
    const Tensor x = f.input("x", {h, w}, DataType::Float);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    const Expr p = f.fresh_index("p"), q = f.fresh_index("q");
    const Expr taps = f.constant(2 * own.radius + 1);
    const std::vector<Subscript> at = {Subscript(mode, i + p - own.radius),
                                       Subscript(mode, j + q - own.radius)};
    y = f.output("y",
                 f.compute_fold("y", {i, j}, {h, w},
                                {.how = Reduction::Sum, .indices = {p, q}, .shape = {taps, taps}},
                                gather(x, at)));
    sizes = is_symbolic ? std::map<std::string, std::int64_t>{{"H", own.height}, {"W", own.width}}
                        : std::map<std::string, std::int64_t>{};
  }
  Schedule tiled() const { return tiled_fold(f, y, own.tile_height, own.tile_width); }
  std::optional<InsideReads> inside(const Schedule& s) const {
    const TensorAnalysis a = analyze(f, s, y.id());
    std::optional<InsideReads> found = inside_reads(f, s, a, reads_of(f, s, a));
    if (found) count_points(f, s, a, *found);
    return found;
  }
  Fusion f;
  Shape own;
  Tensor y;
  std::map<std::string, std::int64_t> sizes;
};

// Of an axis of n in tiles: how many tiles read inside alone, and how many items do.
struct Counted {
  std::int64_t blocks = 0, of = 0, items = 0;
};
Counted counted(std::int64_t n, std::int64_t tile, std::int64_t radius) {
  const auto is_inside = [&](std::int64_t i) { return i - radius >= 0 && i + radius < n; };
  Counted c;
  for (std::int64_t begin = 0; begin < n; begin += tile) {
    bool all = true;
    for (std::int64_t i = begin; i < begin + tile; ++i) {
      all = all && is_inside(i);
      c.items += i < n && is_inside(i);
    }
    c.blocks += all;
    ++c.of;
  }
  return c;
}

// The figures that are published for an image of 512 x 512 and a radius of 3: 87.9 % of blocks of
// 16 x 16 are interior ones, and 2.3 % of all pixels read past an edge.
TEST(InteriorBlocks, OfAnImageAreAsManyAsPublished) {
  const Blurred blur({512, 512, 3, 16, 16}, AccessMode::Mirror);
  const auto inside = blur.inside(blur.tiled());
  ASSERT_TRUE(inside && inside->blocks && inside->points);
  EXPECT_TRUE(inside->pays);
  EXPECT_EQ(inside->blocks->taken, 900);
  EXPECT_EQ(inside->blocks->of, 1024);
  EXPECT_EQ(inside->points->of - inside->points->taken, 512 * 512 - 506 * 506);
}

// An interior block runs what a kernel without modes does, of a larger image that no window leaves,
// and a test of the block: counted in what NVRTC makes of both, loops unrolled.
TEST(InteriorBlocks, RunWhatAKernelWithoutModesDoes) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC is not installed";
  const auto steps = [&](const Fusion& f, Schedule s, Tensor y) {
    for (ScheduledLoop l : s.loops(y)) {
      if (s.is_folded(l.tensor, l.domain)) s.bind(l, ParallelType::Unroll);
    }
    const Program program = lower(f, s);
    const CudaText text = cuda(program.steps[0].variants[0]);
    const CompiledKernels compiled =
        nvrtc->compile(KernelSource{text.text, text.name, text.parameter_types});
    return count_sass(compiled.cubin).at(text.name).on_shortest_path;
  };
  Fusion larger;
  const Tensor x = larger.input("x", {larger.constant(518), larger.constant(518)}, DataType::Float);
  const Expr i = larger.fresh_index("i"), j = larger.fresh_index("j");
  const Expr p = larger.fresh_index("p"), q = larger.fresh_index("q");
  const Expr side = larger.constant(512), taps = larger.constant(7);
  const Tensor y = larger.output(
      "y", larger.compute_fold("y", {i, j}, {side, side},
                               {.how = Reduction::Sum, .indices = {p, q}, .shape = {taps, taps}},
                               x(i + p, j + q)));
  const int plain = steps(larger, tiled_fold(larger, y, 16, 16), y);
  for (const AccessMode mode : {AccessMode::Clamped, AccessMode::Circular, AccessMode::Mirror}) {
    const Blurred blur({512, 512, 3, 16, 16}, mode);
    const int own = steps(blur.f, blur.tiled(), blur.y);
    std::printf("[FIGURE] an interior block under %s: %d instructions a pixel, %d without modes\n",
                std::string(to_string(mode)).c_str(), own, plain);
    EXPECT_GT(plain, 100);  // 49 reads, 48 additions
    EXPECT_LE(own, plain + 6) << to_string(mode);
  }
}

// Random images, windows, tiles and modes, of known and of symbolic sizes: the blocks and items
// that are said to be inside are those that are, and both bodies are right.
TEST(InteriorBlocks, AreThoseOfRandomImages) {
  std::mt19937_64 random(3);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int bodies = 0;
  for (int k = 0; k < count(40, 2'000) && !testing::Test::HasFailure(); ++k) {
    const Blurred::Shape shape{draw(1, 60), draw(1, 60), draw(0, 4), draw(1, 8), draw(1, 16)};
    const auto mode = AccessMode(draw(0, 3));
    SCOPED_TRACE(testing::Message()
                 << shape.height << " x " << shape.width << ", radius " << shape.radius << ", tile "
                 << shape.tile_height << " x " << shape.tile_width << ", " << to_string(mode));
    const Blurred known(shape, mode);
    const Schedule s = known.tiled();
    const auto inside = known.inside(s);
    const Counted rows = counted(shape.height, shape.tile_height, shape.radius);
    const Counted columns = counted(shape.width, shape.tile_width, shape.radius);
    if (inside) {
      ASSERT_TRUE(inside->blocks && inside->points);
      EXPECT_TRUE(inside->hoisted.exact);
      EXPECT_EQ(inside->blocks->taken, rows.blocks * columns.blocks);
      EXPECT_EQ(inside->blocks->of, rows.of * columns.of);
      EXPECT_EQ(inside->points->taken, rows.items * columns.items);
      EXPECT_EQ(inside->points->of, shape.height * shape.width);
    } else {
      // All blocks, or none.
      const std::int64_t blocks = rows.blocks * columns.blocks;
      EXPECT_TRUE(blocks == 0 || shape.radius == 0 || blocks == rows.of * columns.of) << blocks;
    }
    test::expect_verified(test::expect_agreement(known.f, s, {{}}));
    const Blurred symbolic(shape, mode, true);
    const Schedule any = symbolic.tiled();
    const auto anywhere = symbolic.inside(any);
    bodies += anywhere && anywhere->pays;
    test::expect_verified(test::expect_agreement(symbolic.f, any, {symbolic.sizes}));
  }
  EXPECT_GT(bodies, more_than(20));
}

}  // namespace
}  // namespace selvage
