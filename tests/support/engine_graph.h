#pragma once

#include <selvage/index/predicate.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/oracle/random_graph.h"

namespace selvage {

// A graph of the oracle, built by the engine: the same iterdomains, coordinates and predicates.
struct EngineGraph {
  explicit EngineGraph(const oracle::Graph& graph);
  explicit EngineGraph(const oracle::SymbolicGraph& graph);

  PredicatePlan plan(bool exact = true, std::uint64_t budget = 100'000);
  // The oracle's number of an iterdomain of the engine; `ids` is the inverse.
  int oracle_id(DomainId d) const;

  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::shared_ptr<Facts> facts = std::make_shared<Facts>(*pool);
  std::unique_ptr<DomainGraph> graph;
  std::vector<DomainId> ids;  // by the oracle's number
  std::vector<DomainId> loops, logical;
  std::vector<Expr> variables;
  std::vector<Expr> symbols;
  Path path, hole_path;
  std::unique_ptr<Simplifier> simplifier;
  std::unique_ptr<Coordinates> coordinates;

 private:
  void finish(const std::vector<int>& loop, const std::vector<int>& logical_ids);
};

}  // namespace selvage
