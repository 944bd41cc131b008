#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/accesses.h>
#include <selvage/legality/decide.h>

#include <algorithm>

namespace selvage {

Accesses::Accesses(const Schedule& schedule, const TensorAnalysis& analysis, const Cells& cells,
                   bool is_guarded)
    : schedule_(schedule), analysis_(analysis), cells_(cells), is_guarded_(is_guarded) {
  const DomainGraph& graph = schedule.graph();
  if (is_guarded) {
    for (const KeptPredicate& kept : analysis.predicates.kept) guard_.push_back(kept.condition);
  }
  for (DomainId d : cells.domains()) indices_.push_back((*analysis.coordinates)[d]);
  cell_ = address_in(schedule.fusion(), graph, analysis.tensor, indices_);
  valid_ = schedule.fusion().pool().truth(true);
  for (std::size_t v = analysis.loops.size(); v < analysis.hole_path.domains.size(); ++v) {
    const DomainId d = analysis.hole_path.domains[v];
    valid_ = valid_ && ok((*analysis.coordinates)[d], graph[d].extent);
  }
}

Simplifier& Accesses::simplifier() {
  if (!simplifier_) {
    simplifier_.emplace(is_guarded_ ? analysis_.guarded->facts() : analysis_.ranges->facts());
  }
  return *simplifier_;
}

bool Accesses::lets_valid_points_only() const {
  return is_guarded_ && !schedule_.fusion()[analysis_.tensor].duplicates_allowed;
}

std::optional<Expr> Accesses::is_item() { return cells_.is_item(indices_, simplifier()); }

const Verdict& Accesses::inside() { return settle(Inside, ok(cell_, cells_.count())); }

const Verdict& Accesses::only_items() {
  if (answers_[OnlyItems]) return *answers_[OnlyItems];
  if (lets_valid_points_only()) return *(answers_[OnlyItems] = Proved{{"guard"}});
  const std::optional<Expr> item = is_item();
  if (!item) {
    const Verdict all_valid = simplifier().prove(valid_);
    if (is_proved(all_valid)) return *(answers_[OnlyItems] = all_valid);
  }
  return settle(OnlyItems, item);
}

const Verdict& Accesses::items_once() {
  if (answers_[ItemsOnce]) return *answers_[ItemsOnce];
  if (lets_valid_points_only()) return *(answers_[ItemsOnce] = Proved{{"guard"}});
  const Verdict all_valid = simplifier().prove(valid_);
  if (is_proved(all_valid)) return *(answers_[ItemsOnce] = all_valid);
  // Wherever it is an item's, the point is valid.
  const std::optional<Expr> item = is_item();
  if (!item) return settle(ItemsOnce, std::nullopt);
  Facts facts = simplifier().facts();
  Expr condition = *item;  // a conjunction of any depth
  for (; condition.is(Op::And); condition = condition[0]) facts.assume(condition[1]);
  facts.assume(condition);
  Simplifier under_item(std::move(facts));
  return settle(ItemsOnce, valid_, under_item);
}

const Verdict& Accesses::settle(Asked asked, const std::optional<Expr>& claim) {
  return settle(asked, claim, simplifier());
}

const Verdict& Accesses::settle(Asked asked, const std::optional<Expr>& claim, Simplifier& under) {
  std::optional<Verdict>& answer = answers_[asked];
  if (answer) return *answer;
  if (claim) {
    const Verdict verdict = under.prove(*claim);
    if (is_proved(verdict)) return *(answer = verdict);
  }
  if (sweep()) {
    const std::optional<Point>& point = fails_at_[asked];
    answer = point ? Verdict(Refuted{*point}) : Proved{{"exact enumeration"}};
  } else if (claim) {
    answer = decide(under.facts(), *claim);
    if (const auto* refuted = std::get_if<Refuted>(&*answer)) answer = in_order(*refuted);
  } else {
    answer = Unknown{};
  }
  return *answer;
}

// All points in loop order, where there is a table of the cells to look at.
bool Accesses::sweep() {
  if (swept_) return *swept_;
  swept_ = false;
  if (cells_.table().empty()) return false;
  std::vector<std::int64_t> extents;
  std::int64_t points = 1;
  for (DomainId d : analysis_.loops) {
    const Expr n = schedule_.graph()[d].extent;
    const auto more = n.is(Op::Const) ? checked_mul(points, n.value()) : std::nullopt;
    if (!more || *more > kMostPointsTried) return false;
    points = *more;
    extents.push_back(n.value());
  }
  std::vector<Expr> roots = {cell_, valid_};
  roots.insert(roots.end(), guard_.begin(), guard_.end());
  if (!is_quick(roots, points)) return false;
  for (Expr s : symbols_of(roots)) {
    const auto is_it = [&](Expr v) { return same(v, s); };
    if (std::none_of(analysis_.variables.begin(), analysis_.variables.end(), is_it)) return false;
  }
  Tape tape(roots, analysis_.variables);
  std::vector<std::int64_t> point(extents.size());
  const auto note = [&](Asked asked) {
    if (fails_at_[asked]) return;
    Point& found = fails_at_[asked].emplace();
    for (std::size_t i = 0; i < point.size(); ++i) {
      found.emplace_back(analysis_.variables[i], point[i]);
    }
  };
  for (std::int64_t k = 0; k < points; ++k) {
    std::int64_t rest = k;
    for (std::size_t i = point.size(); i-- > 0; rest /= extents[i]) point[i] = rest % extents[i];
    if (!tape.evaluate(point)) return false;
    bool runs = true;
    for (std::size_t i = 2; i < roots.size(); ++i) runs = runs && tape.root(i) != 0;
    if (!runs) continue;
    const std::int64_t cell = tape.root(0);
    const bool is_inside = 0 <= cell && cell < std::int64_t(cells_.table().size());
    const bool item = is_inside && cells_.table()[std::size_t(cell)] != 0;
    if (!is_inside) note(Inside);
    if (tape.root(1) != 0) continue;  // an item's, be it outside
    note(item ? ItemsOnce : OnlyItems);
  }
  swept_ = true;
  return true;
}

// Loops first. What the claim does not speak of may have any value, and every loop has a 0.
Refuted Accesses::in_order(const Refuted& refuted) const {
  Refuted ordered;
  const auto is_loop = [&](Expr e) {
    return std::any_of(analysis_.variables.begin(), analysis_.variables.end(),
                       [&](Expr v) { return same(v, e); });
  };
  for (Expr v : analysis_.variables) {
    const auto it = std::find_if(refuted.point.begin(), refuted.point.end(),
                                 [&](const auto& p) { return same(p.first, v); });
    ordered.point.emplace_back(v, it == refuted.point.end() ? 0 : it->second);
  }
  for (const auto& p : refuted.point) {
    if (!is_loop(p.first)) ordered.point.push_back(p);
  }
  return ordered;
}

std::optional<std::int64_t> Accesses::cell_at(const Verdict& answer) const {
  const auto* refuted = std::get_if<Refuted>(&answer);
  if (refuted == nullptr) return std::nullopt;
  std::vector<Expr> symbols;
  std::vector<std::int64_t> values;
  for (const auto& [symbol, value] : refuted->point) {
    symbols.push_back(symbol);
    values.push_back(value);
  }
  for (Expr s : symbols_of(std::span(&cell_, 1))) {
    const auto is_it = [&](Expr known) { return same(known, s); };
    if (std::none_of(symbols.begin(), symbols.end(), is_it)) return std::nullopt;
  }
  return evaluate(cell_, symbols, values);
}

}  // namespace selvage
