#include <selvage/base/points.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/accesses.h>
#include <selvage/legality/decide.h>

namespace selvage {

Accesses::Accesses(const Schedule& schedule, const TensorAnalysis& analysis, const Cells& cells,
                   bool is_guarded)
    : schedule_(schedule), analysis_(analysis), cells_(cells), is_guarded_(is_guarded) {
  const DomainGraph& graph = schedule.graph();
  const Fusion& fusion = schedule.fusion();
  const TensorId t = analysis.tensor;
  Access own = access_of(fusion, graph, analysis, t, storage_of(fusion, t));
  if (is_guarded) guard_ = std::move(own.guard);
  indices_ = std::move(own.indices);
  cell_ = own.address;
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
  // The claim: wherever the cell is an item's, the point is valid.
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
    answer = decide(under, *claim);
    // Loops that the claim does not mention get 0, which every loop has.
    if (is_refuted(*answer)) answer = Refuted{in_order(analysis_.variables, point_of(*answer))};
  } else {
    answer = Unknown{};
  }
  return *answer;
}

// Looks at all points in loop order, if there is a table of the cells.
bool Accesses::sweep() {
  if (swept_) return *swept_;
  swept_ = false;
  if (cells_.table().empty()) return false;
  const auto extents = known_extents(schedule_.graph(), analysis_.loops);
  const auto points = extents ? count_points(*extents) : std::nullopt;
  if (!points) return false;
  std::vector<Expr> roots = {cell_, valid_};
  roots.insert(roots.end(), guard_.begin(), guard_.end());
  if (!is_quick(roots, *points) || !uses_only(roots, analysis_.variables)) return false;
  Tape tape(roots, analysis_.variables);
  swept_ = for_each_point(*extents, [&](const auto& point) {
    if (!tape.evaluate(point)) return false;
    for (std::size_t i = 2; i < roots.size(); ++i) {
      if (tape.root(i) == 0) return true;  // the guard stops it
    }
    const auto note = [&](Asked asked) {
      if (!fails_at_[asked]) fails_at_[asked] = point_at(analysis_.variables, point);
    };
    const std::int64_t cell = tape.root(0);
    const bool is_inside = 0 <= cell && cell < std::int64_t(cells_.table().size());
    const bool item = is_inside && cells_.table()[std::size_t(cell)] != 0;
    if (!is_inside) note(Inside);
    // A valid point accesses its item, even outside the memory.
    if (tape.root(1) == 0) note(item ? ItemsOnce : OnlyItems);
    return true;
  });
  return *swept_;
}

std::optional<std::int64_t> Accesses::cell_at(const Verdict& answer) const {
  const Point point = point_of(answer);
  if (!is_refuted(answer) || !uses_only(cell_, symbols_in(point))) {
    return std::nullopt;
  }
  return value_at(cell_, point);
}

}  // namespace selvage
