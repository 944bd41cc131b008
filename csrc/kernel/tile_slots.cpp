#include <selvage/expr/substitute.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/tile_slots.h>

namespace selvage {

bool TileSlots::are(BufferId tile, Expr turn, std::int64_t slots) const {
  const Buffer& buffer = kernel_.buffers[tile];
  if (!buffer.elements.is(Op::Const)) return false;
  const std::int64_t piece = buffer.piece(kernel_.launch.ranks()), size = piece / slots;
  if (piece % slots != 0) return false;
  for (std::size_t i = 0; i < accesses_.accesses().size(); ++i) {
    const KernelAccess& a = accesses_.accesses()[i];
    if (a.buffer != tile) continue;
    // The loops of both regions have variables of their own there, or none if they run once.
    Environment own;
    for (PlaceId at = a.place; at != kTop; at = accesses_.tree()[at].parent) {
      const StatementPlace& place = accesses_.places()[at];
      const auto* loop = std::get_if<Loop>(&place.statement->node);
      if (loop == nullptr || is_index(loop->parallel)) continue;
      own.emplace_back(loop->variable,
                       place.is_serial_loop() ? place.variable : kernel_.pool->constant(0));
    }
    const Expr first = substitute(turn, own) % slots * size;
    const auto in_piece = in_own_piece(accesses_, i);
    Simplifier& known = accesses_.at(a.scope);
    if (!in_piece || !known.proves(first <= *in_piece) ||
        !known.proves(*in_piece + a.width <= first + size)) {
      return false;
    }
  }
  return true;
}

void TileSlots::begin_at_0(Body& body, BufferId tile, Expr k, std::int64_t slots, Expr rank,
                           Simplifier& known) {
  const std::int64_t piece = kernel_.buffers[tile].piece(kernel_.launch.ranks()),
                     size = piece / slots;
  const auto move = [&](BufferId b, Expr& address) {
    if (b != tile) return;
    const Expr in_slot = k % slots * size + known.simplify(address % size);
    address = rank.valid() ? rank * piece + in_slot : in_slot;
  };
  for_each_statement(body, [&](Statement& s) {
    if (auto* store = std::get_if<Store>(&s.node)) move(store->buffer, store->address);
    auto* copy = std::get_if<AsyncCopy>(&s.node);
    auto* transfer = copy != nullptr ? &copy->copy : std::get_if<Transfer>(&s.node);
    if (transfer != nullptr) {
      move(transfer->to, transfer->to_address);
      if (transfer->from_address.valid()) move(transfer->from, transfer->from_address);
    }
    const auto value = parts_of(s).value;
    if (!value) return;
    for (ValueId v : values_under(kernel_.values, *value)) {
      ValueNode node = kernel_.values[v];
      const bool reads = node.kind == ValueNode::Kind::Read && node.source == tile;
      if (!reads || !moved_.insert(v).second) continue;
      move(tile, node.subscripts[0]);
      kernel_.values.replace(v, std::move(node));
    }
  });
}

}  // namespace selvage
