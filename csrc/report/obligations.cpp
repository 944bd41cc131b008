#include <selvage/expr/tape.h>
#include <selvage/report/obligations.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

std::vector<Expr> conditions(const Facts::Symbol& s) {
  std::vector<Expr> list;
  if (s.lo.valid()) list.push_back(s.lo <= s.symbol);
  if (s.hi.valid()) list.push_back(s.symbol <= s.hi);
  if (s.range.has_lo() && !s.lo.is_const(s.range.lo)) list.push_back(s.range.lo <= s.symbol);
  if (s.range.has_hi() && !s.hi.is_const(s.range.hi)) list.push_back(s.symbol <= s.range.hi);
  const auto& [modulus, residue] = s.congruence;
  if (modulus == 0) list.push_back(eq(s.symbol, residue));
  if (modulus > 1) list.push_back(eq(s.symbol % modulus, residue));
  return list;
}

}  // namespace

std::vector<Expr> contracts_of_rows(const TensorReport& tensor) {
  const DomainGraph& graph = tensor.graph();
  std::vector<Expr> contracts;
  for (const Step& step : tensor.analysis.path.steps) {
    const auto* merge = std::get_if<Merge>(&graph[step.transform]);
    if (merge == nullptr || step.direction == Direction::Forward) continue;
    if (graph.rows_of(*merge) == nullptr) continue;
    const auto index = [&](DomainId d) { return (*tensor.analysis.coordinates)[d]; };
    const Expr position = index(merge->out), in_row = index(merge->inner);
    if (const RaggedRows* groups = graph.groups_of(*merge)) {
      const RowSearch search = row_search(graph, *merge, *tensor.analysis.coordinates);
      const Expr row = graph.rows_of(*merge)->row;
      contracts.push_back(search.first <= row && row <= search.last);
      contracts.push_back(position < 0 || 0 <= in_row || groups->count <= index(*merge->group));
    } else {
      contracts.push_back(position < 0 || 0 <= in_row);
    }
    contracts.push_back(graph[merge->out].extent <= position ||
                        in_row < graph[merge->inner].extent);
  }
  return contracts;
}

std::vector<Obligation> obligations_of(const TensorReport& tensor, const FusionReport& fusion) {
  std::vector<Obligation> list = tensor_obligations(tensor);
  if (!fusion.program) return list;
  for (const ProgramStep& step : fusion.program->steps) {
    const auto& stores = step.stores;
    if (std::find(stores.begin(), stores.end(), tensor.analysis.tensor) == stores.end()) continue;
    // Variants differ in the width of their integers only.
    const std::vector<Obligation> more =
        kernel_obligations(tensor, *fusion.program, step.variants.front());
    list.insert(list.end(), more.begin(), more.end());
    // What tiles of positions leave is folded in kernels that have none of the tensor's loops.
    if (tensor.schedule->positions(tensor.analysis.tensor)) break;
  }
  return list;
}

std::vector<Expr> conditions(const Facts& facts, std::span<const Expr> expressions) {
  std::vector<Expr> open = symbols_of(expressions), list;
  std::unordered_set<std::uint32_t> known;
  for (Expr s : open) known.insert(s.id());
  const auto add = [&](Expr condition) {
    list.push_back(condition);
    for (Expr s : symbols_of(condition)) {
      if (known.insert(s.id()).second) open.push_back(s);
    }
  };
  std::vector<char> is_listed(facts.assumptions().size(), 0);
  for (std::size_t next = 0; next < open.size(); ++next) {
    if (const Facts::Symbol* s = facts.find(open[next])) {
      for (Expr condition : conditions(*s)) add(condition);
    }
    for (std::size_t i = 0; i < is_listed.size(); ++i) {
      const std::vector<Expr> symbols = symbols_of(facts.assumptions()[i]);
      const bool speaks_of_it =
          std::any_of(symbols.begin(), symbols.end(), [&](Expr s) { return same(s, open[next]); });
      if (!speaks_of_it || is_listed[i]) continue;
      is_listed[i] = 1;
      add(facts.assumptions()[i]);
    }
  }
  return list;
}

}  // namespace selvage
