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

bool has_pieces(const Kernel& kernel, BufferId b) {
  return kernel.launch.is_cluster && kernel.buffers[b].memory == Memory::Shared;
}
bool has_own_pieces(const AccessMap& map, BufferId b) {
  return has_pieces(map.kernel(), b) && map.is_of_own_rank(b);
}

Expr address_in_pieces(const AccessMap& map, std::size_t access) {
  const KernelAccess& a = map.accesses()[access];
  Simplifier& known = map.at(a.scope);
  if (has_pieces(map.kernel(), a.buffer)) {
    const std::int64_t p = map.kernel().buffers[a.buffer].piece(map.kernel().launch.ranks());
    const Expr rank = map.threads()[2];
    if (const auto own = in_own_piece(a.address, p, {&rank, 1})) {
      return rank * p + known.normal_form(*own);
    }
  }
  return known.normal_form(a.address);
}

std::optional<Expr> in_own_piece(const AccessMap& map, std::size_t access) {
  const Kernel& kernel = map.kernel();
  const BufferId b = map.accesses()[access].buffer;
  const Expr address = map.address(access);
  if (!has_pieces(kernel, b)) return address;
  const std::int64_t p = kernel.buffers[b].piece(kernel.launch.ranks());
  return in_own_piece(address, p, std::span(&map.threads()[2], 1));
}

bool is_multicast(const AccessMap& map, std::size_t access) {
  const auto& node = map.places()[map.accesses()[access].place].statement->node;
  const auto* copy = std::get_if<AsyncCopy>(&node);
  return copy != nullptr && copy->by_rank.valid();
}
bool is_mere_arrival(const Arrive& arrive) {
  return arrive.object && !arrive.bytes.valid() && !arrive.of_copies;
}
bool has_multicast(const Body& body) {
  bool has = false;
  for_each_statement(body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    has = has || (copy != nullptr && copy->by_rank.valid());
  });
  return has;
}

}  // namespace selvage
