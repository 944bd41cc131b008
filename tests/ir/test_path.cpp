#include <selvage/ir/path.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

// x {24} split by 4: xo, xi; y {6}; merge(xi, y): m.
struct PathCase {
  PathCase() { std::tie(xo, xi) = g.split(x, pool->constant(4)), m = g.merge(xi, y, "m"); }

  std::vector<TransformId> all() const {
    std::vector<TransformId> ids;
    for (std::size_t i = 0; i < g.transforms(); ++i) ids.push_back(TransformId(i));
    return ids;
  }
  // The steps as text: what is computed from what.
  std::string text(const Path& path) const {
    const auto names = [&](const std::vector<DomainId>& domains) {
      std::string list;
      for (DomainId d : domains) list += (list.empty() ? "" : " ") + g[d].name;
      return list;
    };
    std::string list;
    for (const Step& s : path.steps) {
      list += (list.empty() ? "" : ", ") + names(sources(g, s)) + " > " + names(results(g, s));
    }
    return list;
  }
  Path from(std::vector<DomainId> domains) const { return everything_from(g, domains, {}); }

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  DomainGraph g{pool, std::make_shared<Facts>(*pool)};
  DomainId x = g.add("x", pool->constant(24)), y = g.add("y", pool->constant(6));
  DomainId xo, xi, m;
};

TEST(Path, IterdomainsAreDependentWhereOneIsMadeOfOthers) {
  const PathCase c;
  const auto dependent = [&](std::vector<DomainId> domains) { return are_dependent(c.g, domains); };
  EXPECT_FALSE(dependent({}));
  EXPECT_FALSE(dependent({c.x, c.y}));
  EXPECT_FALSE(dependent({c.xo, c.m}));
  EXPECT_FALSE(dependent({c.m, c.xi}));  // m takes y, too
  EXPECT_FALSE(dependent({c.m, c.x}));
  EXPECT_TRUE(dependent({c.m, c.xi, c.y}));
  EXPECT_TRUE(dependent({c.y, c.m, c.x}));  // by way of xi
  EXPECT_TRUE(dependent({c.x, c.xo}));
}

TEST(Path, ForwardFromTheInputs) {
  const PathCase c;
  EXPECT_EQ(c.text(c.from({c.x, c.y})), "x > xo xi, xi y > m");
}

TEST(Path, BackwardFromTheLeaves) {
  const PathCase c;
  EXPECT_EQ(c.text(c.from({c.xo, c.m})), "m > xi y, xo xi > x");
}

TEST(Path, ATransformIsCrossedOnceAllOfOneSideIsKnown) {
  const PathCase c;
  EXPECT_EQ(c.text(c.from({c.xo, c.y})), "");
  EXPECT_EQ(c.text(c.from({c.m})), "m > xi y");
}

// What has a coordinate keeps it: xi follows from x or from m, whichever is asked first.
TEST(Path, ATransformThatWouldMakeAgainWhatIsKnownIsNotCrossed) {
  const PathCase c;
  EXPECT_EQ(c.text(c.from({c.x, c.m})), "x > xo xi");
  EXPECT_EQ(c.text(c.from({c.m, c.x})), "m > xi y");
}

TEST(Path, DomainsAreTheStartAndWhatFollows) {
  const PathCase c;
  const Path path = c.from({c.xo, c.m});
  EXPECT_EQ(path.domains, (std::vector{c.xo, c.m, c.xi, c.y, c.x}));
  for (DomainId d : path.domains) EXPECT_TRUE(reaches(path, d));
  EXPECT_FALSE(reaches(c.from({c.m}), c.x));
}

TEST(Path, OnlyTheTransformsGivenAreCrossed) {
  const PathCase c;
  const std::vector<DomainId> start = {c.x, c.y};
  const std::vector<TransformId> only = {TransformId(0)};
  EXPECT_EQ(c.text(everything_from(c.g, start, only)), "x > xo xi");
  EXPECT_EQ(c.text(everything_from(c.g, start, c.all())), "x > xo xi, xi y > m");
}

// Where an iterdomain follows twice, the transform that was made first gives its coordinate.
TEST(Path, OfTwoWaysTheOlderTransformWins) {
  PathCase c;
  const DomainId r = c.g.resize(c.x, c.pool->constant(1), c.pool->constant(0), "r");
  EXPECT_EQ(c.text(c.from({c.xo, c.xi, r})), "xo xi > x");
  EXPECT_EQ(c.text(c.from({r, c.y})), "r > x, x > xo xi, xi y > m");
}

TEST(Path, ASwizzleIsCrossedBothWays) {
  PathCase c;
  const auto [u, v] = c.g.swizzle(SwizzleKind::CyclicShift, c.xi, c.y, "u", "v");
  EXPECT_EQ(c.text(c.from({c.xo, u, v})), "u v > xi y, xo xi > x, xi y > m");
  EXPECT_EQ(c.text(c.from({c.xi, c.y})), "xi y > m, xi y > u v");
}

TEST(Path, NeededForKeepsWhatTheTargetsNeedInOrder) {
  const PathCase c;
  const std::vector<DomainId> start = {c.x, c.y};
  const Path path = c.from(start);
  const auto part = [&](std::vector<DomainId> targets) {
    return needed_for(c.g, path, start, targets);
  };
  EXPECT_EQ(c.text(part({c.m})), "x > xo xi, xi y > m");
  EXPECT_EQ(c.text(part({c.xo})), "x > xo xi");
  EXPECT_EQ(c.text(part({c.x})), "");
  EXPECT_EQ(c.text(part({})), "");
  EXPECT_EQ(part({c.xo}).domains, (std::vector{c.x, c.y, c.xo, c.xi}));
}

TEST(Path, ATargetThatIsNotReachedIsLeftOut) {
  const PathCase c;
  const std::vector<DomainId> start = {c.m};
  const std::vector<DomainId> targets = {c.x, c.y};
  const Path part = needed_for(c.g, c.from(start), start, targets);
  EXPECT_EQ(c.text(part), "m > xi y");
  EXPECT_FALSE(reaches(part, c.x));
}

}  // namespace
}  // namespace selvage
