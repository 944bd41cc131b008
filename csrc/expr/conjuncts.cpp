#include <selvage/expr/conjuncts.h>

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

}  // namespace selvage
