// Law F: merging two iterdomains and splitting the result, against splitting the inner one and
// merging; and when groups of n neighbours are neighbours in memory.
#include <selvage/expr/tape.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/brute_force.h"
#include "tests/support/engine_graph.h"
#include "tests/support/steps.h"

namespace selvage {
namespace {

// Loops [outer, n] over logical [A, B].
oracle::Graph merge_then_split(std::int64_t a, std::int64_t b, std::int64_t n) {
  oracle::Graph g = oracle::make_graph({a, b});
  const int x = oracle::apply(g, oracle::merge(0, 1))[0];
  oracle::apply(g, oracle::split(x, n));
  return g;
}
oracle::Graph split_then_merge(std::int64_t a, std::int64_t b, std::int64_t n) {
  oracle::Graph g = oracle::make_graph({a, b});
  const int outer = oracle::apply(g, oracle::split(1, n))[0];
  oracle::apply(g, oracle::merge(0, outer));
  return g;
}

// What the engine does at every loop point: the indices of A and B, and whether the guard passes.
struct IdentityPoint {
  std::int64_t a, b;
  bool valid;
  friend bool operator==(const IdentityPoint&, const IdentityPoint&) = default;
};
std::vector<IdentityPoint> points(const oracle::Graph& g) {
  EngineGraph engine(g);
  std::vector<Expr> roots;
  for (DomainId d : engine.logical) roots.push_back((*engine.coordinates)[d]);
  for (const KeptPredicate& k : engine.plan().kept) roots.push_back(k.condition);
  Tape tape(roots, engine.variables);
  std::vector<IdentityPoint> all;
  oracle::for_each_point(g,
                         [&](std::span<const std::int64_t> loops, std::span<const std::int64_t>) {
                           EXPECT_TRUE(tape.evaluate(loops));
                           IdentityPoint p{tape.root(0), tape.root(1), true};
                           for (std::size_t i = 2; i < roots.size(); ++i)
                             p.valid = p.valid && tape.root(i) != 0;
                           all.push_back(p);
                         });
  return all;
}

// The same loops, the same points valid, and the same indices at each of them.
bool are_equal(const oracle::Graph& f, const oracle::Graph& g) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (f.extents[std::size_t(f.loop[k])] != g.extents[std::size_t(g.loop[k])]) return false;
  }
  const std::vector<IdentityPoint> p = points(f), q = points(g);
  return std::equal(p.begin(), p.end(), q.begin(), q.end(),
                    [](const IdentityPoint& s, const IdentityPoint& t) {
                      return s.valid == t.valid && (!s.valid || s == t);
                    });
}

template <class Callback>
void for_all_small(Callback callback) {
  for (std::int64_t a = 1; a <= 5; ++a) {
    for (std::int64_t b = 1; b <= 7; ++b) {
      for (std::int64_t n = 1; n <= 8; ++n) callback(a, b, n);
    }
  }
}

// Theorem 5.
TEST(LawF, MergeThenSplitIsSplitThenMergeIfAndOnlyIfTheFactorDividesOrTheOuterExtentIsOne) {
  for_all_small([](std::int64_t a, std::int64_t b, std::int64_t n) {
    EXPECT_EQ(are_equal(merge_then_split(a, b, n), split_then_merge(a, b, n)), b % n == 0 || a == 1)
        << a << " " << b << " " << n;
  });
}

TEST(LawF, WhereTheFactorDividesTheTwoAreEqualAtEveryPointAndHaveNoHoles) {
  for_all_small([](std::int64_t a, std::int64_t b, std::int64_t n) {
    if (b % n != 0) return;
    const std::vector<IdentityPoint> p = points(merge_then_split(a, b, n));
    EXPECT_EQ(p, points(split_then_merge(a, b, n)));
    EXPECT_TRUE(std::all_of(p.begin(), p.end(), [](const IdentityPoint& s) { return s.valid; }));
  });
}

// At a hole past the end, a merge carries into A and a split does not.
TEST(LawF, WithAnOuterExtentOfOneTheIndexOfTheOuterMayDifferAtHoles) {
  for_all_small([](std::int64_t a, std::int64_t b, std::int64_t n) {
    if (a != 1) return;
    const std::vector<IdentityPoint> p = points(merge_then_split(a, b, n));
    EXPECT_EQ(p == points(split_then_merge(a, b, n)), b % n == 0) << b << " " << n;
    for (const IdentityPoint& s : p) EXPECT_EQ(s.valid, s.a == 0);
  });
}

// The same loops by chance are not enough: 2 by 3, cut into fours.
TEST(LawF, EqualExtentsDoNotMakeThemEqual) {
  const oracle::Graph f = merge_then_split(2, 3, 4), g = split_then_merge(2, 3, 4);
  EXPECT_EQ(oracle::loop_points(f), oracle::loop_points(g));
  EXPECT_FALSE(are_equal(f, g));
}

std::string listing(const oracle::Graph& g) {
  const std::vector<IdentityPoint> all = points(g);
  const auto columns = std::size_t(g.extents[std::size_t(g.loop.back())]);
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k) {
    text += "T[" + std::to_string(all[k].a) + ", " + std::to_string(all[k].b) + "]";
    text += (k + 1) % columns == 0 ? "\n" : ", ";
  }
  return text;
}

// T of 2 by 5, cut into fours: what each order of the two transforms visits, holes included.
TEST(LawF, BothListingsOfTheProofOfTheoremFive) {
  EXPECT_EQ(listing(split_then_merge(2, 5, 4)),
            "T[0, 0], T[0, 1], T[0, 2], T[0, 3]\n"
            "T[0, 4], T[0, 5], T[0, 6], T[0, 7]\n"
            "T[1, 0], T[1, 1], T[1, 2], T[1, 3]\n"
            "T[1, 4], T[1, 5], T[1, 6], T[1, 7]\n");
  EXPECT_EQ(listing(merge_then_split(2, 5, 4)),
            "T[0, 0], T[0, 1], T[0, 2], T[0, 3]\n"
            "T[0, 4], T[1, 0], T[1, 1], T[1, 2]\n"
            "T[1, 3], T[1, 4], T[2, 0], T[2, 1]\n");
}

struct Axis {
  std::int64_t extent, stride;
};

bool groups_are_contiguous(const std::vector<Axis>& axes, std::int64_t n) {
  std::int64_t items = 1;
  for (const Axis& axis : axes) items *= axis.extent;
  const auto address = [&](std::int64_t item) {
    std::int64_t sum = 0;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      sum += item % axis->extent * axis->stride;
      item /= axis->extent;
    }
    return sum;
  };
  for (std::int64_t item = 1; item < items; ++item) {
    if (item % n != 0 && address(item) != address(item - 1) + 1) return false;
  }
  return true;
}

// Law F's criterion, which looks at extents and breaks only.
bool criterion(const std::vector<Axis>& axes, std::int64_t n) {
  std::int64_t right = 1, left = 1;
  const Axis* inner = nullptr;
  bool broken = false;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (axis->extent == 1) continue;  // its stride says nothing
    const std::int64_t dense = inner == nullptr ? 1 : inner->extent * inner->stride;
    broken = broken || axis->stride != dense;
    (broken ? left : right) *= axis->extent;
    inner = &*axis;
  }
  return left == 1 || right % n == 0;
}

// Three axes of every small extent, extents of 1 with any stride included; any neighbours padded
// apart.
TEST(LawF, GroupsAreContiguousIfAndOnlyIfTheyDivideWhatLiesRightOfTheInnermostBreak) {
  const std::int64_t pads[] = {0, 1, 5};
  for (std::int64_t a = 1; a <= 4; ++a) {
    for (std::int64_t b = 1; b <= 4; ++b) {
      for (std::int64_t c = 1; c <= 6; ++c) {
        for (std::int64_t pad_b : pads) {
          for (std::int64_t pad_a : pads) {
            // An axis of extent 1 is given a stride that its neighbours would call a break.
            std::vector<Axis> axes = {{a, 0}, {b, 0}, {c, 1}};
            axes[1].stride = c + pad_b;
            const std::int64_t inner = b == 1 ? c : axes[1].stride * b;
            axes[0].stride = inner + pad_a;
            if (b == 1) axes[1].stride = 77;
            if (c == 1) axes[2].stride = 99;
            for (std::int64_t n = 1; n <= 7; ++n) {
              EXPECT_EQ(groups_are_contiguous(axes, n), criterion(axes, n))
                  << a << " " << b << " " << c << " pads " << pad_a << " " << pad_b << " n " << n;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace selvage
