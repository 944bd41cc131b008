#include <selvage/expr/symbols.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
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

Expr address_in_pieces(const AccessMap& map, std::size_t access) {
  const KernelAccess& a = map.accesses()[access];
  const Launch& launch = map.kernel().launch;
  const Buffer& buffer = map.kernel().buffers[a.buffer];
  Simplifier& known = map.at(a.scope);
  if (launch.is_cluster && buffer.memory == Memory::Shared) {
    const std::int64_t p = buffer.piece(launch.ranks());
    const Expr rank = map.threads()[2];
    if (const auto own = in_own_piece(a.address, p, {&rank, 1})) {
      return rank * p + known.normal_form(*own);
    }
  }
  return known.normal_form(a.address);
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

bool is_multicast(const AccessMap& map, std::size_t access) {
  const auto& node = map.places()[map.accesses()[access].place].statement->node;
  const auto* copy = std::get_if<AsyncCopy>(&node);
  return copy != nullptr && copy->by_rank.valid();
}
bool has_multicast(const Kernel& kernel) {
  bool has = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    has = has || (copy != nullptr && copy->by_rank.valid());
  });
  return has;
}

}  // namespace selvage
