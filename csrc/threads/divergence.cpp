#include <selvage/expr/symbols.h>
#include <selvage/threads/divergence.h>

#include <algorithm>
#include <span>
#include <vector>

namespace selvage {

std::optional<NotDivergent> find_not_divergent(Expr predicate,
                                               const std::function<bool(Expr)>& is_parallel) {
  using Why = NotDivergent::Why;
  const auto depends = [&](Expr e) {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::any_of(symbols.begin(), symbols.end(), is_parallel);
  };
  // The first part is the leftmost: operands are looked at from left to right.
  std::vector<Expr> open = {predicate};
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (e.is(Op::Not) || e.is(Op::And) || e.is(Op::Or)) {
      for (std::size_t k = e.args().size(); k-- > 0;) open.push_back(e[k]);
    } else if (e.is(Op::Lt) || e.is(Op::Le) || e.is(Op::Eq)) {
      const bool left = depends(e[0]), right = depends(e[1]);
      if (left != right) continue;
      return NotDivergent{e, left ? Why::BothSides : Why::NoSide};
    } else {
      return NotDivergent{e, Why::NoComparison};
    }
  }
  return std::nullopt;
}

}  // namespace selvage
