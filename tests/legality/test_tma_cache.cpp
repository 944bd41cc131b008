// A TMA copy into a cache: the same as that of the global tensor by a nest of its own.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/legality/tma.h>

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

// All that is said of a copy, but for the names of tensors and what would mend it.
std::string told(const Fusion& f, const Schedule& s, TensorId t) {
  const TensorAnalysis a = analyze(f, s, t);
  const auto copy = tma_copy(f, s, a);
  if (!copy) return "none";
  std::string text = copy->finding.code;
  for (const TmaDim& d : copy->dims) {
    text += "; " + std::to_string(d.domains.size()) + " of " + to_string(d.size) + " by " +
            to_string(d.stride) + ": " + std::to_string(d.box) + "/" +
            std::to_string(d.element_stride) + " at " + to_string(d.coordinate);
  }
  for (Expr condition : copy->finding.conditions) text += "; if " + to_string(condition);
  text += "; " + std::string(copy->strong ? to_string(*copy->strong) : "unknown");
  for (Expr guard : copy->guard) text += "; guard " + to_string(guard);
  return text;
}

TEST(TmaCache, IsAsTheGlobalTensorsOwn) {
  std::mt19937_64 engine(463);
  const auto within = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  };
  std::map<std::string, int> codes;
  int symbolic = 0;
  for (int n = 0; n < count(300, 4'000) && !testing::Test::HasFailure(); ++n) {
    Fusion f;
    const Expr N = f.extent("N", 1, {}, within(0, 1) ? 16 : 1);
    std::vector<Expr> shape;
    const std::int64_t rank = within(1, 3);
    for (std::int64_t k = 0; k < rank; ++k) {
      const bool is_size = within(0, 3) == 0;
      symbolic += is_size;
      shape.push_back(is_size ? N : f.constant(4 * within(1, 12)));
    }
    const Tensor x = f.input("x", shape, DataType::Float);
    std::vector<Expr> indices;
    for (std::int64_t k = 0; k < rank; ++k) indices.push_back(f.fresh_index("i"));
    const Tensor y =
        f.output("y", f.compute("t", indices, shape,
                                f.values().read(DataType::Float, std::uint32_t(x.id()), indices)));
    Schedule own(f), cached(f);
    const TensorId tile = cached.cache(x.id(), "tile", Memory::Shared);
    struct Side {
      Schedule& schedule;
      TensorId tensor;
    };
    // The same steps on both.
    const auto both = [&](const auto& step) {
      for (const Side& side : {Side{own, y.id()}, Side{cached, tile}}) {
        std::vector<ScheduledLoop> loops = side.schedule.loops(side.tensor);
        step(side.schedule, loops);
      }
    };
    // From one loop per iterdomain on.
    both([&](Schedule& s, std::vector<ScheduledLoop>& loops) {
      s.set_loops(loops.at(0).tensor, s.fusion()[loops[0].tensor].logical);
    });
    for (std::int64_t step = within(0, 4); step > 0; --step) {
      const auto size = own.loops(y.id()).size();
      const std::size_t k = std::size_t(within(0, std::int64_t(size) - 1));
      const std::int64_t factor = std::int64_t{1} << within(0, 4);
      if (within(0, 2) == 0 && k + 1 < size) {
        both([&](Schedule& s, auto& loops) { s.merge(loops[k], loops[k + 1], "m"); });
      } else {
        both([&](Schedule& s, auto& loops) {
          s.split(loops[k], factor,
                  {.outer = "o" + std::to_string(step), .inner = "l" + std::to_string(step)});
        });
      }
    }
    for (std::size_t k = own.loops(y.id()).size(), bound = 0; k-- > 0;) {
      if (bound > 0 && within(0, 2) == 0) continue;
      ++bound;
      both([&](Schedule& s, auto& loops) { s.bind(loops[k], ParallelType::Bulk); });
      if (within(0, 1) == 0) break;
    }
    const std::string expected = told(own.fusion(), own, y.id());
    EXPECT_EQ(told(cached.fusion(), cached, tile), expected);
    ++codes[expected.substr(0, 4)];
  }
  EXPECT_GT(symbolic, more_than(50));
  EXPECT_GT(int(codes.size()), more_than(3));
}

// What is no plain copy has no global side; and a tile lies in the order of its loops.
TEST(TmaCache, OfOtherThanACopyIsRefused) {
  Fusion f;
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  const std::vector<Expr> shape = {f.constant(64), f.constant(64)};
  const Tensor x = f.input("x", shape, DataType::Float);
  const auto read = [&](Tensor t, Expr a, Expr b) {
    return f.values().read(DataType::Float, std::uint32_t(t.id()), {a, b});
  };
  const Tensor turned = f.compute("turned", {i, j}, shape, read(x, j, i));
  f.output("y", f.compute("t", {i, j}, shape, read(turned, i, j)));
  Schedule s(f);
  s.keep_in(turned, Memory::Shared);
  for (ScheduledLoop l : s.loops(turned.id())) s.bind(s.split(l, 8).second, ParallelType::Bulk);
  TensorAnalysis a = analyze(s.fusion(), s, turned.id());
  EXPECT_EQ(copied(s.fusion(), s, a).tensor, turned.id());

  Schedule plain(f);
  const TensorId tile = plain.cache(x.id(), "tile", Memory::Shared);
  plain.set_loops(tile, plain.fusion()[tile].logical);
  std::vector<DomainId> boxes;
  for (ScheduledLoop l : plain.loops(tile)) {
    boxes.push_back(plain.split(l, 8).second.domain);
    plain.bind({tile, boxes.back()}, ParallelType::Bulk);
  }
  a = analyze(plain.fusion(), plain, tile);
  EXPECT_EQ(copied(plain.fusion(), plain, a).tensor, x.id());
  Storage storage{.memory = Memory::Shared, .type = DataType::Float, .axes = boxes};
  place_in_memory(plain.fusion(), plain, a, storage);
  EXPECT_TRUE(tma_copy(plain.fusion(), plain, a)->finding.is_legal());
  std::swap(storage.axes[0], storage.axes[1]);
  place_in_memory(plain.fusion(), plain, a, storage);
  const Finding refused = tma_copy(plain.fusion(), plain, a)->finding;
  EXPECT_EQ(refused.code, "E460");
  EXPECT_EQ(refused.reason,
            "the tile of x does not lie in tile in the order of the loops that are bound to Bulk");
}

}  // namespace
}  // namespace selvage
