#include <selvage/expr/symbols.h>

#include <algorithm>

namespace selvage {

bool contains(std::span<const Expr> list, Expr e) {
  return std::any_of(list.begin(), list.end(), [&](Expr other) { return same(other, e); });
}

bool mentions(Expr e, std::span<const Expr> symbols) {
  return std::ranges::any_of(symbols_of(e), [&](Expr s) { return contains(symbols, s); });
}

bool uses_only(std::span<const Expr> expressions, std::span<const Expr> symbols) {
  const std::vector<Expr> used = symbols_of(expressions);
  return std::all_of(used.begin(), used.end(), [&](Expr s) { return contains(symbols, s); });
}

}  // namespace selvage
