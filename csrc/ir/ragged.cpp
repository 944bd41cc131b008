#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/ragged.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

RowsId add_rows(Tensor offsets) {
  Fusion& f = offsets.fusion();
  const TensorInfo& info = f[offsets.id()];
  const bool is_integer = info.type == DataType::Int64 || info.type == DataType::Int32;
  const std::vector<Expr> shape = offsets.shape();
  if (!info.is_input || !is_integer || shape.size() != 1 || shape[0].is_const(1)) {
    refuse<BadInput>("E519", info.name + " tells no rows",
                     "give an input of one axis, of type int32 or int64, with one element more "
                     "than there are rows");
  }
  Simplifier simplifier(*f.facts());
  const Expr count = simplifier.simplify(shape[0] - 1);
  return f.add_rows(offsets.id(), count, f.extent(info.name + "_items", 0));
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

Tensor ragged_input(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> inner,
                    DataType type, std::vector<std::string> axes) {
  inner.insert(inner.begin(), f.domains()[rows].items);
  return f.input(name, std::move(inner), type, std::move(axes));
}

Element item(Tensor x, RowsId rows, const std::vector<Expr>& at) {
  Fusion& f = x.fusion();
  const RaggedRows& own = f.domains()[rows];
  if (at.size() != x.rank() + 1) {
    refuse<BadInput>("E503",
                     x.name() + " has rows of items and " + std::to_string(x.rank() - 1) +
                         " further axes, and is read as " + x.name() + to_text(at),
                     "give a subscript for the row, one for the item, and one for each other axis");
  }
  ValueGraph& values = f.values();
  const Tensor offsets(&f, TensorId(own.offsets));
  // The row may have fewer indices than there are offsets, so the two share no extent.
  const ValueId begin = values.cast(read_or(offsets, {at[0]}, 0).in(f), DataType::Int64);
  std::vector<Expr> subscripts = {own.begin + at[1]};
  subscripts.insert(subscripts.end(), at.begin() + 2, at.end());
  const LoadedIndex loaded{own.begin, IndexMode::Clamped, own.items};
  return {f, values.gather(x.type(), std::uint32_t(x.id()), std::move(subscripts), {loaded},
                           {clamped_to(values, begin, own.items + 1)}, std::nullopt)};
}

Tensor compute_ragged(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> indices,
                      std::vector<Expr> inner, const Element& value, std::optional<DataType> type) {
  std::vector<Expr> shape = {f.domains()[rows].count, length(f, rows)};
  shape.insert(shape.end(), inner.begin(), inner.end());
  const auto positions = [](DomainGraph& graph, const std::vector<DomainId>& root) {
    std::vector<DomainId> logical = {graph.merge(root[0], root[1])};
    logical.insert(logical.end(), root.begin() + 2, root.end());
    return logical;
  };
  const Tensor made =
      f.compute_view(name, std::move(indices), std::move(shape), positions, value.in(f), type);
  f.edit(made.id()).is_iterated_by_root = true;
  return made;
}

}  // namespace selvage
