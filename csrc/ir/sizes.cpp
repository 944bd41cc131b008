#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/sizes.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <cstdlib>

namespace selvage {

namespace {

bool may_be(const Fusion& fusion, Expr n, std::int64_t value) {
  const Facts::Symbol* facts = fusion.facts()->find(n);
  if (facts == nullptr || (value == 0 && contains(fusion.possibly_empty(), n))) return true;
  const Congruence& c = facts->congruence;
  return facts->range.contains(value) &&
         (c.modulus <= 1 || *euclid_mod(value, c.modulus) == *euclid_mod(c.residue, c.modulus));
}

// The launch checks and assumptions whose symbols are all sizes with values.
std::vector<Expr> conditions_on(const Fusion& fusion, const SizeValues& sizes) {
  std::vector<Expr> conditions = fusion.launch_checks();
  const std::vector<Expr>& assumed = fusion.facts()->assumptions();
  conditions.insert(conditions.end(), assumed.begin(), assumed.end());
  std::erase_if(conditions, [&](Expr condition) {
    const std::vector<Expr> used = symbols_of(condition);
    return !std::all_of(used.begin(), used.end(),
                        [&](Expr s) { return contains(sizes.symbols, s); });
  });
  return conditions;
}

void add_constants(Expr e, std::vector<std::int64_t>& constants) {
  if (e.is(Op::Const)) constants.push_back(e.value());
  for (Expr part : e.args()) add_constants(part, constants);
}

// Values to try for n, the nearest to `value` first: neighbours, ever farther ones, and values at
// or beside constants of the conditions and the ends of the range.
std::vector<std::int64_t> values_near(const Fusion& fusion, std::span<const Expr> conditions,
                                      Expr n, std::int64_t value) {
  constexpr std::int64_t kNeighbours = 1024;
  std::vector<std::int64_t> list;
  for (std::int64_t d = 1; d <= kNeighbours; ++d) {
    list.insert(list.end(), {saturating_add(value, d), value - d});
  }
  for (std::int64_t d = kNeighbours; d < INT64_MAX / 4; d *= 2) {
    list.insert(list.end(), {saturating_add(value, d), value - d});
  }
  std::vector<std::int64_t> ends;
  for (Expr condition : conditions) add_constants(condition, ends);
  if (const Facts::Symbol* facts = fusion.facts()->find(n)) {
    if (facts->range.has_lo()) ends.push_back(facts->range.lo);
    if (facts->range.has_hi()) ends.push_back(facts->range.hi);
    const std::int64_t step = facts->congruence.modulus;
    if (step > kNeighbours) ends.insert(ends.end(), {value / step * step, step});
  }
  for (std::int64_t end : ends) {
    list.insert(list.end(), {end, saturating_add(end, 1), saturating_add(end, -1)});
  }
  std::erase_if(list, [&](std::int64_t v) { return v < 0 || v == value || !may_be(fusion, n, v); });
  std::stable_sort(list.begin(), list.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(a - value) < std::abs(b - value);
  });
  return list;
}

// The first value near n's own at which the conditions hold.
std::optional<std::int64_t> value_near(const Fusion& fusion, std::span<const Expr> conditions,
                                       Expr n, SizeValues sizes) {
  const auto at =
      std::find_if(sizes.symbols.begin(), sizes.symbols.end(), [&](Expr s) { return same(s, n); });
  if (at == sizes.symbols.end()) return std::nullopt;
  std::int64_t& value = sizes.values[std::size_t(at - sizes.symbols.begin())];
  for (std::int64_t v : values_near(fusion, conditions, n, value)) {
    value = v;
    const bool holds = std::all_of(conditions.begin(), conditions.end(),
                                   [&](Expr c) { return sizes(c).value_or(0) != 0; });
    if (holds) return v;
  }
  return std::nullopt;
}

std::string such_as(const std::string& size) { return size.empty() ? "" : ", such as " + size; }

// Refuses a value that the size's range or multiple rules out (E615). The value in the help also
// meets the relations to other sizes, if there is such a value.
void check_size(const Fusion& fusion, Expr n, const SizeValues& sizes) {
  const std::int64_t value = *sizes(n);
  if (may_be(fusion, n, value)) return;
  const Facts::Symbol* facts = fusion.facts()->find(n);
  const std::string is = "the size " + to_string(n) + " is " + std::to_string(value) + ", ";
  auto other = value_near(fusion, conditions_on(fusion, sizes), n, sizes);
  if (!other) other = value_near(fusion, {}, n, sizes);
  const std::string help = "give it a value that the fusion allows" +
                           such_as(other ? to_string(n) + " = " + std::to_string(*other) : "");
  if (value < facts->range.lo) {
    refuse<BadInput>("E615", is + "below its min of " + std::to_string(facts->range.lo), help);
  }
  if (value > facts->range.hi) {
    refuse<BadInput>("E615", is + "above its max of " + std::to_string(facts->range.hi), help);
  }
  const Congruence& c = facts->congruence;
  refuse<BadInput>(
      "E615",
      is + "but modulo " + std::to_string(c.modulus) + " it is to be " + std::to_string(c.residue),
      help);
}

void check_condition(const Fusion& fusion, Expr condition, const SizeValues& sizes) {
  if (sizes(condition).value_or(0) != 0) return;
  refuse<BadInput>(
      "E615", to_string(condition) + " does not hold at " + sizes_in(condition, sizes),
      "give sizes for which it holds" + such_as(nearby_size(fusion, {&condition, 1}, sizes)));
}

}  // namespace

Expr size_called(const Fusion& fusion, const std::string& name) {
  const auto n =
      std::ranges::find_if(fusion.sizes(), [&](Expr size) { return size.name() == name; });
  if (n != fusion.sizes().end()) return *n;
  refuse<BadInput>("E614", "the fusion has no size " + name, "leave it out, or correct its name");
}

std::optional<std::int64_t> SizeValues::operator()(Expr e) const {
  return evaluate(e, symbols, values);
}

// Undoes the operators from the outside in, as long as exactly one operand contains n.
std::optional<std::int64_t> solved_for(Expr n, Expr e, std::int64_t value, const SizeValues& known,
                                       const Facts& facts) {
  std::optional<std::int64_t> rest = value;
  while (rest && !same(e, n)) {
    if (!e.is(Op::Add) && !e.is(Op::Sub) && !e.is(Op::Mul) && !e.is(Op::Div)) return std::nullopt;
    const auto has_n = [&](Expr part) { return mentions(part, n); };
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
      // A quotient determines its dividend only if the remainder is 0.
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
  for (Expr s : symbols_of(e)) {
    const auto value = sizes(s);
    if (!value) continue;
    text += (text.empty() ? "" : ", ") + to_string(s) + " = " + std::to_string(*value);
  }
  return text;
}

std::string nearby_size(const Fusion& fusion, std::span<const Expr> conditions,
                        const SizeValues& sizes) {
  std::vector<Expr> all = conditions_on(fusion, sizes);
  all.insert(all.end(), conditions.begin(), conditions.end());
  for (std::span<const Expr> asked : {std::span<const Expr>(all), conditions}) {
    for (Expr n : symbols_of(conditions)) {
      const auto value = value_near(fusion, asked, n, sizes);
      if (value) return to_string(n) + " = " + std::to_string(*value);
    }
  }
  return "";
}

Interval range_of(const Fusion& fusion, Expr size) {
  const Facts::Symbol* known = fusion.facts()->find(size);
  return known == nullptr ? Interval{} : known->range;
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
  for (Expr n : fusion.sizes()) check_size(fusion, n, sizes);
  for (Expr condition : conditions_on(fusion, sizes)) check_condition(fusion, condition, sizes);
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
