#include <selvage/expr/symbols.h>
#include <selvage/kernel/ranks.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>

namespace selvage {

std::optional<Expr> in_own_piece(Expr address, std::int64_t p, std::span<const Expr> ranks) {
  const LinearSum sum = to_linear_or_atom(address);
  const auto is_own = [&](const LinearSum::Term& t) {
    return t.coefficient == p && contains(ranks, t.monomial);
  };
  const auto own = std::ranges::find_if(sum.terms, is_own);
  if (own == sum.terms.end()) return std::nullopt;
  return to_expr(address.pool(), without_term(sum, std::size_t(own - sum.terms.begin())));
}

std::optional<Expr> in_own_piece(const AccessMap& map, std::size_t access) {
  const Launch& launch = map.kernel().launch;
  const Buffer& buffer = map.kernel().buffers[map.accesses()[access].buffer];
  const Expr address = map.address(access);
  if (!launch.is_cluster || buffer.memory != Memory::Shared) return address;
  return in_own_piece(address, buffer.piece(launch.ranks()), std::span(&map.threads()[2], 1));
}

bool is_of_own_rank(const AccessMap& map, BufferId b) {
  if (!map.kernel().launch.is_cluster) return true;
  for (std::size_t i = 0; i < map.accesses().size(); ++i) {
    if (map.accesses()[i].buffer == b && !in_own_piece(map, i)) return false;
  }
  return true;
}

}  // namespace selvage
