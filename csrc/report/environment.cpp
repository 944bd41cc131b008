#include <selvage/report/environment.h>

namespace selvage {

Expr substitute(Expr e, const Environment& environment) {
  for (const auto& [symbol, value] : environment) {
    if (same(symbol, e)) return value;
  }
  if (e.args().empty() || e.is(Op::Let)) return e;
  std::vector<Expr> args;
  for (Expr a : e.args()) args.push_back(substitute(a, environment));
  return with_operands(e, args);
}

}  // namespace selvage
