#include <selvage/expr/substitute.h>
#include <selvage/kernel/tile_slots.h>

#include <algorithm>

namespace selvage {

bool TileSlots::are(BufferId tile, Expr turn, std::int64_t slots) {
  const Expr elements = kernel_.buffers[tile].elements;
  if (!elements.is(Op::Const) || elements.value() % slots != 0) return false;
  const std::int64_t size = elements.value() / slots;
  if (!accesses_) accesses_.emplace(all_);
  return std::ranges::all_of(accesses_->accesses(), [&](const KernelAccess& a) {
    if (a.buffer != tile) return true;
    // The loops of both regions have variables of their own there, or none if they run once.
    Environment own;
    for (PlaceId at = a.place; at != kTop; at = accesses_->tree()[at].parent) {
      const StatementPlace& place = accesses_->places()[at];
      const auto* loop = std::get_if<Loop>(&place.statement->node);
      if (loop == nullptr || is_index(loop->parallel)) continue;
      own.emplace_back(loop->variable,
                       place.is_serial_loop() ? place.variable : kernel_.pool->constant(0));
    }
    const Expr first = substitute(turn, own) % slots * size;
    Simplifier& known = accesses_->at(a.scope);
    return known.proves(first <= a.address) && known.proves(a.address + a.width <= first + size);
  });
}

void TileSlots::begin_at_0(Body& body, BufferId tile, Expr k, std::int64_t slots,
                           Simplifier& known) {
  const std::int64_t size = kernel_.buffers[tile].elements.value() / slots;
  const auto move = [&](BufferId b, Expr& address) {
    if (b == tile) address = k % slots * size + known.simplify(address % size);
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
