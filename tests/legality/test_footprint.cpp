// The boxes of elements that accesses need, held against a walk over the points of their nests.
#include <selvage/base/diagnostic.h>
#include <selvage/base/points.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/legality/footprint.h>
#include <selvage/legality/reads.h>

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

std::string text(const std::optional<Box>& box) {
  if (!box) return "none";
  std::string text;
  for (const Box::Side& s : box->sides) {
    text += (text.empty() ? "" : ", ") + to_string(s.least) + " to " + to_string(s.most) +
            (s.exact ? "" : " at most");
  }
  return text;
}

ValueId read(Fusion& f, Tensor t, std::vector<Expr> at) {
  return f.values().read(DataType::Float, std::uint32_t(t.id()), std::move(at));
}

// A window of three over rows that are cut into tiles: what a tile reads has a halo of two.
TEST(Footprint, OfAWindowHasAHalo) {
  Fusion f;
  const Expr N = f.extent("N", 1, {}, 64), i = f.fresh_index("i"), k = f.fresh_index("k");
  const Tensor x = f.input("x", {N + 2}, DataType::Float);
  const Tensor y =
      f.output("y", f.compute_fold("t", {i}, {N}, {.indices = {k}, .shape = {f.constant(3)}},
                                   read(f, x, {i + k})));
  Schedule s(f);
  const auto loops = s.loops(y.id());
  const auto [block, rest] = s.split(loops[0], 64, {.outer = "b", .inner = "r"});
  const auto [thread, item] = s.split(rest, 4, {.outer = "t", .inner = "v"});
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  const TensorAnalysis nest = analyze(s.fusion(), s, y.id());
  const std::vector<Access> reads = reads_of(s.fusion(), s, nest);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(text(footprint(s, nest, reads[0], Level::Block)), "b * 64 to b * 64 + 65");
  EXPECT_EQ(text(footprint(s, nest, reads[0], Level::Thread)),
            "b * 64 + t * 4 to b * 64 + t * 4 + 5");
  // One item, all of its window.
  EXPECT_EQ(text(footprint(s, nest, reads[0], Level::Thread, 3)),
            "b * 64 + t * 4 + v to b * 64 + t * 4 + v + 2");
  EXPECT_EQ(text(footprint(s, nest, reads[0], Level::Thread, 4)),
            "b * 64 + t * 4 + k + v to b * 64 + t * 4 + k + v");
}

// The last tile ends where the tensor does.
TEST(Footprint, IsBroughtWithinTheTensor) {
  Fusion f;
  const Expr N = f.extent("N"), i = f.fresh_index("i");
  const Tensor x = f.input("x", {N}, DataType::Float);
  const Tensor y = f.output("y", f.compute("t", {i}, {N}, read(f, x, {N - 1 - i})));
  Schedule s(f);
  const auto [block, rest] = s.split(s.loops(y.id())[0], 32, {.outer = "b", .inner = "r"});
  s.bind(block, ParallelType::BIDx);
  const TensorAnalysis nest = analyze(s.fusion(), s, y.id());
  const std::vector<Access> reads = reads_of(s.fusion(), s, nest);
  EXPECT_EQ(text(footprint(s, nest, reads.at(0), Level::Block)),
            "max(N - b * 32 - 32, 0) to N - b * 32 - 1 at most");
}

struct Random {
  std::mt19937_64 engine{605};
  std::int64_t within(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  }
};

// Reads of one input by two indices, cut up at random; sizes are numbers or N.
struct Case {
  explicit Case(Random& random) {
    const Expr N = f.extent("N", 1, 9);
    std::vector<Expr> indices, shape, extents;
    for (int k = 0; k < 2; ++k) {
      indices.push_back(f.fresh_index("i" + std::to_string(k)));
      shape.push_back(random.within(0, 2) == 0 ? N : f.constant(random.within(1, 9)));
    }
    const std::int64_t wide = 200;
    x = f.input("x", {f.constant(wide), f.constant(wide)}, DataType::Float);
    std::vector<Expr> at;
    for (int k = 0; k < 2; ++k) {
      const Expr a = indices[std::size_t(random.within(0, 1))], b = indices[1 - std::size_t(k)];
      switch (random.within(0, 5)) {
        case 0: at.push_back(a * random.within(1, 3) + b + random.within(0, 3)); break;
        case 1: at.push_back(a / random.within(1, 4) + b); break;
        case 2: at.push_back((a + random.within(0, 5)) % random.within(1, 6)); break;
        case 3: at.push_back(20 - a * random.within(1, 2)); break;
        case 4: at.push_back(max(a, b - 2) + min(a, b)); break;
        default: at.push_back(a + random.within(-4, 6)); break;
      }
    }
    const ValueId other = f.values().constant(DataType::Float, 0.0, true);
    const bool is_filled = random.within(0, 1) == 0;
    y = f.output("y", f.compute("t", indices, shape,
                                is_filled ? f.values().read_or(DataType::Float,
                                                               std::uint32_t(x.id()), at, other)
                                          : read(f, x, at)));
  }

  void cut_up(Schedule& s, Random& random) const {
    constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::TIDx, ParallelType::TIDy};
    for (ParallelType axis : kAxes) {
      const auto loops = s.loops(y.id());
      const auto l = loops[std::size_t(random.within(0, std::int64_t(loops.size()) - 1))];
      const auto pair = s.split(l, random.within(1, 4));
      if (random.within(0, 1) == 0) s.bind(random.within(0, 1) ? pair.first : pair.second, axis);
    }
    std::vector<ScheduledLoop> order = s.loops(y.id());
    std::shuffle(order.begin(), order.end(), random.engine);
    s.reorder(order);
  }

  Fusion f;
  Tensor x, y;
};

TEST(Footprint, HoldsWhatIsReadAndNoMoreWhereItIsExact) {
  Random random;
  int boxes = 0, exact = 0, tight = 0;
  const int cases = count(150, 3'000);
  for (int n = 0; n < cases && !testing::Test::HasFailure(); ++n) {
    const Case c(random);
    Schedule s(c.f);
    c.cut_up(s, random);
    const TensorAnalysis nest = analyze(s.fusion(), s, c.y.id());
    const std::vector<Access> reads = reads_of(s.fusion(), s, nest);
    ASSERT_EQ(reads.size(), 1u);
    const Access& access = reads[0];
    for (Level level : {Level::Thread, Level::Block}) {
      const std::size_t open = std::size_t(random.within(0, std::int64_t(nest.loops.size())));
      const auto box = footprint(s, nest, access, level, open);
      if (!box) continue;
      const Expr N = c.f.sizes()[0];
      const std::int64_t size = random.within(1, 9);
      // The subscripts, their bounds, whether the point is valid.
      std::vector<Expr> roots = access.subscripts, variables = nest.variables;
      for (const Box::Side& side : box->sides) {
        roots.push_back(side.least);
        roots.push_back(side.most);
      }
      Expr valid = c.f.pool().truth(true);
      for (DomainId d : nest.hole_path.domains) {
        valid = valid && ok((*nest.coordinates)[d], s.graph()[d].extent);
      }
      roots.push_back(valid);
      variables.push_back(N);
      Tape tape(roots, variables);
      std::vector<std::int64_t> extents;
      for (DomainId d : nest.loops) {
        extents.push_back(*value_at(s.graph()[d].extent, {{N, size}}));
      }
      // By the values of the loops that are fixed: the ends said, and those met.
      struct Ends {
        std::vector<std::int64_t> said, least, most;
      };
      std::map<std::vector<std::int64_t>, Ends> found;
      for_each_point(extents, [&](const auto& point) {
        std::vector<std::int64_t> at(point.begin(), point.end()), fixed;
        at.push_back(size);
        EXPECT_TRUE(tape.evaluate(at));
        for (std::size_t i = 0; i < nest.loops.size(); ++i) {
          const ParallelType p = s.parallel(c.y.id(), nest.loops[i]);
          const bool runs = is_thread(p) ? level == Level::Block : !is_block(p) && i >= open;
          if (!runs) fixed.push_back(at[i]);
        }
        bool is_read = tape.root(6) != 0;
        for (std::size_t k = 0; k < 2; ++k) {
          is_read = is_read && 0 <= tape.root(k) && tape.root(k) < 200;
        }
        if (!is_read) return true;
        Ends& ends = found[fixed];
        if (ends.said.empty()) {
          for (std::size_t k = 2; k < 6; ++k) ends.said.push_back(tape.root(k));
          ends.least = ends.most = {tape.root(0), tape.root(1)};
        }
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_EQ(ends.said[2 * k], tape.root(2 + 2 * k));  // no loop that runs is in it
          ends.least[k] = std::min(ends.least[k], tape.root(k));
          ends.most[k] = std::max(ends.most[k], tape.root(k));
        }
        return true;
      });
      for (const auto& [fixed, ends] : found) {
        for (std::size_t k = 0; k < 2; ++k) {
          ++boxes;
          EXPECT_LE(ends.said[2 * k], ends.least[k]) << text(box);
          EXPECT_GE(ends.said[2 * k + 1], ends.most[k]) << text(box);
          const bool is_tight =
              ends.said[2 * k] == ends.least[k] && ends.said[2 * k + 1] == ends.most[k];
          tight += is_tight;
          exact += box->sides[k].exact;
          EXPECT_TRUE(is_tight || !box->sides[k].exact) << text(box) << " size " << size;
        }
      }
    }
  }
  EXPECT_GT(exact, more_than(1'000)) << boxes;
  EXPECT_GT(tight * 10, 7 * boxes) << tight << " of " << boxes;
}

}  // namespace
}  // namespace selvage
