// Bounds of indices whose ends are sizes.
#include <selvage/index/symbolic_bounds.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

// A loop over x, of which a quotient and a remainder are computed: o = x / F, i = x % F.
TEST(SymbolicBounds, OfWhatALoopIsCutIntoAreKnownFromTheStart) {
  const auto pool = std::make_shared<ExprPool>();
  const auto facts = std::make_shared<Facts>(*pool);
  const Expr N = pool->symbol("N"), F = pool->symbol("F"), loop = pool->symbol("x");
  for (Expr size : {N, F}) facts->bound(size, pool->constant(1), {});
  DomainGraph graph(pool, facts);
  const DomainId x = graph.add("x", N);
  const auto [o, i] = graph.split(x, F);
  const std::vector<DomainId> loops = {x};
  const std::vector<Expr> variables = {loop};
  Facts ranges = *facts;
  ranges.loop(loop, N);
  Simplifier simplifier(ranges);
  const Path path = everything_from(graph, loops, {});
  const Coordinates coordinates(graph, path, loops, variables, simplifier);
  std::uint64_t budget = 1000;
  const PredicateRequest request{.graph = graph,
                                 .path = path,
                                 .loops = loops,
                                 .variables = variables,
                                 .candidates = path.domains,
                                 .coordinates = coordinates,
                                 .simplifier = simplifier};
  SymbolicBounds bounds(request, budget);
  for (const DomainId d : {x, o, i}) {
    const auto at = std::find(path.domains.begin(), path.domains.end(), d) - path.domains.begin();
    EXPECT_TRUE(bounds.implies(std::size_t(at), Half::Lo)) << graph[d].name;
    EXPECT_TRUE(bounds.implies(std::size_t(at), Half::Hi)) << graph[d].name;
  }
}

}  // namespace
}  // namespace selvage
