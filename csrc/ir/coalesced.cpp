#include <selvage/base/refuse.h>
#include <selvage/ir/coalesced.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/ir/stable_sort.h>

namespace selvage {

namespace {

Element number(const Element& e) { return cast(e, DataType::Int64); }

// The place of each item, row by row.
Tensor places(Fusion& f, const ItemList& items, Expr columns) {
  const Expr p = f.fresh_index("p");
  return f.compute(
      "", {p}, {shape_of(items.rows)[0]},
      number(read(items.rows, {p})) * Element(columns) + number(read(items.columns, {p})));
}

}  // namespace

ItemList item_list(RowsId rows, Tensor columns, Tensor values) {
  Fusion& f = values.fusion();
  const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
  return {compute_ragged(f, "", rows, {i, j}, {}, Element(i), DataType::Int64), columns, values};
}

ItemList item_list(const SparseInput& matrix) {
  const StorageKind storage = matrix.format().storage;
  if (storage == StorageKind::Coo) {
    return {matrix.array(kRowsSuffix), matrix.array(kColumnsSuffix), matrix.values()};
  }
  const bool by_columns = storage == StorageKind::Csc;
  if (by_columns || storage == StorageKind::Csr) {
    const Tensor others = matrix.array(by_columns ? kRowsSuffix : kColumnsSuffix);
    const ItemList items = item_list(*matrix.lines(), others, matrix.values());
    return by_columns ? transposed(items) : items;
  }
  refuse<BadInput>(
      "E520",
      matrix.name() + " is " + to_string(matrix.format()) + ", which has no list of its items",
      "store it as csr, csc or coo");
}

ItemList transposed(const ItemList& items) { return {items.columns, items.rows, items.values}; }

Coalesced coalesced(Fusion& f, const std::string& name, Expr rows, Expr columns,
                    const std::vector<ItemList>& matrices, std::optional<Expr> count) {
  std::vector<Tensor> keys;
  for (const ItemList& m : matrices) keys.push_back(places(f, m, columns));
  const Sorted sorted = stable_sort(keys.size() == 1 ? keys[0] : concatenate(keys, 0));
  const Expr all = shape_of(sorted.items)[0];
  const Expr p = f.fresh_index("p"), r = f.fresh_index("r"), i = f.fresh_index("i"),
             k = f.fresh_index("k"), j = f.fresh_index("j");

  // Of the sorted items, how many places there are up to each.
  const Element own = read(sorted.items, {p});
  const Element before = read_or(sorted.items, {p - 1}, 0);
  const Tensor numbers = cumsum(
      f.compute("", {p}, {all}, select(Element(eq(p, f.constant(0))) || own != before, 1, 0)), 0);
  // A row begins behind the places that lie in front of all of its own.
  const Tensor firsts = f.compute("", {r}, {rows + 1}, Element(r * columns));
  const Tensor fronts = searchsorted(sorted.items, firsts);
  const Tensor offsets =
      f.output(name + kOffsetsSuffix,
               f.compute("", {r}, {rows + 1},
                         number(gather_or(numbers, {Subscript(read(fronts, {r}) - 1)}, 0))));
  const Expr items = count ? *count : f.extent(name + kItemsSuffix, 0);
  const RowsId by_rows = add_rows(offsets, items);

  const Tensor counts = f.compute("", {k}, {items + 1}, Element(k));
  const Tensor begins = f.output(name + "_places", searchsorted(numbers, counts, true));
  const RowsId by_places = add_rows(begins, all);
  const Element place = gather(sorted.items, {clamped(read_or(begins, {i}, 0))});
  const DataType index = matrices[0].columns.type();
  const auto stored = [&](const Element& e, DataType type) {
    return as_rows(f.compute("", {i}, {items}, e, type), by_rows);
  };
  Coalesced made{by_rows,
                 stored(place % Element(columns), index),
                 stored(apply(Function::FloorDiv, {place, Element(columns)}), index),
                 {}};
  Expr begin = f.constant(0);
  for (const ItemList& m : matrices) {
    const Element at = item(sorted.order, by_places, {i, j}) - Element(begin);
    const Tensor sum = f.compute_fold(
        "", {i}, {items}, {.how = Reduction::Sum, .indices = {j}, .shape = {length(f, by_places)}},
        gather_or(m.values, {Subscript(at)}, 0), m.values.type());
    made.values.push_back(as_rows(sum, by_rows));
    begin = begin + shape_of(m.values)[0];
  }
  return made;
}

}  // namespace selvage
