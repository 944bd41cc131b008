#include <selvage/lower/row_defines.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

RowDefines::RowDefines(Kernel& kernel, const RaggedRows& rows, BufferId offsets)
    : kernel_(kernel),
      rows_(rows),
      offsets_(offsets),
      zero_(kernel.pool->constant(0)),
      last_(Simplifier(kernel.facts).simplify(rows.count - 1)) {
  kernel.buffers[offsets].rises_to = rows.items;
}

Define RowDefines::define(Expr variable, ValueId value, Expr least, Expr most) {
  kernel_.facts.bound(variable, least, most);
  return {.variable = variable, .read = value, .least = least, .most = most, .is_promised = false};
}

Define RowDefines::search(Expr variable, const RowSearch& search) {
  ValueGraph& values = kernel_.values;
  Simplifier known(kernel_.facts);
  const ValueId found =
      values.search(offsets_, known.simplify(search.first), known.simplify(search.last),
                    values.index(search.position), search.added);
  return define(variable, found, zero_, last_);
}

Define RowDefines::row_from(Expr variable, ValueId stored, Expr position, std::int64_t added) {
  ValueGraph& values = kernel_.values;
  const ValueId own = values.apply(Function::Max, {stored, values.index(zero_)});
  Define row =
      define(variable, values.apply(Function::Min, {own, values.index(last_)}), zero_, last_);
  row.position = position;
  row.added = added;
  return row;
}

// The first position behind that many rows.
ValueId RowDefines::offset(const RaggedRows& of, Expr at) {
  ValueGraph& values = kernel_.values;
  const ValueId read = values.read(kernel_.buffers[offsets_].type, offsets_, {at});
  kernel_.items.add(offsets_, at, Item{{at}});
  const auto at_most = [&](ValueId value, Expr most) {
    return values.apply(Function::Min, {value, values.index(most)});
  };
  const ValueId items = at_most(values.cast(read, DataType::Int64), rows_.items);
  const std::int64_t added = of.groups ? of.groups->added : 0;
  if (added == 0) return items;
  return at_most(values.apply(Function::Add, {items, values.index(added * at)}), of.items);
}

std::vector<Define> RowDefines::ends(Expr row, Expr is_row) {
  return ends(rows_, row, row + 1, is_row);
}

std::vector<Define> RowDefines::ends_of_group(const RaggedRows& groups, Expr group, Expr is_group) {
  const Expr first = group * groups.groups->height;
  return ends(groups, first, min(first + groups.groups->height, rows_.count), is_group);
}

std::vector<Define> RowDefines::ends(const RaggedRows& of, Expr first, Expr last, Expr is_there) {
  ValueGraph& values = kernel_.values;
  Simplifier known(kernel_.facts);
  const ValueId none = values.constant(DataType::Int64, std::int64_t{0}, false);
  const auto if_there = [&](ValueId value) {
    if (is_there.is_true()) return value;
    return values.apply(Function::Select, {values.index(is_there), value, none});
  };
  const ValueId begin =
      if_there(values.apply(Function::Max, {offset(of, known.simplify(first)), none}));
  const Define from = define(of.begin, begin, zero_, of.items);
  const ValueId end = values.apply(
      Function::Max, {if_there(offset(of, known.simplify(last))), values.index(of.begin)});
  return {from, define(of.end, end, of.begin, of.items)};
}

}  // namespace selvage
