#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/ragged_ops.h>

namespace selvage {

namespace {

RowsId rows_of(const std::string& op, Tensor x) {
  const auto rows = x.fusion()[x.id()].items_of;
  if (rows) return *rows;
  refuse<BadInput>("E511", op + ": " + to_text(x) + " has no items of rows",
                   "make it by ragged_input() or compute_ragged(), or give it rows by as_rows()");
}

void check_rank(const std::string& op, Tensor t, std::size_t rank, const std::string& help) {
  if (t.rank() == rank) return;
  refuse<BadInput>("E511", op + ": " + to_text(t) + " has " + std::to_string(t.rank()) + " axes",
                   help);
}

void require_equal(const std::string& op, Fusion& f, Expr a, Expr b, const std::string& what) {
  if (require(f, eq(a, b), op + ": " + what + " must be equally many") != Holds::Never) return;
  refuse<BadInput>("E501",
                   op + ": " + what + " differ in number: " + to_string(a) + " and " + to_string(b),
                   "make them equally many");
}

// Indices of the tensors that an operation is over: those of a row, of an item in it, and along the
// dense axes behind.
struct ItemIndices {
  ItemIndices(Fusion& f, std::vector<Expr> extents)
      : row(f.fresh_index("b")),
        item(f.fresh_index("j")),
        inner(fresh_indices(f, extents.size())),
        extents(std::move(extents)) {}
  // Of a tensor that has items of rows.
  explicit ItemIndices(Tensor x) : ItemIndices(x.fusion(), behind(shape_of(x), 1)) {}

  std::vector<Expr> all() const { return joined({row, item}, inner); }
  std::vector<Expr> of_row() const { return joined({row}, inner); }
  std::vector<Expr> with_inner(std::vector<Expr> shape) const { return joined(shape, extents); }

  static std::vector<Expr> behind(const std::vector<Expr>& shape, std::ptrdiff_t axes) {
    return {shape.begin() + axes, shape.end()};
  }
  static std::vector<Expr> joined(std::vector<Expr> first, const std::vector<Expr>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  }

  Expr row, item;
  std::vector<Expr> inner, extents;
};

Element length_at(Fusion& f, RowsId rows, Expr row) {
  return offset_of(f, rows, row + 1) - offset_of(f, rows, row);
}

// What x has at a subscript on its first axis, or `otherwise` where the condition does not hold.
Element item_if(Tensor x, ValueId condition, ValueId subscript, const std::vector<Expr>& inner,
                ValueId otherwise) {
  Fusion& f = x.fusion();
  ReadAt at;
  at.add(index_value(f, subscript, shape_of(x)[0], IndexMode::Clamped));
  at.only_if(f.values(), condition);
  for (Expr index : inner) at.add(index);
  return {f, at.read(f, x.id(), otherwise)};
}
// An item of a row of x, or `otherwise` where the row lacks it.
Element item_or(Tensor x, RowsId rows, Expr row, Expr item, const std::vector<Expr>& inner,
                ValueId otherwise) {
  const RowItem own = row_item(x.fusion(), rows, row, item);
  return item_if(x, own.is_inside, own.subscript, inner, otherwise);
}

// Rows whose lengths a tensor has.
RowsId rows_by(const std::string& name, Tensor lengths, std::optional<Expr> items) {
  Fusion& f = lengths.fusion();
  const Tensor ends = cumsum(lengths, 0);
  const Expr k = f.fresh_index("k");
  const Element begin = cast(read_or(ends, {k - 1}, 0), DataType::Int64);
  return add_rows(f.output(name, f.compute("", {k}, {shape_of(lengths)[0] + 1}, begin)), items);
}

// The same for lengths that are computed, each from a row.
RowsId rows_by(Fusion& f, const std::string& name, Expr count, Expr row, const Element& length,
               std::optional<Expr> items) {
  return rows_by(name, f.compute("", {row}, {count}, length), items);
}

Tensor fold_of_rows(Reduction how, RowsId rows, const ItemIndices& at, Fusion& f,
                    const Element& value) {
  return f.compute_fold("", at.of_row(), at.with_inner({f.domains()[rows].count}),
                        {.how = how, .indices = {at.item}, .shape = {length(f, rows)}}, value);
}

// A fold of rows, and 0 of those without items.
Tensor zero_of_none(Tensor folded, RowsId rows, const ItemIndices& at) {
  Fusion& f = folded.fusion();
  const Element own = select(length_at(f, rows, at.row) == 0, 0, read(folded, at.of_row()));
  return f.compute("", at.of_row(), shape_of(folded), own, folded.type());
}

// The items of x by themselves, less the greatest of their row, and the sum of the powers of these
// for each row.
struct Shifted {
  Shifted(const std::string& op, Tensor x) : f(x.fusion()), rows(rows_of(op, x)), at(x) {
    const Element own = item(x, rows, at.all());
    const Element real = is_floating(x.type()) ? own : cast(own, DataType::Float);
    less = real - read(fold_of_rows(Reduction::Max, rows, at, f, real), at.of_row());
    power = apply(Function::Exp, {less});
    sum = read(fold_of_rows(Reduction::Sum, rows, at, f, power), at.of_row());
  }
  Tensor made(const Element& value) const {
    return compute_ragged(f, "", rows, at.all(), at.extents, value);
  }

  Fusion& f;
  RowsId rows;
  ItemIndices at;
  Element less = 0, power = 0, sum = 0;
};

}  // namespace

RowsId rows_of_lengths(Tensor lengths, std::optional<Expr> items) {
  if (lengths.rank() != 1 || !is_integer(lengths.type())) {
    refuse<BadInput>("E519",
                     "rows_of_lengths: " + to_text(lengths) + " of type " +
                         std::string(to_string(lengths.type())) + " tells no rows",
                     "give one integer for each row: how many items it has");
  }
  return rows_by(lengths.name() + "_offsets", lengths, items);
}

Tensor row_reduce(Reduction how, Tensor x) {
  const RowsId rows = rows_of("row_" + std::string(to_string(how)), x);
  const ItemIndices at(x);
  const Tensor folded = fold_of_rows(how, rows, at, x.fusion(), item(x, rows, at.all()));
  return how == Reduction::Mean ? zero_of_none(folded, rows, at) : folded;
}
Tensor row_sum(Tensor x) { return row_reduce(Reduction::Sum, x); }
Tensor row_mean(Tensor x) { return row_reduce(Reduction::Mean, x); }
Tensor row_max(Tensor x) { return row_reduce(Reduction::Max, x); }
Tensor row_min(Tensor x) { return row_reduce(Reduction::Min, x); }

Tensor row_softmax(Tensor x) {
  const Shifted s("row_softmax", x);
  return s.made(s.power / s.sum);
}

Tensor row_log_softmax(Tensor x) {
  const Shifted s("row_log_softmax", x);
  return s.made(s.less - apply(Function::Log, {s.sum}));
}

Tensor to_padded(Tensor x, Extent width, Operand value) {
  Fusion& f = x.fusion();
  const RowsId rows = rows_of("to_padded", x);
  const ItemIndices at(x);
  const ValueId otherwise = filling_of("to_padded", x, value);
  return f.compute("", at.all(), at.with_inner({f.domains()[rows].count, width.in(f)}),
                   item_or(x, rows, at.row, at.item, at.inner, otherwise), x.type());
}

Tensor from_padded(Tensor padded, RowsId rows) {
  Fusion& f = padded.fusion();
  const std::vector<Expr> shape = shape_of(padded);
  if (shape.size() < 2) {
    refuse<BadInput>("E511", "from_padded: " + to_text(padded) + " has no items of its rows",
                     "give a tensor with an axis of rows and one of their items");
  }
  require_equal("from_padded", f, f.domains()[rows].count, shape[0], "the rows");
  const ItemIndices at(f, ItemIndices::behind(shape, 2));
  // By the number that an item has, which is tested on both sides: where offsets break their
  // promise an item may be in front of its row.
  std::vector<Subscript> subscripts = {at.row, Subscript(Element(at.item))};
  subscripts.insert(subscripts.end(), at.inner.begin(), at.inner.end());
  return compute_ragged(f, "", rows, at.all(), at.extents, gather_or(padded, subscripts, 0),
                        padded.type());
}

Tensor concatenated(Tensor a, Tensor b) {
  check_one_fusion("concatenated", a, b);
  Fusion& f = a.fusion();
  const RowsId of_a = rows_of("concatenated", a), of_b = rows_of("concatenated", b);
  const RaggedRows rows_a = f.domains()[of_a], rows_b = f.domains()[of_b];
  check_rank("concatenated", b, a.rank(), "give both as many axes");
  require_equal("concatenated", f, rows_a.count, rows_b.count, "the rows");
  const ItemIndices at(a);
  const Expr k = f.fresh_index("k");
  const std::string name = a.name() + "_" + b.name() + "_offsets";
  const Tensor begins =
      f.compute("", {k}, {rows_a.count + 1}, offset_of(f, of_a, k) + offset_of(f, of_b, k));
  const RowsId rows = add_rows(f.output(name, begins), rows_a.items + rows_b.items);
  // Behind the items of a row of a come those of the row of b. What is read where a row has no item
  // of one of them is never taken.
  const Element j(at.item), items_of_a = length_at(f, of_a, at.row);
  const Element is_of_b = items_of_a <= j && j - items_of_a < length_at(f, of_b, at.row);
  const Element in_b = offset_of(f, of_b, at.row) + (j - items_of_a);
  const ValueId none = literal(f.values(), std::int64_t{0});
  return compute_ragged(f, "", rows, at.all(), at.extents,
                        select(j < items_of_a, item_or(a, of_a, at.row, at.item, at.inner, none),
                               item_if(b, is_of_b.in(f), in_b.in(f), at.inner, none)));
}

Tensor sliced(Tensor x, Extent first, Extent end, std::optional<Expr> items) {
  Fusion& f = x.fusion();
  const RowsId from = rows_of("sliced", x);
  const Expr begin = first.in(f), most = end.in(f)-begin;
  if (find_out(f, 0 <= begin) == Holds::Never || find_out(f, 0 <= most) == Holds::Never) {
    refuse<BadInput>("E512",
                     "sliced: " + to_text(x) + " from " + to_string(begin) + " to " +
                         to_string(end.in(f)) + " leaves the rows",
                     "keep 0 <= first <= end");
  }
  require(f, 0 <= begin && 0 <= most, "sliced: 0 <= first <= end");
  const ItemIndices at(x);
  const Element left = length_at(f, from, at.row) - Element(begin);
  const Element some = apply(Function::Min, {left, Element(most)});
  const RowsId rows = rows_by(f, x.name() + "_slice_offsets", f.domains()[from].count, at.row,
                              apply(Function::Max, {some, Element(0)}), items);
  return compute_ragged(
      f, "", rows, at.all(), at.extents,
      item_or(x, from, at.row, begin + at.item, at.inner, literal(f.values(), std::int64_t{0})),
      x.type());
}

Tensor truncated(Tensor x, Extent most, std::optional<Expr> items) {
  return sliced(x, 0, most, items);
}

Tensor embedding_bag(Tensor table, Tensor indices, Reduction how, std::optional<Tensor> weights) {
  const std::string op = "embedding_bag";
  check_one_fusion(op, table, indices);
  Fusion& f = table.fusion();
  const RowsId rows = rows_of(op, indices);
  check_rank(op, table, 2, "give a table of two axes");
  check_rank(op, indices, 1, "give one index for each item");
  check_index_of(op, indices);
  const bool is_known = how == Reduction::Sum || how == Reduction::Mean || how == Reduction::Max;
  if (!is_known || (weights && how != Reduction::Sum)) {
    refuse<BadInput>(
        "E511",
        op + ": " + (is_known ? "weights" : "bags") + " have no " + std::string(to_string(how)),
        is_known ? "leave the weights out, or take the sum" : "take the sum, the mean or the max");
  }
  const ItemIndices at(f, {shape_of(table)[1]});
  const std::vector<Expr> of_item = {at.row, at.item};
  Element own = gather(table, {clamped(item(indices, rows, of_item)), Subscript(at.inner[0])});
  if (weights) {
    check_one_fusion(op, table, *weights);
    rows_of(op, *weights);
    check_rank(op, *weights, 1, "give one weight for each item");
    shared_rows(op, f, {indices.id(), weights->id()});
    own = own * item(*weights, rows, of_item);
  }
  const Tensor folded = fold_of_rows(how, rows, at, f, own);
  return how == Reduction::Sum ? folded : zero_of_none(folded, rows, at);
}

Tensor grouped_matmul(Tensor x, Tensor w) {
  const std::string op = "grouped_matmul";
  check_one_fusion(op, x, w);
  Fusion& f = x.fusion();
  const RowsId groups = rows_of(op, x);
  check_rank(op, x, 2, "give a vector for each item");
  check_rank(op, w, 3, "give a matrix for each group: three axes");
  const std::vector<Expr> of_w = shape_of(w);
  require_equal(op, f, f.domains()[groups].count, of_w[0], "the groups");
  require_equal(op, f, shape_of(x)[1], of_w[1], "the numbers of an item and the rows of a matrix");
  const ItemIndices at(f, {of_w[2]});
  const Expr k = f.fresh_index("k");
  const Fusion::FoldRequest fold{.indices = {k}, .shape = {of_w[1]}};
  return compute_ragged(f, "", groups, at.all(), at.extents,
                        item(x, groups, {at.row, at.item, k}) * w(at.row, k, at.inner[0]), {},
                        &fold);
}

Tensor as_rows(Tensor x, RowsId rows) {
  Fusion& f = x.fusion();
  std::vector<Expr> shape = shape_of(x);
  if (shape.empty()) {
    refuse<BadInput>("E511", "as_rows: " + to_text(x) + " has no axes",
                     "give a tensor whose first axis has the items of all rows");
  }
  require_equal("as_rows", f, f.domains()[rows].items, shape[0], "the items");
  shape[0] = f.domains()[rows].items;
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  const Tensor made = f.compute("", indices, shape, read(x, indices));
  f.edit(made.id()).items_of = rows;
  return made;
}

Tensor check_same_rows(Fusion& f, RowsId a, RowsId b) {
  const RaggedRows rows_a = f.domains()[a], rows_b = f.domains()[b];
  require_equal("check_same_rows", f, rows_a.count, rows_b.count, "the rows");
  require_equal("check_same_rows", f, rows_a.items, rows_b.items, "the items");
  const Expr k = f.fresh_index("k");
  const Element holds = offset_of(f, a, k) == offset_of(f, b, k);
  const Fusion::FoldRequest fold{
      .how = Reduction::All, .indices = {k}, .shape = {rows_a.count + 1}};
  const std::string name =
      f[TensorId(rows_a.offsets)].name + "_" + f[TensorId(rows_b.offsets)].name + "_same";
  return f.output(
      name, f.compute_fold(name, {}, {}, fold, asserted(holds, holds, "both have the same rows")));
}

Expr row_tiles_bound(Expr count, Expr items, Expr size) {
  // Where there are fewer items than rows, the second is the greater: floor(-n / size) >= -n.
  return min(items, count + (items - count) / size);
}

Expr row_tiles_bound(const Fusion& f, RowsId rows, Extent size) {
  const RaggedRows& own = f.domains()[rows];
  return row_tiles_bound(own.count, own.items, size.in(f));
}

TileMap row_tiles(Fusion& f, RowsId rows, std::int64_t size) {
  const RaggedRows own = f.domains()[rows];
  const Expr b = f.fresh_index("b"), t = f.fresh_index("t"), one = f.constant(1);
  const Element length = apply(Function::Max, {length_at(f, rows, b), Element(0)});
  const Element tiles = apply(Function::FloorDiv, {length + (size - 1), Element(size)});
  const Tensor ends = cumsum(f.compute("", {b}, {own.count}, tiles), 0);
  const Expr bound = max(row_tiles_bound(f, rows, size), f.constant(0));
  // The row of a tile is the number of rows whose tiles all lie in front of it.
  const Tensor numbers = f.compute("", {t}, {bound}, Element(t));
  const Tensor row = searchsorted(ends, numbers, true);
  const Element at = read(row, {t}), in_front = gather_or(ends, {Subscript(at - one)}, 0);
  const auto offsets = Tensor(&f, TensorId(own.offsets));
  const Element begin = cast(gather_or(offsets, {Subscript(at)}, 0), DataType::Int64);
  const Element is_tile = at < Element(own.count);
  return {f.compute("", {t}, {bound}, select(is_tile, at, -1)),
          f.compute("", {t}, {bound},
                    select(is_tile, begin + (Element(t) - in_front) * size, Element(own.items)))};
}

}  // namespace selvage
