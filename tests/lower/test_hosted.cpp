#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;
using testing::HasSubstr;

const SizeList kHostedRows = {
    {{"B", 3}, {"H", 1}},   {{"B", 1}, {"H", 2}},    {{"B", 2}, {"H", 31}},  {{"B", 5}, {"H", 33}},
    {{"B", 3}, {"H", 127}}, {{"B", 2}, {"H", 1027}}, {{"B", 2}, {"H", 9001}}};

// z is computed in the nest of y, which does not need it, and reads t: the kernel of t comes before
// that of y all the same.
TEST(Hosted, AKernelComesBeforeAllThatReadItWhereverTheyAreComputed) {
  Fusion f;
  const Tensor x = f.input("x", {f.extent("N")}, DataType::Float);
  const Tensor y = f.output("y", x + 1);
  const Tensor t = named(max(x), "t");
  const Tensor z = f.output("z", x * t);
  Schedule s(f);
  const auto [n] = s.loops<1>(y);
  s.bind(n, ParallelType::BIDx);
  s.like(z, y).compute_at(z, n);
  s.stop_following(t.id());
  const Program program = expect_agreement(f, s, {{{"N", 7}}});
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[0].stores, std::vector{t.id()});

  // If t reads y, each of the two kernels would have to come first.
  Fusion g;
  const Tensor a = g.input("a", {g.extent("N")}, DataType::Float);
  const Tensor b = g.output("b", a + 1), c = named(max(b), "c"), d = g.output("d", a * c);
  Schedule circle(g);
  circle.like(d, b).compute_at(d, circle.loops<1>(b)[0]);
  circle.stop_following(c.id());
  EXPECT_EQ(
      illegal([&] { lower(circle); }),
      "selvage: error[E418]: d is computed in the nest of b, and reads c, which waits for what "
      "that nest computes; help: compute d in a nest of its own, or c in that of b");
}

// The program of the README: a row to a block, vectors of 8, nothing else said.
struct RmsNorm {
  RmsNorm() {
    const auto [B, H] = f.extents("B", "H");
    const Tensor x = f.input("x", {B, H}, DataType::Half), w = f.input("w", {H}, DataType::Half);
    y = f.output("y", x * rsqrt(mean(x * x, {1}, keepdim) + 1e-6f) * w);
  }
  Schedule by_rows() {
    Schedule s(f);
    const auto [b, h] = s.loops<2>(y);
    const auto [ho, hi] = s.split(h, 8);
    s.bind(b, ParallelType::BIDx).bind(ho, ParallelType::TIDx).bind(hi, ParallelType::Vectorize);
    return s;
  }
  Fusion f;
  Tensor y;
};

TEST(Hosted, AFoldThatNothingIsSaidOfFollowsItsReaderAtAnySize) {
  RmsNorm c;
  const Program p = expect_agreement(c.f, c.by_rows(), kHostedRows);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_TRUE(p.checks.size() == 1 && to_string(p.checks[0].condition) == "B < 2147483648");
}

TEST(Hosted, ARowIsReadOnceIntoRegisters) {
  RmsNorm c;
  Schedule s = c.by_rows();
  const TensorId x = *c.f.find("x");
  s.compute_at(s.cache(x, "x_row", Memory::Local), s.loops(c.y.id())[0]);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(c.f, s); }), HasSubstr("E4"));
}

// A tile through shared memory: stored by rows, read by columns.
TEST(Hosted, ATileIsTransposedThroughSharedMemory) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, DataType::Half, {"m", "n"});
  const Tensor y = f.output("y", transpose(a, {1, 0}));
  Schedule s(f);
  const TensorId tile = s.cache(a.id(), "tile", Memory::Shared);
  const auto cut = [&](std::vector<ScheduledLoop> l, bool is_transposed) {
    const auto [o0, i0] = s.split(l[0], 32);
    const auto [o1, i1] = s.split(l[1], 32);
    const auto [warps, steps] = s.split(i0, 4);
    const auto n = is_transposed ? o0 : o1, m = is_transposed ? o1 : o0;
    s.reorder({n, m, warps, steps, i1});
    s.bind(n, ParallelType::BIDy).bind(m, ParallelType::BIDx);
    s.bind(warps, ParallelType::TIDy).bind(i1, ParallelType::TIDx);
    return m;
  };
  const ScheduledLoop at = cut(s.loops(y.id()), true);
  cut(s.loops(tile), false);
  s.compute_at(tile, at);
  const Program p = expect_agreement(
      f, s, {{{"M", 1}, {"N", 1}}, {{"M", 33}, {"N", 31}}, {{"M", 127}, {"N", 65}}});
  EXPECT_EQ(barriers_in(p.steps[0].variants[0].body), 1u);
}

TEST(Hosted, AReaderOutsideOfTheLoopsIsRefused) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float, {"m", "n"});
  const Tensor t = x * 2;
  const Tensor y = f.output("y", t + 1);
  f.output("z", t - 1);
  Schedule s(f);
  s.compute_at(t.id(), s.loops<2>(y)[0]);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E418]: t0 is computed at loop i0 of y, and z reads it outside of that; "
            "help: compute z there as well, inline: {into: y, at: i0}; or leave inline out of the "
            "schedule of t0");
  s.materialize(t.id());
  expect_agreement(f, s, {{{"M", 3}, {"N", 5}}});
}

TEST(Hosted, AnElementOfAnotherIterationIsRefused) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N}, DataType::Float, {"n"});
  const Tensor t = x * 2;
  const Tensor y = f.output("y", t + slice(concatenate({t, t}, 0), 0, 1, N + 1));
  Schedule s(f);
  s.compute_at(t.id(), s.loops<1>(y)[0]);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(f, s); }), HasSubstr("error[E432]"));
}

// A tile past what a kernel may declare is memory that the launch asks for, up to what a device
// has.
TEST(Hosted, ATileOfUpTo227KilobytesIsAskedForAtLaunch) {
  const auto kernels = [](std::int64_t rows) {
    Fusion f;
    const Expr N = f.extent("N");
    const Tensor x = f.input("x", {N, f.constant(rows), f.constant(128)}, DataType::Float);
    const Tensor tile = x * 2, most = reduce(Reduction::Max, tile, {1, 2}, true);
    const Tensor y = f.output("y", tile - most);
    Schedule s(f);
    const auto [n, m, k] = s.loops<3>(y);
    s.bind(n, ParallelType::BIDx).bind(k, ParallelType::TIDx);
    s.compute_at(tile.id(), n).keep_in(tile.id(), Memory::Shared);
    s.bind(s.loops<3>(tile)[2], ParallelType::TIDx);
    return expect_agreement(f, s, {{{"N", 2}}}).steps[0].variants;
  };
  EXPECT_TRUE(kernels(80)[0].launch.shared_bytes.is_const(0));
  // The states of the fold lie behind the tile.
  const std::int64_t states = 128;
  const Kernel large = kernels(440)[0];
  EXPECT_TRUE(large.launch.shared_bytes.is_const(440 * 512 + states)) << cuda(large).text;
  EXPECT_THAT(cuda(large).text, HasSubstr("DYNAMIC_SHARED(unsigned char, shared_pool);"));
  // A tile past that has a piece of global memory for each block that runs.
  const Kernel larger = kernels(455)[0];
  EXPECT_TRUE(larger.launch.shared_bytes.is_const(0));
  ASSERT_TRUE(larger.launch.workspace);
  EXPECT_EQ(larger.launch.workspace->bytes, 455 * 512);
}

// Two tiles of a block, one after the other: the second lies where the first was.
TEST(Hosted, TilesWhoseLifetimesAreApartShareBytes) {
  Fusion f;
  const Expr b = f.extent("B"), h = f.constant(512);
  const Tensor x = f.input("x", {b, h}, DataType::Float);
  const Tensor first = x * 2, sum = reduce(Reduction::Sum, first, {1}, true);
  const Tensor second = x - sum, most = reduce(Reduction::Max, second, {1}, true);
  const Tensor y = f.output("y", x * most);
  Schedule s(f);
  const ScheduledLoop row = s.loops(y.id())[0];
  s.bind(row, ParallelType::BIDx);
  for (const Tensor& t : {first, sum, second, most}) s.materialize(t.id()).compute_at(t.id(), row);
  for (const Tensor& t : {first, sum, second, most, y}) {
    s.bind(s.split(s.loops(t.id()).back(), 128).second, ParallelType::TIDx);
  }
  s.keep_in(first.id(), Memory::Shared).keep_in(second.id(), Memory::Shared);
  const Program p = expect_agreement(f, s, {{{"B", 1}}, {{"B", 5}}});
  const Kernel& kernel = p.steps[0].variants[0];
  std::map<std::string, std::optional<std::int64_t>> offsets;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory == Memory::Shared) offsets[buffer.name] = buffer.offset;
  }
  EXPECT_EQ(offsets.at(f[first.id()].name), 0);
  EXPECT_EQ(offsets.at(f[second.id()].name), 0);
}

}  // namespace

}  // namespace selvage
