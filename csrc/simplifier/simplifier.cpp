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

SimplifiersByFacts::SimplifiersByFacts() = default;
SimplifiersByFacts::~SimplifiersByFacts() = default;

Simplifier& SimplifiersByFacts::of(Facts facts) {
  std::size_t key = facts.symbols().size();
  for (Expr e : facts.assumptions()) key = key * 31 + e.id();
  const auto [first, last] = by_facts_.equal_range(key);
  const auto same_facts = std::find_if(first, last, [&](const auto& known) {
    return known.second.facts().symbols() == facts.symbols() &&
           std::ranges::equal(known.second.facts().assumptions(), facts.assumptions(),
                              [](Expr a, Expr b) { return same(a, b); });
  });
  if (same_facts != last) return same_facts->second;
  return by_facts_.emplace(key, made(std::move(facts)))->second;
}

Simplifier SimplifiersByFacts::made(Facts facts) {
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
  auto known = std::ranges::find_if(of_symbols_, is_enough);
  if (known == of_symbols_.end()) {
    of_symbols_.push_back(std::make_unique<SimplifierParts>(facts.of_symbols(), 0, UINT64_MAX));
    known = of_symbols_.end() - 1;
  }
  return Simplifier(
      std::make_unique<SimplifierParts>(std::move(facts), 0, UINT64_MAX, known->get()));
}

}  // namespace selvage
