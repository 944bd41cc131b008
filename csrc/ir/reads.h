#pragma once

#include <selvage/ir/fusion.h>

#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// The values that a value is made of, each once, itself included, operands first.
std::vector<ValueId> values_under(const ValueGraph& values, ValueId root);

// The tensors that the definition of `t` reads, each once, in the order of its values. What inlined
// tensors read is not included.
std::vector<TensorId> tensors_read(const Fusion& fusion, TensorId t);

// The tensors whose elements tell the rows that `t` has items of, or is computed over: these are
// there before it, whether its definition reads them or not.
std::vector<TensorId> offsets_of(const Fusion& fusion, TensorId t);

// Whether the index stands alone on axes of this extent in a definition, so that its reads tell how
// far it runs. Axes that it may leave, as a fill says, count as well.
bool reads_tell_extent(const Fusion& fusion, ValueId definition, Expr index, Expr extent);

// By tensor, whether the definition of one reads it.
std::vector<bool> are_read(const Fusion& fusion);

// All tensors, each after those that it reads and those that tell its rows; otherwise in the order
// of their ids. The tensors of a fusion are added in such an order; those that a schedule adds are
// not.
std::vector<TensorId> definition_order(const Fusion& fusion);

// The access mode of a read along an axis, or null; and the subscript there as it is written,
// before a mode brings it into the axis.
const AxisMode* mode_of(const ValueNode& read, std::size_t axis);
Expr written_subscript(const ValueNode& read, std::size_t axis);

// A copy of a value in its graph in which `changed` gives nodes another form, operands left to this
// function; the value itself, if nothing changes. Nothing: the node stays as it is.
ValueId rewritten(ValueGraph& values, ValueId root,
                  const std::function<std::optional<ValueNode>(ValueId)>& changed);

// Makes the definition of `reader` read `to` wherever it reads `from`.
void redirect_reads(Fusion& fusion, TensorId reader, TensorId from, TensorId to);

}  // namespace selvage
