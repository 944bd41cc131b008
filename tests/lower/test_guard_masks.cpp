// Who passes the guards of lowered kernels: tails, sole writers, elected lanes.
#include <selvage/emulate/emulate.h>
#include <selvage/expr/tape.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/guard_masks.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::string text_of(const ThreadMask& mask) {
  return mask.is_product() ? mask.text() : "no product";
}

// Every thread in every iteration, asked by itself.
void expect_exact(const GuardMask& g) {
  ASSERT_FALSE(g.who.is_dynamic());
  std::vector<Expr> symbols;
  std::vector<std::int64_t> extents;
  for (const MaskIndex& l : g.who.loops) {
    symbols.push_back(l.symbol);
    extents.push_back(l.extent);
  }
  const std::vector<ThreadMask> masks = g.who.mask ? std::vector{*g.who.mask} : g.who.iterations;
  for (const MaskLevel& level : masks[0].levels()) {
    for (const MaskIndex& i : level.indices) {
      symbols.push_back(i.symbol);
      extents.push_back(i.extent);
    }
  }
  std::vector<std::int64_t> at(symbols.size());
  for (std::size_t k = 0; k < masks.size(); ++k) {
    for (std::int64_t t = 0; t < masks[k].size(); ++t) {
      std::int64_t rest = std::int64_t(k) * masks[k].size() + t;
      for (std::size_t a = symbols.size(); a-- > 0; rest /= extents[a]) at[a] = rest % extents[a];
      const auto holds = evaluate(g.condition, symbols, at);
      ASSERT_TRUE(holds.has_value());
      EXPECT_EQ(masks[k].contains(t), *holds != 0) << "iteration " << k << ", thread " << t;
    }
  }
}

TEST(GuardMasks, ThirteenChunksOnFourThreads) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(13)}, DataType::Float);
  const Tensor y = f.output("y", exp(x));
  Schedule s(f);
  const auto [i] = s.loops<1>(y);
  const auto [chunk, thread] = s.split(i, 4);
  s.bind(thread, ParallelType::TIDx);
  const Program p = lower(f, s, {.draws_out_checks = false});
  const std::vector<GuardMask> masks = guard_masks(p.steps[0].variants[0]);
  ASSERT_EQ(masks.size(), 1u);
  expect_exact(masks[0]);
  std::vector<std::string> texts;
  for (const ThreadMask& m : masks[0].who.iterations) texts.push_back(text_of(m));
  EXPECT_EQ(texts, (std::vector<std::string>{"1111", "1111", "1111", "0001"}));
}

TEST(GuardMasks, OneThreadWritesWhatIsNotBoundToAllOfTheBlock) {
  Fusion f;
  const Tensor a = f.input("a", {f.constant(3), f.constant(8)}, DataType::Float);
  const Tensor b = f.input("b", {f.constant(3)}, DataType::Float);
  const Tensor y = f.output("y", exp(a)), z = f.output("z", exp(b));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  s.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  const auto [k] = s.loops<1>(z);
  s.bind(k, ParallelType::BIDx);
  s.rename(z.id(), k.domain, "k");
  const Program p = lower(f, s);
  ASSERT_EQ(p.steps.size(), 1u);
  const std::vector<GuardMask> masks = guard_masks(p.steps[0].variants[0]);
  ASSERT_EQ(masks.size(), 1u);
  expect_exact(masks[0]);
  EXPECT_EQ(text_of(*masks[0].who.mask), "111-00000001");
}

TEST(GuardMasks, ABlockThatFoldsHasElectedLanesAndOneLastWriter) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(256)}, DataType::Float);
  const Tensor y = f.output("y", sum(x, {1}));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  s.bind(m, ParallelType::BIDx);
  s.bind(n, ParallelType::TIDx);
  const Program p = lower(f, s);
  const std::vector<GuardMask> masks = guard_masks(p.steps[0].variants[0]);
  ASSERT_GE(masks.size(), 2u);
  for (const GuardMask& g : masks) expect_exact(g);
  // The first lane of each of the 8 warps leaves what it has; thread 0 stores the sum.
  EXPECT_EQ(masks.front().who.mask->count(), 2 * 8);
  EXPECT_EQ(masks.front().who.mask->lanes(), std::vector<std::uint32_t>(8, 1u));
  EXPECT_EQ(masks.back().who.mask->count(), 2);
  EXPECT_EQ(masks.back().who.mask->lanes(), (std::vector<std::uint32_t>{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(GuardMasks, OfSizesThatAreOpenTheMaskIsDynamic) {
  Fusion f;
  const Expr n = f.extent("N", 1, 100);
  const Tensor x = f.input("x", {n}, DataType::Float);
  const Tensor y = f.output("y", exp(x));
  Schedule s(f);
  const auto [i] = s.loops<1>(y);
  const auto [outer, inner] = s.split(i, 128);
  s.bind(inner, ParallelType::TIDx);
  const Program p = lower(f, s, {.draws_out_checks = false});
  const std::vector<GuardMask> masks = guard_masks(p.steps[0].variants[0]);
  ASSERT_EQ(masks.size(), 1u);
  EXPECT_TRUE(masks[0].who.is_dynamic());
}

}  // namespace
}  // namespace selvage
