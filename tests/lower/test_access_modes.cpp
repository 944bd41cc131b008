// Reads under access modes: kernels, in the forms that their loops allow, against walks along axes.
#include <selvage/ir/gather.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/reads.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"
#include "tests/support/lowered.h"

namespace selvage {
namespace {

// y[i, j] = x[mirror(i - 1), clamped(j + 2)]: the reads of y's nest, and how they are made.
TEST(AccessModes, AreKnownBehindTheDefinition) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(9), f.constant(5)}, DataType::Float);
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  const Tensor y =
      f.output("y", f.compute("y", {i, j}, x.shape(), x(mirror(i - 1), clamped(j + 2))));
  const Schedule s(f);
  const std::vector<Access> reads = reads_of(f, s, analyze(f, s, y.id()));
  ASSERT_EQ(reads.size(), 1u);
  ASSERT_EQ(reads[0].modes.size(), 2u);
  EXPECT_EQ(reads[0].modes[0].axis.mode, AccessMode::Mirror);
  EXPECT_EQ(reads[0].modes[0].form, RemapForm::Near);
  EXPECT_EQ(reads[0].modes[1].axis.axis, 1u);
  EXPECT_TRUE(reads[0].is_inside());
}

// Random reads under modes, and sums of windows of them, of known and of symbolic extents,
// scheduled automatically: emulator, virtual device and the unscheduled program agree, and nothing
// is out of bounds.
TEST(AccessModes, OfRandomReadsAgreeEverywhere) {
  std::mt19937_64 random(19);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int forms[3] = {};
  for (int k = 0; k < count(40, 10'000) && !testing::Test::HasFailure(); ++k) {
    Fusion f;
    const std::size_t rank = std::size_t(draw(1, 4));
    const bool is_symbolic = draw(0, 1) == 1;
    const std::int64_t most = rank < 3 ? 40 : 7;
    std::vector<Expr> shape, indices;
    std::map<std::string, std::int64_t> sizes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t extent = draw(1, most);
      const std::string name = "N" + std::to_string(axis);
      shape.push_back(is_symbolic ? f.extent(name) : f.constant(extent));
      if (is_symbolic) sizes[name] = extent;
      indices.push_back(f.fresh_index("i" + std::to_string(axis)));
    }
    const Tensor x = f.input("x", shape, draw(0, 1) == 0 ? DataType::Float : DataType::Int32);
    std::vector<Expr> window;  // an index for each axis that it runs along
    std::vector<Expr> window_shape;
    for (std::size_t axis = 0; axis < rank && draw(0, 2) == 0; ++axis) {
      window.push_back(f.fresh_index("p" + std::to_string(axis)));
      window_shape.push_back(f.constant(draw(1, 5)));
    }
    std::optional<Element> sum;
    for (std::int64_t reads = draw(1, 3); reads > 0; --reads) {
      std::vector<Subscript> at;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t distance = draw(0, 3) == 0 ? 10 * most : 3;
        const Expr offset = f.constant(draw(-distance, distance));
        const Expr i = indices[axis];
        const Expr of = draw(0, 4) == 0   ? 2 * i + offset
                        : draw(0, 4) == 0 ? offset - i
                                          : i + offset;
        const bool is_along = axis < window.size();
        at.push_back(Subscript(AccessMode(draw(0, 3)), is_along ? of + window[axis] : of));
      }
      const Element e = gather(x, at);
      sum = sum ? *sum + e : e;
    }
    const Tensor y = f.output(
        "y", window.empty()
                 ? f.compute("y", indices, shape, *sum)
                 : f.compute_fold("y", indices, shape,
                                  {.how = Reduction::Sum, .indices = window, .shape = window_shape},
                                  *sum));
    const Schedule s = auto_schedule(f, sizes);
    for (const Access& read : reads_of(f, s, analyze(f, s, y.id()))) {
      for (const Access::Mode& m : read.modes) ++forms[int(m.form)];
    }
    test::expect_verified(test::expect_agreement(f, s, {sizes}));
  }
  for (const int times : forms) EXPECT_GT(times, more_than(3));
}

}  // namespace
}  // namespace selvage
