#include "tests/support/engine_graph.h"

#include <algorithm>

namespace selvage {

namespace {

template <class OracleStep, class ToExpr>
void apply_step(DomainGraph& g, const OracleStep& step, std::vector<DomainId>& ids,
                const std::vector<std::string>& names, const ToExpr& size) {
  const auto in = [&](std::size_t i) { return ids[std::size_t(step.in[i])]; };
  const auto name = [&](std::size_t i) { return names[std::size_t(step.out[i])]; };
  const auto out = [&](std::size_t i, DomainId d) { ids[std::size_t(step.out[i])] = d; };
  switch (step.kind) {
    case oracle::Step::Split:
    case oracle::Step::OuterSplit: {
      const auto [o, i] =
          g.split(in(0), size(step.factor), step.kind == oracle::Step::Split, name(0), name(1));
      out(0, o), out(1, i);
      return;
    }
    case oracle::Step::Merge: out(0, g.merge(in(0), in(1), name(0))); return;
    case oracle::Step::Resize:
      out(0, g.resize(in(0), g.pool().constant(step.left), g.pool().constant(step.right), name(0)));
      return;
    case oracle::Step::Xor:
    case oracle::Step::CyclicShift:
    case oracle::Step::Hilbert: {
      const auto kind = step.kind == oracle::Step::Xor           ? SwizzleKind::Xor
                        : step.kind == oracle::Step::CyclicShift ? SwizzleKind::CyclicShift
                                                                 : SwizzleKind::Hilbert;
      const auto [x, y] = g.swizzle(kind, in(0), in(1), name(0), name(1));
      out(0, x), out(1, y);
      return;
    }
    case oracle::Step::Skew:
      out(0, g.skew(in(0), ids[std::size_t(*step.along)], g.pool().constant(step.by),
                    size(step.factor), name(0)));
      return;
  }
}

}  // namespace

EngineGraph::EngineGraph(const oracle::Graph& g) : ids(g.extents.size()) {
  graph = std::make_unique<DomainGraph>(pool, facts);
  for (int d : oracle::root(g)) {
    ids[std::size_t(d)] =
        graph->add(g.names[std::size_t(d)], pool->constant(g.extents[std::size_t(d)]));
  }
  const auto size = [&](std::int64_t n) { return pool->constant(n); };
  for (const oracle::Step& step : g.steps) apply_step(*graph, step, ids, g.names, size);
  finish(g.loop, g.logical);
}

EngineGraph::EngineGraph(const oracle::SymbolicGraph& g) : ids(g.names.size()) {
  for (const oracle::Symbol& s : g.symbols) {
    const Expr e = pool->symbol(s.name);
    facts->bound(e, pool->constant(s.min), pool->constant(s.max));
    if (s.multiple_of > 1) facts->congruent(e, s.multiple_of);
    symbols.push_back(e);
  }
  graph = std::make_unique<DomainGraph>(pool, facts);
  const auto size = [&](const oracle::Size& n) {
    return n.is_symbol() ? pool->symbol(n.symbol) : pool->constant(n.number);
  };
  for (const auto& [d, extent] : g.root_extents) {
    ids[std::size_t(d)] = graph->add(g.names[std::size_t(d)], size(extent));
  }
  for (const oracle::SymbolicStep& step : g.steps) apply_step(*graph, step, ids, g.names, size);
  finish(g.loop, g.logical);
}

void EngineGraph::finish(const std::vector<int>& loop, const std::vector<int>& logical_ids) {
  for (int d : loop) {
    loops.push_back(ids[std::size_t(d)]);
    variables.push_back(pool->symbol("v_" + (*graph)[loops.back()].name));
  }
  for (int d : logical_ids) logical.push_back(ids[std::size_t(d)]);
  Facts ranges = *facts;
  for (std::size_t i = 0; i < loops.size(); ++i)
    ranges.loop(variables[i], (*graph)[loops[i]].extent);
  simplifier = std::make_unique<Simplifier>(std::move(ranges));
  path = everything_from(*graph, loops, {});
  hole_path = needed_for(*graph, path, loops, logical);
  coordinates = std::make_unique<Coordinates>(*graph, path, loops, variables, *simplifier);
}

PredicatePlan EngineGraph::plan(bool exact, std::uint64_t budget) {
  return plan_predicates({.graph = *graph,
                          .path = path,
                          .loops = loops,
                          .variables = variables,
                          .candidates = hole_path.domains,
                          .coordinates = *coordinates,
                          .simplifier = *simplifier,
                          .exact = exact,
                          .budget = budget});
}

int EngineGraph::oracle_id(DomainId d) const {
  return int(std::find(ids.begin(), ids.end(), d) - ids.begin());
}

}  // namespace selvage
