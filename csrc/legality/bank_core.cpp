#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/bank_core.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr std::int64_t kLongestPeriod = 1 << 12;

// Whether a term adds the same whole units for all threads.
bool is_shift(const WarpAccess& access, const LinearSum::Term& term, std::int64_t unit_elements) {
  return term.coefficient % unit_elements == 0 && is_uniform(access, term.monomial);
}

Expr without_shifts(const WarpAccess& access, const Facts& ranges, std::int64_t unit_elements) {
  Simplifier simplifier(ranges);
  const LinearSum sum = to_linear_or_atom(simplifier.normal_form(access.address));
  LinearSum rest = LinearSum::of_constant(sum.constant);
  for (const LinearSum::Term& term : sum.terms) {
    if (!is_shift(access, term, unit_elements)) rest.terms.push_back(term);
  }
  if (rest.terms.size() == sum.terms.size()) return access.address;
  return to_expr(access.address.pool(), rest);
}

// A p such that going from v to v + p shifts all threads by the same whole units. Tries the least
// common multiple of the divisors of v and, as elements may be smaller than units, its doubles.
std::optional<std::int64_t> period_of(const WarpAccess& access, const WarpAccess::Loop& loop,
                                      Expr address, const Facts& ranges,
                                      std::int64_t unit_elements) {
  const Expr v = loop.variable;
  std::int64_t p = 1;
  for (Expr e : reachable(std::span(&address, 1), true)) {
    if (!(e.is(Op::Div) || e.is(Op::Mod)) || !e[1].is(Op::Const) || e[1].value() < 1) continue;
    if (!mentions(e, v)) continue;
    const auto longer = checked_mul(p, e[1].value() / std::gcd(p, e[1].value()));
    if (!longer || *longer > kLongestPeriod) return std::nullopt;
    p = *longer;
  }
  for (std::int64_t q = p; q <= p * unit_elements; q *= 2) {
    if (loop.known && *loop.known <= q) return std::nullopt;
    Facts facts = ranges;
    facts.loop(v, loop.extent - q);
    Simplifier simplifier(facts);
    const Environment next = {{v, v + q}};
    const LinearSum step =
        to_linear_or_atom(simplifier.normal_form(written_out(address, next) - address));
    const bool shifts = step.constant % unit_elements == 0 &&
                        std::all_of(step.terms.begin(), step.terms.end(), [&](const auto& term) {
                          return is_shift(access, term, unit_elements);
                        });
    if (shifts) return q;
  }
  return std::nullopt;
}

}  // namespace

bool is_uniform(const WarpAccess& access, Expr e) {
  const std::vector<Expr> symbols = symbols_of(e);
  return std::none_of(symbols.begin(), symbols.end(), [&](Expr s) { return access.is_thread(s); });
}

BankCore bank_core(const WarpAccess& access, const Facts& ranges, std::int64_t unit_elements) {
  BankCore core{without_shifts(access, ranges, unit_elements), {}};
  const auto unknown = [](std::string why) {
    return BankCore{.address = {}, .ranges = {}, .why_unknown = std::move(why)};
  };
  const std::vector<Expr> symbols = symbols_of(core.address);
  for (const WarpAccess::Loop& loop : access.others) {
    if (!contains(symbols, loop.variable)) continue;
    const auto period = period_of(access, loop, core.address, ranges, unit_elements);
    if (loop.known) {
      core.ranges.push_back({loop.variable, std::min(*loop.known, period.value_or(*loop.known))});
    } else if (period && Simplifier(ranges).proves(*period <= loop.extent)) {
      core.ranges.push_back({loop.variable, *period});
    } else {
      return unknown("the extent of " + std::string(loop.variable.name()) + " is not known");
    }
  }
  for (Expr s : symbols) {
    if (!contains(access.loops, s)) {
      return unknown("the address depends on the size " + std::string(s.name()));
    }
  }
  return core;
}

}  // namespace selvage
