#include <selvage/simplifier/parts.h>
#include <selvage/simplifier/simplifier.h>

#include <utility>

namespace selvage {

Simplifier::Simplifier(Facts facts)
    : parts_(std::make_unique<SimplifierParts>(std::move(facts), 0, UINT64_MAX)) {}
Simplifier::~Simplifier() = default;
Simplifier::Simplifier(Simplifier&&) noexcept = default;
Simplifier& Simplifier::operator=(Simplifier&&) noexcept = default;

const Facts& Simplifier::facts() const { return parts_->facts; }
ExprPool& Simplifier::pool() const { return parts_->facts.pool(); }

Expr Simplifier::simplify(Expr e) {
  if (e.depth() > kDeepest) return e;
  return parts_->answer(e, [&] { return parts_->texts.simplify(e); });
}

bool Simplifier::ran_out() const { return parts_->texts.ran_out(); }
Expr Simplifier::normal_form(Expr e) { return parts_->normal_form(e); }
Interval Simplifier::interval(Expr e) { return parts_->bounds.interval(e); }
Congruence Simplifier::congruence(Expr e) { return parts_->bounds.congruence(e); }

bool Simplifier::proves(Expr condition) {
  return parts_->answer(condition, [&] { return parts_->verdicts.proves(condition); });
}

bool Simplifier::proves_nonnegative(Expr e) {
  return parts_->answer(e, [&] { return parts_->verdicts.proves_nonnegative(e); });
}

Verdict Simplifier::prove(Expr condition) {
  if (condition.depth() > kDeepest) return Unknown{condition};
  return parts_->answer(condition, [&] { return parts_->verdicts.prove(condition); });
}

const std::vector<Expr>& Simplifier::rules_wanted() const {
  return parts_->verdicts.rules_wanted();
}
const std::vector<std::uint64_t>& Simplifier::hits() const { return parts_->rules.hits(); }

}  // namespace selvage
