#include <selvage/expr/substitute.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/index_values.h>
#include <selvage/kernel/verify_items.h>
#include <selvage/kernel/verify_premises.h>
#include <selvage/kernel/verify_strides.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

// Proves a claim about named numbers, whose names it opens one after the other, from the last one
// on: what names stand for may be much longer than what is left once the claim is simplified.
bool proves_by_names(Simplifier& known, Expr claim) {
  for (;;) {
    claim = known.simplify(claim);
    const std::vector<Expr> nodes = reachable(std::span(&claim, 1), false);  // in order of ids
    const auto last =
        std::ranges::find_if(nodes.rbegin(), nodes.rend(), [](Expr e) { return e.is(Op::Let); });
    if (last == nodes.rend()) return known.proves(claim);
    claim = substitute(claim, {{*last, (*last)[0]}});
  }
}

// What an access mode brings into its axis is there whatever it was. So it is asked about with
// nothing known but sizes first: conditions around the access can make a proof long.
bool is_remapped(Expr index) { return index.is(Op::Min) || index.is(Op::Max) || index.is(Op::Mod); }

}  // namespace

ItemProofs::ItemProofs(const AccessMap& map)
    : map_(map),
      sizes_(map.size_facts()),
      is_item_(map.accesses().size()),
      tells_thread_(map.accesses().size()),
      end_inside_(map.kernel().buffers.size()),
      lie_apart_(map.kernel().buffers.size()),
      wide_(map.accesses().size()) {}

bool ItemProofs::is_inside(std::size_t access) {
  const BufferId b = map_.accesses()[access].buffer;
  return is_item(access) && asked(end_inside_, b, [&] { return prove_axes_end_inside(b); });
}

bool ItemProofs::are_of_one_thread(std::size_t a, std::size_t b) {
  const KernelAccess &x = map_.accesses()[a], &y = map_.accesses()[b];
  if (x.item == nullptr || y.item == nullptr || !have_one_axes(x.buffer, y.buffer)) return false;
  return have_one_owner(*x.item, *y.item) && lie_apart(x.buffer, y.buffer) && tells_thread(a) &&
         tells_thread(b);
}

bool ItemProofs::are_items_apart(std::size_t a, std::size_t b) {
  const BufferId x = map_.accesses()[a].buffer, y = map_.accesses()[b].buffer;
  return have_one_axes(x, y) && lie_apart(x, y) && is_item(a) && is_item(b);
}

// Whether both are one buffer, or one replaces the other: then both have the same axes.
bool ItemProofs::have_one_axes(BufferId x, BufferId y) const {
  return x == y || map_.replacement(x) == y || map_.replacement(y) == x;
}
bool ItemProofs::lie_apart(BufferId x, BufferId y) {
  const auto is_apart = [&](BufferId b) {
    return asked(lie_apart_, b, [&] { return prove_axes_apart(b); });
  };
  return is_apart(x) || (x != y && is_apart(y));
}

bool ItemProofs::is_item(std::size_t access) {
  return asked(is_item_, access, [&] { return prove_item(access); });
}
bool ItemProofs::tells_thread(std::size_t access) {
  return asked(tells_thread_, access, [&] { return is_item(access) && prove_owner(access); });
}

bool ItemProofs::have_one_owner(const Item& a, const Item& b) {
  for (std::size_t k = 0; k < a.owner.size(); ++k) {
    if (!a.owner[k].valid() || !b.owner[k].valid() || !same(a.owner[k], b.owner[k])) return false;
  }
  return true;
}

Simplifier& ItemProofs::at(const KernelAccess& access) {
  if (access.width == 1) return map_.at(access.scope);
  Simplifier*& own = wide_[std::size_t(&access - map_.accesses().data())];
  if (own == nullptr) {
    Facts facts = map_.facts(access.scope);
    facts.loop(access.lane, map_.pool().constant(access.width));
    own = &map_.with(std::move(facts));
  }
  return *own;
}

bool ItemProofs::prove_item(std::size_t access) {
  const KernelAccess& a = map_.accesses()[access];
  const std::vector<Buffer::Axis>& axes = map_.kernel().buffers[a.buffer].axes;
  if (a.item == nullptr || axes.empty() || a.indices.size() != axes.size()) return false;
  if (a.width > 1 && !a.lane.valid()) return false;
  Simplifier& known = at(a);
  Expr sum;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (!is_within(a, a.indices[k], axes[k].extent)) return false;
    const Expr part = a.indices[k] * axes[k].stride;
    sum = sum.valid() ? sum + part : part;
  }
  if (a.of_row && !prove_row(a)) return false;
  const Expr element = a.width > 1 ? a.address + a.lane : a.address;
  if (std::ranges::any_of(a.indices, is_remapped) && sizes_.proves(eq(element, sum))) return true;
  return known.proves(eq(element, sum));
}

// Whether the item is of the row that it claims to be of. An item in a row: its position is that of
// the row's begin, which is the offset of the row, and one before the row's end; by the contract of
// offsets, items of equal positions are then of one row, and at one place in it. A row: what the
// thread knows by itself is what the row and its offsets tell; these are the same for all who
// access the row.
bool ItemProofs::prove_row(const KernelAccess& a) {
  const Item::Row& r = *a.of_row;
  Simplifier& known = at(a);
  // Groups are apart as rows are: the next one begins where this one ends, or behind that.
  const Expr first = r.height.valid() ? r.row * r.height : r.row;
  const Expr next = r.height.valid() ? first + r.height : r.row + 1;
  const auto begins = [&](Expr k) { return eq(k, first); };
  const auto ends = [&](Expr k) { return r.height.valid() ? k <= next : eq(k, next); };
  if (r.begin.valid() && !is_offset_of(a, r.begin, begins)) return false;
  if (r.end.valid() && !is_offset_of(a, r.end, ends)) return false;
  if (r.at.valid()) {
    // A condition that is tested may be known in its own form alone.
    const auto& tested = known.facts().assumptions();
    const auto is_known = [&](Expr claim) {
      return known.proves(claim) ||
             std::ranges::any_of(tested, [&](Expr c) { return same(c, claim); });
    };
    const bool is_told = is_known(eq(r.at, r.told)) || is_known(eq(r.told, r.at));
    return known.proves(eq(a.indices[0], r.row)) && is_told;
  }
  return r.begin.valid() && r.end.valid() && r.item.valid() &&
         known.proves(eq(a.indices[0], r.begin + r.item)) && known.proves(0 <= r.item) &&
         known.proves(r.item < r.end - r.begin);
}

// Whether a number from memory is that offset, as the contract says; of an item in a row, of
// offsets that rise to as many as there are positions.
bool ItemProofs::is_offset_of(const KernelAccess& a, Expr number, const IsOffset& is_it) {
  const auto n = std::ranges::find_if(
      map_.numbers(), [&](const MemoryNumber& m) { return same(m.symbol, number); });
  if (n == map_.numbers().end()) return false;
  const ValueGraph& values = map_.kernel().values;
  const auto written = [&](Expr e) { return written_out(e, n->names); };
  Expr items;
  for (ValueId v : values_under(values, n->value)) {
    const ValueNode& node = values[v];
    if (node.kind == ValueNode::Kind::Read) items = map_.kernel().buffers[node.source].rises_to;
  }
  if (!items.valid()) return false;
  if (!a.of_row->at.valid() &&
      !sizes_.proves(eq(items, map_.kernel().buffers[a.buffer].axes[0].extent))) {
    return false;
  }
  const auto is_number = [&](ValueId v, Expr e) {
    const ValueNode& node = values[v];
    if (node.kind == ValueNode::Kind::Constant) return e.is_const(node.integer);
    return node.kind == ValueNode::Kind::Index && e.valid() &&
           at(a).proves(eq(written(node.index), e));
  };
  // An offset lies within 0 .. items, and is no less than the one before it.
  const auto is_offset = [&](auto& self, ValueId v) -> bool {
    const ValueNode& node = values[v];
    if (node.kind == ValueNode::Kind::Cast) return self(self, node.operands[0]);
    if (node.kind == ValueNode::Kind::Read) {
      return map_.kernel().buffers[node.source].rises_to.valid() && !map_.is_written(node.source) &&
             at(a).proves(is_it(written(node.subscripts[0])));
    }
    if (node.kind != ValueNode::Kind::Apply) return false;
    const auto& o = node.operands;
    if (node.function == Function::Select) {
      const auto condition = index_condition(map_.kernel(), o[0]);
      return condition && at(a).proves(written(*condition)) && self(self, o[1]);
    }
    const bool is_kept =
        node.function == Function::Min
            ? is_number(o[1], items)
            : node.function == Function::Max &&
                  (is_number(o[1], map_.pool().constant(0)) || is_number(o[1], a.of_row->begin));
    return is_kept && self(self, o[0]);
  };
  return is_offset(is_offset, n->value);
}

bool ItemProofs::is_within(const KernelAccess& access, Expr index, Expr extent) {
  if (is_remapped(index) && sizes_.proves(0 <= index && index < extent)) return true;
  Simplifier& known = at(access);
  if (known.proves(0 <= index && index < extent)) return true;
  const LinearSum sum = to_linear_or_atom(known.normal_form(index));
  if (access.width == 1 && fits(map_, access.scope, sum, 1, extent)) return true;
  // A condition on a quotient is known in its own form: 1 <= t / n % m as n <= t % (m*n).
  if (known.normal_form(0 <= index && index < extent).is_true()) return true;
  return follows_from_one(known.facts(), 0 <= index && index < extent);
}

bool ItemProofs::prove_owner(std::size_t access) {
  const KernelAccess& a = map_.accesses()[access];
  Environment indices, named;
  bool has_names = false;
  for (std::size_t k = 0; k < a.indices.size(); ++k) {
    const Expr item = map_.pool().symbol("item." + std::to_string(k));
    indices.emplace_back(item, a.indices[k]);
    named.emplace_back(item, a.named_indices[k]);
    has_names = has_names || !same(a.indices[k], a.named_indices[k]);
  }
  if (a.of_row) {
    indices.emplace_back(map_.pool().symbol("item.row"), a.of_row->row);
    if (a.of_row->item.valid()) {
      indices.emplace_back(map_.pool().symbol("item.in_row"), a.of_row->item);
    }
    if (a.of_row->at.valid()) indices.emplace_back(map_.pool().symbol("item.at"), a.of_row->at);
  }
  for (std::size_t k = 0; k < a.item->owner.size(); ++k) {
    const Expr own = k < 3 ? map_.blocks()[k] : map_.threads()[k - 3];
    if (!own.is(Op::Symbol)) continue;
    const auto claim = [&](const Environment& by) {
      return eq(substitute(a.item->owner[k], by), own);
    };
    if (at(a).proves(claim(indices))) continue;
    if (!has_names || a.of_row || !proves_by_names(at(a), claim(named))) return false;
  }
  return true;
}

// No stride is negative, and the last item of all axes is an element.
bool ItemProofs::prove_axes_end_inside(BufferId b) {
  const Buffer& buffer = map_.kernel().buffers[b];
  Expr last = map_.pool().constant(0);
  for (const Buffer::Axis& axis : buffer.axes) {
    if (!sizes_.proves_nonnegative(axis.stride)) return false;
    last = last + (axis.extent - 1) * axis.stride;
  }
  return sizes_.proves(last < buffer.elements);
}

bool ItemProofs::prove_axes_apart(BufferId b) {
  const Buffer& buffer = map_.kernel().buffers[b];
  if (buffer.is_kept_apart) return true;
  Expr inside = map_.pool().constant(1);
  for (std::size_t k = buffer.axes.size(); k-- > 0;) {
    if (!sizes_.proves(eq(buffer.axes[k].stride, inside))) return false;
    inside = buffer.axes[k].stride * buffer.axes[k].extent;
  }
  return true;
}

}  // namespace selvage
