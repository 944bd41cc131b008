#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/tma_questions.h>
#include <selvage/simplifier/interval.h>

#include <algorithm>

namespace selvage {

namespace {

bool has_symbols(Expr e) { return !symbols_of(std::span(&e, 1)).empty(); }

bool uses_only(const std::vector<Expr>& expressions, const std::vector<Expr>& variables) {
  const std::vector<Expr> used = symbols_of(expressions);
  return std::all_of(used.begin(), used.end(), [&](Expr s) {
    return std::any_of(variables.begin(), variables.end(), [&](Expr v) { return same(v, s); });
  });
}

}  // namespace

bool advance(std::vector<std::int64_t>& point, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = point.size(); i-- > 0;) {
    if (++point[i] < extents[i]) return true;
    point[i] = 0;
  }
  return false;
}

TmaQuestions::TmaQuestions(const Fusion& fusion, const Schedule& schedule,
                           const TensorAnalysis& analysis)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      simplifier_(std::make_unique<Simplifier>(analysis.ranges->facts())) {
  if (tensor().duplicates_allowed) {
    for (DomainId d : analysis.hole_path.domains) checks_.push_back(ok(index(d), extent(d)));
  } else {
    for (const KeptPredicate& kept : analysis.predicates.kept) checks_.push_back(kept.condition);
  }
  std::vector<std::int64_t> extents;
  for (DomainId d : analysis.loops) {
    if (extent(d).is(Op::Const)) extents.push_back(extent(d).value());
  }
  if (extents.size() == analysis.loops.size() && uses_only(checks_, analysis.variables)) {
    extents_ = std::move(extents);
  }
}

bool TmaQuestions::is_bulk(std::size_t loop) const {
  return schedule_.parallel(analysis_.tensor, analysis_.loops[loop]) == ParallelType::Bulk;
}

bool TmaQuestions::proves(Expr claim) { return simplifier_->proves(claim); }

bool TmaQuestions::require(Expr claim) {
  if (is_proved(decide(facts(), claim))) return true;
  if (!has_symbols(claim) || is_proved(decide(facts(), !claim))) return false;
  conditions_.push_back(claim);
  Facts facts = simplifier_->facts();
  facts.assume(claim);
  simplifier_ = std::make_unique<Simplifier>(std::move(facts));
  return true;
}

std::optional<std::int64_t> TmaQuestions::number(Expr e) {
  if (e.is(Op::Const)) return e.value();
  const Interval range = simplifier_->interval(e);
  if (range.has_lo() && range.has_hi() && range.lo == range.hi) return range.lo;
  return std::nullopt;
}

Expr TmaQuestions::at_first(Expr e) const {
  Environment zero;
  for (std::size_t k = 0; k < analysis_.variables.size(); ++k) {
    if (is_bulk(k)) zero.emplace_back(analysis_.variables[k], c(0));
  }
  return substitute(e, zero);
}

Refuted TmaQuestions::point(std::optional<Expr> claim) const {
  const Expr never = pool().truth(false);
  const Facts& base = analysis_.ranges->facts();
  if (claim) {
    if (auto found = point(base, checks_, *claim)) return *found;
  }
  if (auto found = point(base, checks_, never)) return *found;
  return point(base, {}, never).value_or(Refuted{});
}

std::optional<Refuted> TmaQuestions::point(const Facts& base, const std::vector<Expr>& conditions,
                                           Expr claim) const {
  const std::vector<Expr>& variables = analysis_.variables;
  std::vector<Expr> roots = conditions;
  roots.push_back(claim);
  Refuted result;
  std::int64_t points = 1;
  for (std::size_t i = 0; extents_ && i < extents_->size(); ++i) {
    points = saturating_mul(points, (*extents_)[i]);
  }
  if (extents_ && points <= kMostPointsTried && uses_only(roots, variables)) {
    // In the order of the loops: the first such point is the one to tell of.
    Tape tape(roots, variables);
    std::vector<std::int64_t> at(variables.size(), 0);
    do {
      if (!tape.evaluate(at) || tape.root(conditions.size()) != 0) continue;
      bool holds = true;
      for (std::size_t i = 0; i < conditions.size(); ++i) holds = holds && tape.root(i) != 0;
      if (!holds) continue;
      for (std::size_t i = 0; i < at.size(); ++i) result.point.emplace_back(variables[i], at[i]);
      return result;
    } while (advance(at, *extents_));
    return std::nullopt;
  }
  Facts facts = base;
  for (Expr condition : conditions) facts.assume(condition);
  const Verdict verdict = decide(facts, claim);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return std::nullopt;
  std::vector<std::pair<Expr, std::int64_t>> known = refuted->point;
  const auto has = [&](Expr e) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& entry) { return same(entry.first, e); });
  };
  // What the claim does not hang together with may stand anywhere that the conditions allow.
  for (Expr variable : variables) {
    if (has(variable)) continue;
    const Verdict rest = decide(facts, variable < 0);
    if (const auto* r = std::get_if<Refuted>(&rest)) {
      for (const auto& entry : r->point) {
        if (!has(entry.first)) known.push_back(entry);
      }
    }
    if (!has(variable)) known.emplace_back(variable, 0);
  }
  const auto take = [&](bool loops) {
    for (const auto& entry : known) {
      const bool is_loop = std::any_of(variables.begin(), variables.end(),
                                       [&](Expr v) { return same(v, entry.first); });
      if (is_loop == loops) result.point.push_back(entry);
    }
  };
  take(true);
  take(false);
  return result;
}

void TmaQuestions::refuse(std::string code, Verdict verdict, std::string reason,
                          std::string help) const {
  throw TmaRefused{
      {std::move(verdict), std::move(reason), conditions_, std::move(code), std::move(help)}};
}

}  // namespace selvage
