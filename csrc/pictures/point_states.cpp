#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/pictures/point_states.h>

#include <algorithm>

namespace selvage {

PointStates::PointStates(const TensorAnalysis& analysis, std::vector<Expr> roots)
    : tape_(roots, analysis.variables) {}

std::optional<PointStates> PointStates::of(const DomainGraph& graph, const TensorInfo& tensor,
                                           const TensorAnalysis& analysis) {
  std::vector<DomainId> domains = analysis.hole_path.domains;
  std::vector<std::size_t> logical;
  for (DomainId d : tensor.logical) {
    const auto it = std::find(domains.begin(), domains.end(), d);
    logical.push_back(std::size_t(it - domains.begin()));
    if (it == domains.end()) domains.push_back(d);
  }
  std::vector<Expr> roots, extents;
  for (DomainId d : domains) {
    roots.push_back((*analysis.coordinates)[d]);
    extents.push_back(graph[d].extent);
  }
  for (DomainId d : analysis.loops) extents.push_back(graph[d].extent);
  roots.push_back(analysis.address);
  for (Expr e : extents) {
    if (!e.is(Op::Const)) return std::nullopt;
  }
  if (!uses_only(roots, analysis.variables)) return std::nullopt;
  PointStates states(analysis, roots);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    (k < domains.size() ? states.bounds_ : states.extents_).push_back(extents[k].value());
  }
  states.lo_.assign(domains.size(), 0);
  states.hi_.assign(domains.size(), 0);
  for (const KeptPredicate& kept : analysis.predicates.kept) {
    const auto it = std::find(domains.begin(), domains.end(), kept.domain);
    if (it == domains.end()) continue;
    const std::size_t k = std::size_t(it - domains.begin());
    states.lo_[k] = kept.lo;
    states.hi_[k] = kept.hi;
  }
  states.domains_ = std::move(domains);
  states.logical_ = std::move(logical);
  states.duplicates_allowed_ = tensor.duplicates_allowed;
  return states;
}

std::optional<PointState> PointStates::at(std::span<const std::int64_t> point) {
  if (!tape_.evaluate(point)) return std::nullopt;
  PointState state;
  const auto is_out = [&](std::size_t k) {
    return tape_.root(k) < 0 || tape_.root(k) >= bounds_[k];
  };
  for (std::size_t k = 0; k < domains_.size(); ++k) {
    if (!is_out(k)) continue;
    state.out.push_back(k);
    const bool is_stopped = tape_.root(k) < 0 ? lo_[k] : hi_[k];
    if (is_stopped) state.stop.push_back(k);
  }
  const bool is_item = std::none_of(logical_.begin(), logical_.end(), is_out);
  if (state.out.empty() || (duplicates_allowed_ && is_item)) {
    state.kind = state.out.empty() ? PointState::Kind::Valid : PointState::Kind::Repeated;
    state.stop.clear();
    std::optional<std::int64_t> item = 0;
    for (std::size_t k : logical_) {
      if (item) item = checked_mul(*item, bounds_[k]);
      if (item) item = checked_add(*item, tape_.root(k));
    }
    if (!item) return std::nullopt;
    state.item = *item;
  } else if (state.stop.empty()) {
    state.stop = state.out;
  }
  return state;
}

std::int64_t PointStates::address() const { return tape_.root(domains_.size()); }
std::int64_t PointStates::index(std::size_t domain) const { return tape_.root(domain); }

}  // namespace selvage
