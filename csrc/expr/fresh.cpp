#include <selvage/expr/fresh.h>
#include <selvage/expr/symbols.h>

#include <string>

namespace selvage {

Expr fresh_symbol(ExprPool& pool, std::string_view name, std::span<const Expr> taken) {
  Expr symbol = pool.symbol(std::string(name));
  for (int k = 2; contains(taken, symbol); ++k) {
    symbol = pool.symbol(std::string(name) + "#" + std::to_string(k));
  }
  return symbol;
}

}  // namespace selvage
