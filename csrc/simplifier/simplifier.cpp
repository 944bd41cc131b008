#include <selvage/expr/symbols.h>
#include <selvage/simplifier/parts.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <utility>

namespace selvage {

Simplifier::Simplifier(Facts facts)
    : parts_(std::make_unique<SimplifierParts>(std::move(facts), 0, UINT64_MAX)) {}
Simplifier::Simplifier(std::unique_ptr<SimplifierParts> parts) : parts_(std::move(parts)) {}
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

SharedSymbols::SharedSymbols() = default;
SharedSymbols::~SharedSymbols() = default;

Simplifier SharedSymbols::simplifier(Facts facts) {
  if (facts.assumptions().empty()) return Simplifier(std::move(facts));
  const std::vector<Facts::Symbol>& own = facts.symbols();
  const auto is_enough = [&](const std::unique_ptr<SimplifierParts>& parts) {
    const std::vector<Facts::Symbol>& first = parts->facts.symbols();
    if (first.size() > own.size() || !std::equal(first.begin(), first.end(), own.begin())) {
      return false;
    }
    return std::all_of(own.begin() + std::ptrdiff_t(first.size()), own.end(), [&](const auto& s) {
      return std::ranges::none_of(facts.assumptions(),
                                  [&](Expr e) { return mentions(e, s.symbol); });
    });
  };
  auto known = std::ranges::find_if(known_, is_enough);
  if (known == known_.end()) {
    known_.push_back(std::make_unique<SimplifierParts>(facts.of_symbols(), 0, UINT64_MAX));
    known = known_.end() - 1;
  }
  return Simplifier(
      std::make_unique<SimplifierParts>(std::move(facts), 0, UINT64_MAX, known->get()));
}

}  // namespace selvage
