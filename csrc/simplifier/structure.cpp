#include <selvage/base/work.h>
#include <selvage/expr/cost.h>
#include <selvage/simplifier/bounds.h>

#include <algorithm>

namespace selvage {

const LinearSum& Structure::sum_of(Expr e) {
  std::optional<LinearSum>& memo = known_[e].sum;
  if (!memo) memo = to_linear_or_atom(e);
  return *memo;
}

void Structure::remember(Expr e, LinearSum sum) {
  std::optional<LinearSum>& memo = known_[e].sum;
  if (!memo && !has_kept_product(e)) memo = std::move(sum);
}

bool Structure::has_kept_product(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return false;
  std::optional<bool>& memo = known_[e].has_kept_product;
  if (memo) return *memo;
  const auto is_number_or_sum = [](Expr a) {
    return a.is(Op::Const) || a.is(Op::Add) || a.is(Op::Sub);
  };
  // A number behind, as in `x*3`, is the coefficient of a term.
  const bool kept =
      e.is(Op::Mul) && (is_number_or_sum(e[0]) || (!e[1].is(Op::Const) && is_number_or_sum(e[1])) ||
                        (e[0].is(Op::Mul) && e[0][1].is(Op::Const)));
  memo = kept || std::any_of(e.args().begin(), e.args().end(),
                             [this](Expr a) { return has_kept_product(a); });
  return *memo;
}

int Structure::cost(Expr e) {
  constexpr int kMost = 1 << 24;
  int& memo = known_[e].cost;
  if (memo != 0 || e.args().empty() || e.is(Op::Let)) return memo;
  auto total = int(operator_cost(e));
  for (Expr a : e.args()) total = std::min(kMost, total + cost(a));
  return memo = total;
}

std::int64_t Structure::cost(const LinearSum& sum) {
  std::int64_t total = sum.constant != 0 ? 1 : 0;
  for (const auto& t : sum.terms) {
    total += (t.coefficient == 1 || t.coefficient == -1 ? 1 : 4) + cost(t.monomial);
  }
  return total;
}

int Structure::all_divisions(Expr e) {
  if (e.args().empty() || e.is(Op::Let)) return 0;
  int& memo = known_[e].divisions;  // 1 more than the number
  if (memo > 0) return memo - 1;
  int total = e.is(Op::Div) || e.is(Op::Mod);
  for (Expr a : e.args()) total = std::min(1 << 24, total + all_divisions(a));
  memo = total + 1;
  return total;
}

int Structure::all_divisions(const LinearSum& sum) {
  int total = 0;
  for (const auto& t : sum.terms) total += all_divisions(t.monomial);
  return total;
}

std::uint64_t Structure::own_bit(Expr symbol) const {
  return std::uint64_t{1} << facts_.position(symbol) % 64;
}

std::uint64_t Structure::symbol_mask(Expr e) {
  if (e.is(Op::Const) || e.is(Op::Bool)) return 0;
  std::uint64_t& memo = known_[e].symbols;
  if (memo != 0) return memo;
  if (e.is(Op::Let)) return memo = ~std::uint64_t{0};
  if (e.depth() > kDeep) {
    ask_below(
        e, [this](Expr n) { return known_[n].symbols != 0; }, [this](Expr n) { symbol_mask(n); });
  }
  std::uint64_t mask = 0;
  if (e.is(Op::Symbol)) {
    mask = own_bit(e);
    const Facts::Symbol* s = facts_.find(e);
    if (s != nullptr && s->lo.valid()) mask |= symbol_mask(s->lo);
    if (s != nullptr && s->hi.valid()) mask |= symbol_mask(s->hi);
  }
  for (Expr a : e.args()) mask |= symbol_mask(a);
  return memo = mask;
}

std::uint64_t Structure::symbol_mask(const LinearSum& sum) {
  count_work(sum.terms.size());
  std::uint64_t mask = 0;
  for (const auto& t : sum.terms) mask |= symbol_mask(t.monomial);
  return mask;
}

std::size_t Structure::elimination_rank(Expr atom) {
  return atom.is(Op::Symbol) ? 2 * facts_.position(atom) : 2 * scope_depth(atom) - 1;
}

// 1 + the position of the last declared symbol that occurs in e; 1 if there is none.
std::size_t Structure::scope_depth(Expr e) {
  std::uint32_t& memo = known_[e].depth;
  if (memo != 0) return memo;
  std::size_t depth = e.is(Op::Symbol) ? facts_.position(e) + 1 : 1;
  if (!e.is(Op::Let)) {
    for (Expr a : e.args()) depth = std::max(depth, scope_depth(a));
  }
  return memo = std::uint32_t(depth);
}

}  // namespace selvage
