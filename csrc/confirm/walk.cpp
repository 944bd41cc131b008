#include <selvage/confirm/walk.h>

#include <unordered_set>

namespace selvage {

std::vector<Expr> operands_first(std::span<const Expr> expressions) {
  struct Open {
    Expr expr;
    std::size_t next = 0;
  };
  std::vector<Expr> nodes;
  std::unordered_set<std::uint32_t> seen;
  std::vector<Open> open;
  for (Expr root : expressions) {
    if (seen.insert(root.id()).second) open.push_back({root});
    while (!open.empty()) {
      const Expr e = open.back().expr;
      if (open.back().next == e.args().size()) {
        nodes.push_back(e);
        open.pop_back();
      } else if (const Expr a = e[open.back().next++]; seen.insert(a.id()).second) {
        open.push_back({a});
      }
    }
  }
  return nodes;
}

}  // namespace selvage
