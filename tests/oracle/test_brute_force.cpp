// The oracle is judged by what is known without it: the seed's listings, the laws, and subsets
// tried one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>

#include "tests/oracle/arithmetic.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"

namespace selvage::oracle {
namespace {

using Ints = std::vector<std::int64_t>;

std::vector<int> split(Graph& g, int x, std::int64_t n) {
  return apply(g, {.kind = Step::Split, .in = {x}, .out = {}, .factor = n});
}
int merge(Graph& g, int o, int i) {
  return apply(g, {.kind = Step::Merge, .in = {o, i}, .out = {}})[0];
}
int resize(Graph& g, int x, std::int64_t l, std::int64_t r) {
  return apply(g,
               {.kind = Step::Resize, .in = {x}, .out = {}, .factor = 1, .left = l, .right = r})[0];
}
std::vector<int> swizzle(Graph& g, Step::Kind kind, int a, int b) {
  return apply(g, {.kind = kind, .in = {a, b}, .out = {}});
}

// I0 {15} split by 6: I1 {3}, I2 {6}; I1 by 2: I3 {2}, I4 {2}; I2 by 4: I5 {2}, I6 {4}.
Graph figure_2() {
  Graph g = make_graph({15});
  const std::vector<int> outer_inner = split(g, 0, 6);
  split(g, outer_inner[0], 2);
  split(g, outer_inner[1], 4);
  return g;
}

// "o i" of a two-dimensional logical domain at every point, a line for each row of the innermost
// loop.
std::string listing(const Graph& g) {
  std::string r;
  for_each_point(g, [&](auto loop, auto c) {
    if (loop.back() == 0) r += "\n";
    r += std::to_string(c[g.logical[0]]) + std::to_string(c[g.logical[1]]) + " ";
  });
  return r;
}

TEST(BruteForce, Figure2NeedsItsFirstSplitsInputAndTheInnerSplitsInput) {
  const Graph g = figure_2();
  EXPECT_EQ(loop_points(g), 32);
  EXPECT_EQ(coverage(g).valid_points, 15);
  EXPECT_TRUE(coverage(g).exactly_once());
  const auto holes = hole_masks(g);
  const auto masks = masks_of(holes);
  EXPECT_EQ(minimum_hitting_set(masks), (std::vector<int>{0, 2}));
  EXPECT_TRUE(is_equivalent(masks, std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(is_irredundant(masks, std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(is_irredundant(masks, std::vector<int>{0, 2}));
  EXPECT_FALSE(is_equivalent(masks, std::vector<int>{0}));
  EXPECT_FALSE(is_equivalent(masks, std::vector<int>{2}));
}

TEST(BruteForce, Figure2GuardedByTheLogicalBoundAloneRepeatsItems) {
  std::string reached;
  for_each_point(figure_2(), [&](auto, auto c) {
    if (c[0] < 15) reached += std::to_string(c[0]) + " ";
  });
  EXPECT_EQ(reached, "0 1 2 3 4 5 6 7 6 7 8 9 10 11 12 13 12 13 14 ");
}

TEST(BruteForce, EveryExamplePointHasItsMask) {
  const Graph g = figure_2();
  for (const HoleMask& h : hole_masks(g)) {
    const Ints c = coordinates(g, h.point);
    EXPECT_TRUE(is_hole(g, c));
    EXPECT_EQ(hole_mask(g, c), h.mask);
  }
}

TEST(BruteForce, MergeThenSplitAndSplitThenMergeListAsInTheProofOfTheorem5) {
  Graph first = make_graph({2, 5});  // split the inner, then merge
  const auto inner = split(first, 1, 4);
  merge(first, 0, inner[0]);
  EXPECT_EQ(listing(first),
            "\n00 01 02 03 "
            "\n04 05 06 07 "
            "\n10 11 12 13 "
            "\n14 15 16 17 ");
  Graph second = make_graph({2, 5});  // merge, then split
  split(second, merge(second, 0, 1), 4);
  EXPECT_EQ(listing(second),
            "\n00 01 02 03 "
            "\n04 10 11 12 "
            "\n13 14 20 21 ");
}

TEST(BruteForce, SplitIsADivisibleSplitOfAResize) {
  Graph one = make_graph({6}), two = make_graph({6});
  split(one, 0, 4);
  split(two, resize(two, 0, 0, 2), 4);
  Ints a, b;
  for_each_point(one, [&a](auto, auto c) { a.push_back(c[0]); });
  for_each_point(two, [&b](auto, auto c) { b.push_back(c[0]); });
  EXPECT_EQ(a, b);
  EXPECT_EQ(masks_of(hole_masks(one)), masks_of(hole_masks(two)));  // I0 alone
}

TEST(BruteForce, OuterSplitFixesTheOuterExtent) {
  Graph g = make_graph({15});
  apply(g, {.kind = Step::OuterSplit, .in = {0}, .out = {}, .factor = 4});
  EXPECT_EQ(g.extents, (Ints{15, 4, 4}));
  EXPECT_EQ(coordinates(g, Ints{3, 2}), (Ints{14, 3, 2}));
}

TEST(BruteForce, XorIsLegalWhereThePowerOfTwoThatHoldsADividesB) {
  EXPECT_TRUE(is_legal_xor(1, 3));
  EXPECT_TRUE(is_legal_xor(3, 4));
  EXPECT_TRUE(is_legal_xor(3, 12));
  EXPECT_FALSE(is_legal_xor(3, 6));
  EXPECT_FALSE(is_legal_xor(5, 4));
  // Legal is the same as: every point of [0, A) x [0, B) goes to a point inside.
  for (std::int64_t a = 1; a <= 20; ++a)
    for (std::int64_t b = 1; b <= 40; ++b) {
      bool inside = true;
      for (std::int64_t c = 0; c < a; ++c)
        for (std::int64_t d = 0; d < b; ++d) inside = inside && (c ^ d) < b;
      EXPECT_EQ(is_legal_xor(a, b), inside) << a << " " << b;
    }
  Graph g = make_graph({3, 6});
  EXPECT_THROW(swizzle(g, Step::Xor, 0, 1), std::invalid_argument);
}

TEST(BruteForce, AShrinkingResizeMissesItemsAndAGrowingOneMakesHoles) {
  Graph g = make_graph({5});
  resize(g, 0, -2, 1);  // 2 3 4 5
  const Coverage c = coverage(g);
  EXPECT_EQ(c.missed, 2);
  EXPECT_EQ(c.first_missed, Ints{0});
  EXPECT_EQ(c.valid_points, 3);
  EXPECT_EQ(minimum_hitting_set(masks_of(hole_masks(g))), std::vector<int>{0});
  EXPECT_THROW(resize(g, 1, -3, -1), std::invalid_argument);
}

TEST(BruteForce, DivisionIsEuclidean) {
  for (std::int64_t x = -50; x <= 50; ++x)
    for (std::int64_t d = 1; d <= 12; ++d) {
      EXPECT_EQ(floor_div(x, d) * d + floor_mod(x, d), x);
      EXPECT_TRUE(0 <= floor_mod(x, d) && floor_mod(x, d) < d);
    }
  EXPECT_EQ(floor_div(std::int64_t{1} << 40, 3), (std::int64_t{1} << 40) / 3);
  EXPECT_EQ(floor_mod(-(std::int64_t{1} << 40), 3), 2);
}

// Steps are one-to-one both ways: for any coordinates of the inputs, also out of bounds, backward
// undoes forward.
TEST(BruteForce, BackwardUndoesForwardInAndOutOfBounds) {
  for (int kind = 0; kind <= Step::Skew; ++kind) {
    Graph g = make_graph({4, 8});
    Step s{.kind = static_cast<Step::Kind>(kind),
           .in = {0, 1},
           .out = {},
           .factor = 3,
           .left = 2,
           .right = -1};
    const bool one_input =
        s.kind == Step::Split || s.kind == Step::OuterSplit || s.kind == Step::Resize;
    if (one_input) s.in = {1};
    if (s.kind == Step::Skew) s.in = {1}, s.along = 0, s.by = 5;
    if (s.kind == Step::Hilbert) s.in = {1, 0};
    const std::vector<int> out = apply(g, s);
    Graph forward = g;
    forward.loop = forward.logical;
    // The input that comes back as a remainder.
    const bool is_remainder =
        s.kind == Step::Merge || s.kind == Step::CyclicShift || s.kind == Step::Hilbert;
    const auto is_lost = [&](std::int64_t x, std::int64_t y) {
      const std::int64_t at = s.in.back() == 0 ? x : y;
      return is_remainder && (at < 0 || at >= g.extents[std::size_t(s.in.back())]);
    };
    for (std::int64_t x = -20; x <= 20; ++x)
      for (std::int64_t y = -20; y <= 20; ++y) {
        if (is_lost(x, y)) continue;
        const Ints c = coordinates(forward, Ints{x, y});
        Ints at;
        for (int i : g.loop) at.push_back(c[i]);
        EXPECT_EQ(coordinates(g, at), c) << kind << " " << x << " " << y;
      }
  }
}

TEST(BruteForce, AViewsRootIsOutsideThePath) {
  // Root I0 {5}, I1 {3} merged to the logical I2 {15}, split by 4 to I3, I4.
  Graph g = make_graph({5, 3});
  g.logical = {merge(g, 0, 1)};
  g.view_steps = 1;
  split(g, 2, 4);
  EXPECT_TRUE(is_well_formed(g));
  EXPECT_EQ(path_mask(g), 0b11100u);
  EXPECT_EQ(masks_of(hole_masks(g)), (std::vector<std::uint64_t>{0b00100}));
  EXPECT_EQ(coordinates(g, Ints{3, 3}), (Ints{5, 0, 15, 3, 3}));  // computed all the same
}

TEST(BruteForce, LoopsOfARootReachTheLogicalDomainForward) {
  // Root I0 {12}; view: I0 split by 3 to the logical I1 {4}, I2 {3}; transform: I0 split by 5 to I3
  // {3}, I4 {5}.
  Graph g = make_graph({12});
  g.logical = split(g, 0, 3);
  g.view_steps = 1;
  g.loop = {0};
  split(g, 0, 5);
  EXPECT_TRUE(is_well_formed(g));
  EXPECT_EQ(path_mask(g), 0b11111u);
  EXPECT_EQ(coordinates(g, Ints{2, 3}), (Ints{13, 4, 1, 2, 3}));
  EXPECT_TRUE(coverage(g).exactly_once());
  EXPECT_EQ(minimum_hitting_set(masks_of(hole_masks(g))).size(), 1u);  // I0 or I1
}

TEST(BruteForce, ALoopDomainThatDeterminesTooLittleOrTooMuchIsRefused) {
  Graph g = figure_2();
  g.loop = {3, 4, 5};
  EXPECT_FALSE(is_well_formed(g));
  g.loop = {1, 3, 4, 5, 6};
  EXPECT_FALSE(is_well_formed(g));
  EXPECT_THROW(Walk{g}, std::invalid_argument);
  g.loop = {1, 5, 6};
  EXPECT_TRUE(is_well_formed(g));
}

// The rest is about random graphs.

Limits small() {
  Limits l;
  l.max_points = 3000;
  return l;
}

Graph any_graph(std::mt19937_64& rng, int k, Limits limits = small()) {
  limits.transforms_from_logical = k % 2 == 0;
  return k % 4 < 2 ? random_graph(rng, limits) : random_view_graph(rng, limits);
}

// The definition of the minimum: all subsets of the path, the small ones first.
std::size_t smallest_subset(const std::vector<std::uint64_t>& masks, std::uint64_t path) {
  std::vector<std::uint64_t> reached = {0};
  for (std::size_t size = 0;; ++size) {
    for (std::uint64_t set : reached)
      if (std::all_of(masks.begin(), masks.end(),
                      [set](std::uint64_t m) { return (m & set) != 0; }))
        return size;
    std::set<std::uint64_t> larger;
    for (std::uint64_t set : reached)
      for (std::uint64_t rest = path & ~set; rest != 0; rest &= rest - 1)
        larger.insert(set | (rest & -rest));
    reached.assign(larger.begin(), larger.end());
  }
}

TEST(BruteForce, WalkAgreesWithTheDefinitionsAtEveryPoint) {
  std::mt19937_64 rng(1);
  for (int k = 0; k < 200; ++k) {
    const Graph g = any_graph(rng, k);
    Ints previous;
    std::int64_t visited = 0;
    for_each_point(g, [&](auto loop, auto c, std::uint64_t mask) {
      const Ints at(loop.begin(), loop.end());
      const Ints expected = coordinates(g, at);
      ASSERT_TRUE(std::equal(c.begin(), c.end(), expected.begin(), expected.end())) << to_yaml(g);
      if (visited % 64 == 0) {
        ASSERT_EQ(mask, hole_mask(g, expected)) << to_yaml(g);
      }
      ASSERT_TRUE(visited == 0 || previous < at);
      previous = at;
      ++visited;
    });
    ASSERT_EQ(visited, loop_points(g));
  }
}

// A valid point is reached by computing forward what was computed backward, so no item is reached
// twice.
TEST(BruteForce, ValidPointsComeBackFromTheLogicalDomain) {
  std::mt19937_64 rng(2);
  for (int k = 0; k < 200; ++k) {
    const Graph g = any_graph(rng, 4 * (k / 2) + k % 2);  // no views: their roots may be padded
    Graph back = g;
    back.loop = back.logical;
    for_each_point(g, [&](auto, auto c, std::uint64_t mask) {
      if (mask != 0) return;
      Ints at;
      for (int x : g.logical) at.push_back(c[x]);
      const Ints again = coordinates(back, at);
      ASSERT_TRUE(std::equal(c.begin(), c.end(), again.begin(), again.end())) << to_yaml(g);
    });
    const Coverage c = coverage(g);
    ASSERT_EQ(c.repeated, 0) << to_yaml(g);
    const bool cuts = std::any_of(g.steps.begin(), g.steps.end(),
                                  [](const Step& s) { return s.left < 0 || s.right < 0; });
    ASSERT_TRUE(cuts || c.complete()) << to_yaml(g);
  }
}

TEST(BruteForce, TheMinimumIsTheSmallestOfAllSubsets) {
  std::mt19937_64 rng(3);
  int needs_two = 0;
  for (int k = 0; k < 400; ++k) {
    const Graph g = any_graph(rng, k);
    const auto masks = masks_of(hole_masks(g));
    const std::vector<int> chosen = minimum_hitting_set(masks);
    ASSERT_EQ(chosen.size(), smallest_subset(masks, path_mask(g))) << to_yaml(g);
    ASSERT_TRUE(is_irredundant(masks, chosen)) << to_yaml(g);
    needs_two += chosen.size() >= 2;
  }
  EXPECT_GT(needs_two, 50);
  for (int k = 0; k < 600; ++k) {  // masks that no graph gave, of three or more: harder covers
    std::vector<std::uint64_t> masks;
    for (std::int64_t m = draw(rng, 1, 40); m > 0; --m) {
      masks.push_back(0);
      while (std::popcount(masks.back()) < 3 + k % 2)
        masks.back() |= std::uint64_t{1} << draw(rng, 0, 11);
    }
    const std::vector<int> chosen = minimum_hitting_set(masks);
    ASSERT_EQ(chosen.size(), smallest_subset(masks, 0xfff));
    ASSERT_TRUE(is_irredundant(masks, chosen));
  }
}

TEST(RandomGraph, ObeysItsLimitsAndCoversAllKinds) {
  std::mt19937_64 rng(4);
  std::vector<int> kinds(Step::Skew + 1, 0), roots(4, 0), lengths(9, 0);
  int extents_of_one = 0, factors_past = 0, divisible = 0, not_leaf_order = 0, large = 0;
  for (int k = 0; k < 3000; ++k) {
    const Graph g = random_graph(rng);
    ASSERT_TRUE(is_well_formed(g)) << to_yaml(g);
    ASSERT_LE(loop_points(g), 60'000);
    ASSERT_EQ(root(g).size(), g.logical.size());
    for (int x : g.logical) {
      ASSERT_LE(g.extents[x], 100);
      extents_of_one += g.extents[x] == 1;
    }
    ++roots.at(g.logical.size());
    ++lengths.at(g.steps.size());
    large += loop_points(g) > 10'000;
    not_leaf_order += !std::is_sorted(g.loop.begin(), g.loop.end());
    for (const Step& s : g.steps) {
      ++kinds[s.kind];
      if (s.kind == Step::Split || s.kind == Step::OuterSplit) {
        factors_past += s.factor > g.extents[s.in[0]];
        divisible += s.factor > 1 && g.extents[s.in[0]] % s.factor == 0;
      }
      ASSERT_TRUE(std::max(std::abs(s.left), std::abs(s.right)) <= 3);
    }
  }
  for (int k = 0; k <= Step::Skew; ++k) {
    EXPECT_GT(kinds[k], k == Step::Hilbert ? 40 : 300) << k;  // few extents are squares
  }
  for (int k = 1; k <= 3; ++k) EXPECT_GT(roots[k], 300) << k;
  for (int k = 0; k <= 8; ++k) EXPECT_GT(lengths[k], 50) << k;
  for (int count : {extents_of_one, factors_past, divisible, not_leaf_order, large})
    EXPECT_GT(count, 300);
}

TEST(RandomGraph, IsTheSameForTheSameSeed) {
  std::mt19937_64 a(5), b(5);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(to_yaml(any_graph(a, k)), to_yaml(any_graph(b, k)));
}

TEST(RandomGraph, DrawsLargeGraphsToo) {
  std::mt19937_64 rng(6);
  Limits limits;
  limits.min_points = 100'000;
  limits.max_points = 10'000'000;
  for (int k = 0; k < 50; ++k) {
    const std::int64_t points = loop_points(random_graph(rng, limits));
    EXPECT_TRUE(points >= 100'000 && points <= 10'000'000);
  }
}

TEST(RandomGraph, ViewsSplitDivisiblyBeforeTheLogicalDomain) {
  std::mt19937_64 rng(7);
  int forward = 0;
  for (int k = 0; k < 1000; ++k) {
    Limits limits;
    limits.transforms_from_logical = k % 2 == 0;
    const Graph g = random_view_graph(rng, limits);
    ASSERT_TRUE(is_well_formed(g)) << to_yaml(g);
    ASSERT_GE(g.view_steps, 1);
    for (int j = 0; j < g.view_steps; ++j) {
      const Step& s = g.steps[j];
      if (s.kind == Step::Split || s.kind == Step::OuterSplit) {
        ASSERT_EQ(g.extents[s.in[0]] % s.factor, 0);
      }
    }
    const auto feeds_view = [&g](int x) {
      return std::any_of(g.steps.begin(), g.steps.begin() + g.view_steps, [x](const Step& s) {
        return std::count(s.in.begin(), s.in.end(), x) != 0;
      });
    };
    bool shared = false;
    for (std::size_t j = g.view_steps; j < g.steps.size(); ++j)
      shared = shared || std::any_of(g.steps[j].in.begin(), g.steps[j].in.end(), feeds_view);
    ASSERT_FALSE(shared && limits.transforms_from_logical) << to_yaml(g);
    forward += shared;
  }
  EXPECT_GT(forward, 100);
}

TEST(RandomGraph, SymbolicGraphsAreLegalAtEverySample) {
  std::mt19937_64 rng(8);
  int factors = 0, full = 0;
  for (int k = 0; k < 300; ++k) {
    const SymbolicGraph s = random_symbolic_graph(rng);
    ASSERT_FALSE(s.symbols.empty());
    for (const SymbolicStep& step : s.steps) factors += step.factor.is_symbol();
    const auto samples = sample_values(rng, s);
    ASSERT_FALSE(samples.empty()) << to_yaml(s);
    full += samples.size() == 30;
    for (const Values& v : samples) {
      ASSERT_TRUE(meets_facts(s, v));
      const Graph g = instantiate(s, v);
      ASSERT_TRUE(is_well_formed(g)) << to_yaml(s);
      ASSERT_LE(loop_points(g), 60'000);
    }
  }
  EXPECT_GT(factors, 100);
  EXPECT_GT(full, 200);
}

TEST(RandomGraph, PrintsAScheduleFile) {
  Graph g = make_graph({15, 8, 8});
  const auto a = split(g, 0, 6);
  const auto b = apply(g, {.kind = Step::OuterSplit, .in = {a[0]}, .out = {}, .factor = 2});
  resize(g, merge(g, b[1], a[1]), 1, -2);
  swizzle(g, Step::Xor, 1, 2);
  EXPECT_EQ(to_yaml(g),
            R"(tensors:
  T0:
    dtype: float
    logical: {I0: 15, I1: 8, I2: 8}
    transforms:
      - split: {in: I0, factor: 6, out: [I3, I4]}
      - split: {in: I3, factor: 2, out: [I5, I6], inner: false}
      - merge: {in: [I6, I4], out: I7}
      - resize: {in: I7, left: 1, right: -2, out: I8}
      - swizzle: {kind: xor, in: [I1, I2], out: [I9, I10]}
    loop: [I5, I8, I9, I10]
)");
}

TEST(RandomGraph, PrintsViewsAndSymbols) {
  SymbolicGraph g;
  g.symbols = {{"N0", 1, 96, 8}};
  g.root_extents = {{0, std::string("N0")}, {1, 3}};
  g.names = {"I0", "I1", "I2", "I3", "I4"};
  g.steps = {{.kind = Step::Merge, .in = {0, 1}, .out = {2}},
             {.kind = Step::Split, .in = {2}, .out = {3, 4}, .factor = std::string("N0")}};
  g.logical = {2};
  g.loop = {4, 3};
  g.view_steps = 1;
  EXPECT_EQ(to_yaml(g),
            R"(symbols:
  N0: {min: 1, max: 96, multiple_of: 8}
tensors:
  T0:
    dtype: float
    root: {I0: N0, I1: 3}
    view:
      - merge: {in: [I0, I1], out: I2}
    logical: [I2]
    transforms:
      - split: {in: I2, factor: N0, out: [I3, I4]}
    loop: [I4, I3]
)");
  EXPECT_EQ(instantiate(g, {{"N0", 16}}).extents, (Ints{16, 3, 48, 3, 16}));
}

TEST(Shrink, FindsASmallGraphThatStillNeedsTwoPredicates) {
  std::mt19937_64 rng(9);
  const auto needs_two = [](const Graph& g) {
    return minimum_hitting_set(masks_of(hole_masks(g))).size() >= 2;
  };
  int shrunk = 0;
  for (int k = 0; k < 60; ++k) {
    const Graph g = any_graph(rng, k);
    if (!needs_two(g)) continue;
    const Graph s = shrink(g, needs_two);
    ASSERT_TRUE(needs_two(s)) << to_yaml(s);
    ASSERT_LE(s.steps.size(), g.steps.size());
    if (k % 4 < 2) {
      ASSERT_LE(s.steps.size(), 3u) << to_yaml(s);  // two would do, but a reduction is one change
    }
    ++shrunk;
  }
  EXPECT_GT(shrunk, 10);
}

}  // namespace
}  // namespace selvage::oracle
