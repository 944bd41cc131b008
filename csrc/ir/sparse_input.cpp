#include <selvage/base/refuse.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/fold.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/sparse_input.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

const char* count_suffix(const StorageFormat& format) {
  const StorageKind storage = format.storage;
  return storage == StorageKind::Ell || storage == StorageKind::Dia ? kWidthSuffix : kItemsSuffix;
}

bool counts_items(Reduction how) {
  return how == Reduction::Mean || how == Reduction::Variance || how == Reduction::ArgMax ||
         how == Reduction::ArgMin;
}

SparseLayout sparse_layout(const StorageFormat& format, Expr rows, Expr columns, Expr count) {
  const auto parts = [](Expr extent, std::int64_t size) {
    return size == 1 ? extent : ceil_div(extent, extent.pool().constant(size));
  };
  const auto number = [&](std::int64_t n) { return rows.pool().constant(n); };
  const auto offsets = [](Expr lines) { return SparseLayout::Array{kOffsetsSuffix, {lines + 1}}; };
  const auto slots = [&](std::vector<Expr> shape, bool is_of_items) {
    return SparseLayout::Array{kColumnsSuffix, std::move(shape), IndexPromise{columns, true, false},
                               is_of_items};
  };
  using Array = SparseLayout::Array;
  switch (format.storage) {
    case StorageKind::Csr:
      return {rows, {}, {offsets(rows), Array{kColumnsSuffix, {}, IndexPromise{columns}, true}}};
    case StorageKind::Csc:
      return {columns, {}, {offsets(columns), Array{kRowsSuffix, {}, IndexPromise{rows}, true}}};
    case StorageKind::Coo:
      return {rows,
              {},
              {Array{kRowsSuffix, {count}, IndexPromise{rows, false, true}},
               Array{kColumnsSuffix, {}, IndexPromise{columns}, true}}};
    case StorageKind::Ell: return {{}, {rows, count}, {slots({rows, count}, false)}};
    case StorageKind::Sell: {
      const Expr slices = parts(rows, format.height);
      const std::vector<Expr> inner = {number(format.height)};
      return {slices, inner, {offsets(slices), slots(inner, true)}};
    }
    case StorageKind::Dia: return {{}, {count, rows}, {Array{kDiagonalsSuffix, {count}}}};
    case StorageKind::Bcsr: break;
  }
  const Expr lines = parts(rows, format.height);
  return {lines,
          {number(format.height), number(format.width)},
          {offsets(lines),
           Array{kColumnsSuffix, {}, IndexPromise{parts(columns, format.width)}, true}}};
}

void name_steps(Fusion& f, std::size_t first, const std::string& name) {
  for (std::size_t k = first; k < f.size(); ++k) {
    if (f[TensorId(k)].is_output) continue;
    f.rename(TensorId(k), name + "_" + std::to_string(k - first));
  }
}

Tensor searched_offsets(Fusion& f, const std::string& matrix, Expr rows) {
  const Tensor sorted(&f, f.find(matrix + kRowsSuffix).value());
  const Expr row = f.fresh_index("row");
  const std::size_t first = f.size();
  const Expr count = Simplifier(*f.facts()).simplify(rows + 1);
  const Tensor numbers = f.compute("", {row}, {count}, Element(row));
  const Tensor offsets = f.output(matrix + kOffsetsSuffix, searchsorted(sorted, numbers));
  name_steps(f, first, matrix + kOffsetsSuffix);
  return offsets;
}

Tensor item_rows(Fusion& f, const std::string& matrix, DataType index) {
  const RowsId rows = rows_told_by(f, matrix + kOffsetsSuffix).value();
  const Expr row = f.fresh_index("row"), item = f.fresh_index("item");
  return f.output(matrix + kRowsSuffix,
                  compute_ragged(f, "", rows, {row, item}, {}, Element(row), index));
}

SparseInput::SparseInput(Fusion& f, const std::string& name, const StorageFormat& format, Expr rows,
                         Expr columns, DataType type, DataType index)
    : f_(&f), name_(name), format_(format), rows_(rows), columns_(columns) {
  const Expr count = f.extent(name + count_suffix(format), 0);
  const SparseLayout layout = sparse_layout(format, rows, columns, count);
  const auto add = [&](const std::string& of, const std::vector<Expr>& shape, DataType element,
                       bool is_of_items) {
    return is_of_items ? ragged_input(f, of, *lines_, shape, element) : f.input(of, shape, element);
  };
  const auto add_array = [&](const SparseLayout::Array& a) {
    const Tensor made = add(name + a.suffix, a.shape, index, a.is_of_items);
    f.edit(made.id()).indexes = a.promise;
  };
  for (const SparseLayout::Array& a : layout.arrays) {
    if (!a.is_of_items) add_array(a);
  }
  if (layout.lines.valid()) {
    const auto offsets = f.find(name + kOffsetsSuffix);
    lines_ = add_rows(offsets ? Tensor(&f, *offsets) : searched_offsets(f, name, rows), count);
  }
  for (const SparseLayout::Array& a : layout.arrays) {
    if (a.is_of_items) add_array(a);
  }
  values_ = add(name, layout.values, type, lines_.has_value());
  f.edit(values_.id()).has_no_nan = true;
}

SparseInput::SparseInput(const std::string& name, const StorageFormat& format, Expr rows,
                         Expr columns, Tensor values)
    : f_(&values.fusion()),
      name_(name),
      format_(format),
      rows_(rows),
      columns_(columns),
      values_(values),
      lines_(values.fusion()[values.id()].items_of) {}

// The loops of a format, and what they tell.
struct SparseInput::Nest {
  std::vector<Expr> kept, kept_shape;  // the row or the column that a fold is at, perhaps in parts
  std::vector<Expr> folded, folded_shape;  // what it goes over
  SparseItem item;
  std::optional<Element> is_item = {};  // where a format fills up
};

SparseInput::Nest SparseInput::nest() const {
  Fusion& f = *f_;
  const auto index = [&](const char* name) { return f.fresh_index(name); };
  const auto number = [](const Element& e) { return cast(e, DataType::Int64); };
  const Expr i = index("i"), j = index("j");
  const std::vector<Expr> whole = f.shape(values_.id());
  const Expr height = f.constant(format_.height);
  switch (format_.storage) {
    case StorageKind::Csr:
    case StorageKind::Coo: {
      const Element column = number(item(array(kColumnsSuffix), *lines_, {i, j}));
      return {{i},
              {rows_},
              {j},
              {length(f, *lines_)},
              {item(values_, *lines_, {i, j}), Subscript(i), clamped(column)}};
    }
    case StorageKind::Csc: {
      const Element row = number(item(array(kRowsSuffix), *lines_, {j, i}));
      return {{j},
              {columns_},
              {i},
              {length(f, *lines_)},
              {item(values_, *lines_, {j, i}), clamped(row), Subscript(j)}};
    }
    case StorageKind::Ell: {
      const Element column = number(read(array(kColumnsSuffix), {i, j}));
      return {{i},
              {rows_},
              {j},
              {whole[1]},
              {read(values_, {i, j}), Subscript(i), clamped(column)},
              0 <= column};
    }
    case StorageKind::Dia: {
      const Element column = number(read(array(kDiagonalsSuffix), {j})) + Element(i);
      return {{i},
              {rows_},
              {j},
              {whole[0]},
              {read(values_, {j, i}), Subscript(i), clamped(column)},
              0 <= column && column < Element(columns_)};
    }
    case StorageKind::Sell: {
      const Expr lane = index("i_i");
      const Element column = number(item(array(kColumnsSuffix), *lines_, {i, j, lane}));
      return {{i, lane},
              {f.domains()[*lines_].count, height},
              {j},
              {length(f, *lines_)},
              {item(values_, *lines_, {i, j, lane}), clamped(i * height + lane), clamped(column)},
              0 <= column};
    }
    case StorageKind::Bcsr: break;
  }
  const Expr own = index("i_i"), across = index("j_i"), width = f.constant(format_.width);
  const Element block = number(item(array(kColumnsSuffix), *lines_, {i, j}));
  const Element column = block * format_.width + Element(across);
  return {{i, own},
          {f.domains()[*lines_].count, height},
          {j, across},
          {length(f, *lines_), width},
          {item(values_, *lines_, {i, j, own, across}), clamped(i * height + own), clamped(column)},
          column < Element(columns_)};
}

Tensor SparseInput::fold(Reduction how, std::vector<Expr> indices, std::vector<Expr> shape,
                         const Value& value) const {
  Fusion& f = *f_;
  Nest nest = this->nest();
  if (nest.is_item && counts_items(how)) {
    refuse<BadInput>("E520",
                     std::string(to_string(how)) + " would count what only fills " + name_ +
                         " up, as it is " + to_string(format_),
                     "store " + name_ + " as csr, csc or coo");
  }
  Element folded = value(nest.item);
  if (nest.is_item) {
    ValueGraph& values = f.values();
    const ValueId own = folded.in(f);
    const DataType type = values[own].type;
    const ValueId none = values.cast(constant_of(values, identity(how, type)), type);
    folded = select(*nest.is_item, {f, own}, {f, none});
  }
  const std::size_t parts = nest.kept.size();
  nest.kept.insert(nest.kept.end(), indices.begin(), indices.end());
  nest.kept_shape.insert(nest.kept_shape.end(), shape.begin(), shape.end());
  const Tensor made =
      f.compute_fold("", nest.kept, nest.kept_shape,
                     {.how = how, .indices = nest.folded, .shape = nest.folded_shape}, folded);
  if (parts == 1) return made;
  // Parts of rows are taken together, and what the last one has beyond all rows is left out.
  const Expr row = f.fresh_index("i"), height = f.constant(format_.height);
  std::vector<Expr> at = {row / height, row % height}, own = {row}, extents = {rows_};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    own.push_back(f.fresh_index("d"));
    at.push_back(own.back());
    extents.push_back(shape[k]);
  }
  return f.compute("", own, extents, read(made, at));
}

Tensor SparseInput::at_items(const Value& value) const {
  Fusion& f = *f_;
  const Nest nest = this->nest();
  const Element element = value(nest.item);
  if (format_.storage == StorageKind::Ell) {
    return f.compute("", {nest.kept[0], nest.folded[0]}, {rows_, nest.folded_shape[0]}, element);
  }
  if (format_.storage == StorageKind::Dia) {
    return f.compute("", {nest.folded[0], nest.kept[0]}, {nest.folded_shape[0], rows_}, element);
  }
  // As they lie: the line, its item, and what an item has inside.
  std::vector<Expr> indices = {nest.kept[0], nest.folded[0]}, inner;
  for (const auto* more : {&nest.kept, &nest.folded}) {
    if (more->size() > 1) indices.push_back((*more)[1]);
  }
  if (nest.kept.size() > 1) inner.push_back(nest.kept_shape[1]);
  if (nest.folded.size() > 1) inner.push_back(nest.folded_shape[1]);
  return compute_ragged(f, "", *lines_, std::move(indices), std::move(inner), element);
}

}  // namespace selvage
