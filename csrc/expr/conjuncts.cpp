#include <selvage/expr/conjuncts.h>

#include <algorithm>

namespace selvage {

std::vector<Expr> conjuncts_of(Expr condition) {
  std::vector<Expr> open = {condition}, parts;
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (e.is(Op::And)) {
      open.push_back(e[1]);
      open.push_back(e[0]);
    } else {
      parts.push_back(e);
    }
  }
  return parts;
}

Expr either(Expr a, Expr b) {
  const std::vector<Expr> in_b = conjuncts_of(b);
  Expr both, only_a, only_b;
  const auto add = [](Expr& all, Expr part) { all = all.valid() ? all && part : part; };
  const auto has = [](const std::vector<Expr>& parts, Expr part) {
    return std::ranges::any_of(parts, [&](Expr p) { return same(p, part); });
  };
  std::vector<Expr> common;
  for (Expr part : conjuncts_of(a)) {
    if (has(in_b, part)) common.push_back(part);
    add(has(in_b, part) ? both : only_a, part);
  }
  if (!both.valid()) return a || b;
  for (Expr part : in_b) {
    if (!has(common, part)) add(only_b, part);
  }
  return only_a.valid() && only_b.valid() ? both && (only_a || only_b) : both;
}

}  // namespace selvage
