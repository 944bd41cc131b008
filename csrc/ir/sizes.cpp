#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/sizes.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

void check_size(const Fusion& fusion, Expr n, std::int64_t value) {
  const Facts::Symbol* facts = fusion.facts()->find(n);
  const bool is_empty = value == 0 && contains(fusion.possibly_empty(), n);
  if (facts == nullptr || is_empty) return;
  const std::string is = "the size " + to_string(n) + " is " + std::to_string(value) + ", ";
  const std::string help = "give it a value that the fusion allows";
  if (value < facts->range.lo) {
    refuse<BadInput>("E615", is + "below its min of " + std::to_string(facts->range.lo), help);
  }
  if (value > facts->range.hi) {
    refuse<BadInput>("E615", is + "above its max of " + std::to_string(facts->range.hi), help);
  }
  const Congruence& c = facts->congruence;
  if (c.modulus > 1 && *euclid_mod(value, c.modulus) != *euclid_mod(c.residue, c.modulus)) {
    refuse<BadInput>("E615",
                     is + "but modulo " + std::to_string(c.modulus) + " it is to be " +
                         std::to_string(c.residue),
                     help);
  }
}

void check_condition(Expr condition, const SizeValues& sizes) {
  for (Expr s : symbols_of(std::span(&condition, 1))) {
    if (!contains(sizes.symbols, s)) return;  // not of sizes alone: nothing to check here
  }
  if (sizes(condition).value_or(0) != 0) return;
  refuse<BadInput>("E615", to_string(condition) + " does not hold at " + sizes_in(condition, sizes),
                   "give sizes for which it holds");
}

}  // namespace

std::optional<std::int64_t> SizeValues::operator()(Expr e) const {
  return evaluate(e, symbols, values);
}

// From the outside in: each operator is undone, as long as one of its operands alone holds n.
std::optional<std::int64_t> solved_for(Expr n, Expr e, std::int64_t value, const SizeValues& known,
                                       const Facts& facts) {
  std::optional<std::int64_t> rest = value;
  while (rest && !same(e, n)) {
    if (!e.is(Op::Add) && !e.is(Op::Sub) && !e.is(Op::Mul) && !e.is(Op::Div)) return std::nullopt;
    const auto has_n = [&](Expr part) { return contains(symbols_of(std::span(&part, 1)), n); };
    if (has_n(e[0]) == has_n(e[1])) return std::nullopt;
    const std::size_t own = has_n(e[0]) ? 0 : 1;
    const auto other = known(e[1 - own]);
    if (!other) return std::nullopt;
    if (e.is(Op::Add)) {
      rest = checked_sub(*rest, *other);
    } else if (e.is(Op::Sub)) {
      rest = own == 0 ? checked_add(*rest, *other) : checked_sub(*other, *rest);
    } else if (e.is(Op::Mul)) {
      const bool is_whole = *other != 0 && *euclid_mod(*rest, *other) == 0;
      rest = is_whole ? euclid_div(*rest, *other) : std::nullopt;
    } else {
      // A quotient tells its dividend only where nothing is left over.
      Simplifier simplifier(facts);
      if (own == 1 || !simplifier.proves(eq(e[0] % e[1], 0))) return std::nullopt;
      rest = checked_mul(*rest, *other);
    }
    e = e[own];
  }
  return rest;
}

std::string sizes_in(Expr e, const SizeValues& sizes) {
  std::string text;
  for (Expr s : symbols_of(std::span(&e, 1))) {
    const auto value = sizes(s);
    if (!value) continue;
    text += (text.empty() ? "" : ", ") + to_string(s) + " = " + std::to_string(*value);
  }
  return text;
}

Facts with_values(Facts facts, const SizeValues& sizes) {
  for (std::size_t k = 0; k < sizes.symbols.size(); ++k) {
    const Expr value = facts.pool().constant(sizes.values[k]);
    facts.bound(sizes.symbols[k], value, value);
  }
  return facts;
}

void check_sizes(const Fusion& fusion, const SizeValues& sizes) {
  for (Expr n : fusion.sizes()) {
    if (contains(sizes.symbols, n)) continue;
    refuse<BadInput>("E614", "the size " + to_string(n) + " has no value",
                     "give " + to_string(n) + " a value");
  }
  for (Expr n : fusion.sizes()) check_size(fusion, n, *sizes(n));
  for (Expr condition : fusion.launch_checks()) check_condition(condition, sizes);
  for (Expr condition : fusion.facts()->assumptions()) check_condition(condition, sizes);
}

bool have_zero_extent(const Fusion& fusion, const SizeValues& sizes) {
  const auto is_zero = [&](Expr n) { return sizes(n) == 0; };
  if (std::any_of(fusion.possibly_empty().begin(), fusion.possibly_empty().end(), is_zero)) {
    return true;
  }
  const auto is_empty = [&](DomainId d) { return is_zero(fusion.domains()[d].extent); };
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const std::vector<DomainId> domains = nest_domain(fusion[TensorId(i)]);
    if (std::any_of(domains.begin(), domains.end(), is_empty)) return true;
  }
  return false;
}

}  // namespace selvage
