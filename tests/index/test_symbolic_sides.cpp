// Resizes by symbols that need not be positive: instances of them are found all the same.
#include <selvage/expr/text.h>
#include <selvage/index/bound_oracle.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

// x of 8, moved by S within an extent that stays 8; then the loops are the result's.
struct Moved {
  Moved(std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
    const auto end = [&](std::optional<std::int64_t> v) { return v ? pool->constant(*v) : Expr(); };
    facts->bound(S, end(min), end(max));
    graph.emplace(pool, facts);
    x = graph->add("x", pool->constant(8));
    loops = {graph->resize(x, S, 0 - S, "r")};
    variables = {pool->symbol("r")};
    Facts ranges = *facts;
    ranges.loop(variables[0], pool->constant(8));
    simplifier.emplace(std::move(ranges));
    path = everything_from(*graph, loops, {});
    coordinates.emplace(*graph, path, loops, variables, *simplifier);
  }
  PredicateRequest request() {
    return {.graph = *graph,
            .path = path,
            .loops = loops,
            .variables = variables,
            .candidates = path.domains,
            .coordinates = *coordinates,
            .simplifier = *simplifier};
  }
  std::string kept() {
    std::string text;
    for (const KeptPredicate& k : plan_predicates(request()).kept) {
      text += to_string(k.condition) + (k.witness.empty() ? " without witness" : "");
    }
    return text;
  }

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::shared_ptr<Facts> facts = std::make_shared<Facts>(*pool);
  Expr S = pool->symbol("S");
  std::optional<DomainGraph> graph;
  DomainId x{};
  std::vector<DomainId> loops;
  std::vector<Expr> variables;
  Path path;
  std::optional<Simplifier> simplifier;
  std::optional<Coordinates> coordinates;
};

TEST(SymbolicSides, OfAnySignGiveInstancesWithinTheFacts) {
  using End = std::optional<std::int64_t>;
  const std::pair<End, End> ranges[] = {{{}, {}},
                                        {0, {}},
                                        {{}, 0},
                                        {{}, -3},
                                        {-5, -1},
                                        {-2, 2},
                                        {std::int64_t{1} << 40, {}},
                                        {{}, -(std::int64_t{1} << 40)}};
  for (const auto& [min, max] : ranges) {
    Moved moved(min, max);
    for (const Instance& i : instances(moved.request(), 12)) {
      ASSERT_EQ(i.symbols.size(), 1u);
      EXPECT_TRUE(!min || *min <= i.symbols[0].second);
      EXPECT_TRUE(!max || i.symbols[0].second <= *max);
    }
  }
}

TEST(SymbolicSides, OfManyValuesGiveAsManyInstancesAsAreWanted) {
  EXPECT_EQ(instances(Moved({}, {}).request(), 12).size(), 12u);
  EXPECT_EQ(instances(Moved(-2, 2).request(), 12).size(), 5u);
}

TEST(SymbolicSides, KeepTheHalvesThatMayBreakEachWithAWitness) {
  EXPECT_EQ(Moved(0, 0).kept(), "");
  EXPECT_EQ(Moved(1, {}).kept(), "S <= r");
  EXPECT_EQ(Moved({}, -1).kept(), "r < S + 8");
  EXPECT_EQ(Moved({}, 0).kept(), "r < S + 8");
  EXPECT_EQ(Moved(-2, 2).kept(), "S <= r && r < S + 8");
  EXPECT_EQ(Moved({}, {}).kept(), "S <= r && r < S + 8");
}

}  // namespace
}  // namespace selvage
