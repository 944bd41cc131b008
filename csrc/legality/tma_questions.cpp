#include <selvage/base/points.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/tma_questions.h>
#include <selvage/simplifier/interval.h>

namespace selvage {

namespace {

bool has_symbols(Expr e) { return !symbols_of(e).empty(); }

}  // namespace

TmaQuestions::TmaQuestions(const Fusion& fusion, const Schedule& schedule,
                           const TensorAnalysis& analysis)
    : fusion_(fusion),
      schedule_(schedule),
      analysis_(analysis),
      access_(copied(fusion, schedule, analysis)),
      simplifier_(std::make_unique<Simplifier>(analysis.ranges->facts())) {
  if (tensor().duplicates_allowed) {
    for (DomainId d : analysis.hole_path.domains) checks_.push_back(ok(index(d), extent(d)));
  } else {
    checks_ = access_.guard;
  }
  if (uses_only(checks_, analysis.variables)) extents_ = known_extents(graph(), analysis.loops);
}

bool TmaQuestions::is_bulk(std::size_t loop) const {
  return schedule_.parallel(analysis_.tensor, analysis_.loops[loop]) == ParallelType::Bulk;
}

bool TmaQuestions::proves(Expr claim) { return simplifier_->proves(claim); }

bool TmaQuestions::require(Expr claim) {
  if (proof_of(facts(), claim)) return true;
  if (!has_symbols(claim) || proof_of(facts(), !claim)) return false;
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
  const auto points = extents_ ? count_points(*extents_) : std::nullopt;
  if (points && *points <= kMostPointsTried && uses_only(roots, variables)) {
    // Tries points in the order of the loops: the first such point is reported.
    Tape tape(roots, variables);
    std::optional<Refuted> found;
    for_each_point(*extents_, [&](const auto& at) {
      if (!tape.evaluate(at) || tape.root(conditions.size()) != 0) return true;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (tape.root(i) == 0) return true;
      }
      found = Refuted{point_at(variables, at)};
      return false;
    });
    return found;
  }
  Facts facts = base;
  for (Expr condition : conditions) facts.assume(condition);
  const Verdict verdict = decide(facts, claim);
  if (!is_refuted(verdict)) return std::nullopt;
  return Refuted{in_order(variables, point_of(verdict))};
}

void TmaQuestions::refuse(std::string code, Verdict verdict, std::string reason,
                          std::vector<TmaMend> tries) const {
  throw TmaRefused{{std::move(verdict), std::move(reason), conditions_, std::move(code)},
                   std::move(tries)};
}

}  // namespace selvage
