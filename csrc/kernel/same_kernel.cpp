#include <selvage/base/check.h>
#include <selvage/kernel/same_kernel.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// Every field is named, so that one to come does not compile before it is compared.

bool equal(const Body& a, const Body& b);

bool equal(std::span<const Expr> a, std::span<const Expr> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Expr x, Expr y) { return same(x, y); });
}

bool equal(const Loop& a, const Loop& b) {
  const auto& [variable, extent, parallel, body, begin] = a;
  return same(variable, b.variable) && same(extent, b.extent) && parallel == b.parallel &&
         same(begin, b.begin) && equal(body, b.body);
}
bool equal(const Define& a, const Define& b) {
  const auto& [variable, value, read, least, most, is_promised, position, added] = a;
  return same(variable, b.variable) && same(value, b.value) && read == b.read &&
         same(least, b.least) && same(most, b.most) && is_promised == b.is_promised &&
         same(position, b.position) && added == b.added;
}
bool equal(const Guard& a, const Guard& b) {
  const auto& [condition, body, otherwise, remark, elects, warp] = a;
  return same(condition, b.condition) && equal(body, b.body) && equal(otherwise, b.otherwise) &&
         remark == b.remark && elects == b.elects && warp == b.warp;
}
bool equal(const Store& a, const Store& b) {
  const auto& [buffer, address, value, valid, duplicates_allowed, atomic] = a;
  return buffer == b.buffer && same(address, b.address) && value == b.value &&
         equal(valid, b.valid) && duplicates_allowed == b.duplicates_allowed && atomic == b.atomic;
}
bool equal(const Transfer& a, const Transfer& b) {
  const auto& [to, from, to_address, from_address, width, lane, valid, duplicates_allowed] = a;
  return to == b.to && from == b.from && same(to_address, b.to_address) &&
         same(from_address, b.from_address) && width == b.width && same(lane, b.lane) &&
         equal(valid, b.valid) && duplicates_allowed == b.duplicates_allowed;
}
bool equal(const Barrier& a, const Barrier& b) {
  const auto& [scope, lanes, id, members] = a;
  return scope == b.scope && lanes == b.lanes && id == b.id && members == b.members;
}
bool equal(const Shuffle& a, const Shuffle& b) {
  const auto& [to, from, to_address, from_address, mask] = a;
  return to == b.to && from == b.from && same(to_address, b.to_address) &&
         same(from_address, b.from_address) && mask == b.mask;
}
bool equal(const Leave& a, const Leave& b) {
  const auto& [loop, is_next] = a;
  return same(loop, b.loop) && is_next == b.is_next;
}

bool equal(const std::optional<BarrierObject>& a, const std::optional<BarrierObject>& b) {
  if (!a || !b) return !a && !b;
  const auto& [buffer, address, rank] = *a;
  return buffer == b->buffer && same(address, b->address) && same(rank, b->rank);
}
bool equal(const std::optional<AsyncCopy::Box>& a, const std::optional<AsyncCopy::Box>& b) {
  if (!a || !b) return !a && !b;
  const auto& [map, corner, owner] = *a;
  return map == b->map && equal(corner, b->corner) && equal(owner, b->owner);
}
bool equal(const AsyncCopy& a, const AsyncCopy& b) {
  const auto& [copy, alignment, object, box, is_store, atomic, announces, by_rank] = a;
  return equal(copy, b.copy) && alignment == b.alignment && equal(object, b.object) &&
         equal(box, b.box) && is_store == b.is_store && atomic == b.atomic &&
         announces == b.announces && same(by_rank, b.by_rank);
}
bool equal(const BoxMap& a, const BoxMap& b) {
  const auto& [buffer, dims, swizzle] = a;
  const auto is_same_dim = [](const BoxMap::Dim& x, const BoxMap::Dim& y) {
    const auto& [size, stride, box, element_stride] = x;
    return same(size, y.size) && same(stride, y.stride) && box == y.box &&
           element_stride == y.element_stride;
  };
  return buffer == b.buffer && swizzle == b.swizzle &&
         std::ranges::equal(dims, b.dims, is_same_dim);
}
bool equal(const Arrive& a, const Arrive& b) {
  const auto& [object, bytes, queue, of_copies] = a;
  return equal(object, b.object) && same(bytes, b.bytes) && queue == b.queue &&
         of_copies == b.of_copies;
}
bool equal(const Wait& a, const Wait& b) {
  const auto& [object, phase, pending, queue, by_parity] = a;
  return equal(object, b.object) && same(phase, b.phase) && pending == b.pending &&
         queue == b.queue && by_parity == b.by_parity;
}
bool equal(const ProxyFence&, const ProxyFence&) { return true; }
bool equal(const Mma& x, const Mma& y) {
  const auto& [sums, a, b, sums_address, a_address, b_address, columns, depth, is_a_shared] = x;
  return sums == y.sums && a == y.a && b == y.b && same(sums_address, y.sums_address) &&
         same(a_address, y.a_address) && same(b_address, y.b_address) && columns == y.columns &&
         depth == y.depth && is_a_shared == y.is_a_shared;
}
bool equal(const Region& a, const Region& b) {
  const auto& [role, members, body, registers, usual_registers] = a;
  return role == b.role && members == b.members && equal(body, b.body) &&
         registers == b.registers && usual_registers == b.usual_registers;
}
bool equal(const LastBlock& a, const LastBlock& b) {
  const auto& [counter, body] = a;
  return counter == b.counter && equal(body, b.body);
}
bool equal(const While& a, const While& b) {
  const auto& [variable, condition, body] = a;
  return same(variable, b.variable) && condition == b.condition && equal(body, b.body);
}

bool equal(const Body& a, const Body& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Statement& x, const Statement& y) {
        if (x.node.index() != y.node.index()) return false;
        return std::visit(
            [&](const auto& s) { return equal(s, std::get<std::decay_t<decltype(s)>>(y.node)); },
            x.node);
      });
}

bool equal(const Buffer& a, const Buffer& b) {
  const auto& [name, type, memory, elements, is_written, is_read_once, is_updated, replaces, offset,
               in_workspace, axes, arrivals, is_kept_apart, counts_blocks, rises_to, holds] = a;
  const auto is_same_axis = [](const Buffer::Axis& x, const Buffer::Axis& y) {
    return same(x.stride, y.stride) && same(x.extent, y.extent);
  };
  return name == b.name && type == b.type && memory == b.memory && same(elements, b.elements) &&
         is_written == b.is_written && is_read_once == b.is_read_once &&
         is_updated == b.is_updated && replaces == b.replaces && offset == b.offset &&
         in_workspace == b.in_workspace && arrivals == b.arrivals &&
         is_kept_apart == b.is_kept_apart && counts_blocks == b.counts_blocks && holds == b.holds &&
         same(rises_to, b.rises_to) &&
         std::equal(axes.begin(), axes.end(), b.axes.begin(), b.axes.end(), is_same_axis);
}

bool equal(const ValueNode& a, const ValueNode& b) {
  const auto& [kind, type, weak, integer, real, index, source, subscripts, function, operands,
               loaded, modes, math] = a;
  SELVAGE_CHECK(loaded.empty() && modes.empty());  // those of a kernel are Defines
  return kind == b.kind && type == b.type && weak == b.weak && integer == b.integer &&
         std::bit_cast<std::uint64_t>(real) == std::bit_cast<std::uint64_t>(b.real) &&
         same(index, b.index) && source == b.source && equal(subscripts, b.subscripts) &&
         function == b.function && operands == b.operands && math == b.math;
}

bool equal(const ValueGraph& a, const ValueGraph& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[ValueId(i)], b[ValueId(i)])) return false;
  }
  return true;
}

bool equal(const Launch& a, const Launch& b) {
  const auto& [grid, block, shared_bytes, cluster, is_cluster, workspace] = a;
  return equal(grid, b.grid) && equal(block, b.block) && same(shared_bytes, b.shared_bytes) &&
         cluster == b.cluster && is_cluster == b.is_cluster && workspace == b.workspace;
}

}  // namespace

bool equal(const Facts& a, const Facts& b) {
  const auto is_same_symbol = [](const Facts::Symbol& x, const Facts::Symbol& y) {
    const auto& [symbol, lo, hi, range, congruence] = x;
    return same(symbol, y.symbol) && same(lo, y.lo) && same(hi, y.hi) && range == y.range &&
           congruence.modulus == y.congruence.modulus && congruence.residue == y.congruence.residue;
  };
  return equal(a.assumptions(), b.assumptions()) &&
         std::equal(a.symbols().begin(), a.symbols().end(), b.symbols().begin(), b.symbols().end(),
                    is_same_symbol);
}

bool equal(const ComputedExpressions& a, const ComputedExpressions& b) {
  const auto& [all, definitions, depth, axes] = a;
  const auto is_same_definition = [](const auto& x, const auto& y) {
    return same(x.first, y.first) && same(x.second, y.second);
  };
  const auto is_same_axis = [](const auto& x, const auto& y) {
    return same(x.variable, y.variable) && x.index == y.index;
  };
  return equal(all, b.all) && depth == b.depth &&
         std::ranges::equal(definitions, b.definitions, is_same_definition) &&
         std::ranges::equal(axes, b.axes, is_same_axis);
}

bool differ_in_width_alone(const Kernel& a, const Kernel& b) {
  const auto same_buffer = [](const Buffer& x, const Buffer& y) { return equal(x, y); };
  const auto same_map = [](const BoxMap& x, const BoxMap& y) { return equal(x, y); };
  return a.pool == b.pool && a.premise.valid() && b.premise.valid() && same(a.premise, b.premise) &&
         equal(a.launch, b.launch) && equal(a.sizes, b.sizes) && equal(a.facts, b.facts) &&
         std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(),
                    same_buffer) &&
         std::ranges::equal(a.maps, b.maps, same_map) && equal(a.body, b.body) &&
         equal(a.values, b.values);
}

}  // namespace selvage
