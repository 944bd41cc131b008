#include <selvage/confirm/multiples.h>
#include <selvage/confirm/walk.h>

#include <string>

namespace selvage {

Multiples::Multiples(std::span<const Expr> assumptions) {
  for (Expr e : assumptions) {
    if (!e.is(Op::Eq) || !e[0].is(Op::Mod) || !e[1].is(Op::Const)) continue;
    const Expr s = e[0][0], m = e[0][1];
    const std::int64_t r = e[1].value();
    if (!s.is(Op::Symbol) || !m.is(Op::Const) || r < 0 || r >= m.value()) continue;
    // No symbol of a user's has a `/` in its name.
    const Expr k = e.pool().symbol(std::string(s.name()) + "/" + std::to_string(m.value()));
    if (made_.try_emplace(s.id(), r == 0 ? k * m : k * m + r).second) said_.insert(e.id());
  }
}

std::vector<Expr> Multiples::replaced(std::span<const Expr> expressions) {
  std::vector<Expr> list;
  for (Expr e : expressions) list.push_back(replaced(e));
  return list;
}

Expr Multiples::replaced(Expr root) {
  if (made_.empty()) return root;
  for (Expr e : operands_first(std::span(&root, 1))) {
    if (made_.contains(e.id())) continue;
    std::vector<Expr> args;
    bool changed = false;
    for (Expr a : e.args()) {
      args.push_back(made_.at(a.id()));
      changed = changed || !same(args.back(), a);
    }
    made_.emplace(e.id(), changed ? with_operands(e, args) : e);
  }
  return made_.at(root.id());
}

}  // namespace selvage
