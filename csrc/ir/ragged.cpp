#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/ragged.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

RowsId add_rows(Tensor offsets, std::optional<Expr> items) {
  Fusion& f = offsets.fusion();
  const TensorInfo& info = f[offsets.id()];
  const bool is_integer = info.type == DataType::Int64 || info.type == DataType::Int32;
  const std::vector<Expr> shape = offsets.shape();
  const bool is_kept = info.is_input || info.is_output;
  if (!is_kept || !is_integer || shape.size() != 1 || shape[0].is_const(1)) {
    refuse<BadInput>("E519", info.name + " tells no rows",
                     "give an input or an output of one axis, of type int32 or int64, with one "
                     "element more than there are rows");
  }
  Simplifier simplifier(*f.facts());
  const Expr count = simplifier.simplify(shape[0] - 1);
  return f.add_rows(offsets.id(), count, items ? *items : f.extent(info.name + "_items", 0));
}

std::optional<RowsId> rows_told_by(const Fusion& f, const std::string& offsets) {
  const auto t = f.find(offsets);
  for (std::size_t k = 0; t && k < f.domains().rows(); ++k) {
    if (TensorId(f.domains()[RowsId(k)].offsets) == *t) return RowsId(k);
  }
  return std::nullopt;
}

Expr length(const Fusion& f, RowsId rows) {
  const RaggedRows& own = f.domains()[rows];
  return own.end - own.begin;
}

std::optional<RowsId> rows_of_length(const Fusion& f, Expr extent) {
  for (std::size_t k = 0; k < f.domains().rows(); ++k) {
    if (same(length(f, RowsId(k)), extent)) return RowsId(k);
  }
  return std::nullopt;
}

std::vector<Expr> shape_by_rows(const Fusion& f, TensorId t) {
  std::vector<Expr> shape = f.shape(t);
  if (const auto rows = f[t].items_of) {
    shape[0] = length(f, *rows);
    shape.insert(shape.begin(), f.domains()[*rows].count);
  }
  return shape;
}

Element offset_of(Fusion& f, RowsId rows, Expr row) {
  const Tensor offsets(&f, TensorId(f.domains()[rows].offsets));
  return cast(read_or(offsets, {row}, 0), DataType::Int64);
}

IndexValue begin_of(Fusion& f, RowsId rows, Expr row) {
  const RaggedRows own = f.domains()[rows];
  return {{own.begin, IndexMode::Clamped, own.items},
          clamped_to(f.values(), offset_of(f, rows, row).in(f), own.items + 1)};
}

namespace {

// `may_be`: that there is such a row, and the item is none in front of it.
RowItem item_of_row(Fusion& f, RowsId rows, Expr row, ValueId item, ValueId may_be) {
  ValueGraph& values = f.values();
  const ValueId begin = offset_of(f, rows, row).in(f), end = offset_of(f, rows, row + 1).in(f);
  const ValueId inside =
      values.apply(Function::Lt, {item, values.apply(Function::Sub, {end, begin})});
  return {values.apply(Function::Add, {begin, item}),
          values.apply(Function::And, {may_be, inside})};
}

}  // namespace

RowItem row_item(Fusion& f, RowsId rows, Expr row, Expr item) {
  const Expr may_be = 0 <= row && row < f.domains()[rows].count && 0 <= item;
  return item_of_row(f, rows, row, f.values().index(item), f.values().index(may_be));
}

RowItem row_item(Fusion& f, RowsId rows, Expr row, ValueId item) {
  ValueGraph& values = f.values();
  const ValueId is_row = values.index(0 <= row && row < f.domains()[rows].count);
  const ValueId is_behind = values.apply(Function::Le, {values.whole(0), item});
  return item_of_row(f, rows, row, item, values.apply(Function::And, {is_row, is_behind}));
}

Tensor ragged_input(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> inner,
                    DataType type, std::vector<std::string> axes) {
  inner.insert(inner.begin(), f.domains()[rows].items);
  const Tensor made = f.input(name, std::move(inner), type, std::move(axes));
  f.edit(made.id()).items_of = rows;
  return made;
}

Element item(Tensor x, RowsId rows, const std::vector<Expr>& at) {
  Fusion& f = x.fusion();
  if (at.size() != x.rank() + 1) {
    refuse<BadInput>("E503",
                     x.name() + " has rows of items and " + std::to_string(x.rank() - 1) +
                         " further axes, and is read as " + x.name() + to_text(at),
                     "give a subscript for the row, one for the item, and one for each other axis");
  }
  const auto own = f[x.id()].items_of;
  if (own && *own != rows) {
    const auto offsets = [&](RowsId r) { return f[TensorId(f.domains()[r].offsets)].name; };
    refuse<BadInput>("E501",
                     x.name() + " has items of the rows of " + offsets(*own) +
                         ", and is read by those of " + offsets(rows),
                     "read it by its own; or test that they are equal by check_same_rows(), and "
                     "write as_rows() of it");
  }
  const IndexValue begin = begin_of(f, rows, at[0]);
  std::vector<Expr> subscripts = {begin.loaded.symbol + at[1]};
  subscripts.insert(subscripts.end(), at.begin() + 2, at.end());
  return {f, f.values().gather(x.type(), std::uint32_t(x.id()), std::move(subscripts),
                               {begin.loaded}, {begin.value}, std::nullopt)};
}

Tensor compute_ragged(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> indices,
                      std::vector<Expr> inner, const Element& value, std::optional<DataType> type,
                      const Fusion::FoldRequest* fold) {
  std::vector<Expr> shape = {f.domains()[rows].count, length(f, rows)};
  shape.insert(shape.end(), inner.begin(), inner.end());
  const auto positions = [](DomainGraph& graph, const std::vector<DomainId>& root) {
    std::vector<DomainId> logical = {graph.merge(root[0], root[1])};
    logical.insert(logical.end(), root.begin() + 2, root.end());
    return logical;
  };
  const Tensor made = f.compute_view(name, std::move(indices), std::move(shape), positions,
                                     value.in(f), type, fold);
  f.edit(made.id()).is_iterated_by_root = true;
  f.edit(made.id()).items_of = rows;
  return made;
}

std::vector<Tensor> check_rows(Fusion& f, RowsId rows) {
  const RaggedRows own = f.domains()[rows];
  const auto test = [&](TensorId of, Expr k, Expr extent, const Element& holds, const char* says) {
    const Fusion::FoldRequest fold{.how = Reduction::All, .indices = {k}, .shape = {extent}};
    const std::string name = f[of].name + "_contract";
    return f.output(name, f.compute_fold(name, {}, {}, fold, asserted(holds, holds, says)));
  };
  std::vector<Tensor> tests;
  const Tensor offsets(&f, TensorId(own.offsets));
  const Expr k = f.fresh_index("k");
  const Element at = cast(read(offsets, {k}), DataType::Int64);
  const Element before = cast(read_or(offsets, {k - 1}, 0), DataType::Int64);
  tests.push_back(test(offsets.id(), k, own.count + 1,
                       before <= at && (Element(0 < k) || at == 0) &&
                           (Element(k < own.count) || at == Element(own.items)),
                       "offsets begin at 0, rise, and end at the number of items"));
  for (std::size_t t = 0; t < f.size(); ++t) {
    const TensorInfo& info = f[TensorId(t)];
    if (!info.is_input || info.items_of != rows || !info.indexes || info.logical.size() != 1)
      continue;
    const Expr p = f.fresh_index("p"), extent = info.indexes->below;
    const int least = info.indexes->may_be_none ? -1 : 0;
    const Element index = cast(read({&f, TensorId(t)}, {p}), DataType::Int64);
    tests.push_back(test(TensorId(t), p, own.items,
                         Element(least) <= index && index < Element(extent),
                         "it is an index of a column"));
    if (!info.indexes->rise) continue;
    const Expr row = f.fresh_index("row"), j = f.fresh_index("j");
    const Tensor indices(&f, TensorId(t));
    const RowItem before = row_item(f, rows, row, j - 1);
    const auto number = [&](const Element& e) { return cast(e, DataType::Int64); };
    const Element rises = !Element(f, before.is_inside) ||
                          number(gather(indices, {clamped(Element(f, before.subscript))})) <=
                              number(item(indices, rows, {row, j}));
    const Fusion::FoldRequest fold{
        .how = Reduction::All, .indices = {row, j}, .shape = {own.count, length(f, rows)}};
    const std::string name = f[TensorId(t)].name + "_rises";
    tests.push_back(f.output(
        name, f.compute_fold(name, {}, {}, fold, asserted(rises, rises, "it rises in each row"))));
  }
  return tests;
}

}  // namespace selvage
