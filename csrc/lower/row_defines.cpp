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

Define RowDefines::search(Expr variable, Expr first, Expr position, std::int64_t added) {
  ValueGraph& values = kernel_.values;
  const ValueId found = values.search(offsets_, first, last_, values.index(position), added);
  return define(variable, found, zero_, last_);
}

Define RowDefines::row_from(Expr variable, ValueId stored) {
  ValueGraph& values = kernel_.values;
  const ValueId own = values.apply(Function::Max, {stored, values.index(zero_)});
  return define(variable, values.apply(Function::Min, {own, values.index(last_)}), zero_, last_);
}

ValueId RowDefines::offset(Expr at) {
  ValueGraph& values = kernel_.values;
  const ValueId read = values.read(kernel_.buffers[offsets_].type, offsets_, {at});
  kernel_.items.add(offsets_, at, Item{{at}});
  return values.apply(Function::Min,
                      {values.cast(read, DataType::Int64), values.index(rows_.items)});
}

std::vector<Define> RowDefines::ends(Expr row, Expr is_row) {
  ValueGraph& values = kernel_.values;
  const ValueId none = values.constant(DataType::Int64, std::int64_t{0}, false);
  const auto if_row = [&](ValueId value) {
    if (is_row.is_true()) return value;
    return values.apply(Function::Select, {values.index(is_row), value, none});
  };
  const Expr next = Simplifier(kernel_.facts).simplify(row + 1);
  const ValueId begin = if_row(values.apply(Function::Max, {offset(row), none}));
  const Define first = define(rows_.begin, begin, zero_, rows_.items);
  const ValueId end =
      values.apply(Function::Max, {if_row(offset(next)), values.index(rows_.begin)});
  return {first, define(rows_.end, end, rows_.begin, rows_.items)};
}

}  // namespace selvage
