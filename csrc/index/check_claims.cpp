#include <selvage/expr/symbols.h>
#include <selvage/index/check_claims.h>
#include <selvage/simplifier/sampler.h>

#include <algorithm>
#include <set>

namespace selvage {

// A row that is searched for a position begins at or in front of it, unless it is the first one,
// and ends behind it, unless it is the last one. The first one begins where all positions do, or
// those of its group, and the last one ends where they do. Without that a counterexample could be
// at a row that does not have its position.
CheckClaims::CheckClaims(const PredicateRequest& request) : request_(request) {
  for (const Step& step : request.path.steps) {
    const auto* merge = std::get_if<Merge>(&request.graph[step.transform]);
    if (merge == nullptr || step.direction == Direction::Forward) continue;
    const RaggedRows* rows = request.graph.rows_of(*merge);
    if (rows == nullptr) continue;
    const RowSearch search = row_search(request.graph, *merge, request.coordinates);
    const Expr row = rows->row, position = search.position;
    const Expr begin = rows->begin + search.added * row;
    const Expr end = rows->end + search.added * (row + 1);
    if (const RaggedRows* groups = request.graph.groups_of(*merge)) {
      const Expr group = request.coordinates[*merge->group];
      const Expr is_none = group < 0 || groups->count <= group;
      promises_.push_back(search.first <= row && row <= search.last);
      promises_.push_back((row <= search.first && (is_none || eq(begin, groups->begin))) ||
                          (search.first < row && begin <= position));
      promises_.push_back((search.last <= row && (is_none || eq(end, groups->end))) ||
                          (row < search.last && position < end));
      continue;
    }
    promises_.push_back((row <= 0 && rows->begin <= 0) || (1 <= row && begin <= position));
    promises_.push_back((rows->count <= row + 1 && rows->items <= rows->end) ||
                        (row + 1 < rows->count && position < end));
  }
}

Verdict CheckClaims::ask(std::span<const Expr> others, Expr claim) {
  std::vector<Expr> all(others.begin(), others.end());
  all.push_back(claim);
  const std::size_t nodes = reachable(all, true).size();
  if (nodes > std::min(kLargest, nodes_left_)) return Unknown{claim};
  nodes_left_ -= nodes;
  Facts facts = premises();
  for (Expr e : others) facts.assume(e);
  return Simplifier(std::move(facts)).prove(claim);
}

Facts CheckClaims::premises() const {
  Facts facts = request_.simplifier.facts();
  for (Expr e : promises_) facts.assume(e);
  return facts;
}

std::vector<std::vector<std::uint32_t>> CheckClaims::failing_together(
    std::span<const Expr> conditions) const {
  std::set<std::vector<std::uint32_t>> sets;
  Sampler sampler(premises(), conditions);
  for (int attempt = 0; attempt < kDraws; ++attempt) {
    if (!sampler.draw(1 + attempt / 4)) continue;
    std::vector<std::uint32_t> failing;
    for (std::uint32_t i = 0; i < conditions.size(); ++i) {
      if (sampler.root(i) == 0) failing.push_back(i);
    }
    if (!failing.empty()) sets.insert(std::move(failing));
  }
  return {sets.begin(), sets.end()};
}

std::optional<std::vector<std::uint32_t>> CheckClaims::failing(std::span<const Expr> conditions,
                                                               const Refuted& refuted) {
  const std::vector<Expr> symbols = symbols_in(refuted.point);
  if (!uses_only(conditions, symbols)) return std::nullopt;
  Tape tape(conditions, symbols);
  if (!tape.evaluate(values_in(refuted.point))) return std::nullopt;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < conditions.size(); ++i) {
    if (tape.root(i) == 0) list.push_back(i);
  }
  return list;
}

}  // namespace selvage
