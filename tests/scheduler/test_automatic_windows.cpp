// Automatic schedules of folds that read windows.
#include <selvage/ir/composites.h>
#include <selvage/ir/gather.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

enum class ImageSize : std::uint8_t { Known, Bounded, Open };

// y[n, i, j] = sum[p, q](w[p, q] * x[n, mode(i + p - r), mode(j + q - r)])
struct Convolution {
  Convolution(std::int64_t images, std::int64_t height, std::int64_t width, std::int64_t taps,
              AccessMode mode, ImageSize known) {
    const auto extent = [&](const char* name, std::int64_t n) {
      if (known == ImageSize::Known) return f.constant(n);
      sizes[name] = n;
      const Expr size = f.extent(name);
      if (known == ImageSize::Bounded) f.assume(size <= 8192);
      return size;
    };
    const std::vector<Expr> shape = {f.constant(images), extent("H", height), extent("W", width)};
    const Tensor x = f.input("x", shape, DataType::Float);
    const Tensor w = f.input("w", {f.constant(taps), f.constant(taps)}, DataType::Float);
    const Expr n = f.fresh_index("n"), i = f.fresh_index("i"), j = f.fresh_index("j");
    const Expr p = f.fresh_index("p"), q = f.fresh_index("q");
    const Element read = x(n, Subscript(mode, i + p - taps / 2), Subscript(mode, j + q - taps / 2));
    y = f.output("y", f.compute_fold("y", {n, i, j}, shape,
                                     {.how = Reduction::Sum,
                                      .indices = {p, q},
                                      .shape = {f.constant(taps), f.constant(taps)}},
                                     w(p, q) * read));
  }
  Fusion f;
  Tensor y;
  std::map<std::string, std::int64_t> sizes;
};

TEST(AutomaticWindows, AreTilesOfTwoAxes) {
  const Convolution c(4, 512, 512, 5, AccessMode::Mirror, ImageSize::Known);
  const AutomaticSchedule s = filled_in(Schedule(c.f));
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_TRUE(s.kernels[0].taken.plan.is_windowed);
  const Program program = lower(s.schedule);
  test::expect_verified(program);
  const Launch& launch = program.steps.at(0).variants.at(0).launch;
  EXPECT_TRUE(launch.grid[2].is_const(4));
  EXPECT_FALSE(launch.block[1].is_const(1));
}

// More than 65,535 blocks along y or z are more than a launch holds.
TEST(AutomaticWindows, OfAnySizeHaveBlocksAlongOneAxis) {
  const Convolution c(4, 512, 512, 5, AccessMode::Mirror, ImageSize::Open);
  const AutomaticSchedule s = filled_in(Schedule(c.f), c.sizes);
  EXPECT_TRUE(s.kernels.at(0).taken.plan.is_windowed);
  const Program program = lower(s.schedule);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  const Launch& launch = program.steps.at(0).variants.at(0).launch;
  EXPECT_TRUE(launch.grid[1].is_const(1) && launch.grid[2].is_const(1));
  EXPECT_FALSE(launch.block[1].is_const(1));
}

TEST(AutomaticWindows, AreChosenByTheirKey) {
  const Convolution c(1, 512, 512, 5, AccessMode::Clamped, ImageSize::Known);
  for (const std::int64_t wanted : {0, 1}) {
    PlanChoice choice;
    choice.windows = wanted;
    const AutomaticSchedule s = filled_in(Schedule(c.f), {}, usual_device(), {{"y", choice}});
    EXPECT_EQ(s.kernels[0].taken.plan.is_windowed, wanted == 1);
  }
  PlanChoice tile;
  tile.windows = 1;
  tile.kept = Memory::Shared;
  const AutomaticSchedule s = filled_in(Schedule(c.f), {}, usual_device(), {{"y", tile}});
  EXPECT_TRUE(s.schedule.fusion().find("x_tile").has_value());
  test::expect_verified(lower(s.schedule));
}

// Random convolutions and medians, of known and of symbolic sizes: all of their kernels are proved.
TEST(AutomaticWindows, AreRightAndProved) {
  std::mt19937_64 random(11);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int k = 0; k < count(20, 1'000) && !testing::Test::HasFailure(); ++k) {
    const auto known = ImageSize(draw(0, 2));
    const Convolution c(draw(1, 3), draw(1, 40), draw(1, 70), draw(1, 5), AccessMode(draw(0, 3)),
                        known);
    PlanChoice tile{.is_wish = true};
    tile.windows = 1;
    tile.kept = Memory::Shared;
    PlanChoices choices;
    if (draw(0, 1) == 1) choices.emplace("y", tile);
    const Schedule s = filled_in(Schedule(c.f), c.sizes, usual_device(), choices).schedule;
    const Program program = test::expect_agreement(c.f, s, {c.sizes});
    EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  }
}

// A tensor of windows that two folds read is kept by the threads of a row, who share it.
TEST(AutomaticWindows, KeptWindowsAreProved) {
  std::mt19937_64 random(12);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int k = 0; k < count(6, 300) && !testing::Test::HasFailure(); ++k) {
    const std::int64_t h = draw(1, 12), w = draw(1, 40), rows = draw(1, 5), columns = draw(1, 5);
    const bool is_symbolic = draw(0, 2) > 0;
    SCOPED_TRACE(testing::Message() << k << ": " << h << " x " << w << " by " << rows << " x "
                                    << columns << (is_symbolic ? ", open" : ""));
    Fusion f;
    const Expr H = is_symbolic ? f.extent("H") : f.constant(h);
    const Expr W = is_symbolic ? f.extent("W") : f.constant(w);
    const Tensor x = f.input("x", {H, W}, DataType::Float);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    const Expr p = f.fresh_index("p"), q = f.fresh_index("q");
    const Tensor near =
        f.compute("near", {i, j, p, q}, {H, W, f.constant(rows), f.constant(columns)},
                  x(mirror(i + p - rows / 2), mirror(j + q - columns / 2)));
    f.output("y", draw(0, 1) == 0
                      ? median(near, {2, 3})
                      : max(near - unsqueeze(unsqueeze(mean(near, {2, 3}), 2), 3), {2, 3}));
    std::map<std::string, std::int64_t> sizes;
    if (is_symbolic) sizes = {{"H", h}, {"W", w}};
    const Program program = test::expect_agreement(f, auto_schedule(f, sizes), {sizes});
    EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  }
}

}  // namespace
}  // namespace selvage
