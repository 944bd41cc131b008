#include <selvage/base/points.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/cells.h>
#include <selvage/legality/decide.h>

#include <algorithm>

namespace selvage {

Cells::Cells(const Fusion& fusion, const Schedule& schedule, TensorId t)
    : fusion_(fusion), schedule_(schedule), tensor_(t), domains_(allocation_of(fusion, t)) {
  const DomainGraph& graph = schedule.graph();
  Facts facts = *fusion.facts();
  for (DomainId d : domains_) {
    axes_.push_back(fresh_symbol(fusion, schedule.name(t, d), axes_));
    facts.loop(axes_.back(), graph[d].extent);
  }
  count_ = elements_of(fusion, graph, t);
  const Path everything = all_from(domains_);
  const std::vector<DomainId>& logical = fusion[t].logical;
  follows_ = std::all_of(logical.begin(), logical.end(),
                         [&](DomainId d) { return reaches(everything, d); });
  if (follows_) {
    path_ = needed_for(graph, everything, domains_, logical);
    take_apart(facts);
    ask_whether_full(facts);
  }
  fill_table();
  count_holes(facts);
}

// An empty list would mean all transforms of the graph.
Path Cells::all_from(const std::vector<DomainId>& start) const {
  const std::vector<TransformId>& transforms = schedule_.transforms(tensor_);
  if (transforms.empty()) return {{}, start};
  return everything_from(schedule_.graph(), start, transforms);
}

// Axes nest if, widest first, a stride is at least what the next axis spans: s[k] >= s[k+1]*n[k+1],
// the last at least 1. Then the indices of a cell are the digits of its number.
//   the axes after k together: sum (n[j] - 1)*s[j] < n[k+1]*s[k+1] <= s[k]
void Cells::take_apart(const Facts& facts) {
  const DomainGraph& graph = schedule_.graph();
  Simplifier simplifier(facts);
  strides_ = strides_of(fusion_, graph, tensor_, simplifier);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < domains_.size(); ++k) {
    if (!graph[domains_[k]].extent.is_const(1)) order.push_back(k);
  }
  const bool is_known = std::all_of(order.begin(), order.end(),
                                    [&](std::size_t k) { return strides_[k].is(Op::Const); });
  if (is_known) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return strides_[a].value() > strides_[b].value();
    });
  }
  // An item that is out of bounds on its way to the allocation has an address like any other, and
  // that may be the cell of indices that are no item's: [0, 2) cut to [1, 2), then padded again.
  if (!is_proved(coverage_of(fusion_, schedule_, tensor_, domains_).verdict)) return;
  const auto nests = [&] {
    order_ = order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!simplifier.proves(span_after(i) <= strides_[order[i]])) return false;
    }
    return true;
  };
  if (nests()) return;
  std::reverse(order.begin(), order.end());  // columns before rows, perhaps
  if (is_known || !nests()) order_.reset();
}

void Cells::ask_whether_full(const Facts& facts) {
  const DomainGraph& graph = schedule_.graph();
  Simplifier simplifier(facts);
  if (!path_.steps.empty()) {
    const Coordinates coordinates(graph, path_, domains_, axes_, simplifier);
    plan_ = plan_predicates({.graph = graph,
                             .path = path_,
                             .loops = domains_,
                             .variables = axes_,
                             .candidates = path_.domains,
                             .coordinates = coordinates,
                             .simplifier = simplifier});
  }
  if (!order_) return;
  for (const KeptPredicate& kept : plan_.kept) {
    if (kept.witness.empty()) continue;
    full_ = Refuted{kept.witness};
    return;
  }
  Proved proved;
  for (const ImpliedPredicate& implied : plan_.implied) add_rule(implied.by, proved);
  // Without gaps each stride is what the next axis spans; that of a widest axis of one index does
  // not matter. With s[k] larger and n[k] >= 2, no item lies at that span.
  const Facts& sizes = *fusion_.facts();
  for (std::size_t i = 0; i < order_->size(); ++i) {
    const std::size_t k = (*order_)[i];
    const Expr n = graph[domains_[k]].extent;
    const Expr dense = eq(strides_[k], span_after(i)), dense_or_one = n <= 1 || dense;
    const Verdict real = decide(sizes, dense_or_one);
    if (is_proved(real) && (i == 0 || proof_of(sizes, dense))) continue;
    full_ = is_refuted(real) ? real : Unknown{};
    return;
  }
  if (plan_.kept.empty()) full_ = std::move(proved);
}

// The span of the axis after order_[i]; after the last axis, one cell.
Expr Cells::span_after(std::size_t i) const {
  if (i + 1 == order_->size()) return fusion_.pool().constant(1);
  const std::size_t next = (*order_)[i + 1];
  return strides_[next] * schedule_.graph()[domains_[next]].extent;
}

// If axes nest, each item has a cell of its own, so holes are cells less items.
void Cells::count_holes(const Facts& facts) {
  if (!table_.empty()) {
    holes_ = fusion_.pool().constant(std::count(table_.begin(), table_.end(), 0));
    const auto hole = std::find(table_.begin(), table_.end(), 0);
    if (hole != table_.end()) {
      first_ = hole - table_.begin();
      full_ = Refuted{indices(*first_)};
    } else if (!is_proved(full_)) {
      full_ = Proved{{"exact enumeration"}};
    }
    return;
  }
  if (is_proved(full_)) holes_ = fusion_.pool().constant(0);
  if (!order_ || is_proved(full_)) return;
  look_for_first();
  Expr items = fusion_.pool().constant(1);
  for (DomainId d : fusion_[tensor_].logical) items = items * schedule_.graph()[d].extent;
  holes_ = Simplifier(facts).simplify(count_ - items);
}

// Looks for the first hole among the first cells, if sizes are numbers.
void Cells::look_for_first() {
  Simplifier any(*fusion_.facts());
  const Expr cell = fresh_symbol(fusion_, "element", axes_);
  const Expr item = is_item_at(cell, any);
  if (!count_.is(Op::Const) || !uses_only(item, std::span(&cell, 1))) return;
  Tape tape(std::span(&item, 1), std::span(&cell, 1));
  const std::int64_t end = std::min(count_.value(), kMostPointsTried);
  if (!is_quick(std::span(&item, 1), end)) return;
  for (std::int64_t c = 0; c < end; ++c) {
    if (!tape.evaluate(std::span(&c, 1))) return;
    if (tape.root(0) != 0) continue;
    first_ = c;
    full_ = Refuted{indices(c)};
    return;
  }
}

void Cells::fill_table() {
  const DomainGraph& graph = schedule_.graph();
  const std::vector<DomainId>& logical = fusion_[tensor_].logical;
  const auto extents = known_extents(graph, logical);
  const auto items = extents ? count_points(*extents) : std::nullopt;
  if (!items || !count_.is(Op::Const) || count_.value() < 1) return;
  if (count_.value() > kMostPointsTried) return;
  std::vector<Expr> symbols;
  for (std::size_t i = 0; i < logical.size(); ++i) {
    symbols.push_back(fusion_.pool().symbol("$" + std::to_string(i)));
  }
  const Path path = all_from(logical);
  for (DomainId d : domains_) {
    if (!reaches(path, d)) return;
  }
  Simplifier any(*fusion_.facts());
  const Coordinates coordinates(graph, path, logical, symbols, any);
  std::vector<Expr> indices;
  for (DomainId d : domains_) indices.push_back(coordinates[d]);
  const Expr address = address_in(fusion_, graph, tensor_, indices);
  if (!uses_only(address, symbols) || !is_quick(std::span(&address, 1), *items)) return;
  Tape tape(std::span(&address, 1), symbols);
  std::vector<char> table(std::size_t(count_.value()), 0);
  const bool is_done = for_each_point(*extents, [&](const auto& point) {
    if (!tape.evaluate(point)) return false;
    const std::int64_t cell = tape.root(0);
    if (cell >= 0 && cell < count_.value()) table[std::size_t(cell)] = 1;
    return true;
  });
  if (is_done) table_ = std::move(table);
}

Point Cells::indices(std::int64_t cell) const {
  if (!order_) return {};
  Point point;
  for (Expr a : axes_) point.emplace_back(a, 0);
  for (std::size_t k : *order_) {
    const Expr n = schedule_.graph()[domains_[k]].extent;
    if (!strides_[k].is(Op::Const) || !n.is(Op::Const)) return {};
    point[k].second = cell / strides_[k].value();
    cell %= strides_[k].value();
    if (point[k].second >= n.value()) return {};
  }
  return cell == 0 ? point : Point{};
}

// The condition that these indices, within their extents, are an item's.
Expr Cells::is_valid(std::span<const Expr> indices, Simplifier& facts) const {
  const DomainGraph& graph = schedule_.graph();
  const Coordinates coordinates(graph, path_, domains_, indices, facts);
  Expr all = fusion_.pool().truth(true);
  for (const KeptPredicate& kept : plan_.kept) {
    const Expr index = coordinates[kept.domain], extent = graph[kept.domain].extent;
    if (kept.lo) all = all && 0 <= index;
    if (kept.hi) all = all && index < extent;
  }
  return all;
}

std::optional<Expr> Cells::is_item(std::span<const Expr> indices, Simplifier& facts) const {
  if (!follows_ || !order_) return std::nullopt;
  const DomainGraph& graph = schedule_.graph();
  bool in_bounds = true;
  for (std::size_t k = 0; k < domains_.size() && in_bounds; ++k) {
    in_bounds = facts.proves(ok(indices[k], graph[domains_[k]].extent));
  }
  if (in_bounds) return is_valid(indices, facts);
  // The cell's own indices are the digits of its number, whatever indices led to it.
  return is_item_at(facts.simplify(address_in(fusion_, graph, tensor_, indices)), facts);
}

Expr Cells::is_item_at(Expr cell, Simplifier& facts) const {
  Expr condition = fusion_.pool().truth(true);
  std::vector<Expr> digits(domains_.size(), fusion_.pool().constant(0));
  for (std::size_t k : *order_) {
    digits[k] = facts.simplify(cell / strides_[k]);
    cell = facts.simplify(cell % strides_[k]);
    condition = condition && ok(digits[k], schedule_.graph()[domains_[k]].extent);
  }
  if (!cell.is_const(0)) condition = condition && eq(cell, 0);
  return condition && is_valid(digits, facts);
}

}  // namespace selvage
